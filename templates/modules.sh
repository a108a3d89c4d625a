#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Prints the directory of the npm packages that build and test the page, or of those that the
# lock file in DIR names, and fills it first when it is not there. It lies outside the checkout,
# keyed by the lock file, and appears whole or not at all. Called by make and the tests.
#
#	modules.sh [DIR]
set -eu

here=${1:-$(dirname "$0")}
cache=$(dirname "$0")/../tests/cache.sh
key=$(sha256sum "$here/package-lock.json" | cut -c1-64)
dir=${XDG_CACHE_HOME:-$HOME/.cache}/kutrace/npm-$key
if ! "$cache" --use "$dir"; then
	if ! command -v npm >/dev/null 2>&1; then
		echo "modules.sh: npm is not installed: building the page needs it (Debian: nodejs npm);" \
			"make tools builds all but the page" >&2
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
	# somebody else may have been faster
	mv -T "$tmp" "$dir" 2>/dev/null || [ -d "$dir/node_modules" ]
	"$cache" --trim || :
fi
printf '%s\n' "$dir/node_modules"
