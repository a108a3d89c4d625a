#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 900
# takes: 60
# ci
#
# On riscv64, traces equal the workload's and the kernel's counts, and nothing is inferred. The
# guest runs Debian's kernel, with a cross-compiled module and the same witnesses as on x86-64. This
# machine reads the trace, so on another architecture. Traps and returns from signals are as many as
# the program counted. KUTRACE_KERNEL selects another kernel than stock-6.12-riscv64. Skipped if the
# kernel is not available. kernels.sh compares all counters exactly, wraps, and loads under load,
# with 2 and with 4 CPUs.
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
	awk -v from="mark_a=$1" -v to="mark_a=/$1" -v event="$2" '
	/^#/ || $3 < 512 { next }
	$10 == from { inside = 1 }
	$10 == to { inside = 0 }
	inside && $3 == event { calls++; returns += $2 > 1 }
	inside && $3 == event + 512 { returns++ }
	END { print calls + 0, returns + 0 }' "$OUT/kinds.trace.events"
}

# Prints the facts that the trace has about itself.
about()
{
	awk '$3 % 16 == 15 && $3 < 512 { print $5 }' "$OUT/r.trace.events"
}

if guest_run "$TAP_TMP/script" --cpus 2 --disk 16 --timeout 400 \
	--file "$GUEST_BUILD/guest/bin/kinds"; then
	is "the guest runs the requested kernel" "$(cat "$OUT/uname")" "$KVER"
	record_checks "$kernel" 2
	is "nothing inferred" "$(inferred "$OUT/r.trace.events")" ""
	like "the trace has its architecture" "$(about)" '^arch=riscv64$'
	like "the trace has its time counter" "$(about)" '^clock=time$'
	like "the trace has the counter's rate" "$(about)" '^clock_khz=10000$'
	between "returns are merged into their calls, some in the same count" \
		"$(awk '!/^#/ && $3 >= 2048 && $3 < 2560 && $2 > 1 { n++ } END { print n + 0 }' "$OUT/r.trace.events")" \
		100 100000
	between "PC samples, after the timer's interrupts" \
		"$(awk '!/^#/ && ($3 == 640 || $3 == 641) { n++ } END { print n + 0 }' "$OUT/r.trace.events")" 10 100000
	is "page faults have x86's bits: reads, writes and instructions of user mode, writes of the kernel" \
		"$(awk '!/^#/ && $3 == 1038 && $7 { n[$7]++ } END { for (i in n) print i }' "$OUT/r.trace.events" |
			sort -n | tr '\n' ' ')" "2 4 6 20 "
	between "sent IPIs" \
		"$(awk '!/^#/ && $3 == 519 { n++ } END { print n + 0 }' "$OUT/r.trace.events")" 10 1000000
	is "IPIs have names" \
		"$(awk '!/^#/ && ($3 == 1532 || $3 == 1533) { sub(/[(].*/, "", $10); print $10 }' \
			"$OUT/r.trace.events" | sort -u | tr '\n' ' ')" "call_function_ipi reschedule_ipi "
	trace_ok "rarer kinds" "$OUT/kinds.trace"
	trace_text "$OUT/kinds.trace"
	main=$(witness "$OUT/kinds" main main)
	for trap in int3:131:Breakpoint_Exception ud2:130:Illegal_Instruction; do
		phase=${trap%%:*} number=${trap#*:} number=${number%:*}
		is_count "trap ${trap##*:}, all of them" \
			"$(count_between "$OUT/kinds.trace.events" "a=$phase" "a=/$phase" "$main" $((1024 + number)))" \
			"$(witness "$OUT/kinds" "$phase" taken)"
		taken=$(witness "$OUT/kinds" "$phase" taken)
		is "returns from its signals" "$(calls_and_returns "$phase" $((2048 + 139)))" "$taken $taken"
	done
	is "traps have names" "$(awk '!/^#/ && ($3 == 1154 || $3 == 1155) { print $10 }' \
		"$OUT/kinds.trace.events" | sort -u | tr '\n' ' ')" "Breakpoint_Exception Illegal_Instruction "
	is "rarer kinds: nothing inferred except the ends of traps" \
		"$(inferred "$OUT/kinds.trace.events" | grep -vE ': (Breakpoint_Exception|Illegal_Instruction)$')" ""
fi
tap_end
