#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 400
# takes: 60
# ci
#
# With shares of the buffer (--per-cpu), a quiet CPU keeps its marks while another CPU fills the
# buffer in wrap mode. CPU 1 makes a known number of marks, then stays quiet while CPU 0 fills the
# buffer several times. With shares, all marks are in a dump, a snapshot and a stream; with one
# buffer for all CPUs, none is. A CPU that comes online later uses another CPU's share. A buffer
# with fewer than two blocks for each CPU is refused.
#
# PERCPU_EVEN=1 also measures the history of two CPUs that are equally busy (docs/results/percpu.md).
. tests/guest/lib.sh
guest_begin percpu

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
cpu2=/sys/devices/system/cpu/cpu2/online
echo 0 >$cpu2 || die "cannot write $cpu2"
must insmod /lib/kutrace.ko mb=4
taken() { kutrace_control status --json | sed -n 's/^"taken_blocks": \([0-9]*\),*$/\1/p'; }

# busy CPUs BLOCKS: runs dd on those CPUs (taskset's masks) until BLOCKS more blocks have been taken
busy()
{
	until=$(($(taken) + $2))
	for mask in $1; do
		taskset $mask dd if=/dev/zero of=/dev/null bs=1 2>/dev/null &
	done
	while [ "$(taken)" -lt $until ]; do taskset 1 usleep 100000; done
	kill $(jobs -p)
	wait
}

# quiet_then_busy NAME [option]: makes marks on CPU 1, fills the buffer on CPU 0, and writes a
# snapshot, a stream and a dump
quiet_then_busy()
{
	name=$1
	shift
	echo 0 >$cpu2
	must kutrace_control start --wrap "$@"
	must taskset 2 marker early 101
	# Fill three blocks of CPU 1, so that the block with the marks is full.
	taskset 2 dd if=/dev/zero of=/dev/null bs=1 count=15000 2>/dev/null
	echo 1 >$cpu2
	busy 1 250
	must taskset 4 marker late 103
	must taskset 2 marker last 107
	kutrace_control status --json >/out/$name.json
	kutrace_control status >/out/$name.status
	must kutrace_control snapshot -o /out/$name-snapshot.trace >/dev/null
	# Start the stream after much has been overwritten. It ends with the recording.
	kutrace_control stream >/out/$name-stream.trace 2>/out/$name-stream.said &
	streamed=$!
	until [ -s /out/$name-stream.trace ]; do usleep 20000; done
	must kutrace_control stop /out/$name.trace >/out/$name.stop
	must wait $streamed
}

quiet_then_busy share --per-cpu
quiet_then_busy whole
if [ -n "$PERCPU_EVEN" ]; then
	for how in share whole; do
		option=--per-cpu
		[ $how = share ] || option=
		must kutrace_control start --wrap $option
		busy "1 2" 250
		must kutrace_control stop /out/even-$how.trace >/dev/null
	done
fi
# a session with shares; --per-cpu without --wrap is refused
must kutrace_control session create --wrap --per-cpu --size 2 own
kutrace_control --session own status --json >/out/own.json
must kutrace_control session destroy own
must_fail kutrace_control start --per-cpu 2>/out/alone.said
must rmmod kutrace
SCRIPT
[ -z "$PERCPU_EVEN" ] || sed -i '2s/^/PERCPU_EVEN=1\n/' "$TAP_TMP/script"

# marks EVENTS LABEL CPU: prints how many times the CPU made mark_c of that label
marks()
{
	awk -v mark="mark_c=$2" -v cpu="$3" '!/^#/ && $10 == mark && $4 == cpu { n++ } END { print n + 0 }' "$1"
}

# has_cpu EVENTS CPU: succeeds if there is an event of that CPU
has_cpu()
{
	event_awk -v cpu="$2" '!/^#/ && $3 >= EV_FIRST && $4 == cpu { n++ } END { exit !n }' "$1"
}

# history EVENTS CPU: prints the seconds from that CPU's first event in the trace to the last event
# of all CPUs
history()
{
	event_awk -v cpu="$2" '!/^#/ && $3 >= EV_FIRST {
			if ($4 == cpu && first == "")
				first = $1
			last = $1
		}
		END { printf "%.2f\n", (last - first) / 1e8 }' "$1"
}

# first EVENTS: prints the time at which the last CPU's history begins, in 10 ns
first()
{
	event_awk '!/^#/ && $3 >= EV_FIRST && !seen[$4]++ { last = $1 } END { printf "%.0f\n", last }' "$1"
}

# early_waits TRACE: prints how many waits begin before the time that first() prints
early_waits()
{
	event_awk -F'[][, ]+' -v first="$(first "$1.events")" '
		$4 == -1 && $7 >= EV_WAITA && $7 <= EV_WAITZ && $2 * 1e8 < first - 1 { n++ }
		END { print n + 0 }' "$1.json"
}

# field FILE NAME: prints a field of a JSON report
field()
{
	sed -n "s/^\"$2\": \([^,]*\),*$/\1/p" "$1"
}

if guest_run "$TAP_TMP/script" --cpus 3 --mem 768 --timeout 300 --file "$GUEST_BIN/marker"; then
	for how in share whole; do
		for one in $how $how-snapshot $how-stream; do
			ok "$one: checktrace finds nothing wrong" "$BUILD/bin/checktrace" "$OUT/$one.trace"
			ok "$one: the filters read it" trace_text "$OUT/$one.trace"
			events=$OUT/$one.trace.events
			ok "$one: has events of the CPU that came online later" has_cpu "$events" 2
			# Without shares, a block that its CPU has left can be overwritten next,
			# even if its events are new. So the quiet CPU's last marks may be missing.
			early=0
			if [ $how = share ]; then
				early=101
				is "$one: the last marks of the quiet CPU" "$(marks "$events" last 1)" 107
			fi
			is "$one: the first marks of the quiet CPU" "$(marks "$events" early 1)" $early
			flags=$(sed -n 's/^# ## FLAGS: *\([0-9]*\).*/\1/p' "$events" | head -n 1)
			is "$one: the trace records that it wrapped" $((${flags:-0} & 64)) 64
			echo "# $one: history of CPU 0, the busy one: $(history "$events" 0) s, of CPU 1: $(history "$events" 1) s"
		done
		is "$how: the status shows that it wrapped" "$(field "$OUT/$how.json" wrapped)" true
		like "$how: the stream lost no block" "$(cat "$OUT/$how-stream.said")" ', 0 blocks lost$'
	done
	for one in share share-snapshot; do
		is "$one: no wait begins where a CPU's events are missing" "$(early_waits "$OUT/$one.trace")" 0
	done
	for how in $([ -z "$PERCPU_EVEN" ] || echo share whole); do
		ok "even load, $how: the filters read it" trace_text "$OUT/even-$how.trace"
		events=$OUT/even-$how.trace.events
		echo "# even load, $how: history of CPU 0: $(history "$events" 0) s, of CPU 1: $(history "$events" 1) s"
	done
	is "with two of three CPUs online, each has half of 64 blocks" "$(field "$OUT/share.json" share_blocks)" 32
	is "without shares, the status has none" "$(field "$OUT/whole.json" share_blocks)" 0
	like "the status as text" "$(cat "$OUT/share.status")" 'wrap, each CPU in its share \(has wrapped\)'
	is "a session's share: 32 blocks for three CPUs" "$(field "$OUT/own.json" share_blocks)" 10
	like "--per-cpu without --wrap is refused" "$(cat "$OUT/alone.said")" '^kutrace_control: start: --per-cpu: needs --wrap'
fi

cat >"$TAP_TMP/many" <<'SCRIPT'
#!/bin/sh
must insmod /lib/kutrace.ko
must_fail kutrace_control session create --wrap --per-cpu --size 1 small 2>/out/small.said
kutrace_control session list >/out/list
kutrace_control session destroy small
must kutrace_control session create --wrap --per-cpu --size 2 enough
kutrace_control --session enough status --json >/out/enough.json
must rmmod kutrace
SCRIPT
if guest_run "$TAP_TMP/many" --cpus 9 --timeout 120; then
	like "16 blocks for nine CPUs are refused, with a remedy" "$(cat "$OUT/small.said")" \
		'fewer than two blocks of 64 KB for each CPU: .*--size.*--per-cpu'
	is "32 blocks for nine CPUs" "$(field "$OUT/enough.json" share_blocks)" 3
fi
tap_end
