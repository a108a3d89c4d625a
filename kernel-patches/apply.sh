#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Adds KUtrace to a kernel tree: the new files, the module's sources, and the series of patches for
# the tree's release. Must not leave a tree partly patched: first applies all patches to copies of
# the files that they change.
#
#	kernel-patches/apply.sh [--tracepoints] TREE [KVER]	KVER is 6.1 by default
#
# --tracepoints applies the small series of tracepoints instead, which has no new files.
#
# Exit status: 0; 1 if the tree does not match, with the rejected hunks; 2 usage.
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
[ -f "$tree/Kbuild" ] && [ -f "$tree/Makefile" ] || die "$tree is not a kernel tree"
[ ! -e "$tree/kernel/kutrace" ] || die "$tree already has KUtrace"
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
		echo "apply: cannot apply $patch to $tree, which is unchanged:" >&2
		# Prints the rejected hunks: file, lines, and their changes.
		sed -n 's/^--- \([^\t]*\).*/  hunk of \1/p; s/^@@/  @@/p; s/^[-+][^-+]/    &/p' \
			"$work/rej" >&2
		exit 1
	fi
done

# All patches match: change the tree.
if [ "$all" = "$here" ]; then
	cp -R "$here/files/." "$tree/"
	cp "$here/../Kconfig" "$tree/kernel/kutrace/Kconfig"
	cp -R "$here/../module" "$tree/kernel/kutrace/module"
	rm "$tree/kernel/kutrace/module/rules.mk" "$tree/kernel/kutrace/module/FLOORS"
fi
cp -R "$work/tree/." "$tree/"
