#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# takes: 5
# fast
#
# Tests that a trace keeps the CPU time of each thread when rawtoperfetto and perfettotoevent convert it to Perfetto's
# format and back.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc
[ -x "$BIN/perfettotoevent" ] || { skip "all" "no perfettotoevent"; tap_end; }

# back TRACE: converts a trace to Perfetto's format and back. In $TAP_TMP, json has its spans, back its spans after the
# round trip, and log the messages of eventtospan.
back()
{
	"$BIN/rawtohtml" --json "$1" 2>/dev/null >"$TAP_TMP/json"
	"$BIN/rawtoperfetto" "$1" 2>/dev/null >"$TAP_TMP/pf"
	"$BIN/perfettotoevent" "$TAP_TMP/pf" 2>/dev/null >"$TAP_TMP/events"
	"$BIN/eventtospan" <"$TAP_TMP/events" 2>"$TAP_TMP/log" | LC_ALL=C sort >"$TAP_TMP/back"
}

# last_common: prints the time in s at which the first CPU has its last event after the round trip.
last_common()
{
	awk -F'[[,]' '/^\[/ && $2 < 999 && $4 >= 0 && ($7 >= 65536 || $7 >= 1024 && $7 < 4096) { last[$4 + 0] = $2 + $3 }
		END { for (cpu in last) if (!to || last[cpu] < to) to = last[cpu]; printf "%.8f\n", to }' "$TAP_TMP/back"
}

# threads FILE TO: prints the pid and the CPU time in s of each thread until TO.
threads()
{
	"$BIN/spantotrim" --state 0 "$2" <"$1" 2>/dev/null | "$BIN/spantoprof" --json |
		sed -n 's/^.*"pid": \([0-9]*\),.*"cpu": \([0-9.]*\).*/\1 \2/p' | awk '$1 && $2 > 0' | sort
}

# with_stops FILE: adds the stops of the machine in FILE to the CPU times on standard input. Perfetto's format has no
# stops: the thread that had the CPU goes on running there.
with_stops()
{
	awk -F'[][, ]+' 'FILENAME != "-" { if (/"-stopped-"/) stop[$5] += $3; next }
		{ split($0, field, " "); printf "%s %.8f\n", field[1], field[2] + stop[field[1]] }' "$1" -
}

for file in tests/golden/*.trace.xz tests/data/*.trace.xz; do
	name=$(basename "$file" .trace.xz)
	xz -dc "$file" >"$TAP_TMP/trace"
	back "$TAP_TMP/trace"
	to=$(last_common)
	threads "$TAP_TMP/json" "$to" | with_stops "$TAP_TMP/json" >"$TAP_TMP/want"
	threads "$TAP_TMP/back" "$to" | with_stops /dev/null >"$TAP_TMP/got"
	between "$name: threads" "$(wc -l <"$TAP_TMP/want")" 5 1000
	is "$name: each thread has its CPU time" "$(diff "$TAP_TMP/want" "$TAP_TMP/got")" ""
	is "$name: no context switch is missing" "$(grep -o '[1-9][0-9]* context switches' "$TAP_TMP/log")" ""
done

# facts: prints the facts about pauses and missing events, from event text.
facts() { awk '$5 ~ /^(pause|partial)=/ && !seen[$5]++ { print $5 }' | sort; }
make_traces >&2 || exit 1
xz -dc tests/golden/stock-4cpu-wrap.trace.xz >"$TAP_TMP/wrap.trace"
# In a raw trace, replaces the fact pause by a fact partial that has the same length and the same times.
sed 's/pause=\([0-9:]*\)\x00\x00/partial=\1/' "$TRACES/paused.trace" >"$TAP_TMP/partial.trace"
for trace in "$TRACES/paused.trace" "$TRACES/paused-exit.trace" "$TAP_TMP/partial.trace" "$TAP_TMP/wrap.trace"; do
	name=$(basename "$trace")
	back "$trace"
	"$BIN/rawtoevent" "$trace" 2>/dev/null | facts >"$TAP_TMP/want"
	facts <"$TAP_TMP/events" >"$TAP_TMP/got"
	between "$name: facts about pauses" "$(wc -l <"$TAP_TMP/got")" 1 20
	is "$name: facts about pauses are those of the trace" "$(comm -13 "$TAP_TMP/want" "$TAP_TMP/got")" ""
	is "$name: no thread -pause-" "$(grep -c 'pause-\.[0-9]' "$TAP_TMP/back" "$TAP_TMP/events" | grep -v ':0$')" ""
	is "$name: the same pauses on each CPU" "$(grep '"-pause-"' "$TAP_TMP/back")" "$(grep '"-pause-"' "$TAP_TMP/json")"
done

# Only rawtoperfetto writes a thread -pause- for a pause. Elsewhere, it is a thread.
if command -v protoc >/dev/null; then
	. tests/cli/perfetto.inc
	perfetto_text <"$TAP_TMP/pf" | sed 's/"damaged_entries"/"other"/' >"$TAP_TMP/text"
	perfetto_bytes <"$TAP_TMP/text" >"$TAP_TMP/pf"
	"$BIN/perfettotoevent" "$TAP_TMP/pf" 2>/dev/null >"$TAP_TMP/events"
	is "other programs: a thread -pause-, and no pause" "$(grep -om1 'pause-\.4194305' "$TAP_TMP/events") $(facts <"$TAP_TMP/events")" "pause-.4194305 "
fi

# Other programs write the pid that ran. Earlier versions of rawtoperfetto wrote 0 to these events, whatever ran.
if command -v protoc >/dev/null; then
	for event in 'cpu_frequency { state: 2400000 cpu_id: 0 }' 'sched_process_free { comm: "b" pid: 101 }' \
		'task_newtask { pid: 102 comm: "c" }'; do
		for pid in 0 100 101; do
			perfetto_bytes >"$TAP_TMP/pf" <<X
packet { ftrace_events { cpu: 0
  event { timestamp: 1000 pid: 0 sched_switch { prev_comm: "swapper/0" next_comm: "a" next_pid: 100 } }
  event { timestamp: 2000 pid: $pid $event }
  event { timestamp: 3000 pid: 100 sched_switch { prev_comm: "a" prev_pid: 100 prev_state: 1 next_comm: "swapper/0" next_pid: 0 } } } }
X
			is "${event%% *} with pid $pid: what runs" "$("$BIN/perfettotoevent" "$TAP_TMP/pf" 2>/dev/null |
				awk '$3 == 512 && $1 >= 200 { printf "%s ", $5 }')" "$([ $pid = 101 ] && echo '101 100 ')0 "
		done
	done
else
	skip "other programs" "no protoc"
fi
tap_end
