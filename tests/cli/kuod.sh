#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests kuod: the common checks, and that its dump has each word once, with the meaning that
# rawtoevent prints.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc
make_traces >&2 || exit 1
export TZ=UTC

TOOL=$BIN/kuod
GOOD=$TRACES/good.trace
DATES='s/[0-9-]*_[0-9:.]*//'
common_checks kuod "$GOOD"

# words_agree FILE BLOCK: passes if the words of the block in the dump equal those of od.
words_agree()
{
	run /dev/null "$TOOL" "$1" --block "$2"
	grep -E '^ *[0-9]+  [0-9a-f]{16} ' "$OUT" | awk '
		$3 == "nothing," { for (i = 0; i < $4; i++) print $1 + i, $2; next } { print $1, $2 }' >"$TAP_TMP/a"
	dd if="$1" bs=65536 skip="$2" count=1 2>/dev/null | od -An -v -t x8 -w8 |
		awk '{ print NR - 1, $1 }' | head -n "$(wc -l <"$TAP_TMP/a")" >"$TAP_TMP/b"
	cmp "$TAP_TMP/a" "$TAP_TMP/b" && [ "$(wc -l <"$TAP_TMP/a")" -gt 12 ]
}
ok "good: each word once, in order, as od shows it" words_agree "$GOOD" 0
for file in noise every-event time-jumps hostile-names random; do
	ok "$file: each word once, in order" words_agree "$TRACES/$file.trace" 0
done
run "$GOOD" "$TOOL"
like "the head" "$(head -n 3 "$OUT")" '^ +1  03[0-9a-f]{14}  flags 03, version 3, taken at [0-9]+ us: 2026-11-20_08:50:11'
like "a name" "$(cat "$OUT")" 'name 002 of [0-9]+: "[a-z]+'
run "$TRACES/name-over-end.trace" "$TOOL"
like "an entry over the end of its block" "$(cat "$OUT")" '^ +8191  [0-9a-f]{16} .*runs over the end of the block'
run "$TRACES/noise.trace" "$TOOL"
like "no such entry" "$(cat "$OUT")" 'no such entry'
run "$TRACES/version2.trace" "$TOOL"
like "another version" "$(cat "$OUT")" 'version 2 \(not 3\)'
run "$TRACES/good-ipc.trace" "$TOOL"
like "IPC" "$(cat "$OUT")" '\[ipc [0-9a-f]{2}: [0-9/+]+, [0-9/+]+\]'
# changes the flags, so that the same counter bytes mean both counters, or cache misses only
cp "$TRACES/good-ipc.trace" "$TAP_TMP/llc.trace"
for flags in '\243:ipc and llc [0-9a-f]{2}: [0-9a-f], [0-9a-f]' '\043:llc [0-9a-f]{2}: [0-9]+[K+]*, [0-9]+[K+]*'; do
	for block in $(seq 0 $(($(stat -c %s "$TAP_TMP/llc.trace") / 73728 - 1))); do
		shown=${flags%%:*}
		[ "$block" = 0 ] || shown=$(printf %s "$shown" | sed 's/3$/0/')
		printf "$shown" | dd of="$TAP_TMP/llc.trace" bs=1 seek=$((block * 73728 + 15)) conv=notrunc status=none
	done
	run "$TAP_TMP/llc.trace" "$TOOL"
	is "${flags#*:}: it reads the blocks" "$STATUS" 0
	like "${flags#*:}: shown" "$(cat "$OUT")" "\\[${flags#*:}\\]"
	"$BIN/rawtoevent" "$TAP_TMP/llc.trace" 2>/dev/null | awk '!/^#/ && NF > 9 { print $9 }' >"$TAP_TMP/llc.bytes"
	"$BIN/rawtoevent" "$TRACES/good-ipc.trace" 2>/dev/null | awk '!/^#/ && NF > 9 { print $9 }' >"$TAP_TMP/ipc.bytes"
	ok "${flags#*:}: rawtoevent hands the same bytes on" cmp "$TAP_TMP/llc.bytes" "$TAP_TMP/ipc.bytes"
done
run "$TRACES/hostile-names.trace" "$TOOL"
is "no control characters" "$(LC_ALL=C tr -d '\n' <"$OUT" | LC_ALL=C grep -c '[[:cntrl:]]')" 0
run "$TRACES/cut-second-block.trace" "$TOOL"
expect "a cut block" 1 "^kuod: standard input: block 1: cut off after 1000 bytes"
run "$GOOD" "$TOOL" --block 7
expect "no such block" 1 "^kuod: standard input: no such block: it has 1 blocks"
for arg in x 1- 2-1 -1 1x; do
	run "$GOOD" "$TOOL" --block "$arg"
	expect "--block $arg" 2 "^kuod: --block needs"
done
run "$GOOD" "$TOOL" --block 0
cp "$OUT" "$TAP_TMP/block0"
for form in "--block=0 -" "-- $(realpath "$GOOD")" "--blo 0"; do
	run "$GOOD" "$TOOL" $form
	ok "$form" cmp "$OUT" "$TAP_TMP/block0"
done
run "$GOOD" "$TOOL" --block
expect "--block without a number" 2 "^kuod: --block needs"

if reference k61-2cpu.trace; then
	TRACE=$REFERENCE/k61-2cpu.trace
	ok "reference: each word of a block once" words_agree "$TRACE" 3
	run "$TRACE" "$TOOL"
	# the calls, returns and context switches are the same as in rawtoevent
	"$BIN/rawtoevent" "$TRACE" 2>/dev/null | awk '/^[0-9]/ && NF >= 10 && $3 >= 1024 { n[$3]++ }
		END { for (e in n) printf "%03x %d\n", e, n[e] }' | sort >"$TAP_TMP/events"
	sed -nE 's/.* (call|return) ([0-9a-f]{3}) .*/\2/p' "$OUT" | sort | uniq -c |
		awk '{ print $2, $1 }' >"$TAP_TMP/dumped"
	ok "reference: as many of each call and return as rawtoevent reads" \
		cmp "$TAP_TMP/events" "$TAP_TMP/dumped"
else
	skip "reference" "no reference traces"
fi
tap_end
