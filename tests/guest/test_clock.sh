#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 900
# takes: 30
#
# Time. Two CPUs pass a baton, in a loop and by futex(), and mark that: no mark is earlier than the one before
# it by more than one count. Marks on all CPUs, each between two readings of CLOCK_MONOTONIC_RAW: how far apart the
# clocks are, over some seconds (CLOCK_SECONDS; with KUTRACE_FULL half an hour). The same while the wall clock is
# set forward and back, which the trace must say, and while the guest stands still.
. tests/guest/lib.sh
guest_begin clock
seconds=${CLOCK_SECONDS:-$(effort 4 20 1800)}
passes=$(effort 4000 20000 100000)

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
seconds=$1
insmod /lib/kutrace.ko mb=64 || exit 10
# In the first seconds the kernel measures the TSC again, and what it then knows of it, the module must know, too.
source=/sys/devices/system/clocksource/clocksource0/current_clocksource
for i in $(seq 300); do
	[ "$(cat $source)" = tsc-early ] || break
	usleep 100000
done
cat $source >/out/source
kutrace_control go || exit 11
clocks order $2 1 >/out/order || exit 12
kutrace_control stop /out/order.trace || exit 13

# Only marks: half an hour of all events would not fit.
kutrace_control mask mark || exit 14
kutrace_control go || exit 15
clocks raw $seconds 1 >/out/raw || exit 16
kutrace_control status --json >/out/status.json || exit 17
kutrace_control stop /out/raw.trace || exit 18

# The wall clock is set: by an hour and back, and by one to two seconds, which is little beside what was recorded.
for step in 3600 2; do
	kutrace_control go || exit 20
	clocks raw 6 1 >/out/step$step || exit 21 &
	clocks=$!
	usleep 1500000
	date -s @$(($(date +%s) + step)) >/dev/null || exit 22
	[ $step = 2 ] || { usleep 500000; date -s @$(($(date +%s) - 1000)) >/dev/null; }
	wait $clocks || exit 23
	kutrace_control stop /out/step$step.trace || exit 24
done

# Everything stands still for a while.
kutrace_control go || exit 30
clocks raw 10 1 >/out/stopped &
clocks=$!
usleep 800000
echo "stop now"
wait $clocks || exit 31
kutrace_control stop /out/stopped.trace || exit 32
kutrace_control mask all
rmmod kutrace || exit 33
SCRIPT

# Stops the guest when it says so, for 2 s.
qmp=$(mktemp -u /tmp/clock.XXXXXX)
(
	until grep -q '^stop now' "$OUT/console.log" 2>/dev/null; do sleep 0.3; done
	tests/guest/qmp.pl "$qmp" stop && sleep 2 && tests/guest/qmp.pl "$qmp" cont && echo stopped
) >"$OUT/qmp.log" 2>&1 &
stopper=$!

# within NAME TRACE PAIRS LEAST: marks lie where they were made, by the counts
within()
{
	"$BUILD/tests/clocks" "$2" raw "$khz" "$shift" <"$3" >"$2.clocks" 2>"$2.clocks.err" ||
		{ fail "$1: every mark is there" "$(cat "$2.clocks.err")"; return; }
	sed "s/^/# $1: /" "$2.clocks" >&2
	between "$1: marks" "$(number "$2.clocks" marks)" "$4" 100000000
	is "$1: as many as were made" "$(number "$2.clocks" marks)" "$(number "$3" made)"
	# The readings are up to a count early, and CLOCK_MONOTONIC_RAW itself is rounded.
	below "$1: by how many ns a mark lies outside of the readings around it" "$(number "$2.clocks" error_ns)" 40
	# A short recording does not tell it better than the readings are apart.
	below "$1: by how many 10^-9 the clocks' ratio is another" "$(number "$2.clocks" ppb | tr -d -)" \
		"$(awk '$1 != "made" { if (!n++) first = $3; last = $3 } END { print 120 + 2e12 / (last - first) }' "$3")"
}

# lasted NAME TRACE PAIRS LIMIT: checks the time between a mark near the beginning and one near the end, to 0.2 % and
# LIMIT microseconds (lasted.awk). The trace's times are made of the wall clock, if that was not set; what a reading of it may be late where a
# guest waits for its host, clock_step_us in kutrace-trace(5) says.
lasted()
{
	trace_text "$2" || { fail "$1: the filters read it"; return; }
	# shellcheck disable=SC2046 # three numbers
	between "$1: microseconds from a mark near the beginning to one near the end, by CLOCK_MONOTONIC_RAW" \
		$(awk -v limit="$4" -f tests/guest/lasted.awk "$3" "$2.events")
}

if guest_run "$TAP_TMP/script" --cpus 2 --timeout $((240 + seconds)) --qmp "$qmp" --file "$BUILD/guest/bin/clocks" \
	-- "$seconds" "$passes"; then
	khz=$(sed -n 's/.*"clock_khz": *\([0-9]*\).*/\1/p' "$OUT/status.json")
	shift=$(sed -n 's/.*"clock_shift": *\([0-9]*\).*/\1/p' "$OUT/status.json")
	is "the clock of the kernel is the one that it has measured" "$(cat "$OUT/source")" tsc
	trace_ok "order" "$OUT/order.trace"
	made=$(number "$OUT/order" made)
	is "baton: marks" "$made" $((passes + passes / 8))
	ok "baton: every mark is there" sh -c "'$BUILD/tests/clocks' '$OUT/order.trace' order 1 $made >'$OUT/order.clocks'"
	sed 's/^/# order: /' "$OUT/order.clocks" >&2
	is "baton: each on another CPU than the one before" "$(number "$OUT/order.clocks" pairs)" $((made - 1))
	is "baton: none is earlier by more than a count" "$(number "$OUT/order.clocks" early)" 0
	within "beside CLOCK_MONOTONIC_RAW" "$OUT/raw.trace" "$OUT/raw" 200
	lasted "beside CLOCK_MONOTONIC_RAW" "$OUT/raw.trace" "$OUT/raw" 20000
	for step in 3600 2; do
		within "wall clock set by $step s" "$OUT/step$step.trace" "$OUT/step$step" 100
		lasted "wall clock set by $step s" "$OUT/step$step.trace" "$OUT/step$step" 1000
		like "wall clock set by $step s: the trace says so" "$(strings "$OUT/step$step.trace" | grep -o 'clock_step_us=[-0-9]*')" \
			'=-?[1-9]'
	done
	within "stopped" "$OUT/stopped.trace" "$OUT/stopped" 100
	lasted "stopped" "$OUT/stopped.trace" "$OUT/stopped" 20000
	ok "stopped: checktrace finds nothing wrong" "$BUILD/bin/checktrace" "$OUT/stopped.trace"
	wait $stopper
	like "stopped: it was" "$(cat "$OUT/qmp.log")" 'stopped'
fi
kill $stopper 2>/dev/null
rm -f "$qmp"
tap_end
