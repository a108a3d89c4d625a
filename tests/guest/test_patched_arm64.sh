#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 4200
# takes: 120
# full
#
# The patched kernel of arm64 records the workload, exceptions with their ends, and packets. First
# test_arm64.sh compares the workload with its own counts and /proc, and a 32-bit program with its
# own counts. Then this test checks events that only hooks can show, PC samples while the timer's
# interrupt is not recorded, and that only the requested hooks are on. KERNEL selects another kernel
# than patched-6.12-arm64.
export KERNEL="${KERNEL:-patched-6.12-arm64}"
. tests/guest/lib.sh
guest_begin patched_arm64

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
must insmod /lib/kutrace.ko
must kutrace_control run -o /out/kinds.trace -- sh -c "kinds >/out/kinds && workload --quiet"
must kutrace_control status --json >/out/status.json
must kutrace_control mask pcsample
must kutrace_control run -o /out/pc.trace -- workload --quiet
must rmmod kutrace
must insmod /lib/kutrace.ko backend=tracepoints
must kutrace_control run -o /out/tp.trace -- workload --quiet
must rmmod kutrace
SCRIPT

# Prints the number of calls of the events FROM to TO, and of their returns, merged or not. They may
# differ by the calls in progress at the beginning and end of the recording.
calls_of()	# EVENTS FROM TO
{
	event_awk -v from="$2" -v to="$3" '/^#/ { next }
		$3 >= from && $3 <= to { calls++; returns += $2 > 1 }
		$3 >= from + EV_RETURN_BIT && $3 <= to + EV_RETURN_BIT { returns++ }
		END { print calls + 0, returns + 0 }' "$1"
}

count_of()	# EVENTS FROM TO
{
	awk -v from="$2" -v to="$3" '!/^#/ && $3 >= from && $3 <= to { n++ } END { print n + 0 }' "$1"
}

if guest_run "$TAP_TMP/script" --cpus 2 --timeout 600 --file "$GUEST_BIN/kinds"; then
	for trace in kinds pc tp; do
		trace_ok "$trace" "$OUT/$trace.trace"
		trace_text "$OUT/$trace.trace" || fail "$trace: the filters read it"
	done
	ev=$OUT/kinds.trace.events
	is "nothing inferred" "$(inferred "$ev")" ""
	# shellcheck disable=SC2046
	set -- $(calls_of "$ev" $((EV_TRAP + 64)) $((EV_TRAP + 127)))
	between "exceptions other than page faults ($1)" "$1" 1 100000
	between "each of these exceptions ends" "$2" $(($1 - 2)) "$1"
	# shellcheck disable=SC2046
	set -- $(calls_of "$ev" $EV_PAGE_FAULT $EV_PAGE_FAULT)
	between "page faults ($1)" "$1" 100 1000000
	between "each page fault ends once" "$2" $(($1 - 2)) $(($1 + 2))
	between "spans of the scheduler" "$(count_of "$ev" $EV_SCHED $EV_SCHED)" 10 10000000
	between "packets" "$(count_of "$ev" $EV_RX_PKT $EV_TX_PKT)" 10 1000000
	between "PC samples if nothing else is recorded" "$(count_of "$OUT/pc.trace.events" $EV_PC_U $EV_PC_K)" 5 100000
	is "no interrupts if only PC samples are recorded" "$(count_of "$OUT/pc.trace.events" $EV_IRQ $((EV_BH - 1)))" 0
	between "by tracepoints: page faults" "$(count_of "$OUT/tp.trace.events" $EV_PAGE_FAULT $EV_PAGE_FAULT)" 10 1000000
fi
tap_end
