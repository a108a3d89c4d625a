#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 7200
# takes: 900
# full
#
# Hooks and module run on the debug kernel of arm64 without a report of its checks: KASAN,
# PROVE_LOCKING, PROVE_RCU, DEBUG_ATOMIC_SLEEP, DEBUG_PREEMPT. boot.sh fails if the kernel's log has
# a report. The guest records the workload and rarer kinds of events, then three sessions at the
# same time, of which one wraps and is read meanwhile. Then it unloads the module while it records.
# test_debug_found.sh shows that the checks of this kernel find mistakes (make check-kernels).
export KERNEL="${KERNEL:-patched-6.12-arm64-debug}"
. tests/guest/lib.sh
guest_begin debug_arm64

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
must insmod /lib/kutrace.ko mb=8
must kutrace_control run -o /out/kinds.trace -- sh -c "kinds >/out/kinds && workload --quiet"
must kutrace_control session create second --size 4
must kutrace_control session create third --size 4 --wrap
must kutrace_control start
must kutrace_control --session second start
must workload --quiet
must kutrace_control --session third start
must workload --quiet
must kutrace_control --session third snapshot -o /out/third.trace >/dev/null
must kutrace_control --session second stop /out/second.trace >/dev/null
must kutrace_control stop /out/first.trace >/dev/null
must kutrace_control --session third stop /out/last.trace >/dev/null
must rmmod kutrace
for i in 1 2 3; do
	must insmod /lib/kutrace.ko mb=1
	must kutrace_control start --wrap >/dev/null
	must workload --quiet
	must rmmod kutrace
done
SCRIPT

like "KASAN checks the accesses of kutrace.ko" "$(strings -a "$KO")" '^__asan_report_load8_noabort$'
if guest_run "$TAP_TMP/script" --cpus 2 --mem 2048 --timeout 3000 --file "$GUEST_BIN/kinds"; then
	for trace in kinds first second third last; do
		ok "$trace: checktrace finds nothing wrong" "$BUILD/bin/checktrace" "$OUT/$trace.trace"
	done
	for trace in kinds first second last; do
		trace_text "$OUT/$trace.trace" || fail "$trace: the filters read it"
		between "$trace: events" "$(event_awk '!/^#/ && $3 >= EV_FIRST { n++ } END { print n + 0 }' \
			"$OUT/$trace.trace.events")" 1000 10000000
	done
fi

tap_end
