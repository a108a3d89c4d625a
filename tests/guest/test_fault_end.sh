#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 600
# takes: 30
# also: debug_fault_end KUTRACE_KERNEL=debug-6.1 KERNEL=debug-6.1 timeout: 3600 takes: 100 needs: debugstock ci
#
# Each page fault on a stock kernel has its end at the right time, also a fault that sleeps, is
# retried, or is ended by a signal. A recording can stop while a task is in a fault. The module then
# stays loaded until the task has left the fault, or unloading waits; the log reports both. If the
# direct hook is not available, a kretprobe replaces it. Runs on the distribution's own kernel, or
# KERNEL=stock-6.12, or another name of kernel.sh.
. tests/guest/lib.sh
guest_begin fault_end
ok "the module that hooks the same function is built" tests/guest/module_build.sh "$KDIR" "$KVER" "$BUILD" "$KSUITE" \
	tests/guest/module/hooked
hooked=$BUILD/module/$KVER/hooked/hooked.ko

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
log()		# TEXT: waits until the text is in the kernel's log
{
	until dmesg | grep -q "$1"; do usleep 10000; done
}
hold()		# FILE [MARK]: starts a task, $tid of $pid, that waits in a fault
{
	rm -f /tmp/in
	mkfifo /tmp/in
	late_page $2 </tmp/in >$1 &
	exec 4>/tmp/in
	until grep -q waits $1; do usleep 10000; done
	read -r word pid tid <$1
	until grep -q '^State:.[SD]' /proc/$tid/status; do usleep 10000; done
}
come()		# FILE: provides the page, and waits until the task has it
{
	echo >&4
	exec 4>&-
	until grep -q comes $1; do usleep 10000; done
}

must insmod /lib/kutrace.ko mb=8

# --- recorded: a long fault, a fault that a signal ends, a thousand others ---
must kutrace_control start
hold /out/held 100
cat /proc/$tid/stack >/out/stack
come /out/held
echo $tid >/out/held.tid
hold /out/killed 200
echo $tid >/out/killed.tid
kill -9 $pid
exec 4>&-
while [ -d /proc/$tid ]; do usleep 10000; done
workload --quiet
must kutrace_control stop /out/faults.trace >/dev/null

# --- recording stops while a task is in a fault: the module stays until the task has left it ---
must kutrace_control start
hold /out/stopped
must kutrace_control stop /out/stopped.trace >/dev/null
cat /proc/$tid/stack >/out/stopped.stack
log 'cannot be unloaded before the end of page faults.*: 1 '
must_fail rmmod kutrace 2>/out/in-use
grep '^kutrace ' /proc/modules >/out/live
# recording still works meanwhile
must kutrace_control run -o /out/meanwhile.trace -- workload --quiet
come /out/stopped
must unload kutrace

# --- unloaded while a task in a fault is recorded ---
must insmod /lib/kutrace.ko mb=8
must kutrace_control start
hold /out/unloaded
rmmod kutrace &
unloading=$!
log 'unloading waits for the end of page faults.*: 1 '
must kill -0 $unloading
grep '^kutrace ' /proc/modules >/out/unloading
come /out/unloaded
must wait $unloading

# --- another module has hooked the function, or no module can ---
must insmod /lib/hooked.ko
must insmod /lib/kutrace.ko mb=8
must kutrace_control run -o /out/hooked.trace -- workload --quiet
must rmmod kutrace
must rmmod hooked
dmesg | grep 'kretprobe' >/out/kretprobe
must insmod /lib/kutrace.ko mb=8
must kutrace_control start
must_fail insmod /lib/hooked.ko 2>/out/busy
echo 0 2>/out/disable >/proc/sys/kernel/ftrace_enabled && die "ftrace was disabled"
kutrace_control status --json >/out/direct.json
kutrace_control off
must insmod /lib/hooked.ko
must rmmod hooked
echo 0 >/proc/sys/kernel/ftrace_enabled || die "cannot write /proc/sys/kernel/ftrace_enabled"
must kutrace_control start
kutrace_control status --json >/out/off.json
kutrace_control off
echo 1 >/proc/sys/kernel/ftrace_enabled || die "cannot write /proc/sys/kernel/ftrace_enabled"
must rmmod kutrace
must_fail insmod /lib/kutrace.ko fault_end=neither 2>/dev/null
must insmod /lib/kutrace.ko mb=8 fault_end=kretprobe
must kutrace_control run -o /out/kretprobe.trace -- workload --quiet
must kutrace_control start
kutrace_control status --json >/out/kretprobe.json
kutrace_control off
# the function tracer also traces the function
must rmmod kutrace
must insmod /lib/kutrace.ko mb=8
must mount -t tracefs tracefs /sys/kernel/tracing
echo handle_mm_fault >/sys/kernel/tracing/set_ftrace_filter || die "cannot write /sys/kernel/tracing/set_ftrace_filter"
echo function >/sys/kernel/tracing/current_tracer || die "cannot write /sys/kernel/tracing/current_tracer"
must kutrace_control run -o /out/tracer.trace -- workload --quiet
echo nop >/sys/kernel/tracing/current_tracer
must rmmod kutrace
SCRIPT

# Prints "CALLS ENDS" of the faults of task $2 (- = all) in the events $1. A call that contains its
# end counts as both.
faults()
{
	event_awk -v tid="$2" '
	/^#/ || (tid != "-" && $5 != tid) { next }
	$3 == EV_PAGE_FAULT { calls++; if ($2 > 0) ends++ }
	$3 == EV_PAGE_FAULT_RETURN { ends++ }
	END { print calls + 0, ends + 0 }' "$1"
}

# Prints the last mark before the task's last recorded end of a fault; 0 if there is no such end.
where()
{
	event_awk -v tid="$2" '
	/^#/ { next }
	$3 == EV_MARKD { mark = $7 }
	$5 == tid && $3 == EV_PAGE_FAULT_RETURN { end = mark }
	END { print end + 0 }' "$1"
}

chain='handle_userfault.*handle_mm_fault.*ku_fault_call.*exc_page_fault.*asm_exc_page_fault'
no_ftrace=fault_no_end
# Whether a kretprobe is available if the hook is not.
kretprobe=yes
case $KARCH-$KVER in
# A kretprobe on arm64 is a breakpoint, which does not need ftrace.
arm64-*) chain='handle_userfault.*handle_mm_fault.*ku_fault_call.*do_page_fault.*el0t_64_sync' no_ftrace=fault_end ;;
# Before 7.2, riscv64 accepts no kretprobe where ftrace patches a function, and has no tracepoint
# either.
riscv64-6.*) no_ftrace=fault_none kretprobe=no ;;
esac
[ "$KARCH" != riscv64 ] ||
	chain='handle_userfault.*handle_mm_fault.*ku_fault_call.*handle_page_fault.*do_page_fault.*handle_exception'
if guest_run "$TAP_TMP/script" --cpus 2 --mem 768 --timeout 500 \
	--file "$GUEST_BIN/late_page" --file "$hooked:/lib/hooked.ko"; then
	for one in faults stopped meanwhile hooked kretprobe tracer; do
		trace_ok "$one" "$OUT/$one.trace"
		trace_text "$OUT/$one.trace"
		is "$one: no end of a fault is inferred" \
			"$(grep -c page_fault "$OUT/$one.trace.eventtospan")" 0
	done
	tid=$(cat "$OUT/held.tid")
	read -r calls ends <<END
$(faults "$OUT/faults.trace.events" "$tid")
END
	between "the task that waited in a fault has faults in the trace" "$calls" 1 1000
	is "the task has as many ends of faults, although one fault was retried" "$ends" "$calls"
	is "the task's last fault ends after a mark that was made while its page was missing" \
		"$(where "$OUT/faults.trace.events" "$tid")" 100
	tid=$(cat "$OUT/killed.tid")
	read -r calls ends <<END
$(faults "$OUT/faults.trace.events" "$tid")
END
	is "the fault that a signal ended has ended" "$ends" "$calls"
	is "the fault that a signal ended has ended after the mark" "$(where "$OUT/faults.trace.events" "$tid")" 200
	for one in faults meanwhile hooked kretprobe tracer; do
		read -r calls ends <<END
$(faults "$OUT/$one.trace.events" -)
END
		case $one-$kretprobe in
		hooked-no | kretprobe-no) is "$one: no faults at all" "$calls $ends" "0 0" ;;
		*) between "$one: faults" "$calls" 300 1000000 ;;
		esac
		between "$one: each fault has an end, except at beginning and end of the recording" \
			$((calls - ends)) -3 3
	done
	like "a stack trace through the hook is whole" "$(tr '\n' ' ' <"$OUT/stack")" "$chain"
	like "a stack trace through the hook is whole after the end of recording" "$(tr '\n' ' ' <"$OUT/stopped.stack")" "$chain"
	like "unloading is refused" "$(cat "$OUT/in-use")" 'in use|busy|temporarily unavailable'
	like "the module is loaded meanwhile" "$(cat "$OUT/live")" ' Live '
	like "unloading of the module waits" "$(cat "$OUT/unloading")" ' Unloading '
	like "the log reports that the function is hooked already" "$(cat "$OUT/kretprobe")" 'is hooked already'
	like "another module cannot hook the function meanwhile" "$(cat "$OUT/busy")" 'busy'
	like "there is the caveat of the hook" "$(cat "$OUT/direct.json")" '"fault_end"'
	[ $kretprobe = no ] && without=fault_none || without=fault_end
	like "there is the caveat of the kretprobe" "$(cat "$OUT/kretprobe.json")" "\"$without\""
	like "there is the caveat of a kernel without ftrace" "$(cat "$OUT/off.json")" "\"$no_ftrace\""
fi
tap_end
