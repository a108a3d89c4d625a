#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# fast
#
# Tests throttled threads in traces without throttle events: the filters infer the wait, and mark it. Each sign on
# which the inference depends is necessary. The times agree with the kernel's (cpu.stat, in tests/data/README.md).
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

# Event text: thread 5 leaves CPU 0 without a wakeup, CPU 0 is idle, and a timer interrupt sets the thread running again.
# Thread 6 makes the wakeup that shows that wakeups are recorded. A test replaces or deletes lines.
scene()
{
	cat <<-'EOF'
	# ## VERSION: 3
	# ## TIMES: 0.00000100 0.20000000
	-1 1 287 0 backend=tracepoint
	-1 1 287 0 cats=0x3fff
	-1 1 287 0 lost_full=0
	-1 2 34 5 busy
	-1 2 34 6 other
	100 0 512 1 6 0 6 0 0 other.6 (200)
	110 1 518 1 6 0 7 0 0 runnable.7 (206)
	1000 0 512 0 5 0 5 0 0 busy.5 (200)
	2000000 0 2087 0 5 0 0 0 0 getpid (827)
	2000010 0 2599 0 5 0 5 0 0 /getpid (a27)
	3000000 0 1516 0 5 0 0 0 0 local_timer (5ec)
	3000100 0 2028 0 5 0 0 0 0 /local_timer (7ec)
	3000200 0 512 0 0 0 0 0 0 -idle-.0 (200)
	11000000 0 1516 0 0 0 0 0 0 local_timer (5ec)
	11000100 0 2028 0 0 0 0 0 0 /local_timer (7ec)
	11000200 0 512 0 5 0 5 0 0 busy.5 (200)
	11000500 0 2087 0 5 0 0 0 0 getpid (827)
	11000510 0 2599 0 5 0 5 0 0 /getpid (a27)
	EOF
}

# waits: the waits of thread 5 in the event text on standard input: start, duration, letter, name
waits()
{
	LC_ALL=C sort -n | "$BIN/eventtospan" 2>/dev/null | awk -F'[][, ]+' '/^\[/ && $4 == -1 && $5 == 5 {
		printf "%s %s %c %s\n", $2, $3, $7 - 768 + 97, $11 }'
}

THROTTLED='0.03000200 0.08000000 q "wait_throttled?"'
READY='0.03000200 0.08000000 c "wait_cpu"'
is "left runnable, idle CPU, set running by a timer: throttled?" "$(scene | waits)" "$THROTTLED"
is "with the scheduler's spans" "$(scene | sed -E 's/^3000200 .*/3000150 0 3583 0 5 0 0 0 0 -sched- (dff)\n&\n3000210 0 4095 0 0 0 0 0 0 \/-sched- (fff)/
	s/^11000200 .*/11000150 0 3583 0 0 0 0 0 0 -sched- (dff)\n&\n11000210 0 4095 0 5 0 0 0 0 \/-sched- (fff)/' | waits)" \
	'0.03000210 0.08000000 q "wait_throttled?"'
from_cpu_1='11000000 0 1516 1 6 0 0 0 0 local_timer (5ec)
11000010 1 519 1 6 0 0 0 0 sendipi (207)
11000020 0 1531 0 0 0 0 0 0 call_function_single_ipi (5fb)
11000030 0 2028 1 6 0 0 0 0 \/local_timer (7ec)
11000100 0 2043 0 0 0 0 0 0 \/call_function_single_ipi (7fb)'
is "the timer of another CPU, by an IPI" "$(scene | sed "/^11000100/d; s/^11000000.*/${from_cpu_1//$'\n'/\\n}/" | waits)" "$THROTTLED"
is "by an IPI of a call: ready" "$(scene | sed "/^11000100/d; s/^11000000.*/${from_cpu_1//$'\n'/\\n}/" |
	sed 's/ 1516 1 6 0 0 0 0 local_timer (5ec)/ 2087 1 6 0 0 0 0 getpid (827)/; s/ 2028 1 6 0 0 0 0 .local_timer (7ec)/ 2599 1 6 0 6 0 0 \/getpid (a27)/' | waits)" "$READY"
is "an IPI whose sender the kernel does not record" \
	"$(scene | sed 's/^\(110.*\) 1516 \(.*\) local_timer (5ec)/\1 1533 \2 reschedule_ipi (5fd)/; s/^\(110.*\) 2028 \(.*\) .local_timer (7ec)/\1 2045 \2 \/reschedule_ipi (7fd)/' | waits)" "$THROTTLED"
is "a wakeup: it slept" "$(scene | sed 's/^11000000/10000000 1 518 1 6 0 5 0 0 runnable.5 (206)\n&/' | waits)" \
	'0.03000200 0.06999800 z "wait_unk"
0.10000000 0.01000200 c "wait_cpu"'
is "no timer: ready" "$(scene | sed '/^1100000 /d; /^11000000 /d; /^11000100 /d' | waits)" "$READY"
is "the CPU ran another thread: ready" "$(scene | sed 's/^3000200 .*/3000200 0 512 0 7 0 7 0 0 seven.7 (200)/; s/^\(11000[01]00 .*\) 0 0 0 0 0 0 /\1 0 7 0 0 0 0 /' | waits)" "$READY"
is "it runs on another CPU: ready" "$(scene | sed 's/^\(11000[0-9]*\) \([0-9]*\) \([0-9]*\) 0 /\1 \2 \3 2 /' | waits)" "$READY"
is "a kernel thread: ready" "$(scene | sed 's/^-1 2 34 5 busy/-1 3 34 5 busy/; / getpid\|\/getpid/d' | waits)" "$READY"
is "no wakeup in the trace: ready" "$(scene | sed '/runnable/d' | waits)" "$READY"
for fact in lost_full=1 filtered=1 cats=0x3fdf kinds=0x1; do
	is "wakeups can be missing, $fact: ready" "$(scene | sed "s/^-1 1 287 0 backend.*/&\n-1 1 287 0 $fact/" | waits)" "$READY"
done
is "the load balancer ran, and the CPU was idle for long: throttled?" \
	"$(scene | sed 's/^11000100.*/&\n11000110 0 1535 0 0 0 7 0 0 BH:sched (5ff)\n11000120 0 2047 0 0 0 0 0 0 \/BH (7ff)/' | waits)" "$THROTTLED"
is "the load balancer ran soon: it can have moved the thread" \
	"$(scene | sed 's/^11000100.*/&\n11000110 0 1535 0 0 0 7 0 0 BH:sched (5ff)\n11000120 0 2047 0 0 0 0 0 0 \/BH (7ff)/' | sed 's/^110\(00...\) /31\1 /' | waits)" \
	'0.03000200 0.00100000 c "wait_cpu"'
is "without the load balancer, a short wait is throttled?" "$(scene | sed 's/^110\(00...\) /31\1 /' | waits)" \
	'0.03000200 0.00100000 q "wait_throttled?"'

# --- recorded throttling ---

# The cgroup of number 23 is throttled on CPU 0 while thread 5 runs there (arg0 8388631: CPU 0, own, 23). Its end is recorded
# on CPU 1.
recorded()
{
	scene | sed 's/^-1 2 34 5 busy/&\n-1 1 314 23 \/pod (20 ms of 100 ms)/
		s/^3000200 .*/3000150 1 544 0 5 0 8388631 0 0 throttled=\/pod (20 ms of 100 ms) (220)\n&/
		s/^11000100 .*/11000050 1 545 1 6 0 23 0 0 unthrottled=\/pod (20 ms of 100 ms) (221)\n&/'
}
is "recorded: the wait, up to the end of the throttling" "$(recorded | waits)" '0.03000200 0.07999850 q "wait_throttled"
0.11000050 0.00000150 c "wait_cpu"'
is "recorded: also with lost events" "$(recorded | sed 's/lost_full=0/lost_full=1/' | waits | head -n 1)" '0.03000200 0.07999850 q "wait_throttled"'
is "on another CPU: not throttled" "$(recorded | sed 's/ 8388631 / 25165847 /; s/ 1 6 0 23 0/ 1 6 0 16777239 0/' | waits)" "$READY"
is "the thread is in another cgroup: inferred, in this time" "$(recorded | sed 's/ 8388631 / 23 /' | waits)" '0.03000200 0.07999850 q "wait_throttled?"
0.11000050 0.00000150 c "wait_cpu"'
is "in another cgroup, without the signs: ready" "$(recorded | sed 's/ 8388631 / 23 /; /local_timer/d' | waits)" "$READY"
is "woken while throttled" "$(recorded | sed 's/^11000050/20000000 1 518 1 6 0 9 0 0 runnable.9 (206)\n10000000 1 518 1 6 0 5 0 0 runnable.5 (206)\n&/' | waits)" \
	'0.03000200 0.06999800 z "wait_unk"
0.10000000 0.01000050 q "wait_throttled"
0.11000050 0.00000150 c "wait_cpu"'
is "throttled twice in one wait" "$(recorded | sed 's/^11000050/5000000 1 545 1 6 0 23 0 0 unthrottled (221)\n6000000 1 544 1 6 0 23 0 0 throttled (220)\n&/' | waits)" \
	'0.03000200 0.01999800 q "wait_throttled"
0.05000000 0.01000000 c "wait_cpu"
0.06000000 0.05000050 q "wait_throttled"
0.11000050 0.00000150 c "wait_cpu"'
is "an end that the kernel took back" "$(recorded | sed 's/^11000050/5000000 1 545 1 6 0 23 0 0 unthrottled (221)\n&/' | waits | head -n 1)" \
	'0.03000200 0.07999850 q "wait_throttled"'
is "it runs before the end: it waited for a CPU (Linux 6.18 and later)" "$(recorded | sed 's/^11000050/12000000/' | waits)" "$READY"
is "another thread ran when the kernel throttled the cgroup, and this one stops later (Linux 6.18 and later)" \
	"$(recorded | sed 's/ 8388631 / 23 /; s/^3000200/3000160 1 546 0 5 0 8388631 0 0 throttled_task (222)\n&/' | waits | head -n 1)" \
	'0.03000200 0.07999850 q "wait_throttled"'
is "user code in a throttled cgroup: it has left the cgroup" "$(recorded | sed 's/^3000200/3000160 0 2087 0 5 0 0 0 0 getpid (827)\n3000170 0 2599 0 5 0 5 0 0 \/getpid (a27)\n&/; /local_timer/d' | waits)" "$READY"
recorded | LC_ALL=C sort -n | "$BIN/eventtospan" 2>/dev/null | LC_ALL=C sort >"$TAP_TMP/recorded.json"
run "$TAP_TMP/recorded.json" "$BIN/spantowhy" --pid 5
like "spantowhy: the cgroup and its quota" "$(cat "$OUT")" 'in user code: throttled 79\.999 ms by cgroup /pod \(20 ms of 100 ms\); 1\.50 us for CPU 0: idle 1\.50 us$'
is "spantowhy: the path and its sums have the cgroup" "$(grep -c 'was throttled by cgroup /pod (20 ms of 100 ms)' "$OUT")" 2
recorded | sed '/^-1 1 314/d; s/\(throttled\)=[^(]*([^)]*)/\1/' | LC_ALL=C sort -n | "$BIN/eventtospan" 2>/dev/null | LC_ALL=C sort >"$TAP_TMP/unnamed.json"
run "$TAP_TMP/unnamed.json" "$BIN/spantowhy" --pid 5
is "spantowhy: the id of a cgroup without a name" "$(grep -c 'throttled.* by cgroup id 23$\|throttled.* by cgroup id 23, 1 step$\|throttled.* by cgroup id 23;' "$OUT")" 3
run "$TAP_TMP/recorded.json" "$BIN/spantowhy" --pid 5 --json
like "spantowhy --json: the cgroup and its quota" "$(cat "$OUT")" '"throttled_inferred": false, "cgroup": "/pod \(20 ms of 100 ms\)"'
like "spantowhy --json: the path has the cgroup" "$(cat "$OUT")" '"kind": "throttled", .*"cgroup": "/pod \(20 ms of 100 ms\)"'

# Three intervals overlap, and one ends before the wait for the CPU begins: no filter writes such rows.
overlap()
{
	cat <<-'EOF'
	"events" : [
	[  1.00000000,   0.50000000, 0, 5, 0, 65541, 0, 0, 0, "busy.5"],
	[  1.50000000,   1.50000000, -1, 5, 0, 793, 0, 0, 0, "wait_unk"],
	[  1.60000000,   2.40000000, -1, 5, 0, 784, 0, 0, 0, "wait_throttled"],
	[  1.70000000,   2.80000000, -1, 5, 0, 784, 0, 0, 0, "wait_throttled"],
	[  1.80000000,   0.20000000, -1, 5, 0, 784, 0, 0, 0, "wait_throttled"],
	[  5.50000000,   1.00000000, 0, 5, 0, 65541, 0, 0, 0, "busy.5"],
	[999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, ""]
	]}
	EOF
}
{ sed '/^"events"/,$d' tests/data/good.json; overlap; } >"$TAP_TMP/overlap.json"
run "$TAP_TMP/overlap.json" "$BIN/spantowhy" --pid 5
is "spantowhy: intervals that overlap count once" "$STATUS $(grep 'was throttled' "$OUT" | tr -s ' ')" \
	'0  1.500 s 27.3 % was throttled, 1 step
3.00000000 1.500 s busy.5 was throttled'

# --- a real trace: a program with a quota of 20 ms of 100 ms on Linux 7.2 ---

xz -dc tests/data/linux72/throttled.trace.xz >"$TAP_TMP/throttled.trace"
"$BIN/rawtoevent" "$TAP_TMP/throttled.trace" 2>/dev/null | "$BIN/eventtospan" 2>/dev/null | LC_ALL=C sort >"$TAP_TMP/json"
# cpu.stat: throttled 14 times, 1016.324 ms; of one time, the thread changed its CPU
sum=$(awk -F'[][, ]+' '/"wait_throttled\?"/ { n++; ms += $3 * 1000 } END { printf "%d %d", n, ms }' "$TAP_TMP/json")
is "throttled times of the program" "${sum% *}" 12
between "throttled ms, of 1016 by cpu.stat" "${sum#* }" 966 1016
is "no other thread is throttled" "$(awk -F'[][, ]+' '/throttled\?/ && $5 != 121' "$TAP_TMP/json")" ""

run "$TAP_TMP/json" "$BIN/spantowhy" --pid 121
is "spantowhy: a gap" "$(grep -c 'in user code: throttled? 105.550 ms; 0 ns for CPU 1$' "$OUT")" 1
is "spantowhy: a step of the path" "$(grep -c '105.550 ms  throttled.121 was throttled?$' "$OUT")" 1
like "spantowhy: the totals" "$(head -n 1 "$OUT")" 'gaps, throttled\? 982\.188 ms, .*waiting for a CPU 40\.472 ms$'
like "spantowhy: the sums of the path" "$(cat "$OUT")" ' 982\.188 ms +70\.2 %  was throttled\?, 12 steps'
run "$TAP_TMP/json" "$BIN/spantowhy" --pid 121 --json
like "spantowhy --json: a gap" "$(cat "$OUT")" '"throttled": 0\.10555010, "throttled_inferred": true, "runnable": 0\.00000000'
like "spantowhy --json: the totals" "$(cat "$OUT")" '"waited": \{"throttled": 0\.98218786, .*"throttled_inferred": true'
is "spantowhy --json: steps of the path" "$(grep -c '"kind": "throttled", "pid": 121,.*"what": "wait_throttled?"' "$OUT")" 12
run "$TAP_TMP/json" "$BIN/spantoprof"
like "spantoprof: the wait" "$(cat "$OUT")" ' 982\.188 ms +12 .* wait_throttled\?'
if [ -x "$BIN/rawtosqlite" ] && command -v sqlite3 >/dev/null; then
	"$BIN/rawtosqlite" -o "$TAP_TMP/db" "$TAP_TMP/throttled.trace" 2>/dev/null
	is "SQL: a state of its own" "$(sqlite3 "$TAP_TMP/db" \
		"select state, reason, count(*), sum(dur_ns) from thread_state where tid = 121 and state in ('throttled', 'runnable') group by 1 order by 1")" \
		"runnable||6|40471700
throttled|throttled?|12|982187860"
else
	skip "SQL: a state of its own" "no rawtosqlite, or no sqlite3"
fi
tap_end
