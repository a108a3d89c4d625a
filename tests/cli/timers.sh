#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# fast
#
# Tests timers that woke threads in all filters: the rows, the timer that ended a wait, and the five parts of its lateness.
# The times are made. tests/unit/test_reconstruct_timer.c tests how the parts are found.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

# Event text: thread 5 sleeps. Its timer is due at 6.0 ms with 50 us of slack, the interrupt comes at 6.06 ms, and a thread with a
# higher priority keeps the CPU until 6.5 ms. Thread 6 waits for a timer by the tick, whose interrupt the trace does not have.
scene()
{
	cat <<-'EOF'
	# ## VERSION: 3
	# ## TIMES: 0.00000100 0.20000000
	-1 1 287 0 backend=tracepoint
	-1 1 287 0 cats=0xffff
	-1 1 287 0 lost_full=0
	-1 2 34 5 sleeper
	-1 2 34 6 reader
	-1 2 34 7 urgent
	100 0 512 0 5 0 5 0 0 sleeper.5 (200)
	200 0 2083 0 5 0 3 0 0 nanosleep (823)
	50000 0 512 0 6 0 6 0 0 reader.6 (200)
	50100 0 2093 0 6 0 3 0 0 recvfrom (82d)
	90000 0 512 0 0 0 0 0 0 -idle-.0 (200)
	606000 0 1516 0 0 0 0 0 0 local_timer (5ec)
	606030 1 555 0 0 0 7 0 0 timer_wakeup=hrtimer late 400 slack 0 callback 100 (22b)
	606031 1 518 0 0 0 7 0 0 runnable.7 (206)
	606060 1 555 0 0 0 5 0 0 timer_wakeup=hrtimer late 60600 slack 50000 callback 200 (22b)
	606061 1 518 0 0 0 5 0 0 runnable.5 (206)
	606100 0 2028 0 0 0 0 0 0 /local_timer (7ec)
	606200 0 512 0 7 0 7 0 0 urgent.7 (200)
	650000 0 512 0 5 0 5 0 0 sleeper.5 (200)
	650200 0 2595 0 5 0 0 0 0 /nanosleep (a23)
	660000 0 512 0 0 0 0 0 0 -idle-.0 (200)
	900000 0 1535 1 0 0 1 0 0 BH:timer (5ff)
	900300 1 555 1 0 0 6 0 0 timer_wakeup=wheel late 4000500 slack 4000000 callback 500 (22b)
	900301 1 518 1 0 0 6 0 0 runnable.6 (206)
	900400 0 2047 1 0 0 0 0 0 /BH:timer (7ff)
	901000 0 512 0 6 0 6 0 0 reader.6 (200)
	920000 0 2605 0 6 0 0 0 0 /recvfrom (a2d)
	930000 0 512 0 0 0 0 0 0 -idle-.0 (200)
	EOF
}

scene | "$BIN/eventtospan" 2>"$TAP_TMP/summary" | LC_ALL=C sort >"$TAP_TMP/json"
# PATTERN: start, duration, CPU, pid, arg0 and name of the rows whose name matches
rows()
{
	sed -nE "s/^\[ *([0-9.]+), *([0-9.]+), (-?[0-9]+), ([0-9]+), [0-9]+, [0-9]+, ([0-9]+), [0-9]+, [0-9]+, \"([^\"]*)\".*/\1 \2 \3 \4 \5 \6/p" "$TAP_TMP/json" |
		grep -E "$1"
}
is "rows of the timers" "$(rows ' slack ')" '0.00500250 0.00400051 1 6 3 wheel slack 4000000 before 0 wakeup 510
0.00600000 0.00006061 0 5 2 hrtimer slack 50000 interrupt 10000 before 400 wakeup 210
0.00605990 0.00000041 0 7 1 hrtimer slack 0 interrupt 100 before 200 wakeup 110'
is "waits" "$(rows wait_time)" '0.00050000 0.00556061 -1 5 2 wait_time
0.00090000 0.00810301 -1 6 3 wait_time'
is "there is no row of the event itself" "$(rows timer_wakeup)" ""

run "$TAP_TMP/json" "$BIN/spantowhy" --pid 5
like "spantowhy: the timer and the five parts" "$(cat "$OUT")" \
	': waited 5\.561 ms for time, woken by idle on CPU 0 in local_timer; its timer was due at 0\.00600000, 500\.00 us late: slack 50\.00 us, until the interrupt 10\.00 us, earlier callbacks 400 ns, until the wakeup 210 ns, waited 439\.39 us for a CPU; 439\.39 us for CPU 0: urgent\.7 438\.00 us'
run "$TAP_TMP/json" "$BIN/spantowhy" --pid 6
like "spantowhy: by the tick, without the interrupt" "$(cat "$OUT")" \
	'; its timer was due at 0\.00500250, 4\.008 ms late: rounded up to ticks 4\.000 ms, until the callback 0 ns, until the wakeup 510 ns, waited 6\.99 us for a CPU;'
run "$TAP_TMP/json" "$BIN/spantowhy" --pid 5 --json
like "spantowhy --json" "$(cat "$OUT")" \
	'"for": "time", "timer": \{"kind": "hrtimer", "due": 0\.00600000, "late": 0\.00050000, "slack": 0\.00005000, "interrupt": 0\.00001000, "before": 0\.00000040, "wakeup": 0\.00000021, "runnable": 0\.00043939\}'
run "$TAP_TMP/json" "$BIN/spantowhy" --pid 6 --json
like "spantowhy --json: without the interrupt" "$(cat "$OUT")" \
	'"timer": \{"kind": "wheel", "due": 0\.00500250, "late": 0\.00400750, "slack": 0\.00400000, "before": 0\.00000000, "wakeup"'

# Thread 6 sleeps until a time that has passed: the interrupt was not late by all of that.
scene | sed 's/wheel late 4000500 slack 4000000/hrtimer late 9000000 slack 100000/' | "$BIN/eventtospan" 2>/dev/null | LC_ALL=C sort >"$TAP_TMP/passed.json"
run "$TAP_TMP/passed.json" "$BIN/spantowhy" --pid 6
like "spantowhy: a timer that was due before the wait" "$(cat "$OUT")" \
	'; its timer was due at 0\.00000300 \(897\.00 us before the wait\), 9\.007 ms late: slack 100\.00 us, '
# Thread 5 was throttled for 300 us after the wakeup.
{
	cat "$TAP_TMP/json"
	echo '[  0.00606100, 0.00030000, -1, 5, 0, 784, 9, 0, 0, "wait_throttled"],'
} | LC_ALL=C sort >"$TAP_TMP/throttled.json"
run "$TAP_TMP/throttled.json" "$BIN/spantowhy" --pid 5
like "spantowhy: throttled time is no wait for a CPU" "$(cat "$OUT")" \
	', until the wakeup 210 ns, throttled 300\.00 us, waited 139\.39 us for a CPU; throttled 300\.00 us by cgroup id 9; 139\.39 us for CPU 0'
run "$TAP_TMP/throttled.json" "$BIN/spantowhy" --pid 5 --json
like "spantowhy --json: also there" "$(cat "$OUT")" '"wakeup": 0\.00000021, "runnable": 0\.00013939\}'

if [ -x "$BIN/rawtosqlite" ] && command -v sqlite3 >/dev/null; then
	built "$BUILD/tests/make_shapes"
	"$BUILD/tests/make_shapes" timers 4000 "$TAP_TMP/raw"
	"$BIN/rawtosqlite" "$TAP_TMP/raw" -o "$TAP_TMP/db" 2>/dev/null
	is "SQL: the timers" "$(sqlite3 "$TAP_TMP/db" 'select kind, late_ns, slack_ns, interrupt_ns, before_ns, wakeup_ns, count(*), count(distinct tid)
		from timer group by 1, 2, 3, 4, 5, 6 order by 1')" \
'hrtimer|61600|50000|9600|800|1200|500|25
wheel|61600|50000|9600|800|1200|500|25'
	is "SQL: the waits that they ended, up to the wakeup" "$(sqlite3 "$TAP_TMP/db" 'select count(*), sum(due_ns + late_ns <> s.start_ns + s.dur_ns), sum(s.tid <> timer.tid)
		from thread_state s join timer using (timer)')" '950|0|0'
else
	skip "SQL" "no rawtosqlite or sqlite3"
fi

is "an event without times is a row" "$(scene | sed 's/^606060 .*/606060 1 555 0 0 0 5 0 0 timer_wakeup (22b)/' | "$BIN/eventtospan" 2>/dev/null |
	grep -c '"timer_wakeup"')" 1
tap_end
