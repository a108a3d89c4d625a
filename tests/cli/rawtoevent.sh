#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests rawtoevent: the common checks, and the exact text for a small trace. tests/golden tests real
# traces.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

TOOL=$BIN/rawtoevent
make_traces >&2 || exit 1
GOOD=$TRACES/good.trace
DATES='s/^# \[1\] [0-9_:.-]*/# [1] DATE/'
common_checks rawtoevent "$GOOD"
STATUS=0
TZ=JST-9 "$TOOL" "$GOOD" >"$OUT" 2>"$ERR" || STATUS=$?
like "the date is local time" "$(cat "$OUT")" '^# \[1\] 2026-11-20_17:50:11\.000000 '

run "$GOOD" "$TOOL"
# at 100 counts per microsecond, a count is 10 ns; the clock starts at 11 s
is "events" "$(grep '^11000[0-9]* [0-9]* [0-9]* [0-9]* ' "$OUT" | grep ' ([0-9a-f]*)$')" "$(cat <<'X'
1100000000 1 512 0  1 0  0 0 0 init.1 (200)
1100000180 0 512 0  51 0  51 0 0 work.51 (200)
1100000280 20 2087 0  51 0  0 51 0 getpid (827)
1100000480 0 2049 0  51 0  1 0 0 write (801)
1100000780 0 1038 0  51 0  0 0 0 page_fault (40e)
1100000880 0 1550 0  51 0  0 0 0 /page_fault (60e)
1100001080 0 2561 0  51 0  0 5 0 /write (a01)
1100001130 1 522 0  51 0  433696207 0 0 mark_a=getpid (20a)
1100001180 0 1516 0  51 0  0 0 0 local_timer (5ec)
1100001680 0 2028 0  51 0  0 0 0 /local_timer (7ec)
1100001690 1 518 0  51 0  1 0 0 runnable.1 (206)
1100001700 0 3583 0  51 0  0 0 0 -sched- (dff)
1100001900 0 512 0  0 0  0 0 0 -idle-.0 (200)
1100001910 0 4095 0  0 0  0 0 0 /-sched- (fff)
1100003910 0 512 0  1 0  1 0 0 init.1 (200)
X
)"
is "every name is also defined at time -1" \
	"$(grep '^-1 ' "$OUT" | sed 's/^-1 //' | sort -u)" \
	"$(grep '^1100[0-9]* 1 [0-9]* [0-9]* [^ ]*$' "$OUT" | sed 's/^[0-9]* //' | sort -u)"
is "a pid's name" "$(grep -c '^-1 1 34 51 work$' "$OUT")" 1
for line in '# ## VERSION: 3' '# ## FLAGS: 3'; do
	is "comment $line" "$(grep -cx -- "$line" "$OUT")" 1
done
like "date of word 1" "$(cat "$OUT")" '^# \[1\] 2026-11-20_08:50:11\.000000 cpu 00 flags 03 block 0$'
like "times" "$(cat "$OUT")" '^# ## TIMES: 11\.00000[0-9]+ 11\.0000[0-9]+$'
like "summary on stderr" "$(cat "$ERR")" '^rawtoevent: 2026-11-20_08:50:11\.000000, 1 CPU, 15 events'
cp "$OUT" "$TAP_TMP/good.out"
LC_ALL=C sort -s -n "$OUT" | grep -v '^#' >"$TAP_TMP/sorted"
grep -v '^#' "$OUT" >"$TAP_TMP/events"
ok "the output is in time order: sort -n changes nothing" cmp "$TAP_TMP/sorted" "$TAP_TMP/events"

# Old traces record the scheduler as a system call. The text must have the old number, and the summary
# must recognise the scheduler.
run "$TRACES/old-sched.trace" "$TOOL"
is "old scheduler: its events as recorded" \
	"$(grep -c ' 2559 .* -sched- (9ff)$' "$OUT") $(grep -c ' 3071 .* /-sched- (bff)$' "$OUT")" "8 8"
like "old scheduler: the summary" "$(cat "$ERR")" '^  8 system call, 26 scheduler, '

run /dev/null "$TOOL" "$GOOD"
ok "a file gives the same as stdin" cmp "$OUT" "$TAP_TMP/good.out"
run "$GOOD" "$TOOL" -
ok "- is stdin" cmp "$OUT" "$TAP_TMP/good.out"
run "$GOOD" "$TOOL" -v
is "-v exits 0" "$STATUS" 0
grep -v '^#' "$OUT" >"$TAP_TMP/verbose"
ok "-v only adds comments" cmp "$TAP_TMP/verbose" "$TAP_TMP/events"
between "with every entry's words" "$(grep -c '^#.*block 0.*word' "$OUT")" 15 100

run /dev/null "$TOOL" "$TRACES/nonexistent"
expect "no such file" 1 "^rawtoevent: cannot read .*/nonexistent: No such file or directory"
silent "no such file: no output"
run /dev/null "$TOOL" "$TRACES"
expect "a directory" 1 "^rawtoevent: cannot read .*: it is a directory"
run /dev/null "$TOOL" "$GOOD" "$GOOD"
expect "two files" 2 "^rawtoevent: "
if [ "$(id -u)" = 0 ]; then
	skip "an unreadable file" "root reads everything"
else
	cp "$GOOD" "$TAP_TMP/unreadable"
	chmod 0 "$TAP_TMP/unreadable"
	run /dev/null "$TOOL" "$TAP_TMP/unreadable"
	expect "an unreadable file" 1 "^rawtoevent: cannot read .*: Permission denied"
fi
STATUS=0
cat "$GOOD" | TMPDIR=/nonexistent "$TOOL" >"$OUT" 2>"$ERR"
STATUS=${PIPESTATUS[1]}
expect "no room for a copy of a pipe" 1 "^rawtoevent: cannot create a temporary file.*TMPDIR"
silent "no room for a copy: no output"

run "$TRACES/good-ipc.trace" "$TOOL"
is "IPC of a merged call and its return" "$(grep ' getpid (827)' "$OUT" | cut -d' ' -f11)" 53
run "$TRACES/good2.trace" "$TOOL"
is "two CPUs" "$(grep '(827)$' "$OUT" | cut -d' ' -f4 | sort | uniq -c | tr -s ' \n' ' ')" " 1 0 2 1 "

if reference k61-2cpu.trace; then
	run "$REFERENCE/k61-2cpu.trace" "$TOOL"
	is "the original's trace" "$STATUS" 0
	$DEFAULTS "$TOOL" "$REFERENCE/k61-2cpu.trace" 2>"$ERR" | head -n 1 >/dev/null
	is "| head -1 is a closed pipe" "${PIPESTATUS[0]} $(cat "$ERR")" "141 "
else
	skip "the original's trace" "no reference traces"
fi

tap_end
