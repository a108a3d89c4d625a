#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# takes: 25
#
# Tests rawtosqlite. It passes the common checks. The same trace gives the same bytes. No file remains
# of an incomplete output. Memory is limited. sql.sh tests the content of the tables.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc
if ! [ -x "$BIN/rawtosqlite" ] || ! command -v sqlite3 >/dev/null; then
	skip "rawtosqlite" "not built, or no sqlite3"
	tap_end
fi
make_traces >&2 || exit 1
TOOL=$BIN/rawtosqlite
GOOD=$TRACES/good.trace
common_checks rawtosqlite "$GOOD"

# for every input, the output is a valid database with all time of the CPUs
bad=
for trace in "$TRACES"/*.trace; do
	run /dev/null "$TOOL" "$trace"
	[ -s "$OUT" ] || continue
	said=$(sqlite3 "$OUT" 'pragma integrity_check; select sum(dur_ns) - (select sum(on_cpu_ns) from thread) from sched_slice' 2>&1)
	[ "$said" = "ok
0" ] || bad="$bad $(basename "$trace"): $said"
done
is "every trace of the corpus: none, or a sound database" "$bad" ""

# --- the output file ---

xz -dc tests/golden/stock.trace.xz >"$TAP_TMP/stock.trace"
"$TOOL" -o "$TAP_TMP/a.db" "$TAP_TMP/stock.trace" 2>/dev/null
TZ=Asia/Tokyo "$TOOL" <"$TAP_TMP/stock.trace" 2>/dev/null | cmp - "$TAP_TMP/a.db" >&2
is "the same trace gives the same bytes, wherever" "${PIPESTATUS[1]}" 0
mkdir "$TAP_TMP/o" "$TAP_TMP/t"
run /dev/null env TMPDIR="$TAP_TMP/t" "$TOOL" -o "$TAP_TMP/o/x" "$TRACES/zeros.trace"
expect "no trace" 1 '^rawtosqlite: .*zeros.trace'
large_trace
# some_written: succeeds when rows and the database are in temporary files
some_written()	# PID
{
	grep -qs '^wchar: [0-9]\{7,\}' "/proc/$1/io"
}
undo=$TAP_TMP/o/x TMPDIR=$TAP_TMP/t signal_when INT some_written "$TOOL" -o "$TAP_TMP/o/x" "$TAP_TMP/large.trace"
expect "interrupted" 130 interrupted
is "no file is left of the failed runs" "$(ls -A "$TAP_TMP/o" "$TAP_TMP/t")" "$TAP_TMP/o:

$TAP_TMP/t:"
"$TOOL" -o "$TAP_TMP/large.db" "$TAP_TMP/large.trace" 2>"$ERR"
is "more than 5,000,000 spans are not searched for faults" \
	"$(sqlite3 -nullvalue NULL "$TAP_TMP/large.db" 'select spans > 5000000, findings, (select count(*) from finding) from trace')" "1|NULL|0"
memory_within "memory at 32 MiB of trace" 131072 "$TOOL" -o /dev/null "$TAP_TMP/large.trace"
for wrong in "$GOOD $GOOD" '--frobnicate'; do
	# shellcheck disable=SC2086 # several arguments
	run "$GOOD" "$TOOL" $wrong
	expect "usage: $wrong" 2 '^rawtosqlite: '
done
tap_end
