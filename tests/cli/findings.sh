#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# takes: 20
#
# Tests spantowhy --findings, --worst, --budget and --call. tests/unit/test_budget.c tests the sums of budgets. Each kind of finding has a made trace with the fault, whose cost follows from the
# rows, and a similar trace of a healthy system, which must have no finding. The recorded traces have none.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc
built "$BIN/spantowhy" "$BIN/makeself" "$BIN/unmakeself" "$BIN/spantotrim" "$BIN/rawtohtml" "$BUILD/gen/events"
. "$BUILD/gen/events"

TOOL=$BIN/spantowhy
GOOD=$DATA/good.json

# Functions for traces: times in microseconds from second 11, threads are named tPID.
cat >"$TAP_TMP/lib.awk" <<E2
function row(start, dur, cpu, pid, event, arg, ret, name) {
	printf "[%12.8f, %.8f, %d, %d, 0, %d, %d, %d, 0, \"%s\"],\n", 11 + start / 1e6, dur / 1e6, cpu, pid, event, arg, ret, name
}
function user(cpu, pid, start, dur) { row(start, dur, cpu, pid, 65536 + pid, 0, 0, "t" pid "." pid) }
function named(cpu, pid, start, dur, name) { row(start, dur, cpu, pid, 65536 + pid, 0, 0, name "." pid) }
function idle(cpu, start, dur) { row(start, dur, cpu, 0, 65536, 0, 0, "-idle-") }
function call(cpu, pid, start, dur, number, ret, name) { row(start, dur, cpu, pid, $EV_SYSCALL64 + number, 0, ret, name) }
function fault(cpu, pid, start, dur) { row(start, dur, cpu, pid, $EV_TRAP + 14, 0, 0, "page_fault") }
function interrupt(cpu, pid, start, dur) { row(start, dur, cpu, pid, $EV_RESCHEDULE, 0, 0, "eth0") }
function softirq(cpu, pid, start, dur) { row(start, dur, cpu, pid, $EV_BH, 3, 0, "BH:rx") }
function wake(at, dur, cpu, waker, target) { row(at, dur, cpu, waker, -3, 0, target, "-wakeup-") }
function waits(pid, start, dur, letter, name) {
	row(start, dur, -1, pid, $EV_WAITA + index("abcdefghijklmnopqrstuvwxyz", letter) - 1, 0, 0, name)
}
function task(at, pid, text) { row(at, 0.01, 0, pid, $EV_TASK, 0, 0, text) }
function tries(pid, start, dur) { row(start, dur, 0, pid, $EV_LOCKTRY, 7, 0, "mutex:m.7") }
function holds(pid, start, dur) { row(start, dur, 0, pid, $EV_LOCKHELD, 7, 0, "mutex:m.7") }
E2

# trace NAME [ARGUMENT...]: makes the trace NAME.json of the awk statements on standard input.
trace()
{
	local name=$1
	shift
	{
		sed -n '1,/^"events"/p' "$GOOD"
		{ cat "$TAP_TMP/lib.awk"; echo "BEGIN {"; cat; echo "}"; } >"$TAP_TMP/$name.awk"
		awk "$@" -f "$TAP_TMP/$name.awk" | LC_ALL=C sort
		tail -n 2 "$GOOD"
	} >"$TAP_TMP/$name.json"
}

# found NAME: prints the findings of a trace: kind, cost in us, number, victim, culprit.
found()
{
	run "$TAP_TMP/$1.json" "$TOOL" --findings --json
	[ "$STATUS" = 0 ] && grep -q '"findings": \[' "$OUT" || echo "failed: status $STATUS"
	sed -n 's/^ *{"finding": "\([^"]*\)", "cost": \([0-9]*\)\.\([0-9]*\), "count": \([0-9]*\),.*"victim": {"pid": \([0-9]*\),[^}]*}\(, "culprit": {"pid": \([0-9]*\)\)\?.*/\1 \2\3 \4 \5 \7/p' "$OUT" |
		awk '{ printf "%s%s %.2f %s %s %s", (NR > 1 ? "; " : ""), $1, $2 / 100, $3, $4, ($5 == "" ? "-" : $5) }'
}

# A cgroup is throttled: thread 5 is woken, and waits 60 ms of 80 ms for its quota. In the healthy trace it waits for
# another thread.
throttled='user(0, 5, 0, 10000); idle(1, 0, 100000); user(0, 6, 10000, 10000)
	wake(20000, 70000, 0, 6, 5); waits(5, 10000, 10000, "n", "wait_net")
	user(0, 6, 20000, 10000); idle(0, 30000, 60000); user(0, 5, 90000, 10000)'
trace throttled <<<"$throttled; row(25000, 1, 0, 6, $EV_THROTTLE, 9, 0, \"throttled=/pod\"); row(30000, 60000, -1, 5, $EV_WAITA + 16, 9, 0, \"wait_throttled\")"
is "throttled: the cost is the throttled time" "$(found throttled)" "throttled 60000.00 1 5 -"
like "throttled: the sentence names the cgroup" "$(cat "$OUT")" 't5\.5 was throttled once, for 60\.000 ms in all, because its cgroup /pod had used its quota'
trace unthrottled <<<'user(0, 5, 0, 10000); waits(5, 10000, 80000, "n", "wait_net"); idle(0, 10000, 80000); user(0, 5, 90000, 10000)'
is "not throttled: a thread that waits for a packet" "$(found unthrottled)" ""

# The machine did not run for 50 ms: the row is on both CPUs, and counts once. A CPU that another machine has for 20 ms counts.
trace stopped <<<"user(0, 5, 0, 10000); row(10000, 50000, 0, 5, $EV_STOPPED, 1, 0, \"-stopped-\"); user(0, 5, 60000, 10000)
	idle(1, 0, 10000); row(10000, 50000, 1, 0, $EV_STOPPED, 1, 0, \"-stopped-\"); idle(1, 60000, 10000)"
is "stopped: the machine, once" "$(found stopped)" "stopped 50000.00 1 5 -"
trace idle <<<"idle(0, 0, 10000); row(10000, 50000, 0, 0, $EV_STOPPED, 1, 0, \"-stopped-\"); idle(0, 60000, 10000)
	user(1, 5, 0, 10000); row(10000, 50000, 1, 5, $EV_STOPPED, 1, 0, \"-stopped-\"); user(1, 5, 60000, 10000)"
is "stopped: the victim is the program that ran, on any CPU" "$(found idle)" "stopped 50000.00 1 5 -"
trace stolen <<<"user(0, 5, 0, 10000); row(10000, 20000, 0, 5, $EV_STOLEN, 1, 0, \"-stolen-?\"); user(0, 5, 30000, 10000); idle(1, 0, 40000)"
is "stopped: one CPU" "$(found stolen)" "stopped 20000.00 1 5 -"
like "stopped: an inferred stop is marked" "$(cat "$OUT")" 'CPU 0 stood still \(inferred\) once, for 20\.000 ms in all\. The longest stop took 20\.000 ms, and interrupted t5\.5\.'
trace running <<<"user(0, 5, 0, 40000); idle(1, 0, 40000)"
is "not stopped: a busy CPU and an idle CPU" "$(found running)" ""

# Thread 5 is woken on CPU 0 and waits 8 ms for thread 6 there. CPU 1 is idle in 7 ms of them. In the healthy trace CPU 1 is
# busy, or CPU 0 is idle, or the thread is a kernel thread of CPU 0.
beside='user(0, 5, 0, 10000); user(0, 6, 10000, 18000); waits(5, 10000, 10000, "n", "wait_net")
	wake(20000, 8000, 1, 7, 5); user(0, 5, 28000, 10000); user(1, 7, 0, 21000)'
trace beside <<<"$beside; idle(1, 21000, 17000)"
is "idle_beside: the cost is the time with an idle CPU" "$(found beside)" "idle_beside 7000.00 1 5 6"
trace busy <<<"$beside; user(1, 7, 21000, 17000)"
is "not idle_beside: all CPUs are busy" "$(found busy)" ""
sed 's/t5\.5/kworker\/0:1.5/' "$TAP_TMP/beside.json" >"$TAP_TMP/bound.json"
is "not idle_beside: a kernel thread cannot move" "$(found bound)" ""
trace leaving <<<'user(0, 5, 0, 10000); idle(0, 10000, 18000); waits(5, 10000, 10000, "n", "wait_net")
	wake(20000, 8000, 1, 7, 5); user(0, 5, 28000, 10000); user(1, 7, 0, 21000); idle(1, 21000, 17000)'
is "not idle_beside: the CPU of the thread is itself idle" "$(found leaving)" ""

# Two busy threads have CPU 0 alternately, for 4 ms each. CPU 1 is idle, or busy in the healthy trace.
crowded='for (i = 0; i < 10; i++) { user(0, 5, i * 8000, 4000); user(0, 6, i * 8000 + 4000, 4000) }'
trace crowded <<<"$crowded; idle(1, 0, 80000)"
is "crowded: once for both threads" "$(found crowded)" "crowded 36000.00 9 5 6"
trace shared <<<"$crowded; user(1, 7, 0, 80000)"
is "not crowded: no CPU is idle" "$(found shared)" ""

# Thread 5 holds a lock for 30 ms, in which thread 9 has its CPU for 20 ms. Thread 6 waits for the lock from 5 ms on. In the
# healthy trace the holder runs all the time.
trace inversion <<<'user(0, 5, 0, 5000); user(0, 9, 5000, 20000); user(0, 5, 25000, 10000); holds(5, 1000, 30000)
	user(1, 6, 0, 4000); user(1, 8, 4000, 27000); tries(6, 4000, 27000); waits(6, 4000, 27000, "l", "wait_lock")
	wake(31000, 0.02, 0, 5, 6); user(1, 6, 31000, 4000)'
is "lock_holder: the holder is preempted" "$(found inversion)" "lock_holder 20000.00 1 5 9"
like "lock_holder: the sentence has the lock" "$(cat "$OUT")" 't5\.5 held the lock mutex:m\.7 while t9\.9 had its CPU, once: other threads waited 20\.000 ms'
trace locks <<E2
user(0, 5, 0, 5000); user(0, 8, 5000, 100); user(0, 9, 5100, 19900); user(0, 5, 25000, 10000); holds(5, 1000, 30000)
user(1, 6, 0, 4000); user(1, 8, 4000, 1000); user(1, 10, 5000, 26000); tries(6, 4000, 27000); waits(6, 4000, 27000, "l", "wait_lock")
wake(31000, 0.02, 0, 5, 6); user(1, 6, 31000, 4000)
row(36000, 9000, 0, 5, $EV_LOCKHELD, 8, 0, "mutex:quiet.8"); user(0, 5, 35000, 2000); user(0, 9, 37000, 1000); user(0, 5, 38000, 9000)
E2
is "lock_holder: of several threads on the holder's CPU, the one that cost most" "$(found locks)" "lock_holder 20000.00 1 5 9"
like "lock_holder: the lock for which others waited, not the last lock" "$(cat "$OUT")" 't5\.5 held the lock mutex:m\.7 while t9\.9 had its CPU'
trace asleep <<<'user(0, 5, 0, 4000); call(0, 5, 4000, 1000, 0, 0, "pread64"); user(0, 9, 5000, 20000); waits(5, 5000, 20000, "d", "wait_disk")
	wake(25000, 0.02, 0, 9, 5); call(0, 5, 25000, 1000, 0, 1, "pread64"); user(0, 5, 26000, 9000); holds(5, 1000, 30000)
	user(1, 6, 0, 4000); user(1, 8, 4000, 27000); tries(6, 4000, 27000); waits(6, 4000, 27000, "l", "wait_lock")
	wake(31000, 0.02, 0, 5, 6); user(1, 6, 31000, 4000)'
is "lock_holder: the holder sleeps" "$(found asleep)" "lock_holder 20000.00 1 5 5"
like "lock_holder: the call in which it sleeps" "$(cat "$OUT")" 't5\.5 slept while it held the lock mutex:m\.7, once, mostly in pread64'
trace holder <<<'user(0, 5, 0, 35000); holds(5, 1000, 30000); user(1, 6, 0, 4000); user(1, 8, 4000, 27000)
	tries(6, 4000, 27000); waits(6, 4000, 27000, "l", "wait_lock"); wake(31000, 0.02, 0, 5, 6); user(1, 6, 31000, 4000)'
is "not lock_holder: the holder works" "$(found holder)" ""

# Twelve times, N threads wait for the lock for 1 ms each, at the same time.
convoy='user(0, 5, 0, 50000); for (i = 0; i < 12; i++) for (k = 0; k < n; k++) tries(10 + k, i * 4000, 1000)
	for (k = 0; k < n; k++) user(1 + k, 10 + k, 0, 50000)'
trace convoy -v n=3 <<<"$convoy"
is "lock_convoy: the waits of three threads" "$(found convoy)" "lock_convoy 36000.00 36 10 -"
trace pair -v n=2 <<<"$convoy"
is "not lock_convoy: two threads wait" "$(found pair)" ""

# An interrupt and its softirq take 30 us of every 100 us. In the healthy trace the softirq follows a call of the thread.
trace interrupts <<<'for (i = 0; i < 300; i++) { user(0, 5, i * 100, 70); interrupt(0, 5, i * 100 + 70, 10); softirq(0, 5, i * 100 + 80, 20) }'
is "interrupts: interrupts and their softirqs" "$(found interrupts)" "interrupts 9000.00 600 5 -"
trace own <<<'for (i = 0; i < 300; i++) { user(0, 5, i * 100, 70); call(0, 5, i * 100 + 70, 10, 44, 1, "sendto"); softirq(0, 5, i * 100 + 80, 20) }'
is "not interrupts: softirqs of the thread's own calls" "$(found own)" ""

# N faults of 10 us, each after 20 us of user code.
faults='for (i = 0; i < n; i++) { user(0, 5, i * 30, 20); fault(0, 5, i * 30 + 20, 10) }'
trace faults -v n=1200 <<<"$faults"
is "page_faults: their time" "$(found faults)" "page_faults 12000.00 1200 5 -"
trace start -v n=300 <<<"$faults"
is "not page_faults: a program that starts" "$(found start)" ""

# Calls of recvfrom that return -EAGAIN (65525), each with 5 us of user code after it. In the healthy trace they return 1.
polling='user(0, 5, 0, 5); for (i = 0; i < 1200; i++) { call(0, 5, i * 10 + 5, 5, 45, ret, "recvfrom"); user(0, 5, i * 10 + 10, 5) }'
trace polling -v ret=65525 <<<"$polling"
is "busy_polling: the calls and the code between them" "$(found polling)" "busy_polling 12000.00 1200 5 -"
trace reading -v ret=1 <<<"$polling"
is "not busy_polling: each call has a result" "$(found reading)" ""

# Two threads on CPUs A and B wake each other every 100 us. The woken thread runs 41 us after its wakeup.
pingpong='for (i = 0; i < 1100; i++) {
	t = i * 100; p = 5 + i % 2; q = 11 - p; cpu = i % 2 ? b : 0; next_cpu = i % 2 ? 0 : b
	user(cpu, p, t, 50); call(cpu, p, t + 50, 10, 1, 1, "write"); wake(t + 59, 41, cpu, p, q); waits(q, t - 40, 99, "p", "wait_pipe")
	if (b) idle(next_cpu, t, 100)
	idle(cpu, t + 60, 40)
}'
trace pingpong -v b=1 <<<"$pingpong"
is "ping_pong: the time from wakeup to run, without the first run of each" "$(found pingpong)" "ping_pong 45018.00 1098 6 5"
trace together -v b=0 <<<"$pingpong"
is "not ping_pong: both threads are on one CPU" "$(found together)" ""

# Twelve times, thread 5 wakes ten threads with one call. They run 20 us and sleep again, or work 200 us.
herd='for (i = 0; i < 13; i++) {
	t = i * 10000; user(0, 5, t, 100); call(0, 5, t + 100, 100, 202, 10, "futex"); user(0, 5, t + 200, 9800)
	for (k = 0; k < 10; k++) {
		wake(t + 150, 100, 0, 5, 20 + k); waits(20 + k, t - 10000 + 250 + work, 9900 - work, "l", "wait_lock")
		idle(1 + k, t, 250); user(1 + k, 20 + k, t + 250, work); idle(1 + k, t + 250 + work, 9750 - work)
	}
}'
trace herd -v work=20 <<<"$herd"
is "thundering_herd: runs and waits of the useless wakeups" "$(found herd)" "thundering_herd 14400.00 12 5 5"
trace barrier -v work=200 <<<"$herd"
is "not thundering_herd: the threads work" "$(found barrier)" ""

# Thread 5 makes N children. Each runs execve for 300 us, user code for 100 us and exit_group for 100 us.
spawn='for (i = 0; i < n; i++) {
	t = i * 1000; p = 100 + i; user(0, 5, t, 100); call(0, 5, t + 100, 100, 56, p, "clone"); wake(t + 199, 101, 0, 5, p)
	call(1, p, t + 300, 300, 59, 0, "execve"); user(1, p, t + 600, 100); call(1, p, t + 700, 100, 231, 0, "exit_group")
	idle(1, t, 300); idle(1, t + 800, 200); user(0, 5, t + 200, 800)
}'
trace spawn -v n=120 <<<"$spawn"
like "spawn_storm: the kernel's time for parent and children" "$(found spawn)" '^spawn_storm 60000\.00 120 5 5$'
trace few -v n=20 <<<"$spawn"
is "not spawn_storm: twenty children" "$(found few)" ""

# The exit takes 60 ms, in two parts, or 20 ms.
trace exit <<<'user(0, 5, 0, 10000); call(0, 5, 10000, 20000, 231, 0, "exit_group"); user(0, 6, 30000, 20000)
	call(0, 5, 50000, 20000, 231, 0, "exit_group"); user(0, 6, 70000, 10000); user(1, 7, 0, 80000)'
is "long_exit: from the call to the last run" "$(found exit)" "long_exit 60000.00 1 5 -"
trace quick <<<'user(0, 5, 0, 10000); call(0, 5, 10000, 20000, 231, 0, "exit_group"); user(0, 6, 30000, 10000)'
is "not long_exit: a quick exit" "$(found quick)" ""

# The recorder has the CPU of thread 5 for 8 ms.
recorder='user(0, 5, 0, 10000); named(0, 6, 10000, 8000, name); user(0, 5, 18000, 10000); user(1, 7, 0, 28000)'
trace recorder -v name=kutrace_control <<<"$recorder"
is "recorder: the time of the recorder" "$(found recorder)" "recorder 8000.00 1 5 6"
trace other -v name=other <<<"$recorder"
is "not recorder: another program" "$(found other)" ""

# ---- form of the output ----

run "$TAP_TMP/beside.json" "$TOOL" --findings
is "the text: cost, sentence, advice, spans" "$(cat "$OUT")" \
'1. idle_beside: 7.000 ms, 18.4 % of the time
   t5.5 waited for a busy CPU once, for 7.000 ms in all, while another CPU was idle; the longest wait of 7.000 ms was for t6.6.
   Try: Check which CPUs the thread may use (taskset -p, cpuset of its cgroup), and whether the busy thread has real-time priority.
   from 11.01000000 to 11.02800000 s; spans: pid 5 at 11.01000000'
trace two <<<"$beside; idle(1, 21000, 17000); for (i = 0; i < 12; i++) for (k = 0; k < 3; k++) tries(10 + k, i * 3000, 1000)"
is "two findings, the most expensive first" "$(found two)" "lock_convoy 36000.00 36 10 -; idle_beside 7000.00 1 5 6"
run "$TAP_TMP/two.json" "$TOOL" --findings --json --pid 6
is "--pid: only the findings of a thread" "$(grep -o '"finding": "[^"]*"' "$OUT")" '"finding": "idle_beside"'
run "$TAP_TMP/two.json" "$TOOL" --findings --budget
expect "--findings with --budget" 2 "^spantowhy: --findings and --budget cannot be combined"
run "$TAP_TMP/two.json" "$TOOL" --findings --top 1
like "--top leaves out the cheaper findings" "$(cat "$OUT")" '^left out: 1 finding that costs less$'
run "$GOOD" "$TOOL" --findings
like "no findings: a sentence" "$(cat "$OUT")" '^no findings: '
run "$GOOD" "$TOOL" --findings --json
is "no findings: JSON with a version" "$(cat "$OUT")" '{"version": 1, "from": 11.00000100, "to": 11.00002700, "findings": []}'
for file in tests/golden/*.json.xz; do
	name=$(basename "$file" .json.xz)
	xz -dc "$file" >"$TAP_TMP/golden-$name.json"
	is "$name: a healthy recorded trace has no finding" "$(found "golden-$name")" ""
done

# ---- the worst findings of a program ----

# worst NAME OPTION...: prints the most expensive findings.
worst()
{
	local name=$1
	shift
	run "$TAP_TMP/$name.json" "$TOOL" --worst "$@"
	[ "$STATUS" = 0 ] || echo "failed: status $STATUS"
	cat "$OUT"
}
# header NAME KEYS: adds keys to the header of a trace.
header() { sed -i "s/^ \"cpuModelName\"/ $2,\n&/" "$TAP_TMP/$1.json"; }

# Process 4 waits for the lock with a thread, 30, of its child, 20: lines of task() make the family. Process 9 has faults.
beside_30='user(0, 30, 0, 10000); user(0, 6, 10000, 18000); waits(30, 10000, 10000, "n", "wait_net")
	wake(20000, 8000, 1, 7, 30); user(0, 30, 28000, 10000); user(1, 4, 0, 100); user(1, 7, 100, 20900); idle(1, 21000, 17000)
	for (i = 0; i < 1200; i++) { user(2, 9, i * 30, 20); fault(2, 9, i * 30 + 20, 10) }'
trace child <<<"$beside_30; task(0, 4, \"p p1 s1\"); task(1, 20, \"f p4 s2\"); task(2, 30, \"t p4 g14 s3\"); task(0, 9, \"p p1 s4\")"
is "--worst: of the program, its children and their threads" "$(worst child 3 --pid 4)" \
'known faults that concern t4.4, its threads and its children:
1. 7.000 ms, 18.4 % of the time, from 11.01000000 to 11.02800000 s:
   t30.30 waited for a busy CPU once, for 7.000 ms in all, while another CPU was idle; the longest wait of 7.000 ms was for t6.6.
   Try: Check which CPUs the thread may use (taskset -p, cpuset of its cgroup), and whether the busy thread has real-time priority.'
like "--worst: of a single process" "$(worst child 3 --pid 9)" '^known faults that concern t9\.9, .*:$'
like "--worst: with a culprit in the program" "$(sed 's/"t6\.6"/"t4.4"/; s/, 6, 0, 65542,/, 4, 0, 65540,/' "$TAP_TMP/child.json" >"$TAP_TMP/culprit.json"; worst culprit 3 --pid 4)" \
	'while another CPU was idle; the longest wait of 7\.000 ms was for t4\.4\.'
is "--worst: the program of a thread is its process" "$(worst child 3 --pid 30 | sed -n '2s/,.*//p')" "1. 7.000 ms"
trace stranger <<<"$beside_30; task(0, 4, \"p p1 s1\"); task(1, 20, \"f p5 s2\"); task(2, 30, \"t p5 g14 s3\")"
is "--worst: not of another program" "$(worst stranger 3 --pid 4)" 'no known fault was found that concerns t4.4, its threads or its children'
trace reused <<<"$beside_30; task(0, 4, \"p p1 s1\"); task(1, 20, \"f p4 s2\"); task(2, 20, \"f p1 s5\"); task(3, 30, \"t p1 g14 s6\")"
like "--worst: not of a later owner of a child's pid" "$(worst reused 3 --pid 4)" '^no known fault was found that'
trace present <<<"$beside_30; task(0, 30, \"p p4 g14 s3\"); task(0, 20, \"p p8 s2\"); task(0, 8, \"p p4 s7\"); task(0, 4, \"p p1 s1\")"
like "--worst: children that existed before, in any order" "$(worst present 3 --pid 4)" '^known faults that concern t4\.4'
is "--worst: without --pid, of all threads" "$(worst child 1)" \
'known faults of all threads, the most expensive first:
1. 12.000 ms, 31.6 % of the time, from 11.00002000 to 11.03600000 s:
   t9.9 spent 12.000 ms of its 36.000 ms on CPUs in 1200 page faults.
   Try: Reuse memory instead of returning it to the kernel (M_TRIM_THRESHOLD of malloc), use huge pages, or touch memory in advance (MAP_POPULATE).
left out: 1 that costs less (spantowhy --findings)'
header child '"coverage" : {"run": 4}'
like "--worst: without --pid, of the recorded program" "$(worst child 3)" '^known faults that concern t4\.4, its threads and its children:$'
trace nobody <<<"$beside_30"
like "--worst: a trace without identities" "$(worst nobody 1 --pid 4)" \
	'^known faults of all threads \(the trace does not show which threads belong to t4\.4\), the most expensive first:$'
is "--worst: no findings, and no identities" "$(worst running 3 --pid 5)" \
	'no known fault was found in any thread (the trace does not show which threads belong to t5.5)'
is "--worst: no findings" "$(worst running 3)" 'no known fault was found in any thread'
trace halt <<<"user(0, 5, 0, 10000); row(10000, 50000, 0, 5, $EV_STOPPED, 1, 0, \"-stopped-\"); user(0, 5, 60000, 10000); task(0, 5, \"p p1 s1\")
	user(1, 6, 0, 10000); row(10000, 50000, 1, 6, $EV_STOPPED, 1, 0, \"-stopped-\"); user(1, 6, 60000, 10000); task(0, 6, \"p p1 s2\")"
for pid in 5 6; do
	like "--worst: a stop of the machine concerns each program ($pid)" "$(worst halt 3 --pid $pid)" 'The machine stood still once, for 50\.000 ms in all'
done
trace lacks <<<"user(0, 5, 0, 40000); idle(1, 0, 40000); row(40000, 3000, 0, 0, $EV_PAUSE, 1, 0, \"-pause-\"); user(0, 5, 43000, 1000)"
header lacks '"coverage" : {"wrapped": 1, "partial": "1100001000:1100002500"}, "lost" : {"full": 2, "total": 12}'
is "--worst: what the trace lacks" "$(worst lacks 3 | tail -n 1)" \
	"not searched: 12 lost events; the time before the trace begins, whose events were overwritten; 3.000 ms in which recording was off; some CPUs before 11.00002500 s, whose events were overwritten"
run "$TAP_TMP/child.json" "$TOOL" --worst 1 --json --pid 30
is "--worst --json: lines before the path" "$(sed -n '/"worst"/,/"path_of"/p' "$OUT")" \
' "worst": [
  "known faults that concern t30.30, its threads and its children:",
  "1. 7.000 ms, 18.4 % of the time, from 11.01000000 to 11.02800000 s:",
  "   t30.30 waited for a busy CPU once, for 7.000 ms in all, while another CPU was idle; the longest wait of 7.000 ms was for t6.6.",
  "   Try: Check which CPUs the thread may use (taskset -p, cpuset of its cgroup), and whether the busy thread has real-time priority."],
 "path_of": {"pid": 30, "name": "t30.30", "because": "pid"},'
ok "--worst --json: valid JSON" jq -e '.worst | length == 4' "$OUT"
like "--worst --json: the explanation remains" "$(cat "$OUT")" '"gaps": \['
for option in "--findings" "--budget" "--call read"; do
	run "$TAP_TMP/child.json" "$TOOL" --worst 3 $option
	expect "--worst with $option" 2 "^spantowhy: --worst and ${option%% *} cannot be combined"
done
for number in 0 -1 x ''; do
	run "$TAP_TMP/child.json" "$TOOL" --worst "$number"
	expect "--worst '$number'" 2 "^spantowhy: --worst needs a number of findings"
done

# ---- in pages ----

TEMPLATE=$DATA/template.html

# paged FILE: prints the element with the findings of a page.
paged()
{
	sed -n '/^<script type="application\/json" id="kutrace-findings">/,/<\/script>/p' "$1" |
		sed 's/^<script[^>]*>//; /^<\/script>$/d'
}

# page NAME OPTION...: makes the page NAME.html of NAME.json.
page()
{
	local name=$1
	shift
	"$BIN/makeself" "$TEMPLATE" "$@" <"$TAP_TMP/$name.json" >"$TAP_TMP/$name.html" 2>"$ERR"
}

for name in two beside inversion "golden-stock"; do
	page $name
	"$TOOL" --findings --json "$TAP_TMP/$name.json" >"$TAP_TMP/expected"
	is "a page has the findings of its spans: $name" "$(paged "$TAP_TMP/$name.html")" "$(cat "$TAP_TMP/expected")"
done
like "a page of a healthy trace has an empty list" "$(paged "$TAP_TMP/golden-stock.html")" '"findings": \[\]}$'
run /dev/null "$BIN/unmakeself" "$TAP_TMP/two.html"
is "unmakeself leaves the findings out" "$STATUS $(cmp "$OUT" "$TAP_TMP/two.json" 2>&1)" "0 "
"$BIN/spantotrim" 11.035 11.036 <"$TAP_TMP/two.html" >"$TAP_TMP/cut.json" 2>"$ERR"
page cut
is "trimmed spans have their own findings, not those of the page from which they came" "$(paged "$TAP_TMP/cut.html")" \
	"$("$TOOL" --findings --json "$TAP_TMP/cut.json")"
unlike "the findings outside of the trimmed time are gone" "$(paged "$TAP_TMP/cut.html")" 'idle_beside'
sed 's/t6\.6/<\/script>.6/' "$TAP_TMP/beside.json" >"$TAP_TMP/script.json"
page script
like "a name cannot end the element" "$(paged "$TAP_TMP/script.html")" 'was for \\u003c/script>\.6'
run /dev/null "$BIN/unmakeself" "$TAP_TMP/script.html"
is "nor confuse unmakeself" "$STATUS $(cmp "$OUT" "$TAP_TMP/script.json" 2>&1)" "0 "
page two --no-findings
like "--no-findings: the reason" "$(paged "$TAP_TMP/two.html")" '^{"version": 1, "missing": "option", "most": [0-9]+}$'
{ sed -n '1,/"events"/p' "$TAP_TMP/two.json"; grep '^\[' "$TAP_TMP/two.json" | grep -v '^\[999' | tac; tail -n 2 "$GOOD"; } >"$TAP_TMP/mixed.json"
page mixed
like "rows out of order: the reason" "$(paged "$TAP_TMP/mixed.html")" '"missing": "order"'
sed '/"kutrace-findings"/,$d' "$TAP_TMP/cut.html" >"$TAP_TMP/torn.html"
printf '<script type="application/json" id="kutrace-findings">{"version"' >>"$TAP_TMP/torn.html"
run /dev/null "$BIN/unmakeself" "$TAP_TMP/torn.html"
expect "a page that ends inside its findings" 1 "cut off inside its findings"
xz -dc tests/golden/stock.trace.xz >"$TAP_TMP/stock.trace"
"$BIN/rawtohtml" "$TAP_TMP/stock.trace" --template "$TEMPLATE" --no-findings -o "$TAP_TMP/stock.html" 2>"$ERR"
like "rawtohtml --no-findings" "$(paged "$TAP_TMP/stock.html")" '"missing": "option"'
run "$TAP_TMP/stock.trace" "$BIN/rawtohtml" --json --no-findings
expect "rawtohtml --json --no-findings" 2 "^rawtohtml: --json cannot be used with --no-findings"

# With little memory, the page must not lack the memory that the rows have.
limit=40000
most=$((limit * 1024 / 4 / 64))
{
	sed -n '1,/"events"/p' "$GOOD"
	awk -v n=$((most + 1)) 'BEGIN { for (i = 0; i < n; i++) printf "[%12.8f, 0.00000100, 0, 5, 0, 65541, 0, 0, 0, \"t5.5\"],\n", 11 + i / 1e6 }'
	tail -n 2 "$GOOD"
} >"$TAP_TMP/memory.json"
is "more spans than a quarter of ulimit -v: the reason, and the limit" \
	"$( (ulimit -v $limit; exec "$BIN/makeself" "$TEMPLATE" <"$TAP_TMP/memory.json" >"$TAP_TMP/memory.html" 2>"$ERR"); echo "$? $(paged "$TAP_TMP/memory.html")")" \
	"0 {\"version\": 1, \"missing\": \"memory\", \"most\": $most}"

# The sanitized filters have a small limit (KP_SMALL_LOADS).
if [ -x "$BUILD/san/bin/makeself" ]; then
	most=$(sed -n '/ifdef KP_SMALL_LOADS/{n; s/.*KP_PAGED_MOST\t*\([0-9]*\)u$/\1/p}' postprocess/report/findings/paged.h)
	for rows in $most $((most + 1)); do
		{
			sed -n '1,/"events"/p' "$GOOD"
			awk -v n="$rows" 'BEGIN { for (i = 0; i < n; i++) printf "[%12.8f, 0.00000100, 0, 5, 0, 65541, 0, 0, 0, \"t5.5\"],\n", 11 + i / 1e6 }'
			tail -n 2 "$GOOD"
		} >"$TAP_TMP/long.json"
		"$BUILD/san/bin/makeself" "$TEMPLATE" <"$TAP_TMP/long.json" >"$TAP_TMP/long-$rows.html" 2>"$ERR"
	done
	like "as many spans as the limit: findings" "$(paged "$TAP_TMP/long-$most.html")" '"findings": \[\]}$'
	is "more spans than the limit: the reason, and the limit" "$(paged "$TAP_TMP/long-$((most + 1)).html")" \
		"{\"version\": 1, \"missing\": \"spans\", \"most\": $most}"
	"$BUILD/san/bin/rawtohtml" "$TAP_TMP/stock.trace" --template "$TEMPLATE" -o "$TAP_TMP/long.html" 2>"$ERR"
	like "rawtohtml with more spans than the limit" "$(paged "$TAP_TMP/long.html")" '"missing": "spans"'
else
	skip "the limit of spans" "no sanitized filters are built"
fi

# ---- budgets ----

# budget TRACE OPTION...: prints the lines of a budget in JSON: category, time in us, object, pid of the other thread.
budget()
{
	local name=$1
	shift
	run "$TAP_TMP/$name.json" "$TOOL" --budget --json "$@"
	[ "$STATUS" = 0 ] || echo "failed: status $STATUS"
	sed -n 's/^ *{"category": "\([^"]*\)", "time": \([0-9]*\)\.\([0-9]*\), "parts": [0-9]*\(, "inferred": true\)\?\(, "what": "\([^"]*\)"\)\?\(, "pid": \([0-9]*\)\)\?.*/\1 \2\3 \6 \8/p' "$OUT" |
		awk '{ printf "%s%s %.0f%s%s", (NR > 1 ? "; " : ""), $1, $2 / 100, ($3 == "" ? "" : " " $3), ($4 == "" ? "" : " " $4) }'
}

is "a budget: the holder, the reason and the waker, the CPU" "$(budget beside --pid 5)" "user 20000; wait 10000 net 7; idle_beside 7000 6; queued 1000 6"
is "a budget of a part of a gap" "$(budget beside --pid 5 --from 11.015 --to 11.022)" "wait 5000 net 7; queued 1000 6; idle_beside 1000 6"
is "a budget of a lock: the thread that released it" "$(budget inversion --pid 6)" "lock 27000 mutex:m.7 5; user 8000"
is "a budget of a preempted thread" "$(budget shared --pid 6)" "user 40000; preempted 36000 5; absent 4000"
is "a budget of a throttled thread" "$(budget throttled --pid 5)" "throttled 60000 /pod; user 20000; idle_beside 10000 6; wait 10000 net 6"
is "a budget of a stop" "$(budget stopped --pid 5)" "stopped 50000; user 20000"
is "a budget of an inferred stop" "$(budget stolen --pid 5; grep -o '"stolen".*"inferred": true' "$OUT" | wc -l)" "user 20000; stolen 200001"
is "a budget of all CPUs" "$(budget beside)" "user 21000 7; user 20000 5; user 18000 6; idle 17000"
is "a budget of a thread from a time after its last run to the end of the trace" "$(budget beside --pid 6 --from 11.030)" "absent 8000"
for option in "--from 1000" "--to 1" "--pid 6 --from 1000"; do
	is "a budget of a time without rows, $option" "$(budget beside $option)" ""
	unlike "it does not end before it begins, $option" "$(cat "$OUT")" '"from": 1000\..*"to": 11\.|"from": 11\..*"to": 1\.'
	like "the message, $option" "$(cat "$ERR")" 'the trace has nothing in the selected time: it is from 11\.'
done
run "$TAP_TMP/beside.json" "$TOOL" --budget --top 3
like "--top leaves out one line" "$(cat "$OUT")" '^left out: 1 line, 17\.000 ms in all$'
trace call <<<'user(0, 5, 0, 1000); call(0, 5, 1000, 500, 0, 0, "read"); user(0, 5, 1500, 500); call(0, 5, 2000, 100, 0, 0, "read")
	fault(0, 5, 2100, 50); call(0, 5, 2150, 100, 0, 0, "read"); idle(0, 2250, 2000); waits(5, 2250, 1500, "p", "wait_pipe")
	wake(3750, 500, 1, 6, 5); user(1, 6, 0, 5000); call(0, 5, 4250, 50, 0, 1, "read"); interrupt(0, 5, 4300, 20)
	call(0, 5, 4320, 30, 0, 1, "read"); user(0, 5, 4350, 650)'
is "a budget of the longest call" "$(budget call --call read)" "wait 1500 pipe 6; cpu_idle 500; syscall 280 read; fault 50 page_fault; interrupt 20 eth0"
like "the call, its beginning and end" "$(cat "$OUT")" '"from": 11\.00200000, "to": 11\.00435000, "pid": 5, "name": "t5\.5", "call": "read", "total": 0\.00235000,'
is "of a thread without this call" "$(budget call --call read --pid 6 2>&1)" "failed: status 1"
like "the message" "$(cat "$ERR")" '^spantowhy: standard input: the selected time has no complete call read$'
run "$TAP_TMP/call.json" "$TOOL" --call read
is "a budget as text" "$(cat "$OUT")" \
'budget of read of t5.5 from 11.00200000 to 11.00435000 s, 2.350 ms in all:
    1.500 ms   63.8 %  waited for pipe, woken by t6.6, 1 part
   500.00 us   21.3 %  was runnable while its next CPU was still idle, 1 part
   280.00 us   11.9 %  ran in the system call read, 4 parts
    50.00 us    2.1 %  ran in the fault page_fault, 1 part
    20.00 us    0.9 %  was interrupted by eth0, 1 part'

# A pid that 100,000 threads had, each of which woke thread 8: a search through all of them would take minutes.
trace lives <<E2
for (i = 0; i < 100000; i++) {
	t = i * 100; user(0, 7, t, 20); wake(t + 10, 40, 0, 7, 8); row(t + 20, 0.01, 0, 7, $EV_TASKEXIT, 7, 0, "exit")
	user(0, 7, t + 20, 10); idle(0, t + 30, 70); user(1, 8, t + 50, 10); idle(1, t + 60, 90)
}
E2
LIMIT=40
is "a pid that many threads had" "$(found lives)" ""
LIMIT=60

# ---- every detector has a paragraph ----

is "each kind of finding has a paragraph in the document, and each paragraph its detector" \
	"$(sed -n 's/^## `\(.*\)`$/\1/p' docs/reference/findings.md | sort | paste -sd' ')" \
	"$(sed -n 's/^\t\.key = "\([^"]*\)".*/\1/p' postprocess/report/findings/*.c | sort | paste -sd' ')"
tap_end
