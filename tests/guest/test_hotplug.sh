#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 600
# takes: 20
# ci
#
# A CPU that goes offline and comes back under load keeps its marks, has no event while it is
# offline, and loses nothing. The same holds for a recording that begins while the CPU is offline,
# for one that wraps and is read by snapshots, and for a module that is loaded and unloaded
# meanwhile. Runs on the stock kernel, or $KERNEL.
. tests/guest/lib.sh
guest_begin hotplug

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
online=/sys/devices/system/cpu/cpu1/online
must [ -w $online ]
cpu1() { echo $1 >$online || die "cannot write $online"; }
must insmod /lib/kutrace.ko mb=64
(while [ ! -f /tmp/enough ]; do workload --quiet; done) >/dev/null 2>&1 &
must kutrace_control start
for round in 1 2 3 4 5; do
	must taskset 2 marker on$round 101
	cpu1 0
	marker gone$round 1
	usleep 100000
	marker back$round 1
	cpu1 1
done
must taskset 2 marker on6 101
touch /tmp/enough
wait
kutrace_control status --json >/out/status.json
must kutrace_control stop /out/t.trace

# CPU 1 is offline when recording begins, and when recording ends.
cpu1 0
must kutrace_control start
cpu1 1
must taskset 2 marker late 103
cpu1 0
must kutrace_control stop /out/late.trace
must rmmod kutrace
# Load the module while CPU 1 is offline.
must insmod /lib/kutrace.ko mb=1
cpu1 1
must kutrace_control start --wrap
taskset 1 dd if=/dev/zero of=/dev/null bs=1 2>/dev/null &
load=$!
until kutrace_control status --json | grep -q '"wrapped": true'; do usleep 100000; done
for round in 1 2 3; do
	cpu1 0
	must kutrace_control snapshot -o /out/away$round.trace >/dev/null
	cpu1 1
	# Stop the load of CPU 0, which could overwrite the marks before the snapshot.
	kill -STOP $load
	must taskset 2 marker last$round 107
	must kutrace_control snapshot -o /out/there$round.trace >/dev/null
	kill -CONT $load
done
kill $load
wait
must kutrace_control stop /out/wrap.trace
# Unload the module while CPU 1 is offline and the module records.
must kutrace_control start
cpu1 0
must rmmod kutrace
cpu1 1
must insmod /lib/kutrace.ko mb=4
must kutrace_control run -o /out/after.trace -- taskset 2 marker after 109
must rmmod kutrace
SCRIPT

# Prints the number of mark_c with that label on CPU 1, and on other CPUs.
marks()	# EVENTS LABEL
{
	awk -v mark="mark_c=$2" '!/^#/ && $10 == mark { n[$4 == 1]++ } END { print n[1] + 0, n[0] + 0 }' "$1"
}

if guest_run "$TAP_TMP/script" --cpus 2 --mem 768 --timeout 400 --file "$GUEST_BIN/marker"; then
	trace_ok "offline and back" "$OUT/t.trace"
	ok "offline and back: the filters read it" trace_text "$OUT/t.trace"
	events=$OUT/t.trace.events
	for round in 1 2 3 4 5 6; do
		is "round $round: all marks are on the CPU that was offline" "$(marks "$events" on$round)" "101 0"
	done
	# A context switch of length 1 in event text is the head of a block, not an event.
	is "in five rounds, only the other CPU has events while one is offline" "$(event_awk '
		/^#/ || $3 < EV_FIRST || $3 == EV_USERPID && $2 == 1 { next }
		$10 ~ /^mark_c=gone/ { away = 1; next }
		$10 ~ /^mark_c=back/ { away = 0; rounds++; next }
		away { n[$4 == 1]++ }
		END { print rounds + 0, n[1] + 0, (n[0] > 100 ? "many" : n[0] + 0) }' "$events")" "5 0 many"
	# Tracepoints do nothing on a CPU that is marked as offline. So the last switch, from the
	# thread that took the CPU offline to idle, is not recorded.
	is "nothing inferred except the last switch of the CPU" \
		"$(inferred "$events" | grep -vE '^[1-5] context switch not recorded, from migration/1')" ""
	for one in late after; do
		trace_ok "$one" "$OUT/$one.trace"
		ok "$one: the filters read it" trace_text "$OUT/$one.trace"
	done
	is "offline at the beginning and at the end: all marks" "$(marks "$OUT/late.trace.events" late)" "103 0"
	is "after unloading while it is offline: all marks" "$(marks "$OUT/after.trace.events" after)" "109 0"
	for one in away1 away2 away3 there1 there2 there3 wrap; do
		ok "wrapped: $one is sound" "$BUILD/bin/checktrace" "$OUT/$one.trace"
	done
	for round in 1 2 3; do
		ok "wrapped: the filters read there$round" trace_text "$OUT/there$round.trace"
		is "wrapped, round $round: all marks" \
			"$(marks "$OUT/there$round.trace.events" last$round)" "107 0"
	done
fi
tap_end
