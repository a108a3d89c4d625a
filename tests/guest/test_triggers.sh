#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1500
# takes: 75
# needs: patched
# also: debug_triggers KUTRACE_PATCHED_CONFIG=debug timeout: 2400 takes: 150 needs: debug full
#
# Each trigger fires only on its condition, a trigger of a process only in that process, and the
# trace has the event that fired and the following interval. The test uses run, start and wait, and
# snapshots while recording continues. The stock kernel has 2 CPUs, the patched kernel 4 (2 with
# KUTRACE_PATCHED_CONFIG); KUTRACE_FULL also tests 4 and 2.
#
# An emulated guest may be late by any time. So the limit of a trigger that must not fire is much
# longer than the measured time, and a step that follows an event waits for the event, not for a
# time.
. tests/guest/lib.sh
guest_begin triggers${KUTRACE_PATCHED_CONFIG:+-$KUTRACE_PATCHED_CONFIG}
top=$OUT
SLOW=$([ -n "$KUTRACE_PATCHED_CONFIG" ] && echo 4 || echo 1)

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
must insmod /lib/kutrace.ko mb=4
# Waits until a fired trigger has ended the recording, for at most about half a minute.
cat >/bin/until_off <<'END'
#!/bin/sh
tries=0
until kutrace_control test | grep -q 'not recording' || [ $tries = 1500 ]; do
	tries=$((tries + 1))
	usleep 20000
done
END
chmod 755 /bin/until_off
# Waits until "wait $1" has read the number of fired triggers, before which it does not catch
# signals.
until_waits()
{
	until for process in /proc/[0-9]*; do
		tr '\0' ' ' <$process/cmdline | grep -q -e " wait $1 " &&
			grep -q '^SigCgt:.*[2367abef]$' $process/status && break
	done 2>/dev/null; do
		usleep 20000
	done
}
# try NAME SPEC CMD: writes the messages of run to NAME.err, and its status to NAME.status
try()
{
	kutrace_control run --trigger "$2" -o /out/$1.trace -- sh -c "$3" 2>/out/$1.err
	echo $? >/out/$1.status
}
# these fire
try syscall-yes 'syscall:clock_nanosleep>400ms' 'usleep 10000; usleep 700000; until_off'
try any-yes 'syscall>400ms' 'usleep 10000; usleep 700000; until_off'
try softirq-yes 'softirq:timer>1ns' until_off
try irq-yes 'irq:local_timer>1ns' until_off
try trap-yes 'trap:page_fault>1ns' until_off
try runq-yes 'runq>2ms' 'for n in 1 2; do taskset 1 sh -c "until [ -f /tmp/off ]; do :; done" & done
	until_off; touch /tmp/off; wait'
try mark-yes 'mark:abc' 'marker abd 5; marker abc 1; until_off'
try marks-yes 'marks:from..to>300ms' 'marker from 1; usleep 600000; marker to 1; until_off'
try signal-yes 'signal:SIGUSR1' 'trap : USR1; kill -USR1 $$; until_off'
try exit-yes 'exit:3' 'sh -c "exit 3"; until_off'
try exitany-yes 'exit!=0' 'sh -c "exit 9"; until_off'
try killed-yes 'exit!=0' 'sh -c "kill -KILL \$\$"; until_off'
# these do not fire
try syscall-no 'syscall:clock_nanosleep>60s' 'usleep 10000; usleep 300000'
try other-no 'syscall:msync>1ns' 'usleep 10000; usleep 300000'
try softirq-no 'softirq:timer>60s' 'usleep 300000'
try hi-no 'softirq:irq_poll>1ns' 'usleep 300000'
try irq-no 'irq:spurious_apic>1ns' 'usleep 300000'
try trap-no 'trap:Overflow>1ns' 'true'
try runq-no 'runq>60s' 'true'
try mark-no 'mark:abc' 'marker abd 5; usleep 100000'
try marks-no 'marks:from..to>60s' 'marker from 1; usleep 10000; marker to 1'
try order-no 'marks:from..to>1ns' 'marker to 1; marker from 1'
try signal-no 'signal:SIGUSR1' 'trap : USR2; kill -USR2 $$; usleep 100000'
try exit-no 'exit:3' 'sh -c "exit 4"; usleep 100000'
try exitany-no 'exit!=0@1' 'sh -c "exit 9"; true'
# These fire on a call that runs on its CPU all the time, and on a call with a limit below the unit
# of merged returns.
try busy-yes 'syscall:write>5ms' 'dd if=/dev/zero of=/tmp/zeros bs=64M count=1 2>/dev/null; until_off'; rm -f /tmp/zeros
try soon-yes 'syscall:getppid>1ns' 'until_off'
# A pid is used again after its task was killed in a call: the beginning of the old task's call must
# not count for the new task.
mkfifo /tmp/line
most=$(cat /proc/sys/kernel/pid_max)
reuse_pid </tmp/line >/out/again &
exec 7>/tmp/line
until [ -s /out/again ]; do usleep 20000; done
try again-no "syscall>1s@$(head -n 1 /out/again)" 'echo go >&7; until grep -q again /out/again ||
	[ ! -e /proc/'$!'/exe ]; do usleep 20000; done'
exec 7>&-
wait
echo $most >/proc/sys/kernel/pid_max	# reuse_pid has lowered it: reuse no other pid
# This fires on a call that begins as a timed call, and ends while another session also records,
# when calls are not timed.
kutrace_control run --trigger 'syscall:clock_nanosleep>400ms' -o /out/joined-yes.trace -- \
	sh -c 'usleep 900000 & usleep 100000; kutrace_control --session other start --size 2; wait; until_off' \
	2>/out/joined-yes.err
kutrace_control session destroy other
# a trigger of one process: two processes do the same, and only one of them fires it
marker_of() { until [ -f /tmp/go ]; do usleep 20000; done; exec marker abc 1; }
gone='[ ! -e /proc/$pid/exe ]'
marker_of & wanted=$!
marker_of & unwanted=$!
try pid-yes "mark:abc@$wanted" "touch /tmp/go
	for pid in $wanted $unwanted; do until $gone; do usleep 20000; done; done; until_off"
wait
rm /tmp/go
marker_of & unwanted=$!
try pid-no "mark:abc@$wanted" "touch /tmp/go; pid=$unwanted; until $gone; do usleep 20000; done"
wait
# The exit status is the program's, even if a trigger fires. --after N records N ms more, and not
# longer.
try status-yes 'mark:abc' 'marker abc 1; until_off; marker late 1; exit 7'
kutrace_control run --trigger mark:abc --after 10000 -o /out/after.trace -- \
	sh -c 'marker abc 1; usleep 100000; marker soon 1; until_off; marker late 1' \
	2>/out/after.err

# The first of several triggers that fires ends the recording.
kutrace_control run --trigger mark:nope --trigger exit:5 --trigger 'runq>60s' \
	-o /out/several.trace -- sh -c 'sh -c "exit 5"; until_off' 2>/out/several.err

# start and wait; status while it waits
must kutrace_control start --trigger mark:abc --after 50
kutrace_control status --json >/out/waiting.json
must_fail kutrace_control wait --timeout 1 -o /tmp/no.trace 2>/out/timeout.err
(until_waits --timeout && marker abc 1) &
must kutrace_control wait --timeout 60 -o /out/wait.trace 2>/out/wait.err >/out/wait.out
kutrace_control test >/out/wait.test
kutrace_control status >/out/fired.status
wait

# Recording continues after snapshots.
must kutrace_control --session rec start --size 2 --trigger mark:abc --after 0 --snapshot
marker abc 1
must kutrace_control --session rec wait --timeout 60 -o /out/one.trace 2>/out/one.err
# A mark while wait --next waits causes the second snapshot.
(until_waits --next && marker abc 1) &
must kutrace_control --session rec wait --next --timeout 60 -o /out/two.trace 2>/out/two.err
kutrace_control --session rec test >/out/rec.test
wait
must kutrace_control session destroy rec
kutrace_control run --trigger mark:abc --after 0 --snapshot -o /out/run.trace -- \
	sh -c 'for n in 1 2; do marker abc 1; until [ -f /out/run.trace.000$n ]; do usleep 20000; done; done' \
	2>/out/run.err
must kutrace_control reset
must_fail kutrace_control wait 2>/out/none.err
must kutrace_control start
must_fail kutrace_control wait 2>/out/none.err
kutrace_control off
must rmmod kutrace
SCRIPT

# Prints the milliseconds from that mark to the last event.
recorded_after()	# TRACE LABEL
{
	"$BUILD/bin/rawtoevent" "$1" 2>/dev/null | event_awk -v mark="mark_c=$2" '
		/^#/ || $3 < EV_FIRST { next }
		$10 == mark && !from { from = $1 }
		$1 > last { last = $1 }
		END { printf "%d", from ? (last - from) / 100000 : -1 }'
}

has_mark()	# TRACE LABEL
{
	"$BUILD/bin/rawtoevent" "$1" 2>/dev/null | awk -v mark="mark_c=$2" '
		!/^#/ && $10 == mark { n++ } END { print n + 0 }'
}

trigger_checks()
{
	for name in syscall any softirq irq trap runq mark marks signal exit exitany killed pid \
		status busy soon joined; do
		like "$1: $name: fires" "$(cat "$OUT/$name-yes.err")" '^kutrace_control: fired: '
		ok "$1: $name: its trace is sound" "$BUILD/bin/checktrace" "$OUT/$name-yes.trace"
		like "$1: $name: the trace names the trigger" \
			"$("$BUILD/bin/rawtoevent" "$OUT/$name-yes.trace" 2>/dev/null |
			grep ' fired=' | head -n 1)" ' fired='
	done
	for name in syscall other softirq hi irq trap runq mark marks order signal exit exitany \
		pid again; do
		like "$1: $name: does not fire without its condition" "$(cat "$OUT/$name-no.err")" \
			'run: no trigger has fired$'
		unlike "$1: $name: no trigger is reported" "$(cat "$OUT/$name-no.err")" 'fired: '
		ok "$1: $name: there is a trace without a trigger" "$BUILD/bin/checktrace" \
			"$OUT/$name-no.trace"
	done
	like "$1: syscall: spantowhy explains the task that fired the trigger" \
		"$("$BUILD/bin/spantowhy" "$OUT/syscall-yes.trace" 2>/dev/null | head -n 1)" \
		'^explains usleep\.[0-9]+: it fired the trigger syscall:clock_nanosleep>400ms;'
	like "$1: syscall: call, duration, task" "$(cat "$OUT/syscall-yes.err")" \
		'fired: syscall:clock_nanosleep>400ms: clock_nanosleep took ([4-9][0-9]{2}[0-9.]*m|[0-9.]+)s, usleep\.[0-9]+ on CPU'
	is "$1: again: the pid was used again" "$(sed -n 2p "$OUT/again")" again
	like "$1: busy: call, duration, task" "$(cat "$OUT/busy-yes.err")" 'write took [0-9.]*m?s, dd\.'
	like "$1: joined: duration" "$(cat "$OUT/joined-yes.err")" 'took ([4-9][0-9]{2}[0-9.]*m|[0-9.]+)s'
	like "$1: softirq: name" "$(cat "$OUT/softirq-yes.err")" ': timer took '
	like "$1: irq: name" "$(cat "$OUT/irq-yes.err")" ': local_timer took '
	like "$1: trap: name" "$(cat "$OUT/trap-yes.err")" ': page_fault took '
	like "$1: runq: duration" "$(cat "$OUT/runq-yes.err")" 'waited [0-9.]*m?s for CPU '
	like "$1: mark: label and task" "$(cat "$OUT/mark-yes.err")" ': abc, marker\.[0-9]+ on CPU'
	like "$1: marks: duration" "$(cat "$OUT/marks-yes.err")" 'took ([6-9][0-9]{2}[0-9.]*m|[0-9.]+)s'
	like "$1: signal: name" "$(cat "$OUT/signal-yes.err")" ': SIGUSR1, '
	like "$1: exit: status" "$(cat "$OUT/exit-yes.err")" ': exit status 3, '
	like "$1: exit: by a signal" "$(cat "$OUT/killed-yes.err")" ': ended by signal 9, '
	is "$1: run's status is the program's" "$(cat "$OUT/status-yes.status")" 7
	is "$1: the mark that fired is in the trace" "$(has_mark "$OUT/status-yes.trace" abc)" 1
	is "$1: a later mark is not in the trace" "$(has_mark "$OUT/status-yes.trace" late)" 0
	is "$1: --after: a mark soon after is in the trace" "$(has_mark "$OUT/after.trace" soon)" 1
	is "$1: --after: a later mark is not in the trace" "$(has_mark "$OUT/after.trace" late)" 0
	between "$1: --after 10000: milliseconds recorded after it" \
		"$(recorded_after "$OUT/after.trace" abc)" 9950 40000
	like "$1: several: the one that fired" "$(cat "$OUT/several.err")" 'fired: exit:5: '
	like "$1: status: triggers wait" "$(cat "$OUT/waiting.json")" '"triggers": 1,'
	like "$1: wait --timeout" "$(cat "$OUT/timeout.err")" 'no trigger has fired in that time'
	like "$1: wait: the trigger that fired" "$(cat "$OUT/wait.err")" 'fired: mark:abc: abc, marker'
	is "$1: wait: the mark is in the trace" "$(has_mark "$OUT/wait.trace" abc)" 1
	like "$1: wait: recording has ended" "$(cat "$OUT/wait.test")" 'not recording'
	like "$1: the status has the trigger that fired" "$(cat "$OUT/fired.status")" \
		'^fired +1 times, last mark:abc: abc, marker'
	is "$1: snapshot: the first has one mark" "$(has_mark "$OUT/one.trace" abc)" 1
	is "$1: snapshot: the next has two marks" "$(has_mark "$OUT/two.trace" abc)" 2
	like "$1: snapshot: recording goes on" "$(cat "$OUT/rec.test")" ', recording$'
	is "$1: run --snapshot: marks in each snapshot and in the trace" "$(has_mark "$OUT/run.trace.0001" abc) $(has_mark \
		"$OUT/run.trace.0002" abc) $(has_mark "$OUT/run.trace" abc)" "1 2 2"
	like "$1: wait without a trigger" "$(cat "$OUT/none.err")" 'no trigger is set; try start --trigger'
}

run_on()	# LABEL CPUS
{
	OUT=$top/$1-$2
	mkdir -p "$OUT"
	guest_run "$TAP_TMP/script" --cpus "$2" --timeout $((300 * SLOW)) \
		--file "$GUEST_BIN/marker" --file "$GUEST_BIN/reuse_pid" || return
	trigger_checks "$1, $2 CPUs"
}

# Other configurations of the patched kernel are slow.
on_both_kernels 2 "$([ -n "$KUTRACE_PATCHED_CONFIG" ] && echo 2 || echo 4)" 4 2
tap_end
