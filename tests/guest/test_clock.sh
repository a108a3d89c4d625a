#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 900
# takes: 30
#
# No mark is earlier than its cause on another CPU, and marks agree with CLOCK_MONOTONIC_RAW. Two
# CPUs pass a baton, in a loop and by futex(), and mark each pass: no mark is earlier than the
# previous mark by more than one count. Then all CPUs make marks, each between two readings of
# CLOCK_MONOTONIC_RAW. The test compares both clocks over some seconds (CLOCK_SECONDS; half an hour
# with KUTRACE_FULL). It repeats this while the wall clock is set forward and back, which the trace
# must report, and while the guest is stopped.
. tests/guest/lib.sh
guest_begin clock
seconds=${CLOCK_SECONDS:-$(effort 4 20 1800)}
passes=$(effort 4000 20000 100000)

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
seconds=$1
must insmod /lib/kutrace.ko mb=64
# In its first seconds the kernel measures the TSC again. The module must use the new measurement.
source=/sys/devices/system/clocksource/clocksource0/current_clocksource
for i in $(seq 300); do
	[ "$(cat $source)" = tsc-early ] || break
	usleep 100000
done
cat $source >/out/source
must kutrace_control go
must clocks order $2 1 >/out/order
must kutrace_control stop /out/order.trace

# Record only marks, because all events of half an hour do not fit into the buffer.
must kutrace_control mask mark
must kutrace_control go
must clocks raw $seconds 1 >/out/raw
must kutrace_control status --json >/out/status.json
must kutrace_control stop /out/raw.trace

# Set the wall clock during recordings: an hour forward and 1000 s back, then one to two seconds
# forward.
for step in 3600 2; do
	must kutrace_control go
	clocks raw 6 1 >/out/step$step || die "clocks raw" &
	clocks=$!
	usleep 1500000
	must date -s @$(($(date +%s) + step)) >/dev/null
	[ $step = 2 ] || { usleep 500000; date -s @$(($(date +%s) - 1000)) >/dev/null; }
	must wait $clocks
	must kutrace_control stop /out/step$step.trace
done

# The whole guest is stopped for a while.
must kutrace_control go
clocks raw 10 1 >/out/stopped &
clocks=$!
usleep 800000
echo "stop now"
must wait $clocks
must kutrace_control stop /out/stopped.trace
kutrace_control mask all
must rmmod kutrace
SCRIPT

# Stops the guest for 2 s when its script asks for it.
qmp=$(mktemp -u /tmp/clock.XXXXXX)
(
	until grep -q '^stop now' "$OUT/console.log" 2>/dev/null; do sleep 0.3; done
	tests/guest/qmp.pl "$qmp" stop && sleep 2 && tests/guest/qmp.pl "$qmp" cont && echo stopped
) >"$OUT/qmp.log" 2>&1 &
stopper=$!

# within NAME TRACE PAIRS LEAST: checks the times of the marks, in counts, against the readings in
# PAIRS
within()
{
	"$BUILD/tests/clocks" "$2" raw "$khz" "$shift" <"$3" >"$2.clocks" 2>"$2.clocks.err" ||
		{ fail "$1: no mark is missing" "$(cat "$2.clocks.err")"; return; }
	sed "s/^/# $1: /" "$2.clocks" >&2
	between "$1: marks" "$(number "$2.clocks" marks)" "$4" 100000000
	is "$1: as many as were made" "$(number "$2.clocks" marks)" "$(number "$3" made)"
	# A reading can be up to a count early, and CLOCK_MONOTONIC_RAW itself is rounded.
	below "$1: ns by which a mark is outside of the readings around it" "$(number "$2.clocks" error_ns)" 40
	# In a short recording, the time between the readings limits the precision.
	below "$1: difference of the clocks' rates in 10^-9" "$(number "$2.clocks" ppb | tr -d -)" \
		"$(awk '$1 != "made" { if (!n++) first = $3; last = $3 } END { print 120 + 2e12 / (last - first) }' "$3")"
}

# mark_interval NAME TRACE PAIRS LIMIT: checks the time between a mark near the beginning and a mark
# near the end, to 0.2 % and LIMIT microseconds (mark_interval.awk). The trace's times come from the
# wall clock, unless the wall clock was set. If a guest waits for its host, a reading of the wall
# clock is late; see clock_step_us in kutrace-trace(5).
mark_interval()
{
	trace_text "$2" || { fail "$1: the filters read it"; return; }
	# shellcheck disable=SC2046 # three numbers
	between "$1: microseconds from a mark near the beginning to one near the end, by CLOCK_MONOTONIC_RAW" \
		$(event_awk -v limit="$4" -f tests/guest/mark_interval.awk "$3" "$2.events")
}

if guest_run "$TAP_TMP/script" --cpus 2 --timeout $((240 + seconds)) --qmp "$qmp" --file "$GUEST_BIN/clocks" \
	-- "$seconds" "$passes"; then
	khz=$(sed -n 's/.*"clock_khz": *\([0-9]*\).*/\1/p' "$OUT/status.json")
	shift=$(sed -n 's/.*"clock_shift": *\([0-9]*\).*/\1/p' "$OUT/status.json")
	is "the kernel uses the clock that it has measured" "$(cat "$OUT/source")" tsc
	trace_ok "order" "$OUT/order.trace"
	made=$(number "$OUT/order" made)
	is "baton: marks" "$made" $((passes + passes / 8))
	ok "baton: no mark is missing" sh -c "'$BUILD/tests/clocks' '$OUT/order.trace' order 1 $made >'$OUT/order.clocks'"
	sed 's/^/# order: /' "$OUT/order.clocks" >&2
	is "baton: each mark is on another CPU than the one before" "$(number "$OUT/order.clocks" pairs)" $((made - 1))
	is "baton: no mark is earlier by more than a count" "$(number "$OUT/order.clocks" early)" 0
	within "beside CLOCK_MONOTONIC_RAW" "$OUT/raw.trace" "$OUT/raw" 200
	mark_interval "beside CLOCK_MONOTONIC_RAW" "$OUT/raw.trace" "$OUT/raw" 20000
	for step in 3600 2; do
		within "wall clock set by $step s" "$OUT/step$step.trace" "$OUT/step$step" 100
		mark_interval "wall clock set by $step s" "$OUT/step$step.trace" "$OUT/step$step" 1000
		like "wall clock set by $step s: the trace reports it" "$(strings "$OUT/step$step.trace" | grep -o 'clock_step_us=[-0-9]*')" \
			'=-?[1-9]'
	done
	within "stopped" "$OUT/stopped.trace" "$OUT/stopped" 100
	mark_interval "stopped" "$OUT/stopped.trace" "$OUT/stopped" 20000
	ok "stopped: checktrace finds nothing wrong" "$BUILD/bin/checktrace" "$OUT/stopped.trace"
	wait $stopper
	like "stopped: the guest was stopped" "$(cat "$OUT/qmp.log")" 'stopped'
fi
kill $stopper 2>/dev/null
rm -f "$qmp"
tap_end
