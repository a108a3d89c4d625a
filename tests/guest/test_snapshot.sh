#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 400
# alone
#
# 50 snapshots of a flight recorder of 1 MiB that wraps under load: every one is a
# sound trace, holds the newest marks, and recording goes on all the while. One with
# another's reset in between, one through a pipe, one with recording off.
. tests/guest/lib.sh
guest_begin snapshot
N=50

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
insmod /lib/kutrace.ko mb=1 || exit 10
kutrace_control start --wrap || exit 11
(while [ ! -f /tmp/enough ]; do workload --quiet --repeat 3; done) >/dev/null 2>&1 &
# one byte a system call: half a block each ms or so
dd if=/dev/zero of=/dev/null bs=1 2>/dev/null &
load=$!
sleep 3
i=0
while [ $i -lt $1 ]; do
	i=$((i + 1))
	kutrace_control snapshot -o /out/s$i.trace >>/out/said || exit 12
done
kutrace_control status --json >/out/status.json
mkfifo /tmp/fifo && (cat /tmp/fifo >/out/pipe.trace &)
kutrace_control snapshot -o /tmp/fifo >>/out/said || exit 16
kutrace_control test >/out/test
touch /tmp/enough
kill $load
wait
kutrace_control stop /out/stop.trace || exit 13
kutrace_control snapshot -o /out/off.trace || exit 14
rmmod kutrace || exit 15
SCRIPT

if guest_run "$TAP_TMP/script" --cpus 2 --timeout 240 -- $N; then
	bad=0
	wrapped=0
	overwritten=0
	old=0
	before=0
	for i in $(seq $N); do
		t=$OUT/s$i.trace
		"$BUILD/bin/checktrace" "$t" >"$TAP_TMP/check" 2>&1 || {
			bad=$((bad + 1))
			diag "snapshot $i: $(cat "$TAP_TMP/check")"
		}
		grep -q '^lost: 0 events' "$TAP_TMP/check" || diag "snapshot $i: $(grep ^lost "$TAP_TMP/check")"
		[ $((0x$(od -An -tx1 -j15 -N1 "$t" | tr -d ' ') & 64)) = 0 ] || wrapped=$((wrapped + 1))
		now=$(od -An -td8 -j40 -N8 "$t" | tr -d ' ')
		[ "$now" -gt "$before" ] || old=$((old + 1))
		before=$now
	done
	is "all $N snapshots pass checktrace" "$bad" 0
	between "snapshots that say they wrapped" "$wrapped" 40 $N
	is "each is newer than the one before" "$old" 0
	is "each said what is in it" "$(grep -c '^/out/s[0-9]*.trace: [0-9.]* s in ' "$OUT/said")" $N
	diag "$(grep -c '^overwritten' "$OUT/said") of $N had blocks overwritten meanwhile"
	like "recording goes on" "$(cat "$OUT/test")" ', recording$'
	like "wrapping all the while" "$(cat "$OUT/status.json")" '"wrapped": true'
	for t in pipe stop off; do
		trace_ok "$t" "$OUT/$t.trace"
	done
	is "off: the same as the dump" "$(cmp "$OUT/off.trace" "$OUT/stop.trace" 2>&1)" ""
	ok "the filters read one" trace_text "$OUT/s$N.trace"
	like "it says that it is one" "$(cat "$OUT/s$N.trace.events")" 'live_overwritten_blocks=[0-9]'
	# the last event of a CPU that is busy is no older than a few timer ticks
	age=$(awk '!/^#/ && $3 >= 512 { last = $1 } END { print last }' "$OUT/s$N.trace.events")
	stop=$(od -An -td8 -j40 -N8 "$OUT/s$N.trace" | tr -d ' ')
	start_minute=$(sed -n 's/^# \[1\] \([0-9-]*\)_\([0-9:]*\)\..*/\1 \2/p' "$OUT/s$N.trace.events" | head -n 1)
	start_minute=$(($(date -u -d "$start_minute" +%s) / 60 * 60))
	between "its newest event is of the last 100 ms, us ago" \
		$((stop - start_minute * 1000000 - age / 100)) 0 100000
fi
tap_end
