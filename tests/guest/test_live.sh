#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 300
# takes: 35
# ci
#
# rawtoevent -f prints exactly the events of a stream that is piped into it, and prints them before
# the recording ends. Each CPU's events are also those of the dump, except for their times, because
# the dump has one more clock pair, from the end of recording.
. tests/guest/lib.sh
guest_begin live

rawtoevent=$BUILD/bin/static/rawtoevent
${MAKE:-make} --no-print-directory BUILD="$BUILD" "$rawtoevent" >&2 || exit 1

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
must insmod /lib/kutrace.ko mb=128
must kutrace_control start
(kutrace_control stream 2>/out/stream.said; echo $? >/out/stream.status) | tee /out/pipe.trace |
	(rawtoevent -f --lag 60 >/out/live.events 2>/out/live.said; echo $? >/out/live.status) &
piped=$!
# Keep both CPUs busy until there are events. Limit the rounds and then wait for a slow follower, so
# that the buffer does not become full.
round=0
while :; do
	came=$(grep -vc '^#' /out/live.events 2>/dev/null)
	[ "${came:-0}" -lt 22000 ] || break	# some thousand of these lines are names
	round=$((round + 1))
	if [ $round -gt 60 ]; then
		usleep 100000
		continue
	fi
	taskset 1 dd if=/dev/zero of=/dev/null bs=1 count=30000 2>/dev/null &
	taskset 2 dd if=/dev/zero of=/dev/null bs=1 count=30000 2>/dev/null
	wait $!
done
kutrace_control stat >/out/during
cp /out/live.events /tmp/before
must kutrace_control off
cp /tmp/before /out/before.events
wait $piped
must kutrace_control dump /out/dump.trace
must rmmod kutrace
SCRIPT

# events FILE: prints the events in order, without names, whose text may have many words
events()
{
	event_awk '!/^#/ && NF >= 10 && $3 >= EV_FIRST { print $1, $2, $3, $4, $5, $6, $7, $8, $9 }' "$1" | LC_ALL=C sort
}

# by_cpu FILE: prints the events of CPU 0, then those of CPU 1, each in order, without times
by_cpu()
{
	event_awk '!/^#/ && NF >= 10 && $3 >= EV_FIRST' "$1" | LC_ALL=C sort -s -n -k1,1 | LC_ALL=C sort -s -n -k4,4 |
		awk '{ print $3, $4, $5, $6, $7, $8, $9 }'
}

# same NAME A B: checks that two files are equal and not empty
same()
{
	if cmp -s "$2" "$3" && [ -s "$2" ]; then
		pass "$1"
	else
		fail "$1" "$(wc -l <"$2") and $(wc -l <"$3") events: $(diff "$2" "$3" | head -n 6)"
	fi
}

if guest_run "$TAP_TMP/script" --cpus 2 --timeout 200 --file "$rawtoevent"; then
	like "recording continued" "$(cat "$OUT/during")" '^recording, '
	is "the stream succeeded" "$(cat "$OUT/stream.status")" 0
	is "the follower succeeded" "$(cat "$OUT/live.status")" 0
	export TZ=UTC
	for trace in pipe dump; do
		trace_ok "$trace" "$OUT/$trace.trace"
		"$BUILD/bin/rawtoevent" "$OUT/$trace.trace" 2>/dev/null >"$OUT/$trace.text"
	done
	events "$OUT/pipe.text" >"$OUT/pipe.list"
	events "$OUT/live.events" >"$OUT/live.list"
	# the last line may be incomplete
	sed '$d' "$OUT/before.events" >"$OUT/before.text"
	events "$OUT/before.text" >"$OUT/before.list"
	before=$(wc -l <"$OUT/before.list")
	between "events that were printed during the recording" "$before" 19000 100000000
	is "all of them are in the stream" \
		"$(LC_ALL=C comm -23 "$OUT/before.list" "$OUT/pipe.list" | wc -l | tr -d ' ')" 0
	same "the live events are those of the stream" "$OUT/live.list" "$OUT/pipe.list"
	by_cpu "$OUT/live.events" >"$OUT/live.cpus"
	by_cpu "$OUT/dump.text" >"$OUT/dump.cpus"
	same "and, each CPU's in order, those of the dump" "$OUT/live.cpus" "$OUT/dump.cpus"
	rm -f "$OUT"/*.text
fi
tap_end
