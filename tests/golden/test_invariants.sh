#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 300
#
# Tests properties that every trace in the tree must have (with KUTRACE_FAST, the traces of golden_names and the
# corpus). Each CPU runs one thing at each time from its first event to its last, except in pauses of the recording
# and in times in which it did not run.
# The total time is conserved to 10 ns by spantospan and by spantotrim, whose parts add up to the whole. awk computes
# the sums from the text of the spans, in units of 10 ns.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

# cpus FILE: prints a line per CPU: number, first time, last time, total time, gaps, overlaps.
cpus()
{
	tr -d ' ' <"$1" | awk -F'[[,]' '
	function units(text) { sub(/\./, "", text); return text + 0 }
	# a row 644: recording was off; 645, 646: the machine or the CPU did not run
	/^\[/ && $4 >= 0 && ($7 >= 65536 || ($7 >= 1024 && $7 < 4096) || ($7 >= 644 && $7 <= 646)) {
		start = units($2); dur = units($3)
		if (!($4 in first))
			first[$4] = start
		else if (start > last[$4])
			gaps[$4]++
		else if (start < last[$4])
			overlaps[$4]++
		last[$4] = start + dur
		sum[$4] += dur
	}
	END {
		for (cpu in first)
			printf "%d %.0f %.0f %.0f %d %d\n", cpu, first[cpu], last[cpu],
				sum[cpu], gaps[cpu], overlaps[cpu]
	}' | sort -n
}

# absences FILE: prints a line for each interval of at least 100 ns, between two rows of a thread, in which the thread
# neither runs nor waits. Such an interval is permitted between the end of a thread and the beginning of the next one
# with its number, and while recording was off (rows 644). A thread has its CPU in rows 645 and 646.
absences()
{
	tr -d ' ' <"$1" | awk -F'[[,]' '
	function units(text) { sub(/\./, "", text); return text + 0 }
	!/^\[/ { next }
	$7 == 531 { ended[$8] = 1 }
	$7 == 644 && units($2) + units($3) > paused { paused = units($2) + units($3) }
	$5 > 0 && ($4 >= 0 ? $7 >= 65536 || ($7 >= 1024 && $7 < 4096) || $7 == 645 || $7 == 646 : $7 >= 768 && $7 <= 793) {
		start = units($2)
		if (($5 in until) && start - until[$5] >= 10) {
			if (!ended[$5] && paused <= until[$5])
				printf "%s %.0f %.0f\n", $5, until[$5], start
			ended[$5] = 0
		}
		if (start + units($3) > until[$5])
			until[$5] = start + units($3)
	}'
}

# trim FROM TO OUT: trims to this interval, in units of 10 ns.
trim()
{
	"$BIN/spantotrim" --state "$(($1 / 100000000)).$(printf %08d $(($1 % 100000000)))" \
		"$(($2 / 100000000)).$(printf %08d $(($2 % 100000000)))" \
		<"$TAP_TMP/json" >"$3" 2>/dev/null
}

check()
{
	local name=$1 trace=$2 whole usec from to middle
	"$BIN/rawtohtml" --json "$trace" >"$TAP_TMP/json" 2>/dev/null
	whole=$(cpus "$TAP_TMP/json")
	like "$name: there are CPUs" "$whole" '^[0-9]+ [0-9]+ [0-9]+ [0-9]+ '
	is "$name: no gap, no overlap, no time lost" \
		"$(echo "$whole" | awk '$5 || $6 || $3 - $2 != $4')" ""
	for usec in 0.5 10 1000; do
		"$BIN/spantospan" $usec <"$TAP_TMP/json" >"$TAP_TMP/merged" 2>/dev/null
		is "$name: through spantospan $usec" "$(cpus "$TAP_TMP/merged")" "$whole"
	done
	from=$(echo "$whole" | awk '!n++ || $2 < a { a = $2 } END { printf "%.0f", a }')
	to=$(echo "$whole" | awk '$3 > b { b = $3 } END { printf "%.0f", b }')
	middle=$((from + (to - from) / 3))
	trim "$from" "$middle" "$TAP_TMP/a"
	trim "$middle" "$to" "$TAP_TMP/b"
	for part in a b; do
		cpus "$TAP_TMP/$part" >"$TAP_TMP/$part.cpus"
		is "$name: part $part has no gap, no overlap" \
			"$(awk '$5 || $6 || $3 - $2 != $4' "$TAP_TMP/$part.cpus")" ""
	done
	is "$name: the parts add up to the whole" \
		"$(cat "$TAP_TMP/a.cpus" "$TAP_TMP/b.cpus" | awk '{ sum[$1] += $4 }
			END { for (c in sum) if (sum[c]) printf "%d %.0f\n", c, sum[c] }' | sort -n)" \
		"$(echo "$whole" | awk '$4 { print $1, $4 }')"
}

# states DATABASE: prints a line for each row of thread_state that overlaps the thread's previous row. Also prints a
# line for each gap of 100 ns or more between two rows of a thread, unless a pause of the recording explains the gap.
states()
{
	sqlite3 -separator ' ' "$1" "with s as (select tid, life, start_ns as a, lag(start_ns + dur_ns) over
		(partition by tid, life order by start_ns, dur_ns) as b from thread_state)
		select tid, life, iif(a < b, 'overlap', 'gap'), a - b from s
		where a < b or a - b >= 100 and not exists (select 1 from pause where start_ns < a and start_ns + dur_ns > b)"
}

# Do not check the corpus, which has threads on two CPUs at a time.
check_threads()
{
	is "$1: a thread runs or waits, from its first row to its last" "$(absences "$TAP_TMP/json")" ""
	[ -n "$sqlite" ] || return
	rm -f "$TAP_TMP/db"
	"$BIN/rawtosqlite" -o "$TAP_TMP/db" "$2" 2>/dev/null
	is "$1: the same in thread_state, with one state at a time" \
		"$(states "$TAP_TMP/db")$(sqlite3 "$TAP_TMP/db" 'select iif(count(*) > 20, "", "few") from thread_state')" ""
}

sqlite=
if command -v sqlite3 >/dev/null && [ -x "$BIN/rawtosqlite" ]; then
	sqlite=1
else
	skip "thread_state" "no rawtosqlite, or no sqlite3"
fi
for name in $(golden_names); do
	xz -dc "tests/golden/$name.trace.xz" >"$TAP_TMP/trace"
	check "$name" "$TAP_TMP/trace"
	check_threads "$name" "$TAP_TMP/trace"
done
for name in k61-2cpu k61-4cpu; do
	if reference $name.trace; then
		check $name "$REFERENCE/$name.trace"
		check_threads $name "$REFERENCE/$name.trace"
	else
		skip "$name" "no reference data"
	fi
done
# a trace in which rows of the scheduler are deferred
xz -dc tests/data/iouring.trace.xz >"$TAP_TMP/trace"
check iouring "$TAP_TMP/trace"
check_threads iouring "$TAP_TMP/trace"
make_traces >&2 || exit 1
sound=0
for trace in "$TRACES"/*.trace; do
	# only consistent traces of the corpus
	"$BIN/checktrace" "$trace" >/dev/null 2>&1 || continue
	sound=$((sound + 1))
	check "$(basename "$trace")" "$trace"
done
between "traces of the corpus that are sound" $sound 5 100
tap_end
