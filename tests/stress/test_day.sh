#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 10000
# takes: 120
# ci
#
# Tests recordings of DAY_HOURS hours (1; 24 with KUTRACE_FULL), which pass in minutes: in the guest,
# an instruction takes one nanosecond (QEMU's icount), and while the CPU is idle, time jumps to the
# next timer. All events are streamed. In a second session, a trigger fires once an hour. Each hour
# there is a snapshot and a reading of the memory, and every 10 s a mark between two readings of
# CLOCK_MONOTONIC_RAW.
#
# After the first minute, the memory in use must not grow. Every mark must be in the stream once, at
# its time. No block may be lost. Every trigger gives one trace, every trace is sound, and the kernel's
# log is clean.
. tests/guest/lib.sh
guest_begin day
hours=${DAY_HOURS:-$(effort 1 1 24)}
FIRST=1000

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
hours=$1
# Writes the memory in use, in KiB, without pages of files and the kernel's index of these pages. The
# stream and the snapshots are files in memory: 400 MB after a day, and 0.2 % of that for their index.
sample()	# HOUR
{
	sync
	echo 3 >/proc/sys/vm/drop_caches
	awk -v hour=$1 '{ kb[$1] = $2 }
		END { print hour, "used", kb["MemTotal:"] - kb["MemFree:"] - kb["Cached:"] - kb["Buffers:"] - kb["SReclaimable:"],
			"slab", kb["SUnreclaim:"], "vmalloc", kb["VmallocUsed:"], "percpu", kb["Percpu:"], "programs", kb["AnonPages:"] }' \
		/proc/meminfo >>/out/memory
}
# until_ COMMAND...: waits until the command succeeds. Gives up after a minute of the guest's time
until_()
{
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 3000 ] || { echo "never: $*" >&2; exit 40; }
		usleep 20000
	done
}
fired() { [ "$(ls /out/fired/rec-*.trace 2>/dev/null | wc -l)" = $1 ]; }

insmod /lib/kutrace.ko mb=4 || exit 10
# Wait until the kernel has measured the TSC a second time and uses it as its clock.
until_ sh -c '[ "$(cat /sys/devices/system/clocksource/clocksource0/current_clocksource)" != tsc-early ]'
mkdir /out/fired
: >/out/watch.said
kutrace_control gowrap || exit 11
kutrace_control stream -o /out/day.trace 2>/out/stream.said &
stream=$!
kutrace_control --session rec watch --into /out/fired --size 2 --after 0 --pause 0 --trigger mark:hour 2>/out/watch.said &
watch=$!
until_ grep -q 'records in session' /out/watch.said
clocks raw $((hours * 3600 + 20)) $2 10000 >/out/raw &
clocks=$!
hour=0
sleep 60
sample 0
marker begin 1
grep ctxt /proc/stat >/out/ctxt
while [ $hour -lt $hours ]; do
	sleep $((hour ? 3600 : 3540))
	hour=$((hour + 1))
	marker hour 1
	until_ fired $hour
	kutrace_control snapshot -o /out/snapshot$hour.trace >/dev/null || exit 12
	sample $hour
	echo "hour $hour"
done
wait $clocks || exit 13
grep ctxt /proc/stat >>/out/ctxt
marker end 1
kutrace_control off || exit 15
kutrace_control status --json >/out/status.json || exit 16
wait $stream || exit 17
kill -TERM $watch
wait $watch
kutrace_control session destroy rec 2>/dev/null
rmmod kutrace || exit 18
SCRIPT

# json NAME: prints the number with the key NAME in the status
json()
{
	sed -n "s/.*\"$1\": *\([0-9]*\).*/\1/p" "$OUT/status.json" | head -n 1
}

if guest_run "$TAP_TMP/script" --icount --mem 1600 --timeout $((900 + hours * 300)) --file "$BUILD/guest/bin/clocks" \
	--file "$BUILD/guest/bin/marker" -- "$hours" "$FIRST"; then
	sed 's/^/# hour /' "$OUT/memory" >&2
	# At the first reading, all programs are running. The limit allows for memory that allocators
	# have not returned.
	between "memory in use: KiB more after $hours hours than after the first minute" \
		"$(awk 'NR == 1 { first = $3 } { last = $3 } END { print last - first }' "$OUT/memory")" -100000 1024
	between "slabs of the kernel: KiB more" \
		"$(awk 'NR == 1 { first = $5 } { last = $5 } END { print last - first }' "$OUT/memory")" -100000 512
	# The memory of programs may grow in the first two hours, when operations run for the first
	# times. Later, even a small growth in each hour is an error.
	between "memory of programs: KiB more, in the first two hours" \
		"$(awk 'NR == 1 { first = $11 } NR <= 3 { last = $11 } END { print last - first }' "$OUT/memory")" -100000 512
	between "memory of programs: KiB more, at most, in all later hours" \
		"$(awk 'NR <= 3 { most = behind = $11 } $11 > most { most = $11 } END { print most - behind }' "$OUT/memory")" 0 128

	trace_ok "the stream of $hours hours" "$OUT/day.trace"
	is "all blocks that were taken were sent, and none was overwritten before" \
		"$(sed -n 's/.*stream: \([0-9]* blocks\), .* KB, \([0-9]* blocks lost\)$/\1, \2/p' "$OUT/stream.said")" \
		"$(json taken_blocks) blocks, 0 blocks lost"
	made=$(number "$OUT/raw" made)
	between "marks" "$made" $((hours * 350)) $((hours * 360 + 3))
	ok "the stream has every mark, once" sh -c "'$BUILD/tests/clocks' '$OUT/day.trace' raw '$(json clock_khz)' \
		'$(json clock_shift)' <'$OUT/raw' >'$OUT/day.clocks'"
	sed 's/^/# /' "$OUT/day.clocks" >&2
	is "the stream has no other mark" "$(number "$OUT/day.clocks" marks)" "$made"
	below "ns by which a mark lies outside of the readings around it" "$(number "$OUT/day.clocks" error_ns)" 40
	below "drift: difference of the counter's rate from CLOCK_MONOTONIC_RAW, in 10^-9" \
		"$(number "$OUT/day.clocks" ppb | tr -d -)" 120
	# Count context switches between the two marks that were made when the kernel's counter was
	# read.
	"$BUILD/bin/rawtoevent" "$OUT/day.trace" 2>/dev/null | awk -v first=$FIRST -v out="$OUT/switches" '
		/^#/ { next }
		$3 == 512 { switches++ }
		$10 == "mark_c=begin" { switches = 0 }
		$10 == "mark_c=end" { print switches >out }
		$3 == 525 && $7 >= first { if (!n++) a = $1; b = $1 }
		END { printf "%.0f\n", (b - a) / 100 }' >"$OUT/apart"
	lasted=$(awk '$1 != "made" { if (!n++) first = $3; last = $3 } END { printf "%.0f", (last - first) / 1000 }' "$OUT/raw")
	between "microseconds from the first mark to the last, by the filters ($lasted by CLOCK_MONOTONIC_RAW)" \
		"$(cat "$OUT/apart")" $((lasted - lasted / 1000000 - 1000)) $((lasted + lasted / 1000000 + 1000))

	# The programs that read the kernel's counter cause some context switches themselves.
	between "context switches in $hours hours, as the kernel counted, plus those of the reading programs" "$(cat "$OUT/switches")" \
		$(awk '{ n = $2 - n } END { print n, n + 200 }' "$OUT/ctxt")

	is "a trace for each time that the trigger fired" "$(ls "$OUT"/fired/*.trace | wc -l)" "$hours"
	for trace in "$OUT"/fired/*.trace "$OUT"/snapshot*.trace; do
		"$BUILD/bin/checktrace" "$trace" >"$TAP_TMP/check" 2>&1 && grep -q '^lost: 0 events' "$TAP_TMP/check" ||
			fail "${trace##*/} is sound, without a loss" "$(tail -n 5 "$TAP_TMP/check")"
	done
	pass "the traces of each hour were checked"
fi
tap_end
