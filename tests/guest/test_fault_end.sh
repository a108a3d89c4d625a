#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 600
# takes: 30
#
# The end of page faults on a stock kernel: each fault has one, at its time, also one that
# sleeps, is retried, or is ended by a signal. A recording can be stopped while a task is in a
# fault; the module stays until it is out, or unloading waits, and either is said. Where the
# direct hook cannot be had, a kretprobe does it. On the distribution's own kernel, or, with
# KERNEL=stock-6.12, on another that kernel.sh knows.
. tests/guest/lib.sh
guest_begin fault_end
ok "the other user of the hook is built" tests/guest/built.sh "$KDIR" "$KVER" "$BUILD" "$KSUITE" \
	tests/guest/module/hooked
hooked=$BUILD/module/$KVER/hooked/hooked.ko

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
log()		# TEXT: waits until the kernel has said it
{
	until dmesg | grep -q "$1"; do usleep 10000; done
}
hold()		# FILE [MARK]: a task in a fault; sets pid, tid; the page comes by 4
{
	rm -f /tmp/in
	mkfifo /tmp/in
	late_page $2 </tmp/in >$1 &
	exec 4>/tmp/in
	until grep -q waits $1; do usleep 10000; done
	read -r word pid tid <$1
	until grep -q '^State:.[SD]' /proc/$tid/status; do usleep 10000; done
}
come()		# FILE: and the task has got it
{
	echo >&4
	exec 4>&-
	until grep -q comes $1; do usleep 10000; done
}

insmod /lib/kutrace.ko mb=8 || exit 10

# --- recorded: a fault that lasts, one that a signal ends, a thousand others ---
kutrace_control start || exit 11
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
kutrace_control stop /out/faults.trace >/dev/null || exit 12

# --- stopped while a task is in a fault: the module stays as long as it ---
kutrace_control start || exit 13
hold /out/stopped
kutrace_control stop /out/stopped.trace >/dev/null || exit 14
cat /proc/$tid/stack >/out/stopped.stack
log 'cannot be unloaded before the end of page faults.*: 1 '
rmmod kutrace 2>/out/in-use && exit 15
grep '^kutrace ' /proc/modules >/out/live
# recording goes on as ever meanwhile
kutrace_control run -o /out/meanwhile.trace -- workload --quiet || exit 16
come /out/stopped
unload kutrace || exit 26

# --- unloaded while it is being recorded ---
insmod /lib/kutrace.ko mb=8 || exit 17
kutrace_control start || exit 18
hold /out/unloaded
rmmod kutrace &
unloading=$!
log 'unloading waits for the end of page faults.*: 1 '
kill -0 $unloading || exit 19
grep '^kutrace ' /proc/modules >/out/unloading
come /out/unloaded
wait $unloading || exit 20

# --- others have the hook, or nobody has ---
insmod /lib/hooked.ko || exit 21
insmod /lib/kutrace.ko mb=8 || exit 22
kutrace_control run -o /out/hooked.trace -- workload --quiet || exit 23
rmmod kutrace || exit 24
rmmod hooked || exit 25
dmesg | grep 'kretprobe' >/out/kretprobe
insmod /lib/kutrace.ko mb=8 || exit 26
kutrace_control start || exit 27
insmod /lib/hooked.ko 2>/out/busy && exit 28
echo 0 2>/out/disable >/proc/sys/kernel/ftrace_enabled && exit 29
kutrace_control status --json >/out/direct.json
kutrace_control off
insmod /lib/hooked.ko || exit 30
rmmod hooked || exit 31
echo 0 >/proc/sys/kernel/ftrace_enabled || exit 32
kutrace_control start || exit 33
kutrace_control status --json >/out/off.json
kutrace_control off
echo 1 >/proc/sys/kernel/ftrace_enabled || exit 34
rmmod kutrace || exit 35
insmod /lib/kutrace.ko fault_end=neither 2>/dev/null && exit 36
insmod /lib/kutrace.ko mb=8 fault_end=kretprobe || exit 37
kutrace_control run -o /out/kretprobe.trace -- workload --quiet || exit 38
kutrace_control start || exit 46
kutrace_control status --json >/out/kretprobe.json
kutrace_control off
# with the function's tracer, too, on it
rmmod kutrace || exit 39
insmod /lib/kutrace.ko mb=8 || exit 40
mount -t tracefs tracefs /sys/kernel/tracing || exit 41
echo handle_mm_fault >/sys/kernel/tracing/set_ftrace_filter || exit 42
echo function >/sys/kernel/tracing/current_tracer || exit 43
kutrace_control run -o /out/tracer.trace -- workload --quiet || exit 44
echo nop >/sys/kernel/tracing/current_tracer
rmmod kutrace || exit 45
SCRIPT

# Faults of the task $2 (- = all) in the events $1: "CALLS ENDS", a call that has its end in it both.
faults()
{
	awk -v tid="$2" '
	/^#/ || (tid != "-" && $5 != tid) { next }
	$3 == 1038 { calls++; if ($2 > 0) ends++ }
	$3 == 1550 { ends++ }
	END { print calls + 0, ends + 0 }' "$1"
}

# Whether the task's last end of a fault is behind its last beginning, by marks: between which.
where()
{
	awk -v tid="$2" '
	/^#/ { next }
	$3 == 525 { mark = $7 }
	$5 == tid && $3 == 1550 { end = mark }
	END { print end + 0 }' "$1"
}

chain='handle_userfault.*handle_mm_fault.*ku_fault_call.*exc_page_fault.*asm_exc_page_fault'
no_ftrace=fault_no_end
# Where the hook cannot be had: whether a kretprobe is.
kretprobe=yes
case $KARCH-$KVER in
# A kretprobe of arm64's is a breakpoint, which needs no ftrace.
arm64-*) chain='handle_userfault.*handle_mm_fault.*ku_fault_call.*do_page_fault.*el0t_64_sync' no_ftrace=fault_end ;;
# Before 7.2 riscv64's takes none where ftrace has its place, and there is no tracepoint either.
riscv64-6.*) no_ftrace=fault_none kretprobe=no ;;
esac
[ "$KARCH" != riscv64 ] ||
	chain='handle_userfault.*handle_mm_fault.*ku_fault_call.*handle_page_fault.*do_page_fault.*handle_exception'
if guest_run "$TAP_TMP/script" --cpus 2 --mem 768 --timeout 500 \
	--file "$GUEST_BUILD/guest/bin/late_page" --file "$hooked:/lib/hooked.ko"; then
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
	between "the task that waited has had faults" "$calls" 1 1000
	is "as many ends, although the one was retried" "$ends" "$calls"
	is "its last ends behind the mark at which its page had not come" \
		"$(where "$OUT/faults.trace.events" "$tid")" 100
	tid=$(cat "$OUT/killed.tid")
	read -r calls ends <<END
$(faults "$OUT/faults.trace.events" "$tid")
END
	is "the fault that a signal ended has ended" "$ends" "$calls"
	is "and behind the mark" "$(where "$OUT/faults.trace.events" "$tid")" 200
	for one in faults meanwhile hooked kretprobe tracer; do
		read -r calls ends <<END
$(faults "$OUT/$one.trace.events" -)
END
		case $one-$kretprobe in
		hooked-no | kretprobe-no) is "$one: no faults at all" "$calls $ends" "0 0" ;;
		*) between "$one: faults" "$calls" 300 1000000 ;;
		esac
		between "$one: an end for each, but for what was under way at begin and end" \
			$((calls - ends)) -3 3
	done
	like "a stack trace through the hook is whole" "$(tr '\n' ' ' <"$OUT/stack")" "$chain"
	like "so behind a stop" "$(tr '\n' ' ' <"$OUT/stopped.stack")" "$chain"
	like "unloading is refused" "$(cat "$OUT/in-use")" 'in use|busy|temporarily unavailable'
	like "the module is there meanwhile" "$(cat "$OUT/live")" ' Live '
	like "the module that is being unloaded waits" "$(cat "$OUT/unloading")" ' Unloading '
	like "who cannot have the hook says so" "$(cat "$OUT/kretprobe")" 'is hooked already'
	like "another cannot have it meanwhile" "$(cat "$OUT/busy")" 'busy'
	like "with the hook: the caveat" "$(cat "$OUT/direct.json")" '"fault_end"'
	[ $kretprobe = no ] && without=fault_none || without=fault_end
	like "by a kretprobe: the caveat" "$(cat "$OUT/kretprobe.json")" "\"$without\""
	like "without ftrace: what there is" "$(cat "$OUT/off.json")" "\"$no_ftrace\""
fi
tap_end
