#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 900
# takes: 20
# full
#
# The series of tracepoints (kernel-patches/tracepoints) applies and passes checkpatch for each
# release:
#
#	mails		git am of the formatted series gives what apply.sh gives
#	style		checkpatch.pl --strict has no complaint about a mail
#	apply		a tree that has the series already is refused
set -u
. tests/guest/lib.sh
tap_begin
OUT=$BUILD/tests/guest/series-tracepoints
rm -rf "$OUT"
mkdir -p "$OUT"
OUT=$(realpath "$OUT")
here=$(realpath kernel-patches)

die()
{
	fail "$*" "cannot go on"
	tap_end
}

series()
{
	local tree=$TAP_TMP/tree-$1 file

	kver=$1
	. "$here/lib.sh"
	kernel_source
	mkdir -p "$tree"
	sed -n 's|^--- a/||p' "$here/tracepoints/linux-$kver"/*.patch | sort -u >"$TAP_TMP/files"
	(cd "$source" && cp --parents Kbuild Makefile $(cat "$TAP_TMP/files") "$tree")
	git init -q "$tree"
	git -C "$tree" add -A
	git -C "$tree" -c user.name=t -c user.email=t@example.org commit -q -m source
	ok "$kver: mails: the series is formatted" "$here/format.sh" --tracepoints "$kver" "$OUT/mails-$kver"
	is "$kver: mails: a cover letter, and a mail for each patch" \
		"$(find "$OUT/mails-$kver" -name '*.patch' | wc -l)" \
		"$(grep -cv '^#' "$here/tracepoints/linux-$kver/series")"
	ok "$kver: apply: the series fits" "$here/apply.sh" --tracepoints "$tree" "$kver"
	git -C "$tree" add -A
	git -C "$tree" write-tree >"$TAP_TMP/applied"
	is "$kver: apply: the series touches no other file" \
		"$(git -C "$tree" diff --cached --name-only | LC_ALL=C sort)" "$(LC_ALL=C sort "$TAP_TMP/files")"
	is "$kver: apply: a tree that has the series is refused" \
		"$("$here/apply.sh" --tracepoints "$tree" "$kver" 2>"$OUT/refused-$kver"; echo $?)" 1
	git -C "$tree" reset -q --hard
	ok "$kver: mails: git am takes them" git -C "$tree" -c user.name=t -c user.email=t@example.org \
		am -q "$OUT/mails-$kver"/*.patch
	is "$kver: mails: the tree is that of apply.sh" "$(git -C "$tree" rev-parse 'HEAD^{tree}')" \
		"$(cat "$TAP_TMP/applied")"
	for file in "$OUT/mails-$kver"/*.patch; do
		is "$kver: style: ${file##*/}" "$(GIT_DIR=none "$source/scripts/checkpatch.pl" --strict \
			--no-summary --terse --root "$source" "$file")" ""
	done
}
for each in "$here"/tracepoints/linux-*; do
	series "${each##*/linux-}"
done
tap_end
