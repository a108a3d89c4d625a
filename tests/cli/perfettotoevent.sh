#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# takes: 25
# ci
#
# Tests perfettotoevent. It passes the common checks. A trace in Perfetto's own form, encoded by protoc, gives all
# events that it contains, compressed or not. A trace of rawtoperfetto gives the original scheduling. Missing events are
# reported. A broken trace gives no output, and no sanitizer reports an error.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc
. tests/cli/perfetto.inc
make_traces >&2 || exit 1
built "$BUILD/tests/flip"
TOOL=$BIN/perfettotoevent
"$BIN/rawtoperfetto" -o "$TAP_TMP/good.pf" "$TRACES/good.trace" 2>/dev/null
GOOD=$TAP_TMP/good.pf
DATES='s/^# \[1\] [0-9_:.-]*/# [1] DATE/'
common_checks perfettotoevent "$GOOD"

# events: prints only the events of event text.
events() { grep -v '^#\|^-' | grep ' ([0-9a-f]*)$'; }

# this program compresses the packets on standard input into one packet
cat >"$TAP_TMP/pack.c" <<'X'
#include <stdio.h>
#include <zlib.h>
static unsigned char in[1 << 20], out[1 << 20];
static void varint(unsigned long n)
{
	for (; n >= 128; n >>= 7)
		putchar((int)(n | 128) & 255);
	putchar((int)n);
}
int main(void)
{
	uLongf len = sizeof(out), head;
	size_t n = fread(in, 1, sizeof(in), stdin);
	compress(out, &len, in, n);
	head = 2 + (len < 128 ? 1 : len < 16384 ? 2 : 3);
	putchar(10);
	varint(head + len);
	varint(50 << 3 | 2);
	varint(len);
	fwrite(out, 1, len, stdout);
	return 0;
}
X
${CC:-cc} -O1 "$TAP_TMP/pack.c" -lz -o "$TAP_TMP/pack" || exit 1

# --- traces in Perfetto's form ------------------------------------------------------

# encoded FILE: encodes a trace in text form to Perfetto's bytes.
encoded() { perfetto_bytes <"$1"; }

cat >"$TAP_TMP/want" <<'X'
300000100 1 512 0  100 0  0 0 0 init.100 (200)
300000100 0 2104 0  100 0  65436 0 0 openat (838)
300000110 1 512 1  0 0  0 0 0 -idle-.0 (200)
300000110 0 1516 1  0 0  0 0 0 local_timer (5ec)
300000120 0 1535 1  0 0  1 0 0 BH:timer (5ff)
300000130 0 2047 1  0 0  0 0 0 /BH (7ff)
300000140 0 2028 1  0 0  0 0 0 /local_timer (7ec)
300000150 0 2616 0  100 0  0 65534 0 /openat (a38)
300000150 0 512 1  102 0  102 0 0 work er.102 (200)
300000160 1 518 0  100 0  101 0 0 runnable.101 (206)
300000170 0 512 0  101 0  101 0 0 init.101 (200)
300000174 1 1038 0  101 0  4 0 0 page_fault (40e)
300000176 1 265 0  101 0  0 0 0 B|101|draw (109)
300000178 1 531 0  101 0  101 0 0 task_exit.101 (213)
300000180 0 512 0  0 0  0 0 0 -idle-.0 (200)
300000180 0 1307 1  102 0  27 0 0 virtio0 (51b)
300000181 1 532 1  102 0  4660 0 0 rx_packet (214)
300000182 1 520 0  0 0  2 0 0 mwait (208)
300000190 0 1819 1  102 0  0 1 0 /virtio0 (71b)
300000250 0 512 1  0 0  0 0 0 -idle-.0 (200)
300000500 1 543 0  0 0  2 0 0 monitor_exit (21f)
300000510 1 540 1  0 0  2400 0 0 -freq- (21c)
X
# Adds the wakeup in the compact columns of CPU 1, and begins the CPU's idle thread at the time of this wakeup.
sed -i '/^300000110 1 512/i 300000100 1 512 1  0 0  0 0 0 -idle-.0 (200)\n300000100 1 518 1  0 0  102 0 0 runnable.102 (206)' "$TAP_TMP/want"
sed -i '/^300000110 1 512/d' "$TAP_TMP/want"

# says NAME TRACE: passes if the trace gives exactly the expected events. Writes its JSON to $TAP_TMP/json.
says()
{
	run /dev/null "$TOOL" "$2"
	is "$1: exit status" "$STATUS" 0
	events <"$OUT" >"$TAP_TMP/got"
	ok "$1: exactly the expected events" cmp "$TAP_TMP/got" "$TAP_TMP/want"
	diff "$TAP_TMP/got" "$TAP_TMP/want" | head -n 5 >&2
	"$BIN/eventtospan" <"$OUT" >"$TAP_TMP/json" 2>"$TAP_TMP/said"
	is "$1: eventtospan corrects nothing" "$(grep -c 'not recorded\|corrected' "$TAP_TMP/said")" 0
}
if command -v protoc >/dev/null; then
	encoded "$DATA/perfetto.textproto" >"$TAP_TMP/a.pf"
	says "ftrace" "$TAP_TMP/a.pf"
	like "the kernel" "$(cat "$TAP_TMP/json")" '^ "kernelVersion" : "6.1.25-android14 #1 SMP",$'
	like "the processor" "$(cat "$TAP_TMP/json")" '^ "cpuModelName" : "AArch64 Processor rev 1",$'
	like "the architecture" "$(cat "$TAP_TMP/json")" '"arch": "aarch64"'
	like "the recorder" "$(cat "$TAP_TMP/json")" '"backend": "ftrace, by Perfetto"'
	like "the categories" "$(cat "$TAP_TMP/json")" \
		'"categories": \["syscall", "trap", "irq", "softirq", "sched", "wakeup", "idle", "freq", "process", "net", "mark"\]'
	like "the caveats" "$(cat "$TAP_TMP/json")" \
		'"caveats": \["sched_entry", "irq_action", "fault_begin", "traps_none", "other_events"\]'
	like "the losses since the beginning" "$(cat "$TAP_TMP/json")" '"lost" : {"overrun": 7, "total": 7}'
	like "the id of the trace" "$(cat "$TAP_TMP/json")" '"trace_id": "6f180b0c-b242-c148-ab44-6cbf960a58b2"'
	like "times are UTC" "$(cat "$TAP_TMP/json")" '"utc_ns": "1571261760000000000"'
	like "a name that is in no event" "$(cat "$OUT")" '^-1 1 50 300 never runs$'
	like "a name for which events have a better one" "$(cat "$OUT")" '^-1 1 34 100 init$'
	cp "$OUT" "$TAP_TMP/text"
	# first only the second half of the trace is compressed, later the whole trace
	{ grep -v '^#' "$DATA/perfetto.textproto" | sed '/^packet { ftrace_events { cpu: 0/,$d' >"$TAP_TMP/half"
		encoded "$TAP_TMP/half"
		grep -v '^#' "$DATA/perfetto.textproto" | sed -n '/^packet { ftrace_events { cpu: 0/,$p' >"$TAP_TMP/half"
		encoded "$TAP_TMP/half" | "$TAP_TMP/pack"; } >"$TAP_TMP/b.pf"
	says "half of it packed" "$TAP_TMP/b.pf"
	ok "half of it packed gives the same events" cmp "$OUT" "$TAP_TMP/text"
	"$TAP_TMP/pack" <"$TAP_TMP/a.pf" >"$TAP_TMP/c.pf"
	says "all of it packed" "$TAP_TMP/c.pf"
	"$TAP_TMP/pack" <"$TAP_TMP/c.pf" >"$TAP_TMP/twice.pf"
	run /dev/null "$TOOL" "$TAP_TMP/twice.pf"
	expect "packed twice" 1 'compressed packets in compressed packets'
	# the trace has system call numbers of x86
	sed 's/aarch64/x86_64/; s/id: 56/id: 257/' "$DATA/perfetto.textproto" >"$TAP_TMP/text"
	encoded "$TAP_TMP/text" >"$TAP_TMP/x86.pf"
	if [ "$(uname -m)" = x86_64 ]; then
		sed 's/2104/2305/; s/838/901/; s/2616/2817/; s/a38/b01/' -i "$TAP_TMP/want"
		says "of x86" "$TAP_TMP/x86.pf"
	else
		skip "of x86" "its system calls are not in this machine's headers"
	fi
	# ftrace uses another clock; the snapshot has the same moment in both clocks
	sed '/^packet { ftrace_events { cpu/s/cpu: \(.\)/cpu: \1 ftrace_clock: FTRACE_CLOCK_GLOBAL ftrace_timestamp: 1000 boot_timestamp: 3000001000/' "$DATA/perfetto.textproto" >"$TAP_TMP/text"
	encoded "$TAP_TMP/text" >"$TAP_TMP/d.pf"
	like "another clock" "$("$TOOL" "$TAP_TMP/d.pf" 2>/dev/null)" '^600000100 0 2104 0  100 '
	sed 's/cpu: 1$/cpu: 1 lost_events: true/' "$DATA/perfetto.textproto" >"$TAP_TMP/text"
	encoded "$TAP_TMP/text" >"$TAP_TMP/d.pf"
	like "events missing in between" "$("$TOOL" "$TAP_TMP/d.pf" 2>/dev/null)" 'caveat=packets_lost$'
	sed '/clock_snapshot {/d' "$DATA/perfetto.textproto" >"$TAP_TMP/text"
	encoded "$TAP_TMP/text" >"$TAP_TMP/d.pf"
	like "no time of day" "$("$TOOL" "$TAP_TMP/d.pf" 2>/dev/null)" 'caveat=no_date$'
	# The trace has Perfetto's generic scheduling events, which any kernel can record, out of order.
	cat >"$TAP_TMP/text" <<'X'
packet { timestamp: 3000 generic_kernel_task_state_event { cpu: 0 comm: "b" tid: 2 state: TASK_STATE_RUNNING } }
packet { timestamp: 1000 generic_kernel_task_state_event { cpu: 0 comm: "a" tid: 1 state: TASK_STATE_RUNNING } }
packet { timestamp: 3000 generic_kernel_task_state_event { comm: "a" tid: 1 state: TASK_STATE_INTERRUPTIBLE_SLEEP } }
packet { timestamp: 4000 generic_kernel_task_state_event { tid: 2 state: TASK_STATE_UNINTERRUPTIBLE_SLEEP } }
packet { timestamp: 2000 generic_kernel_cpu_freq_event { cpu: 0 freq_hz: 1500000000 } }
packet { timestamp: 3500 generic_kernel_task_rename_event { tid: 2 comm: "c" } }
packet { timestamp: 5000 generic_kernel_task_state_event { cpu: 0 comm: "c" tid: 2 state: TASK_STATE_RUNNING } }
packet { timestamp: 6000 generic_kernel_task_state_event { tid: 2 state: TASK_STATE_DESTROYED } }
X
	encoded "$TAP_TMP/text" >"$TAP_TMP/d.pf"
	run /dev/null "$TOOL" "$TAP_TMP/d.pf"
	is "any kernel's scheduling" "$(events <"$OUT" | cut -d' ' -f1-5,7-)" "$(cat <<'X'
100 0 512 0  0  1 0 0 a.1 (200)
200 1 540 0  0  1500 0 0 -freq- (21c)
300 0 512 0  0  2 0 0 b.2 (200)
400 0 512 0  0  0 0 0 -idle-.0 (200)
500 0 512 0  0  2 0 0 c.2 (200)
600 1 531 0  0  2 0 0 task_exit.2 (213)
601 0 512 0  0  0 0 0 -idle-.0 (200)
X
	)"
	# one task number has more than 31 bits, and another task already has the first substitute
	# number
	cat >"$TAP_TMP/text" <<'X'
packet { timestamp: 1000 generic_kernel_task_state_event { cpu: 0 comm: "huge" tid: 9023372036854775807 state: TASK_STATE_RUNNING } }
packet { timestamp: 1000 generic_kernel_task_state_event { cpu: 1 comm: "taken" tid: 4194305 state: TASK_STATE_RUNNING } }
packet { timestamp: 3000 generic_kernel_task_state_event { cpu: 0 comm: "huge" tid: 9023372036854775807 state: TASK_STATE_DEAD } }
X
	encoded "$TAP_TMP/text" >"$TAP_TMP/d.pf"
	run /dev/null "$TOOL" "$TAP_TMP/d.pf"
	is "a huge task number gets another, which no task has" "$(events <"$OUT" | cut -d' ' -f1-5,7-)" "$(cat <<'X'
100 0 512 0  0  4194306 0 0 huge.4194306 (200)
100 0 512 1  0  4194305 0 0 taken.4194305 (200)
300 1 531 0  0  4194306 0 0 task_exit.4194306 (213)
301 0 512 0  0  0 0 0 -idle-.0 (200)
X
	)"
	like "a replaced task number is reported" "$(cat "$ERR")" '^  1 tasks have numbers below 0 or above 2147483647'
	# a task number below 0, and an event of CPU 300
	cat >"$TAP_TMP/text" <<'X'
packet { timestamp: 1000 generic_kernel_task_state_event { cpu: 0 comm: "below" tid: -5 state: TASK_STATE_RUNNING } }
packet { timestamp: 2000 generic_kernel_task_state_event { cpu: 300 comm: "far" tid: 7 state: TASK_STATE_RUNNING } }
packet { ftrace_events { cpu: 300 event { timestamp: 3000 pid: 0 sched_switch { next_comm: "a" next_pid: 100 } } } }
X
	encoded "$TAP_TMP/text" >"$TAP_TMP/d.pf"
	run /dev/null "$TOOL" "$TAP_TMP/d.pf"
	is "a task number below 0 gets another" "$(events <"$OUT" | cut -d' ' -f1-5,7-)" '100 0 512 0  0  4194305 0 0 below.4194305 (200)'
	like "a replaced task number below 0 is reported" "$(cat "$ERR")" '^  1 tasks have numbers below 0 or above 2147483647'
	like "events of CPUs above 255 are reported" "$(cat "$ERR")" '^  2 events of CPUs above 255 are left out'
	like "events of CPUs above 255 are a loss" "$(cat "$OUT")" 'lost_far_cpus=2$'

	# The trace has negative task numbers in 7 kinds of events, and in a switch in columns. Some events
	# have the running task -1.
	cat >"$TAP_TMP/text" <<'X'
packet { ftrace_events { cpu: 0
  event { timestamp: 1000 pid: 0 sched_switch { prev_comm: "swapper/0" next_comm: "a" next_pid: 100 } }
  event { timestamp: 2000 pid: 100 sched_switch { prev_comm: "a" prev_pid: 100 prev_state: 1 next_comm: "bad" next_pid: -1 } }
  event { timestamp: 2100 pid: 4294967295 sched_waking { comm: "bad" pid: -7 } }
  event { timestamp: 2200 pid: 4294967295 sched_wakeup_new { comm: "bad" pid: -7 } }
  event { timestamp: 2300 pid: 4294967295 task_newtask { pid: -7 comm: "bad" } }
  event { timestamp: 2400 pid: 4294967295 task_rename { pid: -7 newcomm: "bad" } }
  event { timestamp: 2500 pid: 4294967295 sched_process_exec { filename: "/bin/bad" pid: -7 } }
  event { timestamp: 2600 pid: 4294967295 sched_process_exit { comm: "bad" pid: -7 } }
  event { timestamp: 3000 pid: 4294967295 sched_switch { prev_comm: "bad" prev_pid: -1 prev_state: 1 next_comm: "a" next_pid: 100 } } } }
packet { ftrace_events { cpu: 1 compact_sched { intern_table: "bad" switch_timestamp: [4000] switch_prev_state: [0]
  switch_next_pid: [-7] switch_next_prio: [120] switch_next_comm_index: [0] } } }
X
	encoded "$TAP_TMP/text" >"$TAP_TMP/d.pf"
	run /dev/null "$TOOL" "$TAP_TMP/d.pf"
	is "events with negative task numbers are omitted" "$(events <"$OUT" | awk '$3 != 512 || $2 == 0 { print $1, $3, $7 }' | tr '\n' ' ')" "100 512 100 300 512 100 "
	like "events with negative task numbers are counted" "$(cat "$ERR")" '^  8 events of tasks with numbers below 0 are left out'
	like "events with negative task numbers are a loss" "$(cat "$OUT")" 'lost_task_numbers=8$'

	# two data sources: each packet sequence is in order, but the file is not
	clocks='packet { clock_snapshot { clocks { clock_id: 6 timestamp: 1000000000 } clocks { clock_id: 1 timestamp: 1700000000000000000 } } trusted_packet_sequence_id: 1 }'
	bundle() { printf 'packet { %s ftrace_events { cpu: 0\n%s\n} trusted_packet_sequence_id: %s }\n' "$3" "$2" "$1"; }
	switches() { printf 'event { timestamp: %s pid: %s sched_switch { prev_pid: %s prev_state: 1 next_comm: "%s" next_pid: %s } }\n' "$@"; }
	idles() { printf 'event { timestamp: %s pid: 0 cpu_idle { state: %s cpu_id: 0 } }\n' "$@"; }
	{
		echo "$clocks"
		bundle 2 "$(switches 2000000000 0 0 a 100 2100000000 100 100 swapper/0 0 3000000000 0 0 b 101)"
		bundle 3 "$(idles 1999000000 4294967295 2101000000 1 2999000000 4294967295)"
		bundle 2 "$(switches 3200000000 101 101 swapper/0 0)"
	} >"$TAP_TMP/text"
	encoded "$TAP_TMP/text" >"$TAP_TMP/d.pf"
	run /dev/null "$TOOL" "$TAP_TMP/d.pf"
	is "two data sources: all at their times" "$(events <"$OUT" | awk '!$2 || $3 != 512 { print $1, $3, $7 }')" "$(cat <<'X'
2100000000 512 100
2110000000 512 0
2110100000 520 1
2199900000 543 1
2200000000 512 101
2220000000 512 0
X
	)"
	unlike "two data sources: no event is late" "$(cat "$OUT" "$ERR")" 'earlier than|events_late'
	# the same events are in one sequence, and out of order there
	sed -i 's/sequence_id: 3/sequence_id: 2/' "$TAP_TMP/text"
	encoded "$TAP_TMP/text" >"$TAP_TMP/d.pf"
	run /dev/null "$TOOL" "$TAP_TMP/d.pf"
	like "one sequence out of order: is counted" "$(cat "$ERR")" '^  3 events are earlier than the event before them'
	like "one sequence out of order: there is a caveat" "$(cat "$OUT")" 'caveat=events_late$'

	# The difference between ftrace's clock and boot time changes, for example because the machine sleeps. The
	# other CPU has another clock.
	ftrace_clock() { sed "s/cpu: 0/cpu: $1 ftrace_clock: $2 ftrace_timestamp: $3 boot_timestamp: $4/"; }
	{
		echo "$clocks"
		bundle 2 "$(switches 1000000000 0 0 a 100)" | ftrace_clock 0 2 1000000000 2000000000
		bundle 2 "$(switches 1100000000 100 100 swapper/0 0 1200000000 0 0 a 100)" | ftrace_clock 0 2 1200000000 62200000000
		bundle 3 "$(switches 1000000000 0 0 b 101 1100000000 101 101 swapper/1 0)" | ftrace_clock 1 4 1000000000 5000000000
	} >"$TAP_TMP/text"
	encoded "$TAP_TMP/text" >"$TAP_TMP/d.pf"
	run /dev/null "$TOOL" "$TAP_TMP/d.pf"
	is "each time is converted by the pair of its clock before it" "$(events <"$OUT" | awk '!$2 { print $1, $4, $7 }')" "$(cat <<'X'
2100000000 0 100
2110000000 0 0
2400000000 1 101
2410000000 1 0
8120000000 0 100
X
	)"
	# The second source begins later, so it lacks the first pair. The pairs are not exact: a time does not exceed the
	# time of the next pair.
	same="$(switches 1199999990 100 100 swapper/0 0 1200000000 0 0 a 100)"
	{
		echo "$clocks"
		bundle 2 "$(switches 1000000000 0 0 a 100)" | ftrace_clock 0 2 1000000000 2000000000
		bundle 2 "$same" | ftrace_clock 0 2 1200000000 2199999000
		bundle 3 "$same" | ftrace_clock 0 2 1200000000 2199999000
	} >"$TAP_TMP/text"
	encoded "$TAP_TMP/text" >"$TAP_TMP/d.pf"
	run /dev/null "$TOOL" "$TAP_TMP/d.pf"
	is "pairs that are not exact: no event is late, or twice" "$(events <"$OUT" | awk '!$2 { print $1, $7 }'; grep -c 'earlier' "$ERR"; grep -o '2 events were recorded by another' "$ERR")" "$(cat <<'X'
2100000000 100
2119999900 0
2119999901 100
0
2 events were recorded by another
X
	)"
	# events of any kernel have the times of CLOCK_MONOTONIC (3), which stops while the machine sleeps
	snapshot() { printf 'packet { clock_snapshot { clocks { clock_id: 3 timestamp: %s } clocks { clock_id: 6 timestamp: %s } clocks { clock_id: 1 timestamp: %s } } }\n' "$@"; }
	monotonic() { printf 'packet { timestamp: %s timestamp_clock_id: 3 generic_kernel_task_state_event { cpu: 0 comm: "a" tid: 1 state: %s } }\n' "$@"; }
	{
		monotonic 1000000000 TASK_STATE_RUNNING
		snapshot 1000000000 2000000000 1700000000000000000
		monotonic 1100000000 TASK_STATE_INTERRUPTIBLE_SLEEP 1200000000 TASK_STATE_RUNNING
		snapshot 1200000000 7200000000 1700000005200000000
	} >"$TAP_TMP/text"
	encoded "$TAP_TMP/text" >"$TAP_TMP/d.pf"
	run /dev/null "$TOOL" "$TAP_TMP/d.pf"
	is "any kernel: each time is converted by the snapshot before it" "$(events <"$OUT" | awk '!$2 { print $1, $7 }')" "$(cat <<'X'
2000000000 1
2010000000 0
2520000000 1
X
	)"

	# Two data sources record the same events, except one that only the second source has. An event that one source
	# has twice counts twice.
	both=$(switches 2000000000 0 0 a 100; idles 2050000000 4294967295 2050000000 4294967295)
	wake='event { timestamp: 2060000000 pid: 100 sched_waking { comm: "b" pid: 101 prio: 120 success: 1 target_cpu: 0 } }'
	waken='event { timestamp: 2060000000 pid: 100 sched_waking { comm: "c" pid: 102 prio: 120 success: 1 target_cpu: 0 } }'
	last=$(switches 2100000000 100 100 swapper/0 0)
	{ echo "$clocks"; bundle 2 "$both
$wake
$waken
$last"; bundle 2 "$(idles 2200000000 1)"; } >"$TAP_TMP/text"
	encoded "$TAP_TMP/text" >"$TAP_TMP/one.pf"
	"$TOOL" "$TAP_TMP/one.pf" 2>/dev/null | events >"$TAP_TMP/want"
	{
		echo "$clocks"
		bundle 2 "$both
$wake
$last"
		bundle 3 "$both
$waken
$wake
$last"
		bundle 3 "$(idles 2200000000 1)"
	} >"$TAP_TMP/text"
	encoded "$TAP_TMP/text" >"$TAP_TMP/two.pf"
	run /dev/null "$TOOL" "$TAP_TMP/two.pf"
	is "two data sources with the same events: as one that has them all" "$(events <"$OUT" | sort)" "$(sort "$TAP_TMP/want")"
	between "two data sources with the same events: there are enough events" "$(awk '$2 || $3 == 512' "$TAP_TMP/want" | wc -l)" 6 20
	like "duplicates are counted" "$(cat "$ERR")" '^  5 events were recorded by another data source as well'
	# the second source writes switches and wakeups in compact columns
	{
		echo "$clocks"
		bundle 2 "$both
$wake
$waken
$last"
		printf 'packet { ftrace_events { cpu: 0 compact_sched { intern_table: "a" intern_table: "swapper/0" intern_table: "b"
			switch_timestamp: [2000000000, 100000000] switch_prev_state: [0, 1] switch_next_pid: [100, 0] switch_next_prio: [120, 120] switch_next_comm_index: [0, 1]
			waking_timestamp: [2060000000] waking_pid: [101] waking_target_cpu: [0] waking_prio: [120] waking_comm_index: [2] } } trusted_packet_sequence_id: 3 }\n'
		bundle 2 "$(idles 2200000000 1)"
	} >"$TAP_TMP/text"
	encoded "$TAP_TMP/text" >"$TAP_TMP/two.pf"
	run /dev/null "$TOOL" "$TAP_TMP/two.pf"
	is "also where one has them in columns" "$(events <"$OUT" | sort)" "$(sort "$TAP_TMP/want")"
	like "duplicates in compact columns are counted" "$(cat "$ERR")" '^  3 events were recorded by another data source as well'
	# The second source also has an earlier wakeup of the task, which comes late in the file. perfettotoevent moves it
	# to the time of the first source's wakeup, but it is no copy of that wakeup.
	late=$(sed 's/2060000000/2055000000/' <<<"$wake")
	{
		echo "$clocks"
		bundle 2 "$both
$wake
$last"
		bundle 3 "$waken"
		bundle 3 "$late"
	} >"$TAP_TMP/text"
	encoded "$TAP_TMP/text" >"$TAP_TMP/two.pf"
	run /dev/null "$TOOL" "$TAP_TMP/two.pf"
	is "a late event of one is not the later event of the other" "$(events <"$OUT" | grep -c '(206)') $(cat "$ERR" | grep -c 'another data source\|earlier')" "3 1"
	like "a late event counts as late" "$(cat "$ERR")" '^  1 events are earlier than the event before them'
	{ cat "$TAP_TMP/text"; bundle 4 "$waken"; bundle 4 "$late"; } >"$TAP_TMP/more"
	encoded "$TAP_TMP/more" >"$TAP_TMP/two.pf"
	run /dev/null "$TOOL" "$TAP_TMP/two.pf"
	is "a late event that two sources have is one" "$(events <"$OUT" | grep -c '(206)')" 3
	like "two copies are counted" "$(cat "$ERR")" '^  2 events were recorded by another data source as well'

	# the first packet of each sequence also has the drop flag
	dropped() { bundle 2 "$(switches "$@")" 'previous_packet_dropped: 1'; }
	{ echo "$clocks"; dropped 2000000000 0 0 a 100 2100000000 100 100 swapper/0 0; } >"$TAP_TMP/text"
	encoded "$TAP_TMP/text" >"$TAP_TMP/d.pf"
	unlike "the flag of a sequence's first packet is no loss" "$("$TOOL" "$TAP_TMP/d.pf" 2>/dev/null)" 'packets_lost'
	dropped 2200000000 0 0 a 100 >>"$TAP_TMP/text"
	encoded "$TAP_TMP/text" >"$TAP_TMP/d.pf"
	like "the flag of a later packet is a loss" "$("$TOOL" "$TAP_TMP/d.pf" 2>/dev/null)" 'caveat=packets_lost$'

	# two machines with the same CPU and task number; facts about the guest do not apply to the host
	host=$(bundle 2 "$(switches 2000000000 0 0 hostprog 100 2900000000 100 100 swapper/0 0)")
	guest=$(bundle 3 "$(switches 2910000000 0 0 guestprog 100 3000000000 100 100 swapper/0 0)" 'machine_id: 1001')
	system='packet { machine_id: 1001 system_info { utsname { release: "of-the-guest" } } }'
	printf '%s\n' "$clocks" "$system" "$host" "$guest" >"$TAP_TMP/text"
	encoded "$TAP_TMP/text" >"$TAP_TMP/d.pf"
	run /dev/null "$TOOL" "$TAP_TMP/d.pf"
	is "two machines: the host's CPU" "$(events <"$OUT" | awk '!$2 { print $1, $10 }')" "$(printf '%s\n' \
		'2100000000 hostprog.100' '2190000000 -idle-.0')"
	unlike "two machines: no event of the guest" "$(cat "$OUT")" 'guest'
	like "two machines: there is a caveat" "$(cat "$OUT")" 'caveat=other_machines$'
	like "two machines: the packets of the guest are counted" "$(cat "$ERR")" '^  2 packets of other machines are left out'
	printf '%s\n' "$clocks" "$guest" >"$TAP_TMP/text"
	encoded "$TAP_TMP/text" >"$TAP_TMP/d.pf"
	run /dev/null "$TOOL" "$TAP_TMP/d.pf"
	expect "events of another machine only" 1 'all kernel events are from other machines \(machine_id\)'
else
	skip "traces that protoc encodes" "no protoc"
	cp "$GOOD" "$TAP_TMP/a.pf"
	"$TAP_TMP/pack" <"$GOOD" >"$TAP_TMP/c.pf"
fi

# --- traces of rawtoperfetto --------------------------------------------------------

# runs: prints the task, CPU and time of each run, from span JSON.
runs() { awk -f tests/cli/perfetto_expected.awk | grep '^run' | sort; }
for name in stock patched-4cpu; do
	xz -dc "tests/golden/$name.trace.xz" >"$TAP_TMP/$name.trace"
	"$BIN/rawtoperfetto" -o "$TAP_TMP/$name.pf" "$TAP_TMP/$name.trace" 2>/dev/null
	"$TOOL" "$TAP_TMP/$name.pf" 2>"$ERR" >"$TAP_TMP/back.events"
	"$BIN/rawtohtml" --json "$TAP_TMP/$name.trace" 2>/dev/null | runs >"$TAP_TMP/want"
	"$BIN/eventtospan" <"$TAP_TMP/back.events" 2>/dev/null | LC_ALL=C sort | runs >"$TAP_TMP/got"
	between "$name: runs" "$(wc -l <"$TAP_TMP/want")" 500 100000
	# the last run on each CPU has no end
	is "$name: which task ran where, and how long" "$(comm -13 "$TAP_TMP/want" "$TAP_TMP/got" | wc -l)" 0
	between "$name: number of runs" "$(wc -l <"$TAP_TMP/got")" $(($(wc -l <"$TAP_TMP/want") - 8)) "$(wc -l <"$TAP_TMP/want")"
	"$BIN/rawtoevent" "$TAP_TMP/$name.trace" 2>/dev/null | awk '$3 == 518 { print $1, $4, $7 }' | sort >"$TAP_TMP/want"
	awk '$3 == 518 { print $1, $4, $7 }' "$TAP_TMP/back.events" | sort >"$TAP_TMP/got"
	ok "$name: the wakeups" cmp "$TAP_TMP/got" "$TAP_TMP/want"
	like "$name: calls do not come back, and a caveat reports that" "$(cat "$TAP_TMP/back.events")" '^-1 1 335 0 caveat=other_events$'
done

# --- hostile input: all of the output or none -------------------------------------------

build_sanitized
serve "$SAN/bin/perfettotoevent"

# hostile WHAT: checks the last run, of a broken input, and prints the errors found.
hostile()
{
	case $STATUS in
	0) "$BIN/eventtospan" <"$OUT" >/dev/null 2>"$ERR" || echo "$1: eventtospan refuses it" ;;
	1) [ ! -s "$OUT" ] || echo "$1: output in spite of an error"
		grep -q '^perfettotoevent: ' "$ERR" || echo "$1: no message" ;;
	*) echo "$1: status $STATUS: $(grep -E 'ERROR|SUMMARY|runtime error' "$ERR" | head -n 2)" ;;
	esac
}
for file in a c; do
	broken=
	size=$(wc -c <"$TAP_TMP/$file.pf")
	for at in $(seq 0 $((size / 40 + 1)) "$((size - 1))"); do
		head -c "$at" "$TAP_TMP/$file.pf" >"$TAP_TMP/cut.pf"
		run_served /dev/null "$SAN/bin/perfettotoevent" "$TAP_TMP/cut.pf"
		broken="$broken$(hostile "cut at $at")"
	done
	is "$file: cut off anywhere" "$broken" ""
	broken=
	for at in $(seq 0 $((size / 80 + 1)) "$((size - 1))"); do
		"$BUILD/tests/flip" "$TAP_TMP/$file.pf" "$at" $((at % 8)) || exit 1
		run_served /dev/null "$SAN/bin/perfettotoevent" "$TAP_TMP/$file.pf"
		broken="$broken$(hostile "byte $at")"
		"$BUILD/tests/flip" "$TAP_TMP/$file.pf" "$at" $((at % 8)) || exit 1
	done
	is "$file: a changed bit" "$broken" ""
done
run /dev/null "$TOOL" "$TAP_TMP/stock.trace"
expect "no Perfetto trace" 1 '^perfettotoevent: .*stock.trace: not a Perfetto trace, but a raw trace; try rawtohtml'
printf '\012\003\252\010\000' >"$TAP_TMP/zstd.pf"
run /dev/null "$TOOL" "$TAP_TMP/zstd.pf"
expect "packed by zstd" 1 'cannot read packets compressed with zstd'
# lengths greater than the file, and fields that need more memory than a valid packet of that size
printf '\012\003\012\377\177' >"$TAP_TMP/long.pf"
run /dev/null "$TOOL" "$TAP_TMP/long.pf"
expect "a length beyond its packet" 1 ': byte 2: invalid packet: the trace is damaged$'
{ cat "$TAP_TMP/a.pf"; cat "$TAP_TMP/long.pf"; } >"$TAP_TMP/more.pf"
run /dev/null "$TOOL" "$TAP_TMP/more.pf"
expect "a damaged packet is named by its place" 1 ": byte $(($(wc -c <"$TAP_TMP/a.pf") + 2)): invalid packet"
"$TAP_TMP/pack" <"$TAP_TMP/more.pf" >"$TAP_TMP/long.pf"
run /dev/null "$TOOL" "$TAP_TMP/long.pf"
expect "and in compressed packets" 1 ": byte $(($(wc -c <"$TAP_TMP/a.pf") + 2)) of the uncompressed packets: invalid packet"
if command -v protoc >/dev/null; then
	bad=
	for boot in -9223372036854775808 -1 0 1 9223372036854775807; do
		sed "/^packet { ftrace_events { cpu/s/cpu: \(.\)/cpu: \1 ftrace_clock: FTRACE_CLOCK_GLOBAL ftrace_timestamp: -9223372036854775808 boot_timestamp: $boot/" \
			"$DATA/perfetto.textproto" >"$TAP_TMP/text"
		encoded "$TAP_TMP/text" >"$TAP_TMP/d.pf"
		run_served /dev/null "$SAN/bin/perfettotoevent" "$TAP_TMP/d.pf"
		bad="$bad$(hostile "boot time $boot")"
	done
	is "clocks at the ends of their ranges" "$bad" ""
fi
# shellcheck disable=SC2046 # numbers
{ printf '\012\204\211\172\012\200\211\172'; printf '\022\000%.0s' $(seq 1000000); } >"$TAP_TMP/many.pf"
(
	ulimit -v 262144
	run /dev/null "$TOOL" "$TAP_TMP/many.pf"
	echo "$STATUS" >"$TAP_TMP/many"
)
is "a million events of 2 bytes are refused" "$(cat "$TAP_TMP/many") $(grep -c ': byte 4: invalid packet' "$ERR")" "1 1"
mkdir "$TAP_TMP/o"
head -c 300 "$TAP_TMP/a.pf" >"$TAP_TMP/cut.pf"
run /dev/null "$TOOL" -o "$TAP_TMP/o/x" "$TAP_TMP/cut.pf"
is "-o and a broken trace: nothing is left" "$STATUS$(ls -A "$TAP_TMP/o")" 1

# --- a large trace ----------------------------------------------------------------------------

large_trace
"$BIN/rawtoperfetto" -o "$TAP_TMP/large.pf" "$TAP_TMP/measured.trace" 2>/dev/null
reads_large "$TAP_TMP/large.pf"

for bad in "$GOOD $GOOD" '--frobnicate'; do
	# shellcheck disable=SC2086 # several arguments
	run "$GOOD" "$TOOL" $bad
	expect "usage: $bad" 2 '^perfettotoevent: '
done
tap_end
