#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests eventtospan: the common checks, and the header. On a small input, also tests that each
# interval of time has its span. tests/golden tests real traces.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

TOOL=$BIN/eventtospan
GOOD=$DATA/good.events
if [ ! -f postprocess/tools/eventtospan.c ]; then
	skip "eventtospan" "there is none"
	tap_end
fi
# randomid identifies a page, so it may differ between runs
DATES='s/^ "randomid" : [0-9]*,/ "randomid" : 0,/'
common_checks eventtospan "$GOOD"

# span_of TEXT-FILE ARGS...: writes the output, sorted as in the pipeline, to $TAP_TMP/json.
span_of()
{
	_from=$1
	shift
	run "$_from" "$TOOL" "$@"
	LC_ALL=C sort "$OUT" | sed "$DATES" >"$TAP_TMP/json"
}

span_of "$GOOD" "A title"
is "exit status" "$STATUS" 0
cp "$TAP_TMP/json" "$TAP_TMP/good.json"
for key in Comment axisLabelX axisLabelY cpuModelName flags hostName kernelVersion mbit_sec \
	randomid shortMulX shortUnitsX thousandsX title tracebase version; do
	is "header key $key, once" "$(grep -c "^ \"$key\" : " "$TAP_TMP/json")" 1
done
for line in ' "title" : "A title",' ' "version" : 3,' ' "tracebase" : "2026-11-20_08:50:00",' \
	' "flags" : 3,' '"events" : [' '[999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, ""]' ']}'; do
	is "line $line" "$(grep -cxF -- "$line" "$TAP_TMP/json")" 1
done
is "the brace is the first line" "$(head -n 1 "$TAP_TMP/json")" "  {"
is "the brackets are the last line" "$(tail -n 1 "$TAP_TMP/json")" "]}"
run "$TAP_TMP/json" "$BIN/spantotrim" 0
is "spantotrim reads the output" "$STATUS" 0
ok "spantotrim leaves the output unchanged" cmp "$OUT" "$TAP_TMP/json"

# execution on CPU 0: start, duration and event, in units of 10 ns from 11 s on
awk -F'[[,] *' '/^\[ / && $4 == 0 && ($7 >= 65536 || ($7 >= 1024 && $7 < 4096)) {
	printf "%.0f %.0f %d %d\n", ($2 - 11) * 1e8, $3 * 1e8, $5, $7 }' "$TAP_TMP/json" >"$TAP_TMP/exec"
is "each instant has its span: no gap, no overlap, first event to last" "$(awk '
	NR == 1 { first = $1 }
	NR > 1 && $1 != end { print "at " $1 " instead of " end }
	{ end = $1 + $2 }
	END { print first, end }' "$TAP_TMP/exec")" "100 3000"
has() { is "$1" "$(grep -cx "$2" "$TAP_TMP/exec")" 1; }
has "getpid, merged, 20 long" "200 20 51 2087"
has "the scheduler, on behalf of who called it, until it returns" "500 110 51 3583"
has "getpid with a return of its own" "1500 100 1 2087"
has "init between" "1600 1400 1 65537"
is "the row of the mark is right" "$(grep -c '^\[ 11.00000300, 0.00000001, 0, 51, 0, 522, 433696207, 0, 0, "mark_a=getpid"\],$' "$TAP_TMP/json")" 1
like "init waits for the CPU from its wakeup until it runs" "$(cat "$TAP_TMP/json")" '^\[ 11\.0000040[0-9], 0\.000002[01][0-9], -1, 1, 0, 770, '
like "the wakeup arc" "$(cat "$TAP_TMP/json")" '^\[ 11\.00000400, 0\.00000210, 0, 51, 0, -3, 0, 1, '
like "summary on stderr" "$(cat "$ERR" ; run "$GOOD" "$TOOL" x; cat "$ERR")" '[0-9]+ spans'

LC_ALL=C sort -n "$GOOD" >"$TAP_TMP/sorted.events"
span_of "$TAP_TMP/sorted.events" "A title"
ok "sort -n before eventtospan changes nothing" cmp "$TAP_TMP/json" "$TAP_TMP/good.json"

# a file alone is the title
run /dev/null "$TOOL" "$GOOD"
expect "a file as the title" 1 "^eventtospan: standard input: no events in it; $GOOD was taken as the title; type: eventtospan TITLE $GOOD$"
run /dev/null "$TOOL" title
expect "a title and no input" 1 "^eventtospan: standard input: no events in it: not event text, or an empty trace$"

# titles are treated as text
for title in '"quotes" and \backslash' '</script>' $'line\nbreak' $'\xff no UTF-8' "it's" ''; do
	span_of "$GOOD" "$title"
	is "title '$(printf %s "$title" | LC_ALL=C tr -c ' -~' '?')': exit status" "$STATUS" 0
	run "$TAP_TMP/json" "$BIN/spantotrim" 0
	is "spantotrim reads the title" "$STATUS" 0
done
span_of "$GOOD" 'a"b\c'
is "a title with quote and backslash" "$(grep -cF ' "title" : "a\"b\\c",' "$TAP_TMP/json")" 1

run /dev/null "$TOOL" one "$GOOD"
is "the second argument is the input" "$STATUS $(grep -cF '"title" : "one"' "$OUT")" "0 1"
run "$GOOD" "$TOOL" one two three
expect "three arguments" 2 "^eventtospan: more than one file: three"
run "$DATA/broken/names-hostile.events" "$TOOL" x
like "a hostile name is escaped" "$(cat "$OUT")" '"a\\"b\\\\c</script>'"'"'\.51"'

if [ -e "$BIN/eventtospan3" ]; then
	run "$GOOD" "$BIN/eventtospan3" "A title"
	LC_ALL=C sort "$OUT" | sed "$DATES" >"$TAP_TMP/json"
	ok "eventtospan3 is the same" cmp "$TAP_TMP/json" "$TAP_TMP/good.json"
else
	fail "eventtospan3 is the same" "no $BIN/eventtospan3"
fi

if reference k61-2cpu.events; then
	$DEFAULTS "$TOOL" t <"$REFERENCE/k61-2cpu.events" 2>"$ERR" | head -n 1 >/dev/null
	is "| head -1 is a closed pipe" "${PIPESTATUS[0]} $(cat "$ERR")" "141 "
	span_of "$REFERENCE/k61-2cpu.events" t
	is "the original's event text" "$STATUS" 0
	run "$TAP_TMP/json" "$BIN/spantotrim" 0
	ok "the original's event text gives complete JSON" cmp "$OUT" "$TAP_TMP/json"
	between "the original's event text gives many rows" "$(wc -l <"$OUT")" 70000 100000
else
	skip "the original's event text" "no reference traces"
fi

# the original's filters split lines of 256 bytes and more, so header lines stay shorter
title=$(printf 'é%.0s' $(seq 300))
run "$GOOD" "$TOOL" "$title"
is "a title of 600 bytes" "$STATUS" 0
between "a title of 600 bytes makes no line longer than the original reads" \
	"$(sed '/^"events"/q' "$OUT" | LC_ALL=C awk '{ print length($0) }' | sort -n | tail -n 1)" 200 250
like "a long title is cut after a complete character" "$(grep '^ "title"' "$OUT")" '^ "title" : "(é)+\.\.\.",$'
for trace in tests/golden/*.trace.xz; do
	xz -dc "$trace" >"$TAP_TMP/golden.trace"
	between "no line of the header of $(basename "$trace" .trace.xz) is longer" \
		"$("$BIN/rawtoevent" "$TAP_TMP/golden.trace" 2>/dev/null | sort -n | "$TOOL" 2>/dev/null |
		LC_ALL=C sort | sed '/^"events"/q' | awk '{ print length($0) }' | sort -n | tail -n 1)" 50 250
done

tap_end
