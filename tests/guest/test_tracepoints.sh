#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 3000
# takes: 40
# full
#
# The module and ftrace use the series of tracepoints (kernel-patches/tracepoints), and exceptions
# have a beginning and an end:
#
#	module		the module uses the tracepoints, and status and doctor list them
#	exceptions	each kind that a program makes on purpose is recorded as often as made,
#			and each recorded exception has a beginning and an end
#	ftrace		the kernel's own tracer records these events too
#
# test_exact_tracepoints compares all events with the kernel's counters.
KERNEL=${KERNEL:-tracepoints-6.1}
. tests/guest/lib.sh
guest_begin tracepoints

ok "the module is built without a warning" sh -c '! grep -E "warning|error:" "$0"' "$OUT/kernel.log"
cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
set -e
insmod /lib/kutrace.ko
kutrace_control start
kutrace_control status --json >/out/status.json
kutrace_control tracepoints >/out/tracepoints
kutrace_control doctor >/out/doctor || true
kutrace_control off
kutrace_control run -o /out/t.trace -- sh -c 'hookfire traps >/out/fired'
rmmod kutrace
mount -t tracefs tracefs /sys/kernel/tracing
cd /sys/kernel/tracing
for event in exceptions/exception_entry exceptions/exception_exit irq_vectors/device_interrupt_entry \
	irq_vectors/device_interrupt_exit nmi/nmi_entry nmi/nmi_exit raw_syscalls/syscall_begin \
	raw_syscalls/syscall_end; do
	echo 1 >events/$event/enable
done
hookfire traps >/dev/null
# Read from the disk, which makes device interrupts.
dd if=/dev/vdb of=/dev/null bs=4096 count=16 2>/dev/null
echo 0 >events/enable
cat trace >/out/ftrace
SCRIPT
if guest_run "$TAP_TMP/script" --cpus 2 --disk 16 --timeout 300 --file "$GUEST_BIN/hookfire"; then
	like "status names the tracepoints" "$(tr -d '\n' <"$OUT/status.json")" \
		'"added_tracepoints": \["syscall_begin", "exception_entry", "device_interrupt_entry", "nmi_entry"\]'
	for caveat in fault_end traps irq_action nmi_time; do
		unlike "no caveat $caveat" "$(cat "$OUT/status.json")" "\"$caveat\""
	done
	like "the caveat of exceptions without a tracepoint" "$(cat "$OUT/status.json")" '"traps_some"'
	like "doctor names the tracepoints" "$(cat "$OUT/doctor")" \
		'tracepoints of a stock kernel and syscall_begin, exception_entry, device_interrupt_entry, nmi_entry'

	trace_ok "exceptions" "$OUT/t.trace"
	trace_text "$OUT/t.trace" || fail "exceptions: the filters read the trace"
	# Print VECTOR BEGINS ENDS. Programs other than hookfire make only page faults.
	event_awk '
	/^#/ || $3 < EV_FIRST { next }
	$3 >= EV_TRAP && $3 < EV_IRQ {
		begun[$3]++
		if ($2 > 1)
			ended[$3]++
		else
			open[$5, $3]++
	}
	$3 >= EV_TRAP_RETURN && $3 < EV_IRQ_RETURN && open[$5, $3 - EV_RETURN_BIT] { ended[$3 - EV_RETURN_BIT]++; open[$5, $3 - EV_RETURN_BIT]-- }
	END { for (i in begun) print i - EV_TRAP, begun[i], ended[i] + 0 }' "$OUT/t.trace.events" >"$OUT/exceptions"
	for trap in divide=0 debug=1 breakpoint=3 overflow=4 bound=5 opcode=6 segment=11 stack=12 protection=13 x87=16; do
		number=${trap#*=}
		made=$(awk -v what="${trap%=*}" '$1 == "traps" && $2 == what { print $3 }' "$OUT/fired")
		is "exceptions: ${trap%=*}: begins and ends" \
			"$(awk -v n="$number" '$1 == n { print $2, $3 }' "$OUT/exceptions")" "$made $made"
	done
	is "exceptions: page faults: each has its end" \
		"$(awk '$1 == 14 { print ($2 == $3 && $2 > 0) }' "$OUT/exceptions")" 1
	inferred "$OUT/t.trace.events" >"$OUT/inferred"
	is "nothing is inferred" "$(cat "$OUT/inferred")" ""

	for event in exception_entry exception_exit device_interrupt_entry device_interrupt_exit \
		syscall_begin syscall_end; do
		between "ftrace: $event" "$(grep -c " $event: " "$OUT/ftrace")" 1 100000000
	done
	like "ftrace: the fields of an exception" "$(cat "$OUT/ftrace")" \
		'exception_entry: vector=14 address=[^ ]+ ip=[^ ]+ error_code=0x'
fi
tap_end
