#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 3000
# takes: 45
# needs: patched
# also: patched_612 KUTRACE_PATCHED_KVER=6.12 timeout: 3000 full
# also: patched_72 KUTRACE_PATCHED_KVER=7.2 timeout: 3000 full
# also: patched_cfi KUTRACE_PATCHED_KVER=6.12 KUTRACE_PATCHED_CONFIG=cfi timeout: 4200 takes: 300 full
# also: debug KUTRACE_PATCHED_CONFIG=debug timeout: 4200 takes: 150 needs: debug ci
#
# The patched kernel records each kind of event as often as it is made on purpose. It also records
# the workload with 2 CPUs, with the same witnesses as on the stock kernel, and the module loads,
# records and unloads under load. KUTRACE_PATCHED_KVER=6.12 selects another release than 6.1.
# KUTRACE_PATCHED_CONFIG=debug selects the debug kernel, which has KASAN, PROVE_LOCKING, PROVE_RCU,
# DEBUG_ATOMIC_SLEEP and DEBUG_PREEMPT; boot.sh fails if one of them reports anything. With cfi, clang
# compiles the kernel with type checks, and with the entry code of CPUs with FRED. That code does
# not run, because the emulators have no FRED.
. tests/guest/lib.sh
tap_begin
OUT=$BUILD/tests/guest/patched${KUTRACE_PATCHED_CONFIG:+-$KUTRACE_PATCHED_CONFIG}
OUT=$OUT${KUTRACE_PATCHED_KVER:+-$KUTRACE_PATCHED_KVER}
rm -rf "$OUT"
mkdir -p "$OUT"
. tests/guest/record_checks.sh
. tests/guest/exact_checks.sh
top=$OUT

if ! patched_kernel; then
	fail "the patched kernel is built" "see above"
	tap_end
fi
is "compiler and objtool print no warning" "$(grep -v 'warning: override: ' "$KERNEL_DIR/warnings")" ""
case $KUTRACE_PATCHED_CONFIG in
cfi)
	for option in CFI_CLANG FINEIBT X86_KERNEL_IBT X86_FRED AMD_MEM_ENCRYPT; do
		is "the kernel has CONFIG_$option" "$(grep -h "^CONFIG_$option=" "$KERNEL_DIR"/boot/config-*)" "CONFIG_$option=y"
	done
	;;
esac
lockdep=$(grep -h '^CONFIG_DEBUG_LOCK_ALLOC=y' "$KERNEL_DIR"/boot/config-*)

# --- the workload ---
cat >"$TAP_TMP/record" <<'SCRIPT'
#!/bin/sh
set -e
insmod /lib/kutrace.ko
kutrace_control status >/out/status.before
kutrace_control run -o /out/r.trace -- sh -c \
	'counters sh -c "workload --disk /dev/vdb >/out/witness" >/out/counters'
kutrace_control status >/out/status.after
rmmod kutrace
uname -r >/out/uname
SCRIPT
OUT=$top/record
mkdir -p "$OUT"
if guest_run "$TAP_TMP/record" --cpus 2 --disk 16 --timeout 300; then
	record_checks "patched" 2
	like "patched: the back end is the kernel's own" "$(cat "$OUT/status.after")" "patched"
fi

# --- every hook ---
cat >"$TAP_TMP/fire" <<'SCRIPT'
#!/bin/sh
set -e
insmod /lib/kutrace_test.ko
insmod /lib/kutrace.ko
# Read the counters before and after the other events. trace_ok fails if an event was lost.
kutrace_control run -o /out/f.trace -- sh -c \
	'cat /proc/kutrace_test >/out/first; hookfire >/out/fired; cat /proc/kutrace_test >/out/last'
rmmod kutrace
rmmod kutrace_test
SCRIPT
OUT=$top/fire
mkdir -p "$OUT"
# Prints the number of events between mark_d $1 and mark_d $2 with the event numbers $3..$4, ARG0
# $5, pid $6 and return value $7 (- or missing = any).
fired_between()
{
	event_awk -v from="$1" -v to="$2" -v low="$3" -v high="$4" -v arg0="${5--}" -v pid="${6--}" \
		-v value="${7--}" '
	/^#/ || $3 < EV_FIRST { next }
	$3 == EV_MARKD && $7 == from { on = 1; next }
	$3 == EV_MARKD && $7 == to { done = on; on = 0 }
	on && $3 >= low && $3 <= high && (arg0 == "-" || $7 == arg0) &&
		(pid == "-" || $5 == pid) && (value == "-" || $8 == value) { n++ }
	END { print done ? n + 0 : "no-marks" }' "$OUT/f.trace.events"
}
# Prints how many calls NAME the task PID made while calls were restarted.
called()	# NAME PID
{
	_call=$(syscall_event "$1")
	fired_between 7000 7001 "$_call" "$_call" - "$2"
}
said()
{
	awk -v phase="$1" -v what="$2" '$1 == phase && $2 == what { print $3; exit }' "$OUT/fired"
}
traced()
{
	awk -v low="$1" -v high="$2" '!/^#/ && $3 >= low && $3 <= high { n++ }
		END { print n + 0 }' "$OUT/f.trace.events"
}
# Checks one line "fired MARK WHAT NUMBER COUNT" of the module against the trace.
fired()
{
	mark=$1 what=$2 number=$3 count=$4
	if [ "$count" -lt 0 ]; then
		fail "$what $number" "the module could not"
		return
	fi
	range="$mark $((mark + 1))"
	case $what.$number in
	exception.18) # the kernel also counts it
		is_count "MCE of /proc/interrupts" "$(said interrupts MCE)" "$count"
		;;
	vector.254)
		is_count "ERR of /proc/interrupts" "$(said interrupts ERR)" "$count"
		;;
	esac
	case $what.$number in
	exception.*)
		is_count "exception $number in the kernel" \
			"$(fired_between $range $((EV_TRAP + number)) $((EV_TRAP + number)))" "$count"
		;;
	vector.236 | vector.246 | vector.251 | vector.253)
		# The kernel also sends these; exact_counts compares the exact number.
		between "vector $number" "$(fired_between $range $((EV_IRQ + number)) $((EV_IRQ + number)))" \
			"$count" 1000000
		;;
	vector.240) # without KVM it has no owner from 6.12 on
		is_count "vector 240" $(($(fired_between $range $EV_POSTED_NESTED $EV_POSTED_NESTED) +
			$(fired_between $range $EV_OTHER $EV_OTHER 240))) "$count"
		;;
	vector.32) # from 6.12 on a device gets it first; then the return has the number
		is_count "vector 32" $(($(fired_between $range $EV_MOVE_CLEANUP $EV_MOVE_CLEANUP) +
			$(fired_between $range $EV_IRQ $EV_OTHER - - 32) +
			$(fired_between $range $EV_IRQ_RETURN $EV_OTHER_RETURN - - 32))) "$count"
		;;
	vector.255) is_count "vector 255" "$(fired_between $range $EV_SPURIOUS $EV_SPURIOUS)" "$count" ;;
	vector.*)
		# Without an owner in this configuration, the event is $EV_OTHER with the vector.
		is_count "vector $number" \
			$(($(fired_between $range $((EV_IRQ + number)) $((EV_IRQ + number))) +
			   $(fired_between $range $EV_OTHER $EV_OTHER $number))) "$count"
		;;
	softirq.*)
		between "softirq $number" "$(fired_between $range $EV_BH $EV_BH $number)" "$count" 1000000
		;;
	irq_work.*)
		between "irq work: interrupts" "$(fired_between $range $EV_IRQ_WORK $EV_IRQ_WORK)" "$count" 1000000
		between "irq work: sent" "$(fired_between $range $EV_IPI $EV_IPI)" "$count" 1000000
		;;
	freq.*) ;;
	*)
		hash=$(awk -v what="hash.$what" '$2 == what { print $3 }' "$OUT/last")
		is "$what: no event has its plain address" \
			"$(fired_between $range $EV_LOCKNOACQ $EV_LOCKWAKEUP "$hash")" 0
		hash=$(awk -v what="lock.$what" '$2 == what { print $3 }' "$OUT/last")
		between "$what: contended" "$(fired_between $range $EV_LOCKNOACQ $EV_LOCKNOACQ "$hash")" "$count" 1000000
		like "$what: its name has its kind, the test's function, and its number" \
			"$(event_awk -v lock="$hash" '!/^#/ && $3 == EV_LOCKNOACQ && $7 == lock { print $10; exit }' "$OUT/f.trace.events")" \
			"^lock_try=$(echo "$what" | sed 's/^rtmutex$/rt_mutex/'):ku_test_[a-z_]*\\.$hash\$"
		# A writer of a percpu_rwsem always waits until all readers have noticed it. With
		# lockdep, each mutex_lock() takes the slow path.
		case $what in
		percpu_rwsem) count=$((2 * count)) ;;
		mutex) [ -z "$lockdep" ] || count=$((2 * count)) ;;
		esac
		is_count "$what: acquired" "$(fired_between $range $EV_LOCKACQ $EV_LOCKACQ "$hash")" "$count"
		count=$4
		case $what in
		spinlock | rwlock)
			skip "$what: freed" "its release is a store that does not check for waiters"
			;;
		*) is_count "$what: freed" "$(fired_between $range $EV_LOCKWAKEUP $EV_LOCKWAKEUP "$hash")" "$count" ;;
		esac
		;;
	esac
}
if [ -z "$TEST_KO" ]; then
	_no="events on purpose, of every kind"
	case $KUTRACE_PATCHED_CONFIG in
	debian) skip "$_no" "no kutrace_test.ko: CONFIG_TEST_KUTRACE is not in that configuration" ;;
	*) fail "$_no" "no kutrace_test.ko in $KERNEL_DIR" ;;
	esac
elif guest_run "$TAP_TMP/fire" --cpus 2 --timeout 300 --file "$GUEST_BIN/hookfire" \
	--file "$TEST_KO:/lib/kutrace_test.ko"; then
	trace_ok "every hook" "$OUT/f.trace"
	if trace_text "$OUT/f.trace"; then
		pass "every hook: the filters read the trace"
	else
		fail "every hook: the filters read the trace" "$(tail -n 3 "$OUT"/f.trace.*to*)"
	fi
	is_count "32-bit calls" "$(fired_between 1000 1001 $((EV_SYSCALL32 + 64)) $((EV_SYSCALL32 + 64)))" \
		"$(said calls32 getppid)"
	if grep -q '^CONFIG_X86_X32_ABI=y' "$KERNEL_DIR"/boot/config-*; then
		is_count "x32 calls" "$(fired_between 2000 2001 $((EV_SYSCALL64 + 110)) $((EV_SYSCALL64 + 110)))" \
			"$(said callsx32 getppid)"
		is_count "x32 calls with a number of their own" "$(fired_between 2100 2101 $((EV_SYSCALL32 + 2)) $((EV_SYSCALL32 + 2)))" \
			"$(said callsx32only ioctl)"
	else
		skip "x32 calls" "no CONFIG_X86_X32_ABI, which LLVM's objcopy cannot build"
	fi
	is_count "calls with an unknown number" \
		"$(fired_between 3000 3001 $EV_SYSOTHER $EV_SYSOTHER 3000)" "$(said badcalls nr3000)"
	is "control call: version" "$(said control version)" 4
	is "control call: test" "$(said control test)" 1
	is "control call: an unknown command is refused" "$(said control refused)" 1

	# Restarted calls: restart_syscall has its own number, other calls have their former number.
	sleeper=$(said restarts sleeper)
	reader=$(said restarts reader)
	is "nanosleep is called once" "$(called nanosleep "$sleeper")" 1
	is_count "nanosleep is restarted after each stop" \
		"$(called restart_syscall "$sleeper")" "$(said restarts stops)"
	is_count "read is called again after each handler" \
		"$(called read "$reader")" "$(said restarts reads)"
	is_count "rt_sigreturn, calls" "$(called rt_sigreturn "$reader")" \
		"$(said restarts handled)"
	# exit never returns. execve returns in the new program.
	exit=$(syscall_event exit) exit_group=$(syscall_event exit_group) execve=$(syscall_event execve)
	is_count "exit" "$(fired_between 8000 8001 $exit $exit)" "$(said ends exit)"
	is_count "exit_group" "$(fired_between 8000 8001 $exit_group $exit_group)" "$(said ends exit_group)"
	is "exit and exit_group do not return" "$(traced $((exit + EV_RETURN_BIT)) $((exit + EV_RETURN_BIT))) $(
		traced $((exit_group + EV_RETURN_BIT)) $((exit_group + EV_RETURN_BIT)))" "0 0"
	is_count "execve, calls" "$(fired_between 8000 8001 $execve $execve)" "$(said ends execve)"
	is_count "execve, returns" "$(fired_between 8000 8001 $((execve + EV_RETURN_BIT)) $((execve + EV_RETURN_BIT)))" "$(said ends execve)"
	is_count "ends of tasks, including killed ones" "$(fired_between 8000 8001 $EV_TASKEXIT $EV_TASKEXIT)" \
		"$(said ends tasks)"

	for trap in divide=0 debug=1 breakpoint=3 overflow=4 bound=5 opcode=6 segment=11 \
		stack=12 protection=13 x87=16; do
		number=$((EV_TRAP + ${trap#*=}))
		is_count "traps: ${trap%=*}" "$(fired_between 4000 4001 $number $number)" \
			"$(said traps "${trap%=*}")"
	done
	is_count "page faults" "$(fired_between 9000 9001 $EV_PAGE_FAULT $EV_PAGE_FAULT)" "$(said faults pages)"
	first=65536
	for kind in udp4 udp6 tcp4 tcp6; do
		for way in $EV_RX_PKT=received $EV_TX_PKT=sent; do
			is_count "packets: $kind ${way#*=}" "$(awk -v event=${way%=*} -v first=$first '
				!/^#/ && $3 == event && $7 >= first && $7 < first + 100 && !seen[$7]++ { n++ }
				END { print n + 0 }' "$OUT/f.trace.events")" "$(said packets $kind)"
		done
		first=$((first + 65536))
	done
	# One wait is for the mutex. Joining the thread may be another.
	waits=$(said locks waits)
	for step in $EV_LOCKNOACQ=begin $EV_LOCKACQ=end $EV_LOCKWAKEUP=freed; do
		between "waits for a lock: ${step#*=}" \
			"$(fired_between 6000 6001 ${step%=*} ${step%=*})" "$waits" 10000
	done
	names=$(event_awk '!/^#/ && $3 < EV_PACKET && $3 % 16 == EV_PID { print $5 }' "$OUT/f.trace.events" | sort -u)
	for name in hf_renamed hf_thread hookfire ku_waits; do
		like "names: $name" "$names" "^$name"
	done

	grep '^fired ' "$OUT/fired" >"$TAP_TMP/fired"
	if grep -q '^# CONFIG_X86_MCE is not set' "$KERNEL_DIR"/boot/config-*; then
		skip "exception 18 in the kernel" "this configuration has no machine checks"
	else
		ok "an exception 18 was raised" grep -q ' exception 18 ' "$TAP_TMP/fired"
	fi
	while read -r _ mark what number count; do
		fired "$mark" "$what" "$number" "$count"
	done <"$TAP_TMP/fired"
	is_count "frequency changes are those of the driver" "$(traced $EV_PSTATE2 $EV_PSTATE2)" \
		"$(awk '$2 == "freq.changes" { print $3 }' "$OUT/last")"
	for kind in "$EV_USERPID $EV_USERPID context switches" "$EV_SCHED $EV_SCHED scheduler" \
		"$EV_RUNNABLE $EV_RUNNABLE wakeups" "$EV_IPI $EV_IPI IPIs sent" "$EV_PC_U $EV_PC_K PC samples"; do
		set -- $kind
		low=$1 high=$2
		shift 2
		between "$*" "$(traced $low $high)" 1 10000000
	done
	# A CPU may be in an idle state at the beginning and at the end.
	entered=$(traced $EV_MWAIT $EV_MWAIT)
	between "idle states entered" "$entered" 1 10000000
	between "idle states left" "$(traced $EV_MONITOREX $EV_MONITOREX)" $((entered - 2)) $((entered + 2))
	# Some faults at the start of a program are not exceptions.
	{ sed 's/^/first /' "$OUT/first"; sed 's/^/last /' "$OUT/last"; } >"$OUT/readings"
	exact_counts "every hook" "$OUT/f.trace.events" "$OUT/readings" pgfault
fi

# --- a separate guest: a warning in the log, a filter of packets, idle by polling ---
cat >"$TAP_TMP/apart" <<'SCRIPT'
#!/bin/sh
set -e
insmod /lib/kutrace_test.ko
insmod /lib/kutrace.ko net_mask=0xFFFFFFFF,0,0 net_match=0x10003,0,0
kutrace_control run -o /out/f.trace -- sh -c \
	'hookfire warns >/out/fired; hookfire packets >/dev/null'
rmmod kutrace
rmmod kutrace_test
SCRIPT
OUT=$top/apart
mkdir -p "$OUT"
if [ -n "$TEST_KO" ] && guest_run "$TAP_TMP/apart" --cpus 2 --timeout 300 --file "$GUEST_BIN/hookfire" \
	--file "$TEST_KO:/lib/kutrace_test.ko" --append idle=poll \
	--allow 'WARNING: .* at .*exc_device_not_available|Call Trace:'; then
	trace_ok "apart" "$OUT/f.trace"
	if trace_text "$OUT/f.trace"; then
		pass "apart: the filters read the trace"
	else
		fail "apart: the filters read the trace" "$(tail -n 3 "$OUT"/f.trace.*to*)"
	fi
	read -r _ mark what number count <"$OUT/fired"
	fired "$mark" "$what" "$number" "$count"
	is "a filter of packets records one packet, received and sent" \
		"$(event_awk '!/^#/ && ($3 == EV_RX_PKT || $3 == EV_TX_PKT) { print $3, $7 }' "$OUT/f.trace.events" | sort)" \
		"$EV_RX_PKT 65539
$EV_TX_PKT 65539"
	between "idle by polling, entered" \
		"$(event_awk '!/^#/ && $3 == EV_MWAIT && $7 == 0 { n++ } END { print n + 0 }' "$OUT/f.trace.events")" \
		1 1000000
	between "idle by polling, left" \
		"$(event_awk '!/^#/ && $3 == EV_MONITOREX && $7 == 0 { n++ } END { print n + 0 }' "$OUT/f.trace.events")" \
		1 1000000
fi

# --- load, record, unload, under load ---
cat >"$TAP_TMP/churn" <<'SCRIPT'
#!/bin/sh
set -e
# The load makes calls, forks, pipes and faults, and does not open the device.
(while :; do ls -lR /bin /proc/1 | wc -c >/dev/null; done) 2>/dev/null &
load=$!
for round in 1 2 3; do
	insmod /lib/kutrace.ko
	for go in 1 2 3; do
		kutrace_control go >/dev/null
		usleep 100000
		kutrace_control stop /tmp/t.trace >/dev/null
	done
	kutrace_control go >/dev/null
	usleep 50000
	rmmod kutrace
done
insmod /lib/kutrace.ko backend=tracepoints
kutrace_control status >/out/status.tracepoints
rmmod kutrace
must_fail insmod /lib/kutrace.ko backend=nonsense 2>/dev/null
kill -0 $load
kill $load
SCRIPT
OUT=$top/churn
mkdir -p "$OUT"
if guest_run "$TAP_TMP/churn" --cpus 2 --timeout 300; then
	like "backend=tracepoints selects the tracepoints" "$(cat "$OUT/status.tracepoints")" \
		"tracepoints of a stock kernel"
fi
tap_end
