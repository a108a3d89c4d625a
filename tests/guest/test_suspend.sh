#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 600
# takes: 15
#
# The machine is suspended to memory and resumed while two sessions record. Recording goes on, and says for how long nothing
# ran. Where the time counter begins anew meanwhile, as on many real machines (here a module of the test says so), recordings
# end with what was before, nothing is mixed, and the next is as any. KERNEL=stock-6.12 ...: on that kernel.
. tests/guest/lib.sh
guest_begin suspend
ok "a module that calls the counter another is built" tests/guest/built.sh "$KDIR" "$KVER" "$BUILD" "$KSUITE" \
	tests/guest/module/restart

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
grep -q deep /sys/power/mem_sleep || exit 10
echo deep >/sys/power/mem_sleep
insmod /lib/kutrace.ko mb=16 || exit 11
for i in $(seq 300); do
	[ "$(cat /sys/devices/system/clocksource/clocksource0/current_clocksource)" = tsc-early ] || break
	usleep 100000
done

# --- the counter goes on ---
kutrace_control --session beside start --wrap --size 8 --mask sched,irq,mark || exit 12
kutrace_control go || exit 13
clocks raw 1 1 >/out/before || exit 14
clocks suspended >/out/suspended.0
echo mem >/sys/power/state || exit 15
clocks suspended >/out/suspended.1
clocks raw 1 100001 >/out/behind || exit 16
kutrace_control stop /out/went_on.trace || exit 17
kutrace_control --session beside stop /out/beside.trace || exit 18

# --- it begins anew ---
insmod /lib/restart.ko || exit 20
kutrace_control --session beside start --wrap --size 8 --mask sched,irq,mark || exit 21
kutrace_control gowrap || exit 22
clocks raw 1 1 >/out/restart.before || exit 23
echo mem >/sys/power/state || exit 24
clocks raw 1 100001 >/out/restart.behind || exit 25
for i in $(seq 300); do
	kutrace_control status --json >/out/status.json || exit 26
	grep -q '"recording": *true' /out/status.json || break
	usleep 100000
done
kutrace_control dump /out/restart.trace || exit 27
kutrace_control --session beside dump /out/restart_beside.trace || exit 28
kutrace_control on 2>/out/on && exit 29
kutrace_control go || exit 30
clocks raw 1 200001 >/out/next || exit 31
kutrace_control stop /out/next.trace || exit 32
# nothing records: nothing to be said
echo mem >/sys/power/state || exit 33
rmmod kutrace_restart || exit 34
rmmod kutrace || exit 35
SCRIPT

# Resumes the machine each time that it has been suspended for 2 s.
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

# What the events $1 say of an interrupt "suspended": how many, on how many CPUs, of how many ms in all.
suspended()
{
	awk '
	/^#/ { next }
	$3 == 1311 { n++; cpu[$4] = 1; began[$4] = $1 }
	$3 == 1823 && began[$4] != "" { sum += $1 - began[$4] }
	END { for (c in cpu) cpus++; printf "%d %d %d\n", n, cpus, sum / 100000 }' "$1"
}

# marks EVENTS FIRST COUNT: how many of these marks there are, each once and in order
marks()
{
	awk -v first="$2" -v count="$3" '
	/^#/ || $3 != 525 || $7 < first || $7 >= first + count { next }
	$7 != first + n { wrong++ }
	{ n++ }
	END { print n - wrong }' "$1"
}

if guest_run "$TAP_TMP/script" --cpus 2 --timeout 300 --qmp "$qmp" --file "$BUILD/guest/bin/clocks" \
	--file "$BUILD/module/$KVER/restart/kutrace_restart.ko:/lib/restart.ko"; then
	between "the machine was suspended, so many times" "$(grep -c '^resumed' "$OUT/qmp.log")" 3 3
	for trace in went_on beside next restart restart_beside; do
		trace_ok "$trace" "$OUT/$trace.trace"
		trace_text "$OUT/$trace.trace" || fail "$trace: the filters read it"
	done
	made=$(number "$OUT/before" made)
	is "before: each mark is there" "$(marks "$OUT/went_on.trace.events" 1 "$made")" "$made"
	made=$(number "$OUT/behind" made)
	is "behind: each mark is there" "$(marks "$OUT/went_on.trace.events" 100001 "$made")" "$made"
	slept=$(($(number "$OUT/suspended.1" suspended) / 1000000 - $(number "$OUT/suspended.0" suspended) / 1000000))
	between "the kernel has been suspended for so many ms" "$slept" 500 300000
	for trace in went_on beside; do
		set -- $(suspended "$OUT/$trace.trace.events")
		is "$trace: suspended once" "$1" 1
		is "$trace: on one CPU" "$2" 1
		# The kernel's clock of meanwhile has whole seconds.
		between "$trace: for as long as the kernel says ($slept ms)" "$3" $((slept - 1500)) $((slept + 1500))
	done
	like "the span has its name" "$(grep -c '"suspended"' "$OUT/went_on.trace.json")" '^1$'

	made=$(number "$OUT/restart.before" made)
	is "the counter began anew: each mark of before is there" "$(marks "$OUT/restart.trace.events" 1 "$made")" "$made"
	is "... and none of behind" "$(marks "$OUT/restart.trace.events" 100001 100000)" 0
	is "... in the other session, too" "$(marks "$OUT/restart_beside.trace.events" 1 "$made")" "$made"
	is "... and none" "$(marks "$OUT/restart_beside.trace.events" 100001 100000)" 0
	like "... it is over" "$(grep -o '"recording": *[a-z]*' "$OUT/status.json" | head -n 1)" 'false'
	like "... and cannot go on" "$(cat "$OUT/on")" 'reset first'
	is "... the log says so once" "$(grep -c 'kutrace: the time counter began anew' "$OUT/dmesg")" 1
	made=$(number "$OUT/next" made)
	is "the next recording: each mark is there" "$(marks "$OUT/next.trace.events" 200001 "$made")" "$made"
	set -- $(suspended "$OUT/next.trace.events")
	is "... and nothing of a time before it" "$1" 0
fi
kill $resumer 2>/dev/null
rm -f "$qmp"
tap_end
