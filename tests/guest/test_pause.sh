#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 600
# takes: 60
#
# A pause of a recording lies between the commands that made it, and contains no execution. A
# program reads the wall clock before and after each off and on. The trace's pauses must lie between
# these times, contain nothing else, and give no CPU time to a process that computed throughout. If
# recording is turned on, and off again before its first event, the pause continues.
. tests/guest/lib.sh
guest_begin pause
top=$OUT

# Compares the pauses of $1.json with the times in the witness $2, and prints differences, and spans
# inside a pause. Times are nanoseconds since time 0 of the trace, which is in the header. The
# trace's clock pairs may be off by the slack.
compare()
{
	start=$(sed -n 's/.*"utc_ns" *: *"\([0-9]*\)000000000".*/\1/p' "$1.json" | head -n 1)
	event_awk -v start="$start" -v slack=200000 '
	FNR == NR {
		if ($1 == "pause") {
			n++
			for (i = 0; i < 4; i++)
				clock[n, i] = (substr($(i + 2), 1, 10) - start) * 1e9 + substr($(i + 2), 11)
		}
		next
	}
	/^\[/ {
		gsub(/[][,]/, " ")
		from = $1 * 1e9; to = from + $2 * 1e9
		if (from >= 999e9)
			next
		if ($6 == EV_PAUSE && !$7)
			next
		# Who a task is, and its priority, are no execution.
		if ($6 == EV_TASK || $6 == EV_CGROUP || $6 == EV_PRIORITY_SPAN)
			next
		if ($6 == EV_PAUSE) {
			for (i = 1; i <= n; i++)
				if (from >= clock[i, 0] - slack && from <= clock[i, 1] + slack &&
				    to >= clock[i, 2] - slack && to <= clock[i, 3] + slack)
					break
			if (i > n)
				print "a pause that was none: " $0
			else
				seen[i, $3]++
			next
		}
		for (i = 1; i <= n; i++)
			if (from < clock[i, 2] - slack && to > clock[i, 1] + slack)
				print "in pause " i ": " $0
	}
	END {
		for (i = 1; i <= n; i++)
			if (seen[i, 0] != 1 || seen[i, 1] != 1)
				print "pause " i ": CPU 0 " seen[i, 0] + 0 ", CPU 1 " seen[i, 1] + 0
	}' "$2" "$1.json"
}

# pauses NAME COUNT: checks a trace that has all pauses
pauses()
{
	trace=$OUT/pause.trace
	trace_ok "$1" "$trace"
	ok "$1: the filters read it" trace_text "$trace" || return
	is "$1: the trace has the program's pauses, and nothing is in them" \
		"$(compare "$trace" "$OUT/witness")" ""
	length=$(awk '$1 == "pause" { least += $4 - $3; most += $5 - $2 } END { printf "%.9f %.9f", least / 1e9, most / 1e9 }' \
		"$OUT/witness")
	said=$("$BUILD/bin/checktrace" "$trace" | grep '^recording was off')
	like "$1: checktrace reports their number" "$said" "^recording was off: $2 pauses, [0-9.]* seconds"
	ok "$1: checktrace reports their sum" awk -v said="$(echo "$said" | sed 's/.*pauses, \([0-9.]*\) .*/\1/')" \
		-v least="$(awk '$1 == "pause" { sum += $4 - $3 } END { printf "%.9f", sum / 1e9 }' "$OUT/witness")" \
		-v most="${length#* }" 'BEGIN { exit !(said >= least - 1e-3 && said <= most + 1e-3) }'
	is "$1: checktrace calls the trace sound, with the pauses" \
		"$("$BUILD/bin/checktrace" "$trace" | tail -n 1)" "sound, but recording was off in between"
}

for kind in plain wrap cut; do
	OUT=$top/$kind
	mkdir -p "$OUT"
	arg=
	[ $kind = plain ] || arg=$kind
	cat >"$TAP_TMP/script" <<SCRIPT
#!/bin/sh
must insmod /lib/kutrace.ko mb=$([ $kind = wrap ] && echo 1 || echo 32)
must pauses $([ $kind = plain ] && echo 4 || echo 3) $arg >/out/witness
must rmmod kutrace
SCRIPT
	guest_run "$TAP_TMP/script" --cpus 2 --file "$GUEST_BIN/pauses" || continue
	if [ $kind = plain ]; then
		pauses "off and on" 4
		continue
	fi
	if [ $kind = cut ]; then
		is "cut: all three starts were cut, and did not move the end of the recording" \
			"$(grep cut "$OUT/witness" | tr '\n' ' ')" "cut cut cut "
		pauses "cut short" "$(grep -c ^pause "$OUT/witness")"
		continue
	fi
	# The overwritten part is missing, with its pauses. The other pauses have not changed.
	trace=$OUT/pause.trace
	trace_ok wrapped "$trace"
	ok "wrapped: the filters read it" trace_text "$trace" || continue
	first=$(sed -n 's/^\[ *\([0-9.]*\),.*/\1/p' "$trace.json" | head -n 1)
	start=$(sed -n 's/.*"utc_ns" *: *"\([0-9]*\)000000000".*/\1/p' "$trace.json" | head -n 1)
	awk -v first="$first" -v start="$start" '
		$1 != "pause" || (substr($2, 1, 10) - start) + substr($2, 11) / 1e9 > first' \
		"$OUT/witness" >"$OUT/kept"
	is "wrapped: only the last pause is left" "$(cat "$OUT/kept")" \
		"$(grep ^pause "$OUT/witness" | tail -n 1)"
	is "wrapped: the pause is the program's last one" "$(compare "$trace" "$OUT/kept")" ""
	like "wrapped: checktrace reports one pause" "$("$BUILD/bin/checktrace" "$trace")" "recording was off: 1 pauses, "
done
tap_end
