#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# fast
#
# Tests the policies and priorities of threads: a row for each time, inherited priorities, and the thread that preempted
# another one in spantowhy and SQL.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

# Event text: thread 5 runs on CPU 0 and becomes FIFO 50, then nice 0 again. Thread 9 (FIFO 99) preempts it, and thread 6 is
# nice 0 all the time. A definition at time -1 has no known time, and is ignored.
# Thread 6 inherits the priority RT 30 (arg0 293601286: 70 and pid 6), then has its own again (1069547526).
scene()
{
	cat <<-'EOF'
	# ## VERSION: 3
	# ## TIMES: 0.00000100 0.20000000
	-1 2 34 5 busy
	-1 2 34 6 other
	-1 3 34 9 urgent
	50 1 300 0 nice 0
	50 1 300 9 FIFO 99
	50 1 300 77 nice -20
	-1 1 300 5 RR 99
	100 0 512 1 6 0 6 0 0 other.6 (200)
	1000 0 512 0 5 0 5 0 0 busy.5 (200)
	2000 0 2087 0 5 0 0 0 0 getpid (827)
	2010 0 2599 0 5 0 5 0 0 /getpid (a27)
	3000 1 300 5 FIFO 50
	4000 0 2087 0 5 0 0 0 0 getpid (827)
	4010 0 2599 0 5 0 5 0 0 /getpid (a27)
	5000 1 300 5 nice 0
	6000 0 554 1 6 0 293601286 0 0 priority_inherited (22a)
	7000 0 554 1 6 0 1069547526 0 0 priority_inherited (22a)
	8000 0 512 0 9 0 9 0 0 urgent.9 (200)
	9000 0 512 0 5 0 5 0 0 busy.5 (200)
	9500 0 2087 0 5 0 0 0 0 getpid (827)
	9510 0 2599 0 5 0 5 0 0 /getpid (a27)
	9600 0 2087 1 6 0 0 0 0 getpid (827)
	9610 0 2599 1 6 0 5 0 0 /getpid (a27)
	EOF
}

# rows: the rows of priorities in the event text on standard input: pid, start, duration, text
rows()
{
	LC_ALL=C sort -n | "$BIN/eventtospan" 2>/dev/null | LC_ALL=C sort | awk -F'[][, ]+' '/^\[/ && $7 == 650 {
		text = $0; sub(/^.*, "/, "", text); sub(/".*/, "", text); print $5, $2, $3, text }' | sort -s -k1,1n
}

ALL='0 0.00000100 0.00009510 nice 0
5 0.00000100 0.00002900 nice 0
5 0.00003000 0.00002000 FIFO 50
5 0.00005000 0.00004610 nice 0
6 0.00000100 0.00005900 nice 0
6 0.00006000 0.00001000 RT 30 inherited
6 0.00007000 0.00002610 nice 0
9 0.00000100 0.00009510 FIFO 99'
is "a row for each time, and none of a thread that did not run" "$(scene | rows)" "$ALL"
is "without a priority of pid 0: only the known times" "$(scene | sed '/ 300 0 /d' | rows)" "$(sed '/^0 /d; /^5 0.00000100/d; /^6 .* nice/d' <<<"$ALL")"
is "a trace without priorities" "$(scene | sed '/ 300 / d; / 554 / d' | rows)" ""
is "a repeated definition adds no row" "$(scene | sed 's/^4000 /3500 1 300 5 FIFO 50\n&/' | rows)" "$ALL"
is "a change while a priority is inherited: the new one is valid afterwards" \
	"$(scene | sed 's/^7000 /6500 1 300 6 RR 7\n&/' | rows | grep '^6')" '6 0.00000100 0.00005900 nice 0
6 0.00006000 0.00001000 RT 30 inherited
6 0.00007000 0.00002610 RR 7'
is "a new thread: no row before it" "$(scene | sed 's/^9600 /8500 1 300 12 RR 1\n8600 0 512 1 12 0 12 0 0 new.12 (200)\n8700 0 512 1 6 0 6 0 0 other.6 (200)\n&/' | rows | grep '^12')" \
	'12 0.00008500 0.00001110 RR 1'
is "inherited nice and deadline" "$(scene | sed 's/ 293601286 / 440401926 /; s/^6500.*//' | rows | grep inherited; scene | sed 's/ 293601286 / 6 /' | rows | grep inherited)" \
	'6 0.00006000 0.00001000 nice -16 inherited
6 0.00006000 0.00001000 deadline inherited'

scene | LC_ALL=C sort -n | "$BIN/eventtospan" 2>/dev/null | LC_ALL=C sort >"$TAP_TMP/json"
run "$TAP_TMP/json" "$BIN/spantowhy" --pid 5
like "spantowhy: the thread that preempted another" "$(cat "$OUT")" \
	': preempted by urgent\.9 \(FIFO 99; itself nice 0\); 10\.00 us for CPU 0: urgent\.9 \(FIFO 99\) 10\.00 us$'
run "$TAP_TMP/json" "$BIN/spantowhy" --json --pid 5
like "spantowhy --json: the thread that preempted another" "$(cat "$OUT")" \
	'"priority": "nice 0", "preempted_by": \{"pid": 9, "name": "urgent\.9", "priority": "FIFO 99"\}'
like "spantowhy --json: priorities of the threads that had the CPU" "$(cat "$OUT")" '"held_by": \[\{"pid": 9, "name": "urgent\.9", "priority": "FIFO 99", "time"'
sed '/"FIFO\|"nice\|"RT /d' "$TAP_TMP/json" >"$TAP_TMP/none.json"
run "$TAP_TMP/none.json" "$BIN/spantowhy" --pid 5
like "spantowhy: a trace without priorities" "$(cat "$OUT")" ': runnable; 10\.00 us for CPU 0: urgent\.9 10\.00 us$'
scene | sed 's/^7000 /7500 0 2072 0 5 0 0 0 0 sched_yield (818)\n&/' | LC_ALL=C sort -n | "$BIN/eventtospan" 2>/dev/null | LC_ALL=C sort >"$TAP_TMP/yield.json"
run "$TAP_TMP/yield.json" "$BIN/spantowhy" --pid 5
unlike "spantowhy: a thread that yields is not preempted" "$(cat "$OUT")" 'preempted'

# Damaged definitions and arguments.
sed 's/"FIFO 99"/"FIFO\\u001b[31m99"/; s/"nice 0"/"nice\\u00070"/' "$TAP_TMP/json" >"$TAP_TMP/control.json"
for pid in 5 6; do
	run "$TAP_TMP/control.json" "$BIN/spantowhy" --pid $pid
	is "hostile: a priority with control characters, pid $pid" "$STATUS $(LC_ALL=C tr -d '\n\t -~' <"$OUT" | wc -c)" "0 0"
done
like "hostile: they are replaced" "$("$BIN/spantowhy" --pid 5 "$TAP_TMP/control.json" 2>/dev/null)" 'preempted by urgent\.9 \(FIFO\?\[31m99; itself nice\?0\)'
is "hostile: empty and long texts, any argument" "$(scene | sed 's/^6000 .*/6000 0 554 1 6 0 4294967295 0 0 x (22a)/; s/FIFO 99/FIFO 99999999999999999999999999999999999999999999999999999999999999999999/' |
	LC_ALL=C sort -n | "$BIN/eventtospan" >/dev/null 2>&1; echo $?)" 0
tap_end
