#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1200
# takes: 75
# needs: patched
#
# Each of a hundred snapshots of a session that wraps under load is a sound trace, and newer than
# the previous snapshot. The session has 1 MiB, and the main session also records. The snapshots are
# made by the library, by the command, through a pipe, and after the end of recording. The stock
# kernel has 2 CPUs, the patched kernel 4. KUTRACE_FULL also tests 4 and 2, with 500 snapshots each.
. tests/guest/lib.sh
guest_begin snapshot
top=$OUT

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
must insmod /lib/kutrace.ko mb=1
must kutrace_control --session rec start --wrap --size 1
must kutrace_control start --wrap
(while [ ! -f /tmp/enough ]; do workload --quiet; usleep 300000; done) >/dev/null 2>&1 &
# dd fills half a block in about a millisecond, because it makes a system call for each byte.
dd if=/dev/zero of=/dev/null bs=1 2>/dev/null &
load=$!
for session in main rec; do
	until kutrace_control --session $session status --json | grep -q '"wrapped": true'; do
		usleep 100000
	done
done
must sessions snapshots $1 /out rec >/out/counts
for i in 1 2 3; do
	must kutrace_control snapshot -o /out/main$i.trace >>/out/said
done
kutrace_control --session rec status --json >/out/status.json
mkfifo /tmp/fifo && (cat /tmp/fifo >/out/pipe.trace &)
must kutrace_control --session rec snapshot -o /tmp/fifo >>/out/said
kutrace_control --session rec test >/out/test
touch /tmp/enough
kill $load
wait
kutrace_control off
must kutrace_control --session rec stop /out/stop.trace
must kutrace_control --session rec snapshot -o /out/off.trace
must kutrace_control session destroy rec
must rmmod kutrace
SCRIPT

snapshot_checks()	# LABEL COUNT
{
	bad=0
	wrapped=0
	old=0
	before=0
	for i in $(seq $2); do
		t=$OUT/s$i.trace
		"$BUILD/bin/checktrace" "$t" >"$TAP_TMP/check" 2>&1 || {
			bad=$((bad + 1))
			diag "snapshot $i: $(cat "$TAP_TMP/check")"
		}
		grep -q '^lost: 0 events' "$TAP_TMP/check" || diag "snapshot $i: $(grep ^lost "$TAP_TMP/check")"
		[ $((0x$(od -An -tx1 -j15 -N1 "$t" | tr -d ' ') & 64)) = 0 ] || wrapped=$((wrapped + 1))
		now=$(od -An -td8 -j40 -N8 "$t" | tr -d ' ')
		[ "$now" -gt "$before" ] || old=$((old + 1))
		previous=$before
		before=$now
	done
	like "$1: $2 snapshots" "$(cat "$OUT/counts")" "^count snapshots $2\$"
	is "$1: all pass checktrace" "$bad" 0
	between "$1: snapshots with the flag of wrapping" "$wrapped" $(($2 * 4 / 5)) "$2"
	is "$1: each is newer than the one before" "$old" 0
	diag "$1: $(awk '$2 == "overwritten" { print $3 }' "$OUT/counts") blocks were overwritten meanwhile"
	is "$1: the command prints the content of the snapshot" \
		"$(grep -c '^/[a-z0-9/.]*: [0-9.]* s in ' "$OUT/said")" 4
	like "$1: recording goes on" "$(cat "$OUT/test")" ', recording$'
	like "$1: the recording has wrapped" "$(cat "$OUT/status.json")" '"wrapped": true'
	for t in main1 main2 main3 pipe stop off; do
		trace_ok "$1: $t" "$OUT/$t.trace"
	done
	is "$1: off: the snapshot equals the dump" "$(cmp "$OUT/off.trace" "$OUT/stop.trace" 2>&1)" ""
	ok "$1: the filters read a snapshot" trace_text "$OUT/s$2.trace"
	like "$1: the trace has the fact of a snapshot" "$(cat "$OUT/s$2.trace.events")" \
		'live_overwritten_blocks=[0-9]'
	# The process that takes snapshots makes system calls, so each snapshot has new events.
	age=$(event_awk '!/^#/ && $3 >= EV_FIRST { last = $1 } END { print last }' "$OUT/s$2.trace.events")
	stop=$(od -An -td8 -j40 -N8 "$OUT/s$2.trace" | tr -d ' ')
	start_minute=$(sed -n 's/^# \[1\] \([0-9-]*\)_\([0-9:]*\)\..*/\1 \2/p' "$OUT/s$2.trace.events" | head -n 1)
	start_minute=$(($(date -u -d "$start_minute" +%s) / 60 * 60))
	between "$1: the newest event is later than the snapshot before, us" \
		$((start_minute * 1000000 + age / 100)) "$previous" "$stop"
	rm -f "$OUT"/s*.trace
}

run_on()	# LABEL CPUS COUNT
{
	OUT=$top/$1-$2
	mkdir -p "$OUT"
	guest_run "$TAP_TMP/script" --cpus "$2" --mem 3072 --timeout 560 \
		--file "$GUEST_BIN/sessions" -- "$3" || return
	snapshot_checks "$1, $2 CPUs" "$3"
}

on_both_kernels "2 $(effort 40 100 500)" "4 $(effort 40 100 500)" "4 500" "2 500"
tap_end
