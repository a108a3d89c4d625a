#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 600
# takes: 15
#
# Recordings continue after a suspend to memory, and end at the suspend if the time counter
# restarts. The machine is suspended and resumed while two sessions record. The traces show the time
# of the suspend. On many real machines the counter restarts at resume; a module of the test
# simulates this. Then the recordings end with the events before the suspend, have no later events,
# and the next recording works. KERNEL=stock-6.12 ... selects a kernel.
. tests/guest/lib.sh
guest_begin suspend
ok "a module that simulates a restarted counter is built" tests/guest/module_build.sh "$KDIR" "$KVER" "$BUILD" "$KSUITE" \
	tests/guest/module/restart

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
must grep -q deep /sys/power/mem_sleep
echo deep >/sys/power/mem_sleep
must insmod /lib/kutrace.ko mb=16
for i in $(seq 300); do
	[ "$(cat /sys/devices/system/clocksource/clocksource0/current_clocksource)" = tsc-early ] || break
	usleep 100000
done

# --- the counter continues ---
must kutrace_control --session beside start --wrap --size 8 --mask sched,irq,mark
must kutrace_control go
must clocks raw 1 1 >/out/before
clocks suspended >/out/suspended.0
echo mem >/sys/power/state || die "cannot write /sys/power/state"
clocks suspended >/out/suspended.1
must clocks raw 1 100001 >/out/behind
must kutrace_control stop /out/went_on.trace
must kutrace_control --session beside stop /out/beside.trace

# --- the counter restarts ---
must insmod /lib/restart.ko
must kutrace_control --session beside start --wrap --size 8 --mask sched,irq,mark
must kutrace_control gowrap
must clocks raw 1 1 >/out/restart.before
echo mem >/sys/power/state || die "cannot write /sys/power/state"
must clocks raw 1 100001 >/out/restart.behind
for i in $(seq 300); do
	must kutrace_control status --json >/out/status.json
	grep -q '"recording": *true' /out/status.json || break
	usleep 100000
done
must kutrace_control dump /out/restart.trace
must kutrace_control --session beside dump /out/restart_beside.trace
must_fail kutrace_control on 2>/out/on
must kutrace_control go
must clocks raw 1 200001 >/out/next
must kutrace_control stop /out/next.trace
# Suspend without a recording: the log has no message.
echo mem >/sys/power/state || die "cannot write /sys/power/state"
must rmmod kutrace_restart
must rmmod kutrace
SCRIPT

# Resumes the machine each time after it was suspended for 2 s.
qmp=$(mktemp -u /tmp/suspend.XXXXXX)
(
	until [ -S "$qmp" ]; do sleep 0.3; done
	while state=$(tests/guest/qmp.pl "$qmp" query-status); do
		case $state in
		*'"suspended"'*) sleep 2 && tests/guest/qmp.pl "$qmp" system_wakeup && echo resumed ;;
		esac
		sleep 0.3
	done
) >"$OUT/qmp.log" 2>&1 &
resumer=$!

# Prints for the interrupt "suspended" in the events $1: the number of its events, the number of
# their CPUs, and their total time in ms.
suspended()
{
	event_awk '
	/^#/ { next }
	$3 == EV_SUSPENDED { n++; cpu[$4] = 1; began[$4] = $1 }
	$3 == EV_SUSPENDED_RETURN && began[$4] != "" { sum += $1 - began[$4] }
	END { for (c in cpu) cpus++; printf "%d %d %d\n", n, cpus, sum / 100000 }' "$1"
}

# marks EVENTS FIRST COUNT: prints the number of these marks that are in order
marks()
{
	event_awk -v first="$2" -v count="$3" '
	/^#/ || $3 != EV_MARKD || $7 < first || $7 >= first + count { next }
	$7 != first + n { wrong++ }
	{ n++ }
	END { print n - wrong }' "$1"
}

if guest_run "$TAP_TMP/script" --cpus 2 --timeout 300 --qmp "$qmp" --file "$GUEST_BIN/clocks" \
	--file "$BUILD/module/$KVER/restart/kutrace_restart.ko:/lib/restart.ko"; then
	between "number of times that the machine was suspended" "$(grep -c '^resumed' "$OUT/qmp.log")" 3 3
	for trace in went_on beside next restart restart_beside; do
		trace_ok "$trace" "$OUT/$trace.trace"
		trace_text "$OUT/$trace.trace" || fail "$trace: the filters read it"
	done
	made=$(number "$OUT/before" made)
	is "before: no mark is missing" "$(marks "$OUT/went_on.trace.events" 1 "$made")" "$made"
	made=$(number "$OUT/behind" made)
	is "after: no mark is missing" "$(marks "$OUT/went_on.trace.events" 100001 "$made")" "$made"
	slept=$(($(number "$OUT/suspended.1" suspended) / 1000000 - $(number "$OUT/suspended.0" suspended) / 1000000))
	between "ms for which the kernel was suspended" "$slept" 500 300000
	for trace in went_on beside; do
		set -- $(suspended "$OUT/$trace.trace.events")
		is "$trace: suspended once" "$1" 1
		is "$trace: on one CPU" "$2" 1
		# The kernel's clock during suspend counts whole seconds.
		between "$trace: for as long as the kernel measured ($slept ms)" "$3" $((slept - 1500)) $((slept + 1500))
	done
	like "the JSON has a span with this name" "$(grep -c '"suspended"' "$OUT/went_on.trace.json")" '^1$'

	made=$(number "$OUT/restart.before" made)
	is "the counter restarted: no mark before the suspend is missing" "$(marks "$OUT/restart.trace.events" 1 "$made")" "$made"
	is "... no mark after it is there" "$(marks "$OUT/restart.trace.events" 100001 100000)" 0
	is "... in the other session, no mark before it is missing" "$(marks "$OUT/restart_beside.trace.events" 1 "$made")" "$made"
	is "... in the other session, no mark after it is there" "$(marks "$OUT/restart_beside.trace.events" 100001 100000)" 0
	like "... the recording has ended" "$(grep -o '"recording": *[a-z]*' "$OUT/status.json" | head -n 1)" 'false'
	like "... the recording cannot be resumed" "$(cat "$OUT/on")" 'reset first'
	is "... the log reports it once" "$(grep -c 'kutrace: the time counter was reset' "$OUT/dmesg")" 1
	made=$(number "$OUT/next" made)
	is "the next recording: no mark is missing" "$(marks "$OUT/next.trace.events" 200001 "$made")" "$made"
	set -- $(suspended "$OUT/next.trace.events")
	is "... it has no suspended time" "$1" 0
fi
kill $resumer 2>/dev/null
rm -f "$qmp"
tap_end
