#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Puts KUtrace into a kernel tree: the new files, the module's sources, and the
# series of patches for that version. It must not leave a tree half patched: all
# patches are tried on copies of the files they touch before anything changes.
# Called by build.sh, or by hand.
#
#	kernel-patches/apply.sh [--tracepoints] TREE [KVER]	KVER 6.1 by default
#
# --tracepoints applies the small series of tracepoints instead, which has no new files.
#
# Exit status: 0; 1 the tree does not match, with the hunk that does not; 2 usage.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
all=$here
if [ "${1-}" = --tracepoints ]; then
	all=$here/tracepoints
	shift
fi
[ $# -ge 1 ] && [ $# -le 2 ] || { echo "usage: apply.sh [--tracepoints] TREE [KVER]" >&2; exit 2; }
tree=$1
kver=${2:-6.1}
patches_of=$all/linux-$kver
series=$patches_of/series

die()
{
	echo "apply: $*" >&2
	exit 1
}

[ -f "$series" ] || die "no patches for Linux $kver: there are $(cd "$all" && echo linux-*)"
[ -f "$tree/Kbuild" ] && [ -f "$tree/Makefile" ] || die "$tree is no kernel tree"
[ ! -e "$tree/kernel/kutrace" ] || die "$tree has KUtrace already"
mapfile -t patches < <(grep -v '^#' "$series")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for patch in "${patches[@]}"; do
	while read -r file; do
		[ -f "$tree/$file" ] || die "$patch: $tree has no $file"
		mkdir -p "$work/tree/$(dirname "$file")"
		[ -f "$work/tree/$file" ] || cp "$tree/$file" "$work/tree/$file"
	done < <(sed -n 's|^--- a/||p' "$patches_of/$patch")
done
for patch in "${patches[@]}"; do
	if ! patch -d "$work/tree" -p1 -F0 -s -f --no-backup-if-mismatch -r "$work/rej" \
	    <"$patches_of/$patch" >"$work/log" 2>&1; then
		echo "apply: $patch does not match $tree, which is left as it was:" >&2
		# The rejected hunks: file, lines, and what they look for and put.
		sed -n 's/^--- \([^\t]*\).*/  hunk of \1/p; s/^@@/  @@/p; s/^[-+][^-+]/    &/p' \
			"$work/rej" >&2
		exit 1
	fi
done

# Everything fits: now for good.
if [ "$all" = "$here" ]; then
	cp -R "$here/files/." "$tree/"
	cp "$here/../Kconfig" "$tree/kernel/kutrace/Kconfig"
	cp -R "$here/../module" "$tree/kernel/kutrace/module"
	rm "$tree/kernel/kutrace/module/rules.mk" "$tree/kernel/kutrace/module/FLOORS"
fi
cp -R "$work/tree/." "$tree/"
