#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# fast
#
# Tests our filters against the original's, on two traces recorded with the original. At least 99.9 %
# of the event lines must agree, and 99.99 % of the CPU time in one trace, 99.95 % in the other.
# docs/guide/other-tools.md lists the known differences. $KUTRACE_REFERENCE or
# ../shared/reference holds the data. Without it, all tests are skipped.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

COMPARE=$BUILD/tests/golden/refcompare
built "$COMPARE"

# share LINE: prints "agree N of M" in millionths, rounded down.
share()
{
	awk '/^agree/ { printf "%d\n", $2 / $4 * 1000000 }' "$1"
}

# events NAME: compares our text with the original's.
events()
{
	if ! reference "$1.trace" || ! reference "$1.events"; then
		skip "$1: event text" "no reference data"
		return
	fi
	run /dev/null "$BIN/rawtoevent" "$REFERENCE/$1.trace"
	is "$1: rawtoevent exits 0" "$STATUS" 0
	cp "$OUT" "$TAP_TMP/$1.events"
	run /dev/null "$COMPARE" events "$REFERENCE/$1.events" "$TAP_TMP/$1.events"
	is "$1: refcompare exits 0" "$STATUS" 0
	diag "$1: event lines: $(head -n 1 "$OUT")"
	between "$1: event lines agree" "$(share "$OUT")" 999000 1000000
	# the only known difference: names with blanks (four definitions)
	is "$1: only the length of names with blanks disagrees" \
		"$(sed 1d "$OUT" | grep -cv 'name definition')" 0
	between "$1: number of compared lines" "$(awk '/^agree/ { print $4 }' "$OUT")" 60000 70000
}

# spans NAME MIN: compares our spans, made from our text, with the original's.
spans()
{
	if ! reference "$1.trace" || ! reference "$1.json"; then
		skip "$1: spans" "no reference data"
		return
	fi
	"$BIN/rawtoevent" "$REFERENCE/$1.trace" 2>/dev/null | sort -n |
		"$BIN/eventtospan" t 2>"$ERR" | LC_ALL=C sort >"$TAP_TMP/$1.json"
	is "$1: the pipeline works" "${PIPESTATUS[*]}" "0 0 0 0"
	run /dev/null "$COMPARE" spans "$REFERENCE/$1.json" "$TAP_TMP/$1.json"
	is "$1: refcompare of spans exits 0" "$STATUS" 0
	diag "$1: CPU time: $(head -n 1 "$OUT")"
	between "$1: CPU time agrees" "$(share "$OUT")" "$2" 1000000
	# known classes: the interrupted scheduler, and 10 ns at marks
	is "$1: each class of disagreement is known" "$(sed 1d "$OUT" |
		grep -Ecv 'theirs (idle|[8-9a-b][0-9a-f][0-9a-f]|dff), ours dff|theirs nothing, ours (user|idle)')" 0
	run /dev/null "$BIN/checktrace" "$REFERENCE/$1.trace"
	is "$1: checktrace finds no error" "$STATUS" 0
	is "$1: number of CPUs whose time is completely covered" \
		"$(grep -c '^CPU .* covered 100.000000 %, 0 gaps, 0 overlaps' "$OUT")" "$3"
	like "$1: nothing had to be inferred" "$(cat "$OUT")" \
		'^inferred: 0 returns, 0 calls, 0 context switches; ignored: 0 returns'
}

events k61-2cpu
spans k61-2cpu 999900 2
spans k61-4cpu 999500 4

# The original's text, converted by our eventtospan, gives the same spans as our text.
if reference k61-2cpu.events && [ -f "$TAP_TMP/k61-2cpu.json" ]; then
	"$BIN/eventtospan" t <"$REFERENCE/k61-2cpu.events" 2>/dev/null | LC_ALL=C sort |
		grep '^\[' >"$TAP_TMP/from-theirs"
	grep '^\[' "$TAP_TMP/k61-2cpu.json" >"$TAP_TMP/from-ours"
	ok "the original's event text gives the same rows" \
		cmp "$TAP_TMP/from-theirs" "$TAP_TMP/from-ours"
	shuf --random-source=<(yes) "$TAP_TMP/k61-2cpu.events" |
		"$BIN/eventtospan" t 2>/dev/null | LC_ALL=C sort >"$TAP_TMP/shuffled"
	ok "text in any order gives the same spans" cmp "$TAP_TMP/shuffled" "$TAP_TMP/k61-2cpu.json"
else
	skip "the original's event text" "no reference data"
fi

tap_end
