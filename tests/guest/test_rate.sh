#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 200
#
# The rate of a user's marks is limited, and further marks of this user are counted as lost. The
# limit is for users who may only mark, so that none of them can fill the buffer with marks.
. tests/guest/lib.sh
guest_begin rate
RATE=500
MARKS=3000

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
must insmod /lib/kutrace.ko mb=4 marks_all=1 marks_rate=$1
must kutrace_control start
must markrate 65534 0 $2 >/out/nobody.us
must markrate 1000 100000 20 >/out/other.us
must markrate 0 200000 $2 >/out/root.us
must kutrace_control status --json >/out/status.json
must kutrace_control stop /out/rate.trace
echo 0 >/sys/module/kutrace/parameters/marks_rate || die "cannot write /sys/module/kutrace/parameters/marks_rate"
must kutrace_control start
must markrate 65534 0 $2 >/out/any.us
must kutrace_control stop /out/any.trace
rmmod kutrace
SCRIPT

# marks TRACE FROM: prints the number of marks in the trace with numbers from FROM on
marks()
{
	event_awk -v from="$2" '!/^#/ && $3 == EV_MARKD && $7 >= from && $7 < from + 100000 { n++ }
		END { print n + 0 }' "$1.events"
}

lost_of()
{
	"$BUILD/bin/rawtoevent" "$1" 2>/dev/null | grep -a -o 'lost_rate=[0-9]*' | head -n 1 | cut -d = -f 2
}

if guest_run "$TAP_TMP/script" --cpus 2 --file "$GUEST_BIN/markrate" -- $RATE $MARKS; then
	for t in rate any; do
		ok "$t: checktrace finds nothing wrong" "$BUILD/bin/checktrace" "$OUT/$t.trace"
		trace_text "$OUT/$t.trace"
	done
	us=$(cat "$OUT/nobody.us")
	recorded=$(marks "$OUT/rate.trace" 0)
	# The marks of a tenth of a second may come immediately.
	between "marks of a user in $us us at $RATE a second" "$recorded" $((RATE / 10)) \
		$((RATE / 10 + RATE * us / 1000000 + 2))
	is "recorded and lost marks are all that were made" \
		$((recorded + $(lost_of "$OUT/rate.trace"))) $MARKS
	like "the status has the number of lost marks" "$(cat "$OUT/status.json")" "\"rate\": $((MARKS - recorded))"
	is "all marks of another user are recorded" "$(marks "$OUT/rate.trace" 100000)" 20
	is "all marks of root are recorded" "$(marks "$OUT/rate.trace" 200000)" $MARKS
	is "rate 0: all marks are recorded" "$(marks "$OUT/any.trace" 0)" $MARKS
	is "rate 0: no mark is lost" "$(lost_of "$OUT/any.trace")" 0
fi
tap_end
