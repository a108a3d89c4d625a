#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 900
# takes: 45
#
# On arm64, traces equal the workload's and the kernel's counts, and nothing is inferred. The guest
# runs Debian's kernel, with a cross-compiled module and the same witnesses as on x86-64. The host
# reads the traces, although it has another architecture. A 32-bit program, whose calls have other
# numbers, is compared with its own counts, and another program makes marks by struct. KERNEL or
# KUTRACE_KERNEL selects another kernel than stock-6.12-arm64, such as patched-6.12-arm64, which
# already has the module. Skipped if the kernel is not available.
. tests/guest/lib.sh
guest_begin arm64
. tests/guest/record_checks.sh
kernel=${KERNEL:-${KUTRACE_KERNEL:-stock-6.12-arm64}}
named_kernel "$kernel" "$OUT/kernel.log"
is "the module builds without a warning" "$(grep -E 'warning|error:' "$OUT/kernel.log")" ""

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
set -e
insmod /lib/kutrace.ko
kutrace_control run -o /out/r.trace -- sh -c \
	'counters sh -c "workload --disk /dev/vdb >/out/witness" >/out/counters'
kutrace_control status --json >/out/status.json
# A kernel may be unable to run 32-bit programs.
if calls32 2>/dev/null; then
	kutrace_control run -o /out/32.trace -- calls32
	kutrace_control run -o /out/mark32.trace -- mark32
fi
rmmod kutrace
uname -r >/out/uname
SCRIPT
# Prints the number of 32-bit calls with that number, and of returns from them.
calls32()
{
	event_awk -v call=$((EV_SYSCALL32 + $1)) '!/^#/ && $3 == call { calls++; returns += $2 > 1 }
		!/^#/ && $3 == call + EV_RETURN_BIT { returns++ }
		END { print calls + 0, returns + 0 }' "$OUT/32.trace.events"
}

if guest_run "$TAP_TMP/script" --cpus 2 --disk 16 --timeout 300 \
	--file "$GUEST_BIN/calls32" --file "$GUEST_BIN/mark32"; then
	is "the guest runs the requested kernel" "$(cat "$OUT/uname")" "$KVER"
	record_checks "$kernel" 2
	is "nothing inferred" "$(inferred "$OUT/r.trace.events")" ""
	like "the trace has its architecture" \
		"$(event_awk '$3 % 16 == EV_META % 16 && $3 < EV_FIRST { print $5 }' "$OUT/r.trace.events")" '^arch=aarch64$'
	like "the trace has its time counter" \
		"$(event_awk '$3 % 16 == EV_META % 16 && $3 < EV_FIRST { print $5 }' "$OUT/r.trace.events")" '^clock=cntvct$'
	case $kernel in
	patched-*) like "the patched kernel has no caveat" "$(cat "$OUT/status.json")" '"caveats": \[\]' ;;
	*) like "there is a caveat that page faults begin late" "$(cat "$OUT/status.json")" '"fault_late"' ;;
	esac
	between "PC samples, after the timer's interrupts" \
		"$(event_awk '!/^#/ && ($3 == EV_PC_U || $3 == EV_PC_K) { n++ } END { print n + 0 }' "$OUT/r.trace.events")" 10 100000
	if [ ! -f "$OUT/32.trace" ]; then
		skip "a 32-bit program" "this kernel or processor runs none"
		tap_end
	fi
	trace_ok "a 32-bit program" "$OUT/32.trace"
	trace_text "$OUT/32.trace"
	is "a 32-bit program: nothing inferred, at exec nor at the returns from signals" \
		"$(inferred "$OUT/32.trace.events")" ""
	is "a 32-bit program: getppid" "$(calls32 64)" "311 311"
	is "a 32-bit program: sigreturn" "$(calls32 119)" "13 13"
	is "a 32-bit program: rt_sigreturn" "$(calls32 173)" "17 17"
	is "a 32-bit program: kill" "$(calls32 37)" "30 30"
	is "a 32-bit program: calls have names" \
		"$(for number in 64 119 173 37; do
			event_awk -v call=$((EV_SYSCALL32 + number)) '!/^#/ && $3 == call { print $10 }' "$OUT/32.trace.events"
		done | sort -u | tr '\n' ' ')" "getppid kill rt_sigreturn sigreturn "
	trace_ok "a 32-bit program that marks" "$OUT/mark32.trace"
	trace_text "$OUT/mark32.trace"
	is "a 32-bit program marks by struct" "$(count_mark_d "$OUT/mark32.trace.events" 3201)" 23
fi
tap_end
