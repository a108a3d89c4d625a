#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 3000
# needs: builtin
# ci
#
# A kernel with the module built in and kutrace.boot=MB on its command line records its boot, from
# before the second CPU starts until init has run a program. The witnesses are the kernel's own
# counters of the second CPU, which start at 0 during the recording, and /proc's list of tasks.
. tests/guest/lib.sh
tap_begin
OUT=$BUILD/tests/guest/boot
rm -rf "$OUT"
mkdir -p "$OUT"

if ! found=$(kernel-patches/build.sh --builtin); then
	fail "the kernel with the module built in is built" "see above"
	tap_end
fi
eval "$found"

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
set -e
kutrace_control status >/out/device
for task in /proc/[0-9]*; do
	echo "${task#/proc/} $(cat $task/comm)"
done >/out/tasks 2>/dev/null
cat /proc/interrupts >/out/interrupts.before
kutrace_control stop /out/b.trace
cat /proc/interrupts >/out/interrupts.after
SCRIPT
# counter FILE ROW: prints that counter of CPU 1 from a copy of /proc/interrupts
counter()
{
	awk -v row="$2:" '$1 == row { print $3; exit }' "$OUT/$1"
}

if guest_run "$TAP_TMP/script" --cpus 2 --append kutrace.boot=32; then
	like "the device reports that it records" "$(cat "$OUT/device")" "recording"
	trace_ok "boot" "$OUT/b.trace"
	ok "boot: the filters read the trace" trace_text "$OUT/b.trace"
	events=$OUT/b.trace.events

	# Events of CPU 0 before the first event of CPU 1.
	event_awk '/^#/ || $3 < EV_FIRST { next } $4 == 1 { exit } { print }' "$events" >"$TAP_TMP/alone"
	between "boot: events before the second CPU has its first" \
		"$(wc -l <"$TAP_TMP/alone")" 10 1000000
	is "boot: only CPU 0 has events until then" \
		"$(awk '{ print $4 }' "$TAP_TMP/alone" | sort -u)" 0
	like "boot: CPU 0 woke a thread of the second CPU" \
		"$(event_awk 'NR == FNR { if (!/^#/ && $3 < EV_PACKET && $3 % 16 == EV_PID) name[$4] = $5; next }
			$3 == EV_RUNNABLE { print name[$7] }' "$events" "$TAP_TMP/alone" | sort -u | tr '\n' ' ')" \
		"/1"

	# The counters of CPU 1 began at its start. They are equal to the trace, except for events
	# between the reading and the end of recording.
	for kind in LOC=$EV_LOCAL_TIMER:$EV_LOCAL_TIMER RES=$EV_RESCHEDULE:$EV_RESCHEDULE CAL=$EV_CALL_SINGLE:$EV_CALL_FUNCTION; do
		row=${kind%%=*} low=${kind#*=}
		high=${low#*:} low=${low%:*}
		between "boot: $row of CPU 1" "$(awk -v low=$low -v high=$high '
			!/^#/ && $4 == 1 && $3 >= low && $3 <= high { n++ } END { print n + 0 }' "$events")" \
			"$(counter interrupts.before $row)" "$(counter interrupts.after $row)"
	done

	# Each living task has the same name in the trace as in /proc. For kernel threads, /proc
	# shows more than 15 characters, and for workers also the current work.
	event_awk '!/^#/ && $3 < EV_PACKET && $3 % 16 == EV_PID { print $4, $5 }' "$events" | sort -u >"$TAP_TMP/names"
	is "boot: tasks whose name in /proc is not in the trace" \
		"$(awk '$2 ~ /^kworker/ { sub(/[-+].*/, "", $2) }
			{ print $1, substr($2, 1, 15) }' "$OUT/tasks" | sort -u |
			comm -23 - "$TAP_TMP/names" | tr '\n' ' ')" ""
	between "boot: tasks compared" "$(wc -l <"$OUT/tasks")" 20 1000
	is "boot: process 1 has the names of the boot thread and of init" \
		"$(event_awk '!/^#/ && $1 >= 0 && $3 < EV_PACKET && $3 % 16 == EV_PID && $4 == 1 { print $5 }' "$events" |
			uniq | tr '\n' ' ')" "swapper/0 init "
fi
tap_end
