#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests spandiff: the common checks, and that it finds the part that was made slower.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

TOOL=$BIN/spandiff
GOOD=$DATA/good.json
common_checks spandiff "$GOOD" - "$(realpath "$GOOD")"

# part US LETTER: prints a trace whose faults between the marks take US microseconds each.
part()
{
	sed -n '1,/^"events"/p' "$GOOD"
	awk -v us="$1" -v pid="$2" 'function row(dur, event, name) {
		printf "[%12.8f, %.8f, 0, %d, 0, %d, 0, 0, 0, \"%s\"],\n", t, dur, pid, event, name
		if (event > 600) t += dur
	} BEGIN {
		t = 11
		row(0.00000500, 65536 + pid, "work." pid)
		printf "[%12.8f, 0.00000001, 0, %d, 0, 522, 1, 0, 0, \"mark_a=load\"],\n", t, pid
		for (i = 0; i < 7; i++) { row(0.00000100, 65536 + pid, "work." pid); row(us / 1e6, 1038, "page_fault") }
		row(0.00000100, 65536 + pid, "work." pid)
		printf "[%12.8f, 0.00000001, 0, %d, 0, 522, 1, 0, 0, \"mark_a=/load\"],\n", t, pid
		row(0.00000500, 65536 + pid, "work." pid)
	}'
	tail -n 2 "$GOOD"
}
part 2 51 >"$TAP_TMP/a.json"
part 5 77 >"$TAP_TMP/b.json"
run /dev/null "$TOOL" "$TAP_TMP/a.json" "$TAP_TMP/b.json"
is "the slower parts, by mark and process" "$(cat "$OUT")" \
'from mark to next mark, wall time; in it, by kind:
mark_a=load: 22.00 us -> 43.00 us (+21.00 us, +95 %), 1 and 1 times
  page_fault: 14.00 us -> 35.00 us (+21.00 us, +150 %); A: 7 times, p50 2.00 us, p99 2.00 us, longest 2.00 us at 11.00000600; B: 7 times, p50 5.00 us, p99 5.00 us, longest 5.00 us at 11.00000600
mark_a=/load: 5.00 us -> 5.00 us (+0 ns, +0 %), 1 and 1 times
by process, CPU time; in it, by kind:
work: 32.00 us -> 53.00 us (+21.00 us, +65 %), 1 and 1 threads
  page_fault: 14.00 us -> 35.00 us (+21.00 us, +150 %); A: 7 times, p50 2.00 us, p99 2.00 us, longest 2.00 us at 11.00000600; B: 7 times, p50 5.00 us, p99 5.00 us, longest 5.00 us at 11.00000600'
run /dev/null "$TOOL" "$TAP_TMP/b.json" "$TAP_TMP/a.json"
like "with the traces exchanged, the mark got faster" "$(cat "$OUT")" '^work: 53\.00 us -> 32\.00 us \(-21\.00 us, -39 %\)'
unlike "with the traces exchanged, no kind got slower" "$(cat "$OUT")" '^  '
run "$TAP_TMP/a.json" "$TOOL" - "$TAP_TMP/b.json"
like "- is standard input" "$(cat "$OUT")" '^work: 32\.00 us -> 53\.00 us'
run /dev/null "$TOOL" "$GOOD" "$TAP_TMP/b.json"
like "processes of one trace only" "$(cat "$OUT")" '^init: only in the first trace$'
run /dev/null "$TOOL" --json "$TAP_TMP/a.json" "$TAP_TMP/b.json"
like "JSON" "$(cat "$OUT")" '^ \{"by": "mark", "name": "mark_a=load", "a": \{"time": 0\.00002200, "count": 1,'
if command -v node >/dev/null; then
	ok "--json prints valid JSON" node -e 'JSON.parse(require("fs").readFileSync(process.argv[1]))' "$OUT"
else
	skip "--json prints valid JSON" "no node"
fi
if command -v xz >/dev/null; then
	xz -dc tests/golden/stock.json.xz >"$TAP_TMP/stock.json"
	run /dev/null "$TOOL" "$TAP_TMP/stock.json" "$TAP_TMP/stock.json"
	unlike "a trace is as fast as itself" "$(cat "$OUT")" '^  |\(\+[1-9]|only in'
	between "by mark and by process" "$(grep -c '(+0 ns' "$OUT")" 20 500
fi
run /dev/null "$TOOL" "$GOOD"
expect "one trace" 2 "^spandiff: two traces are needed"
run /dev/null "$TOOL" - -
expect "standard input twice" 2 "^spandiff: only one of the two"
run /dev/null "$TOOL" "$GOOD" /nonexistent
expect "no such file" 1 "^spandiff: .*/nonexistent: No such file"
run /dev/null "$TOOL" "$GOOD" "$DATA/broken/cut-after-row.json"
expect "a cut file" 1 "^spandiff: JSON cut off after line 18: .*cut-after-row.json"
silent "a cut file: no output"
tap_end
