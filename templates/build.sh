#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Builds the page. Bundles the worker, the scripts and the style with esbuild, and inserts them into
# the HTML with a Content-Security-Policy that allows only them. The policy forbids all other sources.
# A failed build leaves no page.
#
#	templates/build.sh OUT.html
#
# Needs esbuild 0.17 or later ($ESBUILD, default: esbuild in PATH), awk and coreutils.
set -eu
export LC_ALL=C

[ $# = 1 ] || { echo "usage: templates/build.sh OUT.html" >&2; exit 2; }
here=$(dirname "$0")
out=$1
esbuild=${ESBUILD:-esbuild}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Writes the bundle of a file of this folder, without the line feed at its end, to $work/NAME.
bundle()	# NAME FILE
{
	text=$("$esbuild" "$here/$2" --bundle --minify --target=es2022 --charset=utf8 --legal-comments=none \
		--log-level=warning)
	printf '%s' "$text" >"$work/$1"
}

# Prints the hash of a part, as a policy names it.
hash()	# NAME
{
	printf "'sha256-%s'" "$(sha256sum "$work/$1" | cut -c 1-64 | tr a-f A-F | basenc -d --base16 | base64)"
}

bundle WORKER js/data/worker.ts
bundle START js/shell/start.ts
bundle SCRIPT js/shell/main.ts
bundle CSS css/page.css

# A part must not contain text that ends its element or hides its end.
if grep -qi -e '</script' -e '<!--' "$work/WORKER" "$work/START" "$work/SCRIPT" || grep -qi '</style' "$work/CSS"; then
	echo "build.sh: a bundle contains text that would end its element" >&2
	exit 1
fi
printf "default-src 'none'; script-src %s %s; style-src %s; worker-src blob:; base-uri 'none'; form-action 'none'" \
	"$(hash START)" "$(hash SCRIPT)" "$(hash CSS)" >"$work/CSP"
sed -n 's/^VERSION := //p' "$here/../Makefile" | tr -d '\n' >"$work/VERSION"

mkdir -p "$(dirname "$out")"
awk -v work="$work/" '
# Prints a file. awk reads lines without their line feeds, so line feeds are printed between the lines.
function insert(file, line, between) {
	while ((getline line <file) > 0) {
		printf "%s%s", between, line
		between = "\n"
	}
	close(file)
}
{
	while (match($0, /@(CSP|WORKER|START|CSS|SCRIPT|VERSION)@/)) {
		printf "%s", substr($0, 1, RSTART - 1)
		insert(work substr($0, RSTART + 1, RLENGTH - 2))
		$0 = substr($0, RSTART + RLENGTH)
	}
	print
}' "$here/show_cpu.html" >"$out.tmp"
mv "$out.tmp" "$out"
