#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs the guest's part of everyday.sh: the same work while nothing records, and while each of the
# available recorders records. Writes lines "STATE WORK NS UNITS WHAT" to /out/everyday, "STATE EVENTS
# BYTES LOST WHERE" to /out/kept for all work of a state, including repeats and untimed work, and
# the programs' messages to /out/said.
#
#	everyday_guest.sh REPEATS STATE...
repeats=$1
shift
exec 3>>/out/said
tracing=/sys/kernel/tracing
[ -d $tracing/events ] || mount -t tracefs tracefs $tracing
# The events that kutrace records, by the kernel's names.
events="raw_syscalls:sys_enter raw_syscalls:sys_exit sched:sched_switch sched:sched_wakeup sched:sched_wakeup_new
	sched:sched_process_exit sched:sched_process_exec task:task_newtask task:task_rename irq:irq_handler_entry
	irq:irq_handler_exit irq:softirq_entry irq:softirq_exit signal:signal_generate
	exceptions:page_fault_user exceptions:page_fault_kernel power:cpu_idle power:cpu_frequency"
# Add each event of a vector, except irq_work, which perf may not have.
for vector in local_timer reschedule call_function call_function_single; do
	events="$events irq_vectors:${vector}_entry irq_vectors:${vector}_exit"
done
there=
for event in $events; do
	[ ! -d $tracing/events/${event%:*}/${event#*:} ] || there="$there $event"
done

work()		# STATE [COMMAND...]: runs the work, as arguments of that command
{
	state=$1
	shift
	"$@" everyday $repeats 2>&3 >/tmp/everyday || return 1
	sed "s/^/$state /" /tmp/everyday >>/out/everyday
}
kept()		# STATE EVENTS BYTES LOST WHERE...
{
	echo "$@" >>/out/kept
}
size()
{
	wc -c <"$1"
}
# Prints the losses in /tmp/status, of all causes.
lost()
{
	sed -n '/^"lost"/s/[^0-9]\{1,\}/ /gp' /tmp/status | awk '{ for (i = 1; i <= NF; i++) n += $i } END { print n + 0 }'
}

# --- ours ---
recorded()	# STATE: ends the recording, writes its numbers, and unloads the module
{
	kutrace_control status --json >/tmp/status
	kutrace_control stop /tmp/trace >&3 2>&1 || return 1
	# Blocks have 8,192 words, most of which are entries.
	kept $1 $(($(size /tmp/trace) / 8)) "$(size /tmp/trace)" "$(lost)" memory
	rm -f /tmp/trace
	case $1 in
	*-two) kutrace_control session destroy beside >&3 2>&1 ;;
	*-ipc) rmmod kutrace_test_pmu ;;
	esac
	unload kutrace >&3
}
ours()		# STATE MODULE-PARAMETERS START-OPTIONS...
{
	state=$1 params=$2
	shift 2
	# shellcheck disable=SC2086 # parameters
	insmod /lib/kutrace.ko mb=64 $params || return 1
	if [ -n "$params" ] && dmesg | grep -q 'syscalls=direct cannot be had'; then
		rmmod kutrace
		echo "everyday: $state: this kernel cannot" >&3
		return 0
	fi
	case $state in
	*-two) kutrace_control --session beside start --size 64 >&3 2>&1 || return 1 ;;
	*-ipc) insmod /lib/counters.ko && echo 12 >/sys/module/kutrace_test_pmu/parameters/eighths || return 1 ;;
	esac
	kutrace_control start "$@" >&3 2>&1 || return 1
	work $state || return 1
	recorded $state
}
# The filter selects the process that does the work. It does not select the processes that this
# process starts.
filtered()
{
	insmod /lib/kutrace.ko mb=64 || return 1
	# shellcheck disable=SC2016 # the inner shell's
	work $1 sh -c 'kutrace_control start --pid $$ >/dev/null && exec "$@"' sh || return 1
	recorded $1
}

# --- the kernel's own rings, and programs that use them ---
ftrace()
{
	echo 65536 >$tracing/buffer_size_kb || return 1
	echo nop >$tracing/current_tracer
	echo >$tracing/trace
	echo "$there" | tr ' ' '\n' | grep . >$tracing/set_event
	echo 1 >$tracing/tracing_on
	work ftrace || return 1
	echo 0 >$tracing/tracing_on
	cat $tracing/per_cpu/cpu*/stats >/tmp/stats
	echo >$tracing/set_event
	kept ftrace "$(awk '/^entries:|^overrun:/ { n += $2 } END { print n }' /tmp/stats)" \
		"$(awk '/^bytes:/ { n += $2 } END { print n }' /tmp/stats)" \
		"$(awk '/^(overrun|commit overrun|dropped events):/ { n += $NF } END { print n }' /tmp/stats)" memory
	echo >$tracing/trace
	echo 1408 >$tracing/buffer_size_kb
}
# background STATE FILE TEXT COMMAND...: starts a recorder, and waits until three seconds after FILE
# has TEXT
background()
{
	state=$1 ready=$2 text=$3
	shift 3
	"$@" >/tmp/background 2>&1 &
	background=$!
	n=0
	until grep -q "$text" $ready 2>/dev/null; do
		n=$((n + 1))
		[ $n -lt 1200 ] || return 1
		usleep 100000
	done
	sleep 3
	work $state || return 1
	kill -INT $background
	wait $background
	cat /tmp/background >&3
}
perf_trace()
{
	background perf-trace /tmp/perf.txt . perf trace -a -o /tmp/perf.txt || return 1
	kept perf-trace "$(wc -l </tmp/perf.txt)" "$(size /tmp/perf.txt)" "$(awk '/LOST/ { for (i = 1; i <= NF; i++) if ($i == "LOST") n += $(i + 1) } END { print n + 0 }' /tmp/perf.txt)" file
	rm -f /tmp/perf.txt
}
perf_record()
{
	list=
	for event in $there; do
		list="$list -e $event"
	done
	# shellcheck disable=SC2086 # options
	background perf-record /tmp/perf.data . perf record -a -m 1024 -o /tmp/perf.data $list || return 1
	perf report -i /tmp/perf.data --stats 2>&3 >/tmp/perf.stats
	kept perf-record "$(awk '/SAMPLE events:/ { print $3; exit }' /tmp/perf.stats)" "$(size /tmp/perf.data)" \
		"$(awk '/LOST(_SAMPLES)? events:/ { n += $3 } END { print n + 0 }' /tmp/perf.stats)" file
	rm -f /tmp/perf.data
}
# Runs LTTng's kernel tracer, which has its own names for these events.
lttng_kernel()
{
	export HOME=/tmp LTTNG_HOME=/tmp
	mkdir -p /var/run
	lttng-sessiond --daemonize --consumerd64-path=/bin/lttng-consumerd >&3 2>&1 || return 1
	lttng --no-sessiond create everyday --output=/tmp/lttng >&3 2>&1 || return 1
	lttng enable-channel --kernel everyday --subbuf-size=4M --num-subbuf=8 >&3 2>&1 || return 1
	lttng enable-event --kernel --channel=everyday --syscall --all >&3 2>&1 || return 1
	for event in sched_switch sched_wakeup sched_wakeup_new sched_process_exit sched_process_exec task_newtask \
			task_rename irq_handler_entry irq_handler_exit irq_softirq_entry irq_softirq_exit \
			signal_generate x86_exceptions_page_fault_user x86_exceptions_page_fault_kernel power_cpu_idle \
			power_cpu_frequency x86_irq_vectors_local_timer_entry x86_irq_vectors_local_timer_exit \
			x86_irq_vectors_reschedule_entry x86_irq_vectors_reschedule_exit \
			x86_irq_vectors_call_function_entry x86_irq_vectors_call_function_exit \
			x86_irq_vectors_call_function_single_entry x86_irq_vectors_call_function_single_exit; do
		lttng enable-event --kernel --channel=everyday $event >&3 2>&1 || echo "everyday: lttng: no $event" >&3
	done
	lttng start >&3 2>&1 || return 1
	work lttng || return 1
	lttng stop >&3 2>&1
	lttng list everyday >/tmp/lttng.list 2>&3
	lttng destroy everyday >&3 2>&1
	kept lttng "-" "$(du -s /tmp/lttng | awk '{ print $1 * 1024 }')" \
		"$(awk '/Discarded events:/ { n += $3 } END { print n + 0 }' /tmp/lttng.list)" file
	rm -rf /tmp/lttng
	kill "$(pidof lttng-sessiond)"
}
bpftrace_counts()
{
	program='BEGIN { printf("ready\n"); }'
	for event in $there; do
		program="$program tracepoint:$event { @n[\"$event\"] = count(); }"
	done
	background bpftrace /tmp/background ready bpftrace -e "$program" || return 1
	kept bpftrace "$(awk -F ': ' '/^@n/ { n += $NF } END { print n }' /tmp/background)" 0 0 counts
}

# Run the work once without measuring, because the first run differs.
everyday 1 >/dev/null 2>&3 || exit 1
for state; do
	case $state in
	untraced) work untraced ;;
	ours) ours ours '' ;;
	ours-masked) ours ours-masked '' --mask=-softirq ;;
	ours-filtered) filtered ours-filtered ;;
	ours-two) ours ours-two '' ;;
	ours-ipc) ours ours-ipc '' --ipc ;;
	ours-direct) ours ours-direct syscalls=direct ;;
	ftrace) ftrace ;;
	perf-trace) perf_trace ;;
	perf-record) perf_record ;;
	bpftrace) bpftrace_counts ;;
	lttng) lttng_kernel ;;
	*) echo "everyday: no state $state" >&3; false ;;
	esac || { echo "everyday: $state failed" >&3; exit 1; }
done
