#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Prints the directory of the npm packages that test the page, or of the packages in the
# lock file of DIR. If the directory does not exist, the packages are installed first. It is outside
# the checkout, its name contains the hash of the lock file, and it is made completely or not at all.
#
#	modules.sh [DIR]
set -eu

here=${1:-$(dirname "$0")}
cache=$(dirname "$0")/../tests/cache.sh
key=$(sha256sum "$here/package-lock.json" | cut -c1-64)
dir=${XDG_CACHE_HOME:-$HOME/.cache}/kutrace/npm-$key
if ! "$cache" --use "$dir"; then
	if ! command -v npm >/dev/null 2>&1; then
		echo "modules.sh: npm is not installed: tests of the page need it (Debian: nodejs npm)" >&2
		exit 1
	fi
	mkdir -p "${dir%/*}"
	tmp=$(mktemp -d "$dir.XXXXXX")
	trap 'rm -rf "$tmp"' EXIT
	cp "$here/package.json" "$here/package-lock.json" "$tmp"
	(cd "$tmp" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >npm.log 2>&1) || {
		tail -n 20 "$tmp/npm.log" >&2
		echo "modules.sh: npm ci failed" >&2
		exit 1
	}
	# another process may have made it in the meantime
	mv -T "$tmp" "$dir" 2>/dev/null || [ -d "$dir/node_modules" ]
	"$cache" --trim || :
fi
printf '%s\n' "$dir/node_modules"
