#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 900
# takes: 60
# ci
#
# On riscv64, traces equal the workload's and the kernel's counts, and nothing is inferred. The
# guest runs Debian's kernel, with a cross-compiled module and the same witnesses as on x86-64. The
# host reads the traces, although it has another architecture. The trace has as many traps and
# returns from signals as the program counted. KUTRACE_KERNEL selects another kernel than
# stock-6.12-riscv64. Skipped if the kernel is not available. kernels.sh has more tests of this
# architecture.
. tests/guest/lib.sh
guest_begin riscv64
. tests/guest/record_checks.sh
kernel=${KUTRACE_KERNEL:-stock-6.12-riscv64}
named_kernel "$kernel" "$OUT/kernel.log"
is "the module builds without a warning" "$(grep -E 'warning|error:' "$OUT/kernel.log")" ""

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
set -e
insmod /lib/kutrace.ko
kutrace_control run -o /out/r.trace -- sh -c \
	'counters sh -c "workload --disk /dev/vdb >/out/witness" >/out/counters'
kutrace_control status --json >/out/status.json
kutrace_control run -o /out/kinds.trace -- sh -c "kinds >/out/kinds"
rmmod kutrace
uname -r >/out/uname
SCRIPT

# Prints the entries of event $2 and of its return between the marks a=$1 and a=/$1. A merged entry
# counts as both.
calls_and_returns()
{
	event_awk -v from="mark_a=$1" -v to="mark_a=/$1" -v event="$2" '
	/^#/ || $3 < EV_FIRST { next }
	$10 == from { inside = 1 }
	$10 == to { inside = 0 }
	inside && $3 == event { calls++; returns += $2 > 1 }
	inside && $3 == event + EV_RETURN_BIT { returns++ }
	END { print calls + 0, returns + 0 }' "$OUT/kinds.trace.events"
}

# Prints the facts that the trace has about itself.
about()
{
	event_awk '$3 % 16 == EV_META % 16 && $3 < EV_FIRST { print $5 }' "$OUT/r.trace.events"
}

if guest_run "$TAP_TMP/script" --cpus 2 --disk 16 --timeout 400 \
	--file "$GUEST_BIN/kinds"; then
	is "the guest runs the requested kernel" "$(cat "$OUT/uname")" "$KVER"
	record_checks "$kernel" 2
	is "nothing inferred" "$(inferred "$OUT/r.trace.events")" ""
	like "the trace has its architecture" "$(about)" '^arch=riscv64$'
	like "the trace has its time counter" "$(about)" '^clock=time$'
	like "the trace has the counter's rate" "$(about)" '^clock_khz=10000$'
	between "returns are merged into their calls, some in the same count" \
		"$(event_awk '!/^#/ && $3 >= EV_SYSCALL64 && $3 < EV_SYSCALL64_RETURN && $2 > 1 { n++ } END { print n + 0 }' "$OUT/r.trace.events")" \
		100 100000
	between "PC samples, after the timer's interrupts" \
		"$(event_awk '!/^#/ && ($3 == EV_PC_U || $3 == EV_PC_K) { n++ } END { print n + 0 }' "$OUT/r.trace.events")" 10 100000
	is "page faults have x86's bits: reads, writes and instructions of user mode, writes of the kernel" \
		"$(event_awk '!/^#/ && $3 == EV_PAGE_FAULT && $7 { n[$7]++ } END { for (i in n) print i }' "$OUT/r.trace.events" |
			sort -n | tr '\n' ' ')" "2 4 6 20 "
	between "sent IPIs" \
		"$(event_awk '!/^#/ && $3 == EV_IPI { n++ } END { print n + 0 }' "$OUT/r.trace.events")" 10 1000000
	is "IPIs have names" \
		"$(event_awk '!/^#/ && ($3 == EV_CALL_FUNCTION || $3 == EV_RESCHEDULE) { sub(/[(].*/, "", $10); print $10 }' \
			"$OUT/r.trace.events" | sort -u | tr '\n' ' ')" "call_function_ipi reschedule_ipi "
	trace_ok "rarer kinds" "$OUT/kinds.trace"
	trace_text "$OUT/kinds.trace"
	main=$(witness "$OUT/kinds" main main)
	for trap in int3:131:Breakpoint_Exception ud2:130:Illegal_Instruction; do
		phase=${trap%%:*} number=${trap#*:} number=${number%:*}
		is_count "trap ${trap##*:}, all of them" \
			"$(count_between "$OUT/kinds.trace.events" "a=$phase" "a=/$phase" "$main" $((EV_TRAP + number)))" \
			"$(witness "$OUT/kinds" "$phase" taken)"
		taken=$(witness "$OUT/kinds" "$phase" taken)
		is "returns from its signals" "$(calls_and_returns "$phase" "$(syscall_event rt_sigreturn)")" "$taken $taken"
	done
	is "traps have names" "$(event_awk '!/^#/ && ($3 == EV_ILLEGAL_INSTRUCTION || $3 == EV_BREAKPOINT_EXCEPTION) { print $10 }' \
		"$OUT/kinds.trace.events" | sort -u | tr '\n' ' ')" "Breakpoint_Exception Illegal_Instruction "
	is "rarer kinds: nothing inferred except the ends of traps" \
		"$(inferred "$OUT/kinds.trace.events" | grep -vE ': (Breakpoint_Exception|Illegal_Instruction)$')" ""
fi
tap_end
