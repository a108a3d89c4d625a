#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks one kernel for `make check-kernels`: its traces are right, and the module leaves the kernel
# as it was.
#
#	tests/guest/kernels.sh NAME [CPUS...]
#
# NAME is a name of kernel.sh (also patched-6.12-arm64), or patched-6.1, patched-6.12, patched-7.2.
# Without CPUS, the guests have 1, 2 and 4 CPUs. In each guest:
#
#	- The demo is recorded. The trace is sound and covers all time, equals the workload's and the
#	  kernel's counts, and has nothing inferred except what docs/reference/kernels.md lists.
#	- The rarer kinds of events are recorded.
#	- Traces of three workloads are compared exactly with all counters of the kernel.
#	- A recording wraps, and three snapshots of it are sound.
#	- The module is loaded and unloaded 20 times under load.
#	- The kernel's log is clean.
#
# On the stock kernels of flavour cloud the hits of tracepoints are also counted (test_conserve.sh).
# The results are in $BUILD/kernels/NAME/CPUS, with a file `row`; kernels_table.sh makes its tables
# of them. A kernel that is not available is skipped, with the reason. With KERNELS_SHORT, only the
# first three steps are done.
. tests/guest/lib.sh
. tests/guest/record_checks.sh
. tests/guest/exact_checks.sh
[ $# -ge 1 ] || { echo "usage: kernels.sh NAME [CPUS...]" >&2; exit 2; }
name=$1
shift
[ $# -gt 0 ] || set -- 1 2 4
top=$BUILD/kernels/$name
tap_begin
mkdir -p "$top"
rm -f "$top/row"

# Spans that may be inferred on a stock kernel: traps of which only the signal is traced, not the end.
listed='Divide-by-zero|Breakpoint|Invalid_Opcode|Breakpoint_Instruction|Undefined_Instruction|Breakpoint_Exception|Illegal_Instruction'

# Finds or builds kernel and modules. Sets KERNEL_DIR, KO, TEST_KO.
get_kernel()
{
	local status=0

	case $name in
	patched-*-arm64)
		listed='^$'
		tests/guest/payload.sh "$name" >"$top/kernel.log" 2>&1 || return
		. "$BUILD/guest/env-$name"
		# The build warns of each option that arm64.config reverts.
		is "$name: kernel and module build without a warning" \
			"$(grep -v 'warning: override: reassigning' "$KERNEL_DIR/warnings")" ""
		exact_module "$KDIR" "$KVER" "$KSUITE" >>"$top/kernel.log" 2>&1 || return
		;;
	patched-*)
		found=$(kernel-patches/build.sh --kver "${name#patched-}" 2>"$top/kernel.log") || return
		listed='^$'
		eval "$found"
		GUEST_BUILD=$BUILD GUEST_BIN=$BUILD/guest/bin
		TEST_KO=$(find "$KERNEL_DIR/lib/modules" -name kutrace_test.ko)
		;;
	*)
		tests/guest/payload.sh "$name" >"$top/kernel.log" 2>&1 || return
		. "$BUILD/guest/env-$name"
		is "$name: the module builds without a warning" \
			"$(grep -E 'warning|error:' "$top/kernel.log")" ""
		exact_module "$KDIR" "$KVER" "$KSUITE" >>"$top/kernel.log" 2>&1 || return
		;;
	esac
}

# lock_contention.c needs userfaultfd, which the configuration of the patched kernels does not have.
# test_patched.sh tests their locks.
waits="lock_contention 7 /tmp/both"
case $name in patched-*) waits=true ;; esac

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
waits=$2
uname -r >/out/uname
uname -v >/out/version
must insmod /lib/kutrace.ko
must kutrace_control run -o /out/r.trace -- sh -c \
	'counters sh -c "workload --disk /dev/vdb >/out/witness" >/out/counters'
# Run a 32-bit program, if the guest has one and the kernel can run it.
other=true
! calls32 2>/dev/null || other=calls32
must kutrace_control run -o /out/kinds.trace -- sh -c \
	"kinds >/out/kinds && $other && $waits && workload --quiet"
must kutrace_control start
kinds >/dev/null && $other && $waits && workload --quiet || exit 14
must kutrace_control status --json >/out/status.json
must kutrace_control tracepoints --json >/out/tracepoints.json
kutrace_control off
must rmmod kutrace

echo "counting"
must insmod /lib/kutrace_test.ko
must insmod /lib/kutrace.ko
echo "idle 1 0" >/proc/kutrace_test || exit 42
echo "refused 1 0" >/proc/kutrace_test || exit 42
for workload in calls tasks devices; do
	must kutrace_control run -o /out/$workload.trace -- \
		sh -c "exact $workload >/out/$workload.readings"
done
echo "idle 0 0" >/proc/kutrace_test || exit 44
must rmmod kutrace
must rmmod kutrace_test
[ -z "$1" ] || exit 0

echo "wrapping"
must insmod /lib/kutrace.ko mb=1
must kutrace_control start --wrap
(while [ ! -f /tmp/enough ]; do workload --quiet; done) >/dev/null 2>&1 &
dd if=/dev/zero of=/dev/null bs=1 2>/dev/null &	# one system call per byte
load=$!
until kutrace_control status --json | grep -q '"wrapped": true'; do usleep 100000; done
echo "wrapped"
for i in 1 2 3; do
	must kutrace_control snapshot -o /out/s$i.trace >/dev/null
	usleep 100000
done
touch /tmp/enough
kill $load
wait
must kutrace_control stop /out/w.trace >/dev/null
must rmmod kutrace

echo "loading"
# Start the load before the module is loaded, so that it never opens the device, and wait until it
# has run for a while.
workload --quiet --repeat 1000000 &
load=$!
until [ "$(awk '{ print $14 + $15 }' /proc/$load/stat)" -ge 10 ]; do usleep 20000; done
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	must insmod /lib/kutrace.ko mb=4
	must kutrace_control start >/dev/null
	usleep 50000
	# every second time the module is unloaded while it records
	[ $((i % 2)) = 0 ] || kutrace_control stop /out/l.trace >/dev/null || exit 32
	must rmmod kutrace
	echo $i | tee -a /out/rounds
done
must kill -0 $load
kill $load
wait
must workload >/out/after
SCRIPT

# Checks the files that one guest left, and writes its row.
look()	# CPUS SECONDS
{
	local label="$name, $1 CPUs" sound events

	record_checks "$label" "$1"
	inferred "$OUT/r.trace.events" >"$OUT/inferred"
	is "$label: nothing inferred in the demo" "$(cat "$OUT/inferred")" ""
	trace_ok "$label: rarer kinds" "$OUT/kinds.trace"
	trace_text "$OUT/kinds.trace"
	inferred "$OUT/kinds.trace.events" >"$OUT/inferred.kinds"
	is "$label: rarer kinds: nothing inferred except what docs/reference/kernels.md lists" \
		"$(grep -vE ": ($listed)\$" "$OUT/inferred.kinds")" ""
	look_counted "$label" "$1"
	[ -n "$KERNELS_SHORT" ] || look_on "$label"
	"$BUILD/bin/checktrace" --json "$OUT/r.trace" >"$OUT/check.json"
	sound=$(grep -q '"sound": true' "$OUT/check.json" && echo sound || echo "not sound")
	events=$(event_awk '!/^#/ && $3 >= EV_FIRST { n++ } END { print n + 0 }' "$OUT/r.trace.events")
	printf '%s|%s|%d|%s|%d|%d|%d|%s|%s|%s|clean|%d\n' "$name" "$(cat "$OUT/uname")" "$1" "$sound" \
		"$events" "$(awk '{ n += $1 } END { print n + 0 }' "$OUT/inferred")" \
		"$(cat "$OUT/counters.grew")" \
		"$([ -n "$KERNELS_SHORT" ] && echo - || awk '{ n += $1 } END { print n + 0 }' "$OUT/inferred.wrapped")" \
		"$([ -n "$KERNELS_SHORT" ] && echo - || echo 3)" \
		"$([ -n "$KERNELS_SHORT" ] && echo - || wc -l <"$OUT/rounds")" "$2" >"$OUT/row"
	rm -f "$OUT"/*.trace.* "$OUT"/s?.trace
}

# Compares every counter of the kernel with the trace. Writes to counters.grew how many of them
# grew.
look_counted()	# LABEL CPUS
{
	local workload label grew=0

	for workload in calls tasks devices; do
		label="$1: counted: $workload"
		trace_ok "$label" "$OUT/$workload.trace"
		trace_text "$OUT/$workload.trace" || { fail "$label: the filters read the trace"; continue; }
		exact_counts "$label" "$OUT/$workload.trace.events" "$OUT/$workload.readings"
		exact_grew "$label" "$workload" "$2" "$OUT/$workload.readings"
		exact_calls "$label" "$OUT/$workload.trace.events" "$OUT/$workload.readings"
		grew=$((grew + $(awk '$3 != 0' "$TAP_TMP/exact" | wc -l)))
	done
	echo "$grew" >"$OUT/counters.grew"
}

# Checks the steps that follow the demo: the recording that wraps, and the 20 rounds.
look_on()	# LABEL
{
	local label=$1 one

	: >"$OUT/inferred.wrapped"
	for one in s1 s2 s3 w; do
		trace_ok "$label: wrapped trace $one" "$OUT/$one.trace"
		! trace_text "$OUT/$one.trace" || inferred "$OUT/$one.trace.events" >>"$OUT/inferred.wrapped"
	done
	# A thread may come from another CPU, whose blocks with the switch were overwritten.
	between "$label: wrapped: few inferred events, from overwritten blocks of other CPUs" \
		"$(grep -vE ": ($listed)\$" "$OUT/inferred.wrapped" | awk '{ n += $1 } END { print n + 0 }')" 0 60
	is "$label: 20 rounds of load, record, unload" "$(wc -l <"$OUT/rounds")" 20
	trace_ok "$label: the last recording under load" "$OUT/l.trace"
	is "$label: the workload runs as before afterwards" "$(witness "$OUT/after" burst getpid)" 1009
}

# Checks that every hit of a tracepoint is in the trace or counted as lost. The diagnostics name the
# log of the run.
conserving()	# CPUS...
{
	local log=$top/conserve.log

	is "$name: hits = entries + merged + lost ($log)" \
		"$(KERNEL=$name CONSERVE_CPUS="$*" tests/guest/test_conserve.sh >"$log" 2>&1
			echo $?; grep '^not ok' "$log")" 0
	grep -q '^ok .*hits = entries' "$log" ||
		fail "$name: hits were compared" "$(tail -n 3 "$log")"
}

status=0
get_kernel || status=$?
if [ "$status" = 77 ]; then
	skip "$name" "$(tail -n 1 "$top/kernel.log")"
	echo "$name|not to be had" >"$top/row"
	tap_end
elif [ "$status" != 0 ]; then
	fail "$name: kernel and module are available" "$(tail -n 5 "$top/kernel.log")"
	echo "$name|FAILED: no kernel or module" >"$top/row"
	tap_end
fi
for cpus; do
	OUT=$top/$cpus
	rm -rf "$OUT"
	mkdir -p "$OUT"
	before=$TAP_FAILED
	began=$SECONDS
	other=
	[ -z "$KARCH" ] || other=$(find "$GUEST_BIN" -name calls32)
	if guest_run "$TAP_TMP/script" --cpus "$cpus" --mem 1024 --disk 16 --timeout 1800 \
		--file "$GUEST_BIN/kinds" --file "$GUEST_BIN/lock_contention" \
		--file "$GUEST_BIN/exact" ${other:+--file} ${other:+"$other"} \
		--file "$TEST_KO:/lib/kutrace_test.ko" -- "$KERNELS_SHORT" "$waits"; then
		look "$cpus" $((SECONDS - began))
	fi
	[ "$TAP_FAILED" = "$before" ] || echo "$name|$(cat "$OUT/uname" 2>/dev/null)|$cpus|FAILED: $((TAP_FAILED - before)) checks" >"$OUT/row"
done
case $name in
stock-*.*[-@]*) ;;
stock-*) [ -n "$KERNELS_SHORT" ] || conserving "$@" ;;
esac
tap_end
