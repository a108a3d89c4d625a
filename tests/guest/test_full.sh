#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 300
# takes: 15
# ci
#
# A full buffer in stop mode counts its losses by cause and by kind, and the control tool, the trace
# and the filters report them. The buffer of 1 MiB is too small for the workload. The recorded
# events are complete, and the losses by kind have the same sum as the losses by cause.
. tests/guest/lib.sh
guest_begin full

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
must insmod /lib/kutrace.ko mb=1
kutrace_control run -o /out/f.trace -- workload --repeat 23 >/out/witness 2>/out/control.err
echo $? >/out/control.status
must kutrace_control tracepoints --json >/out/kinds.json
must cat /dev/kutrace/tracepoints >/out/kinds
must rmmod kutrace
SCRIPT

if guest_run "$TAP_TMP/script" --cpus 2; then
	like "the control tool reports the number of lost events" \
		"$(cat "$OUT/control.err")" '[1-9][0-9]* .*lost|lost.* [1-9][0-9]*'
	ok "the workload still ran to its end" grep -q 'count main repeats 23' "$OUT/witness"
	lost_causes=$(sed -n 's/.*"lost_by_cause": {\(.*\)},/\1/p' "$OUT/kinds.json" |
		tr -c '0-9' '\n' | awk '{ n += $1 } END { print n }')
	is "lost: the sum over the causes equals the trace" "$lost_causes" \
		"$(grep -ao 'lost_[a-z]*=[0-9]*' "$OUT/f.trace" | cut -d= -f2 |
			awk '{ n += $1 } END { print n }')"
	is "lost: the sum over the kinds equals the sum over the causes" \
		"$(sed -n 's/.*"category": "[a-z].*"lost": \([0-9]*\)}.*/\1/p' "$OUT/kinds.json" |
			awk '{ n += $1 } END { print n }')" "$lost_causes"
	is "lost: the module's list has the same numbers for each kind" \
		"$(awk '$2 != "category" && $2 != "point" && !/^#/ { print $1, $5 }' \
			"$OUT/kinds" | sort)" \
		"$(sed -n 's/.*"name": "\([^"]*\)", "category": "[a-z].*"lost": \([0-9]*\)}.*/\1 \2/p' \
			"$OUT/kinds.json" | sort)"
	like "lost: system calls are among them" \
		"$(grep '"syscall64"' "$OUT/kinds.json")" '"lost": [1-9]'
	"$BUILD/bin/checktrace" "$OUT/f.trace" >"$OUT/checktrace" 2>&1
	like "checktrace reports the loss" "$(cat "$OUT/checktrace")" \
		'[1-9][0-9]* .*lost|lost.*[1-9][0-9]*'
	if ok "the filters read it" trace_text "$OUT/f.trace" && [ -s "$OUT/f.trace.json" ]; then
		ev=$OUT/f.trace.events
		is "the trace has the beginning: all of the first burst" \
			"$(count_between "$ev" a=burst a=/burst \
			"$(witness "$OUT/witness" main main)" "$(syscall_event getpid)")" 1009
		is "the trace does not have the end" "$(count_mark_d "$ev" 23)" 0
		like "rawtoevent reports the loss" "$(cat "$OUT/f.trace.rawtoevent")" \
			'[1-9][0-9]* .*lost|lost.*[1-9][0-9]*'
		like "the JSON has the loss" \
			"$(grep '"lost"' "$OUT/f.trace.json")" '[1-9]'
	fi
fi
tap_end
