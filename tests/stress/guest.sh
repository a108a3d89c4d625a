#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs one round of `make stress` in the guest. /plan has shell assignments, and /plan.actions one
# action per line. This process does the actions one after the other, and each must succeed. Other
# processes only read, and may fail. After an error the round continues, with a finding:
#
#	/out/findings	a line for each error
#	/out/did	each begun action, with its time in seconds since boot
#	/out/actions	number of the plan's actions that were done
#	/out/*.trace	traces, which the host checks
. /plan
mkdir -p /tmp/t
: >/out/findings

say() { echo "$(cut -d " " -f 1 /proc/uptime) $*" | tee -a /out/did; }
finding() { say "FINDING $*"; echo "$*" >>/out/findings; }
. /lib/races.inc
# must WHAT...: runs a command that must succeed
must() { "$@" >/tmp/must 2>&1 || finding "status $? of: $*: $(tail -n 1 /tmp/must)"; }
# nap TENTHS: sleeps for TENTHS tenths of a second
nap() { usleep $(($1 * 100000)); }
# True if no further action may begin. After BUDGET seconds since boot, only the parts that each round
# must have are begun, so that a round ends in time even on a busy host.
late() { [ "$(cut -d . -f 1 /proc/uptime)" -ge "$BUDGET" ]; }
# alive PID: true if the process exists and is no zombie
alive() { grep -q '^State:.[RSD]' "/proc/$1/status" 2>/dev/null; }
# ended PID: waits for a child that has got a signal. Kills the child after a minute, and fails then.
ended()
{
	tries=0
	while alive $1; do
		tries=$((tries + 1))
		if [ $tries -ge 600 ]; then
			kill -KILL $1
			wait $1 2>/dev/null
			return 1
		fi
		usleep 100000
	done
	wait $1 2>/dev/null
	return 0
}
# Prints the module's use count, and the processes that have a device file of the module open.
holders()
{
	grep '^kutrace ' /proc/modules
	for holder in /proc/[0-9]*; do
		! ls -l "$holder/fd" 2>/dev/null | grep -q /dev/kutrace ||
			echo "; ${holder#/proc/}: $(tr '\0' ' ' <"$holder/cmdline"), $(sed -n 's/^State:[[:space:]]*//p' "$holder/status"), in $(cat "$holder/wchan")"
	done
}
# Unloads the module. Tries again for some time, because a reader may have the device open for a moment.
goes()
{
	unload kutrace >/tmp/unload ||
		{ finding "$(tr '\n' ' ' </tmp/unload)$(holders | tr '\n' ' ')"; return 1; }
	[ ! -e /dev/kutrace/control ] || finding "the device outlives the module"
}

# ---- missing memory: at load, at a new session, at the beginning of a recording ----

failing()
{
	insmod /lib/fail.ko || { finding "fail.ko does not load"; return; }
	for number in $FAIL_AT; do
		! late || { say "no time for allocation $number"; continue; }
		say "allocation $number fails"
		echo $number >/proc/kutrace_fail
		if insert /lib/kutrace.ko mb=1 2>/dev/null; then
			echo $number >/proc/kutrace_fail
			if kutrace_control session create short --size 1 >/dev/null 2>&1; then
				echo $number >/proc/kutrace_fail
				kutrace_control --session short start >/dev/null 2>&1
				kutrace_control --session short stop /tmp/t/short.trace >/dev/null 2>&1
				echo 0 >/proc/kutrace_fail
				must kutrace_control session destroy short
			fi
			echo 0 >/proc/kutrace_fail
			goes || break
		elif grep -q '^kutrace ' /proc/modules; then
			finding "loading failed at allocation $number, and the module is there"
		fi
	done
	echo 0 >/proc/kutrace_fail
	rmmod kutrace_fail || finding "fail.ko does not unload"
}

# ---- load and unload again and again, while a workload runs and other processes use the device ----

racer()
{
	n=0
	while [ ! -f /tmp/raced ]; do
		n=$((n + 1))
		kutrace_control status
		kutrace_control start
		cat /dev/kutrace/ctl /dev/kutrace/tracepoints /dev/kutrace/aux
		kutrace_control snapshot -o /tmp/t/race.$1.trace
		kutrace_control --session race$1 start --size 1
		kutrace_control --session race$1 stop /tmp/t/race.$1.trace
	done >/dev/null 2>&1
}

racing()
{
	rm -f /tmp/raced
	racer 1 &
	racers=$!
	racer 2 &
	racers="$racers $!"
	i=0
	while [ $i -lt $RELOADS ] && ! late; do
		i=$((i + 1))
		say "load $i"
		must insmod /lib/kutrace.ko mb=1
		usleep $((RELOAD_PAUSE * 1000))
		tries=0
		until rmmod kutrace 2>/dev/null || [ $tries -ge 50 ]; do
			tries=$((tries + 1))
			usleep 10000
		done
		! grep -q '^kutrace ' /proc/modules || [ $i -ge $RELOADS ] || i=$RELOADS
	done
	touch /tmp/raced
	wait_for_racers
	! grep -q '^kutrace ' /proc/modules || goes
}
still_racing()
{
	for racer in $racers; do
		! alive $racer || return 0
	done
	return 1
}
# Waits for the racers. The shell's `wait` without arguments would also wait for the workload.
wait_for_racers()
{
	i=0
	while still_racing && [ $i -lt 600 ]; do
		i=$((i + 1))
		usleep 100000
	done
	[ $i -lt 600 ] || say "processes still use the device: $(holders | tr '\n' ' ')"
}

# ---- one recording, and all actions on it ----

reader()
{
	while [ ! -f /tmp/stop.reader ]; do
		kutrace_control status --json
		kutrace_control show -n 3
		cat /dev/kutrace/tracepoints /dev/kutrace/aux
		kutrace_control tracepoints
		kutrace_control session list
		kutrace_control doctor
		usleep 30000
	done >/dev/null 2>&1
}

n=0
action()
{
	n=$((n + 1))
	case $1 in
	snapshot)
		# While stress-ng runs, snapshot may get so little CPU time that a small buffer is
		# overwritten before it has read a block. This is no finding.
		if kutrace_control snapshot -o /out/snapshot.trace 2>/tmp/must; then
			:
		elif grep -q 'overwritten faster than it can be written' /tmp/must; then
			say "snapshot: $(cat /tmp/must)"
		else
			finding "snapshot: $(tail -n 1 /tmp/must)"
		fi ;;
	session)
		must kutrace_control --session s$n start --size 2 $2
		nap 4
		must kutrace_control --session s$n stop /out/session.trace
		# `start` created the session, so it stays until it is destroyed.
		must kutrace_control session destroy s$n ;;
	three)
		must kutrace_control --session t1 start --size 1 --wrap
		must kutrace_control --session t2 start --size 1 --mask syscall,sched
		nap 3
		must kutrace_control --session t1 stop /out/three.trace
		nap 1
		must kutrace_control --session t2 stop /tmp/t/t2.trace
		must kutrace_control session destroy t1
		must kutrace_control session destroy t2 ;;
	mask)
		must kutrace_control mask -syscall,irq
		nap 2
		must kutrace_control mask none
		must kutrace_control mask all ;;
	filter)
		must kutrace_control filter --cpus 0
		nap 2
		must kutrace_control filter --pid 1,$$
		nap 1
		must kutrace_control filter none ;;
	trigger)
		must kutrace_control --session trig start --size 1 --trigger 'syscall>9s' --trigger 'irq>9s' --trigger 'runq>9s'
		nap 3
		must kutrace_control --session trig stop /tmp/t/trig.trace
		must kutrace_control session destroy trig ;;
	gostop)
		must kutrace_control stop /out/main.trace
		must kutrace_control $(if [ $((n % 2)) = 0 ]; then echo go; else echo gowrap; fi) ;;
	stream)
		kutrace_control stream -o /tmp/t/stream.trace >/dev/null 2>&1 &
		streamer=$!
		nap 5
		# The plan does not use SIGINT: the shell starts background processes with SIGINT
		# ignored.
		kill -$2 $streamer 2>/dev/null
		ended $streamer || finding "stream continues after SIG$2" ;;
	killed)
		kutrace_control --session killed run -o /tmp/t/killed.trace -- sleep 20 >/dev/null 2>&1 &
		runner=$!
		nap 3
		kill -KILL $runner
		wait $runner 2>/dev/null ;;
	hotplug)
		must sh -c "echo 0 >/sys/devices/system/cpu/cpu$2/online"
		nap $3
		must sh -c "echo 1 >/sys/devices/system/cpu/cpu$2/online" ;;
	kprobes)
		must insmod /lib/probe.ko
		awk '$2 ~ /[tT]/ && $4 == "[kutrace]" { print $3 }' /proc/kallsyms | sort -u |
			grep -vE '^(ku_exit|cleanup_module)$' | awk -v from=$2 'NR % 31 == from' |
			while read -r function; do
				echo "kutrace:$function" >/proc/kutrace_test_probe
			done 2>/dev/null
		nap 4
		must rmmod kutrace_test_probe ;;
	memory)
		echo 3 >/proc/sys/vm/drop_caches
		kutrace_control session create large --size $2 >/dev/null 2>&1 && must kutrace_control session destroy large ;;
	rest)
		nap $2 ;;
	*)	finding "no such action: $*" ;;
	esac
}

recording()
{
	must kutrace_control gowrap
	rm -f /tmp/stop.reader
	reader & reader &
	acted=0
	while read -r line; do
		! late || { say "no time for: $line"; continue; }
		say "$line"
		action $line
		acted=$((acted + 1))
	done </plan.actions
	echo $acted >/out/actions
	touch /tmp/stop.reader
	must kutrace_control stop /out/main.trace
	must kutrace_control mask all
}

# ---- conservation ----

# reading WHEN: prints the kernel's counters. Starts no program, because each program adds page faults
# without an exception to the kernel's count (see judge() in stress.sh).
reading()
{
	reading_lines=0
	while read -r reading_line; do
		echo "$1 $reading_line"
		reading_lines=$((reading_lines + 1))
	done </proc/kutrace_test
	[ $reading_lines -gt 0 ] || finding "no reading of counters"
}

conserving()
{
	say "conservation, $CONSERVE"
	if [ "$KIND" = stock ]; then
		must insmod /lib/conserve.ko $CONSERVE_ARGUMENTS
		must kutrace_control go
		cat /proc/kutrace_conserve >/out/conserve.first || finding "no reading of hits"
		must sh -c "echo $CONSERVE >/proc/kutrace_conserve"
		nap $CONSERVE_TENTHS
		must sh -c 'echo rest >/proc/kutrace_conserve'
		cat /proc/kutrace_conserve >/out/conserve.last || finding "no reading of hits"
		must kutrace_control stop /out/conserve.trace
		must rmmod kutrace_conserve
	else
		# Let kutrace_test count refused page faults, because the kernel's counter omits them.
		must sh -c 'echo "refused 1 0" >/proc/kutrace_test'
		must kutrace_control go
		# Wait until page faults have ended that began before the recording. The kernel counts
		# a page fault at its end, but the trace has no beginning of these.
		nap 5
		reading first >/out/exact.readings
		nap $CONSERVE_TENTHS
		reading last >>/out/exact.readings
		must kutrace_control stop /out/exact.trace
		must sh -c 'echo "refused 0 0" >/proc/kutrace_test'
	fi
}

# ---- the round ----

[ ! -e /proc/sys/debug/kprobes-optimization ] || echo 0 >/proc/sys/debug/kprobes-optimization
[ "$KIND" = stock ] || insmod /lib/kutrace_test.ko || finding "kutrace_test.ko does not load"
# Limit the CPU time of real-time tasks: some workers are such tasks, and would block a guest on a busy host.
echo 200000 >/proc/sys/kernel/sched_rt_runtime_us
cd /tmp
# The workload runs until it gets a signal. It then reports whether it succeeded.
stress-ng $WORKLOAD --timeout 100000 --temp-path /tmp --no-rand-seed --log-brief >/out/workload 2>&1 &
load=$!
nap 5
[ -z "$FAIL_AT" ] || failing
[ "$RELOADS" = 0 ] || racing
# With direct hooks, the module can only be unloaded after the workload, whose tasks may sleep in
# system calls. So the module is loaded only once before the end of the workload.
must insmod /lib/kutrace.ko mb=$MB $PARAMETERS
watch_races
recording
conserving
races_watched
kill -INT $load
wait $load
echo "status $?" >>/out/workload
# Wait until the reading processes have ended.
i=0
while pidof kutrace_control >/dev/null && [ $i -lt 300 ]; do
	i=$((i + 1))
	usleep 100000
done
goes
say "unloaded"
must insmod /lib/kutrace.ko mb=1
must kutrace_control run -o /out/again.trace -- true
goes
[ "$KIND" = stock ] || rmmod kutrace_test
exit 0
