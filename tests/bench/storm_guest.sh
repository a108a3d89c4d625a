#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs the guest's part of storm.sh: a storm of wakeups and interrupts on all CPUs (prog/wakeup_storm.c)
# while nothing records, and while each of the available recorders writes everything to a file in
# memory. Writes lines "STATE storm CPUS RATE TRIPS NS" to /out/storm, "STATE RATE EVENTS BYTES
# LOST" to /out/kept, the programs' messages to /out/said, and kutrace's traces, whose events and
# losses the host counts.
#
#	storm_guest.sh SECONDS "RATE..." STATE...
seconds=$1 rates=$2
shift 2
exec 3>>/out/said
tracing=/sys/kernel/tracing
[ -d $tracing/events ] || mount -t tracefs tracefs $tracing
mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null
# The events of a storm, and the interrupts of timers.
events="raw_syscalls:sys_enter raw_syscalls:sys_exit sched:sched_switch sched:sched_wakeup irq:softirq_entry
	irq:softirq_exit irq_vectors:local_timer_entry irq_vectors:local_timer_exit irq_vectors:reschedule_entry
	irq_vectors:reschedule_exit irq_vectors:call_function_single_entry irq_vectors:call_function_single_exit
	power:cpu_idle"

storm()		# STATE RATE
{
	wakeup_storm $seconds $2 2>&3 >/tmp/storm || return 1
	sed "s/^/$1 /" /tmp/storm >>/out/storm
}
until_there()	# FILE TEXT
{
	n=0
	until grep -q "$2" $1 2>/dev/null; do
		n=$((n + 1))
		[ $n -lt 1200 ] || return 1
		usleep 100000
	done
}
ours()		# RATE
{
	insmod /lib/kutrace.ko mb=$((($(nproc) + 1) / 2)) || return 1
	kutrace_control start --wrap >&3 2>&1 || return 1
	kutrace_control stream -o /out/ours-$1.trace >/out/ours-$1.said 2>&1 &
	stream=$!
	# Wait until the file exists, so that the stream reads.
	until_there /out/ours-$1.trace . || return 1
	storm ours $1 || return 1
	kutrace_control off >&3 2>&1
	wait $stream || return 1
	rmmod kutrace
}
trace_cmd()	# RATE
{
	list=
	for event in $events; do
		list="$list -e $event"
	done
	# shellcheck disable=SC2086 # options
	trace-cmd record -b 512 -o /tmp/trace.dat $list >/tmp/background 2>&1 &
	recorder=$!
	# trace-cmd prints nothing while it runs. Wait until its events are on, and then for its
	# readers to begin.
	until_there $tracing/set_event cpu_idle || return 1
	sleep 3
	storm trace-cmd $1 || return 1
	cat $tracing/per_cpu/cpu*/stats >/tmp/stats
	kill -INT $recorder
	wait $recorder
	cat /tmp/background >&3
	echo "trace-cmd $1 $(awk '/^entries:|^read events:/ { n += $NF } END { print n }' /tmp/stats)" \
		"$(wc -c </tmp/trace.dat)" \
		"$(awk '/^(overrun|commit overrun|dropped events):/ { n += $NF } END { print n }' /tmp/stats)" >>/out/kept
	rm -f /tmp/trace.dat*
}
bpftrace_prints()	# RATE
{
	program='BEGIN { printf("ready\n"); }'
	for event in $events; do
		program="$program tracepoint:$event { printf(\"%llu %d %d $event\\n\", nsecs, cpu, tid); }"
	done
	BPFTRACE_PERF_RB_PAGES=128 bpftrace -e "$program" >/tmp/printed 2>/tmp/background &
	recorder=$!
	until_there /tmp/printed ready || return 1
	sleep 1
	storm bpftrace $1 || return 1
	# bpftrace checks for a signal only when one ends its wait, so it misses a signal that comes
	# between two waits.
	while grep -q '^State:.[RSD]' /proc/$recorder/status; do
		kill -INT $recorder
		usleep 500000
	done
	wait $recorder
	cat /tmp/background >&3
	echo "bpftrace $1 $(wc -l </tmp/printed) $(wc -c </tmp/printed)" \
		"$(awk '/^Lost/ { n += $2 } END { print n + 0 }' /tmp/printed /tmp/background)" >>/out/kept
	rm -f /tmp/printed
}

for rate in $rates; do
	for state; do
		case $state in
		untraced) storm untraced $rate ;;
		ours) ours $rate ;;
		trace-cmd) trace_cmd $rate ;;
		bpftrace) bpftrace_prints $rate ;;
		*) echo "storm: no state $state" >&3; false ;;
		esac || { echo "storm: $state, $rate, failed" >&3; exit 1; }
		echo "storm: $state at $rate is done"
	done
done
