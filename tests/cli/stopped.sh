#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# fast
#
# Tests times in which the machine, or one CPU, did not run for half a second, with all filters
# (stopped.trace and stolen.trace of make_traces.c). No sum of CPU time contains such a time, and
# each filter that reports totals reports it. tests/unit/test_reconstruct_stopped.c tests which silent
# times count.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

make_traces >&2 || exit 1
built "$BUILD/gen/events" "$BUILD/tests/make_shapes"
# shellcheck disable=SC1091 # made above
. "$BUILD/gen/events"
for name in stopped stolen; do
	"$BIN/rawtoevent" "$TRACES/$name.trace" 2>/dev/null | LC_ALL=C sort -n >"$TAP_TMP/events"
	"$BIN/eventtospan" x <"$TAP_TMP/events" 2>/dev/null | LC_ALL=C sort >"$TAP_TMP/$name.json"
	"$BIN/rawtohtml" --json "$TRACES/$name.trace" 2>/dev/null | grep '^\[ ' | LC_ALL=C sort >"$TAP_TMP/direct"
	is "$name: one process gives the same rows" "$(cat "$TAP_TMP/direct")" "$(grep '^\[ ' "$TAP_TMP/$name.json")"
done
# rows FILE: start, duration, CPU, pid, event, argument and name of the rows in the silent time
rows()
{
	awk '/^\[/ {
		gsub(/[][,]/, " ")
		if ($1 < 999 && $1 < 11.5439 && $1 + $2 > 11.0441 && $3 != "'"${2-}"'")
			print $1, $2, $3, $4, $6, $7, $10
	}' "$1"
}
machine="11.04400190 0.49999709 0 51 $EV_STOPPED 1 \"-stopped-\"
11.04400190 0.49999709 1 1 $EV_STOPPED 1 \"-stopped-\""
one="11.04400190 0.49999709 0 51 $EV_STOLEN 1 \"-stolen-?\""
is "the machine: each CPU has a row, and no other row is in that time" "$(rows "$TAP_TMP/stopped.json")" "$machine"
is "one CPU: the same for this CPU" "$(rows "$TAP_TMP/stolen.json" 1)" "$one"
is "the call around it has two spans, and the last one has the result" \
	"$(awk '/"write"/ { gsub(/[][,]/, " "); print $1, $2, $8 }' "$TAP_TMP/stopped.json")" \
'11.00000900 0.04399290 0
11.54399899 0.00600201 5'
"$BIN/spantospan" 1000 <"$TAP_TMP/stopped.json" 2>/dev/null >"$TAP_TMP/merged.json"
is "spantospan: the rows remain" "$(rows "$TAP_TMP/merged.json")" "$machine"
"$BIN/spantotrim" 11.1 11.2 <"$TAP_TMP/stopped.json" 2>/dev/null >"$TAP_TMP/part.json"
is "spantotrim: a part of the time has rows" "$(grep -c -- '"-stopped-"' "$TAP_TMP/part.json")" 2

for name in stopped stolen; do
	if [ $name = stopped ]; then
		what="the machine" count='the machine did not run: 1 times'
	else
		what="a CPU" count='single CPUs did not run (inferred): 1 times'
	fi
	run /dev/null "$BIN/checktrace" --strict "$TRACES/$name.trace"
	is "checktrace $name: sound, with --strict" "$STATUS $(cat "$ERR")" "0 "
	is "checktrace $name: counts the time, and all time is covered" \
		"$(grep -o '^the machine.*seconds\|^single.*seconds\|covered .*overlaps' "$OUT"; tail -n 1 "$OUT")" \
"covered 100.000000 %, 0 gaps, 0 overlaps
covered 100.000000 %, 0 gaps, 0 overlaps
$count, 0.49999709 seconds
sound, but $what did not run in between"
	run /dev/null "$BIN/checktrace" --json "$TRACES/$name.trace"
	like "checktrace --json $name: has it" "$(cat "$OUT")" "\"$name\": \{\"count\": 1, \"inferred\": [01], \"time\": 0\.49999709"

	run "$TAP_TMP/$name.json" "$BIN/spantoprof" --json
	like "spantoprof $name: reports the length" "$(cat "$OUT")" "\"$name\": 0\.49999709"
	is "spantoprof $name: pid 51 has no CPU time of it" \
		"$(grep -o '"pid": 51, [^{]*"cpu": [0-9.]*' "$OUT" | grep -o '[0-9.]*$')" 0.06000101
	run "$TAP_TMP/$name.json" "$BIN/spantoprof"
	like "spantoprof $name: the text reports the length" "$(tail -n 1 "$OUT")" '(machine did not|CPUs did not) run for 499\.997 ms'
	run "$TAP_TMP/$name.json" "$BIN/spantowhy" --pid 51
	like "spantowhy $name: the totals have it" "$(head -n 1 "$OUT")" \
		'^work\.51: 1 runs, 60\.001 ms; its CPU did not run for 499\.997 ms; 0 gaps, waiting for a CPU 0 ns$'
	like "spantowhy $name: the budget has it" "$(cat "$OUT")" \
		"^ +499\.997 ms +89\.3 %  the (machine did not run|CPU did not run \(inferred\)), 1 step$"
	like "spantowhy $name: the path has it" "$(cat "$OUT")" \
		"^11\.04400190 +499\.997 ms  work\.51 had CPU 0, but the (machine did not run|CPU did not run \(inferred\))$"
	sed 's/-stopped-"/-stopped-?"/' "$TAP_TMP/$name.json" >"$TAP_TMP/inferred.json"
	run "$TAP_TMP/inferred.json" "$BIN/spantowhy" --pid 51
	is "spantowhy $name: the budget and the path mark an inferred time" "$(grep -c 'did not run (inferred)' "$OUT")" 2
	run "$TAP_TMP/inferred.json" "$BIN/spantoprof"
	like "spantoprof $name: marks an inferred time" "$(tail -n 1 "$OUT")" 'did not run for 499\.997 ms (in between )?\(inferred\)'
	run "$TAP_TMP/$name.json" "$BIN/spantowhy" --pid 51 --json
	like "spantowhy --json $name" "$(tr -d '\n' <"$OUT")" \
		'"run": 0\.06000101, "stopped": 0\.49999709.*"start": 11\.04400190, "end": 11\.54399899, "kind": "stopped", "pid": 51'
	"$BIN/spantospeedscope" <"$TAP_TMP/$name.json" >"$TAP_TMP/scope" 2>/dev/null
	is "spantospeedscope $name: no frame of pid 51 is open in that time" "$(perl -MJSON::PP -0777 -ne '
		my $json = decode_json($_);
		my ($profile) = grep { $_->{name} =~ /CPU 0/ } @{$json->{profiles}};
		my ($depth, $last, $open) = (0, 0, 0);
		for my $event (@{$profile->{events}}) {
			my $step = $event->{at} - $last;
			$open = 1 if $depth && ($step > 0.4 && $step < 0.6 || $step > 4e8 && $step < 6e8);
			$depth += $event->{type} eq "O" ? 1 : -1;
			$last = $event->{at};
		}
		print $open' "$TAP_TMP/scope")" 0
	"$BIN/rawtoperfetto" "$TRACES/$name.trace" -o "$TAP_TMP/perfetto" 2>/dev/null
	ok "rawtoperfetto $name: has the slice" grep -q -a -- "-$name-" "$TAP_TMP/perfetto"
done
# A trace without facts can have pauses that it does not show.
"$BUILD/tests/make_shapes" stops 64 "$TAP_TMP/trace"
run /dev/null "$BIN/checktrace" "$TAP_TMP/trace"
is "checktrace: counts inferred times" "$(grep '^the machine' "$OUT")" \
	'the machine did not run: 3 times, 3 of them inferred, 0.15299997 seconds; no CPU time contains that time'
# A recorded stop of half a second: from the last tick to the next one, CPU 1 has 546 ms.
xz -dc "$DATA/stopped.trace.xz" >"$TAP_TMP/trace"
run /dev/null "$BIN/checktrace" "$TAP_TMP/trace"
is "a stopped guest: one stop" "$(grep '^the machine\|^single' "$OUT"; tail -n 1 "$OUT")" \
'the machine did not run: 1 times, 0.53711019 seconds; no CPU time contains that time
sound, but the machine did not run in between'
is "a stopped guest: no span of its program is as long" "$("$BIN/rawtohtml" --json "$TAP_TMP/trace" 2>/dev/null |
	awk -v stopped="$EV_STOPPED" '/^\[/ { gsub(/[][,]/, " "); if ($4 == 122 && $3 >= 0 && $6 != stopped && $2 > 0.1) print }')" ""
# The call write is whole: it began before the time and ended after it.
run "$TAP_TMP/stopped.json" "$BIN/spantoprof" --json
like "spantoprof: a call around the time is one complete call" "$(cat "$OUT")" \
	'"kind": "write", "time": 0\.04999491, "count": 1, "cut": 0, "elapsed": 0\.54999200'
if command -v sqlite3 >/dev/null; then
	for name in stopped stolen; do
		"$BIN/rawtosqlite" "$TRACES/$name.trace" -o "$TAP_TMP/$name.db" 2>/dev/null
		is "SQL $name: the CPU is covered by slices and stops" "$(sqlite3 "$TAP_TMP/$name.db" '
			select cpu, last_ns - first_ns - (select sum(dur_ns) from sched_slice s where s.cpu = c.cpu)
				- coalesce((select sum(dur_ns) from stopped s where s.cpu = c.cpu), 0) from cpu c')" \
'0|0
1|0'
		is "SQL $name: the thread is stopped, without a gap" "$(sqlite3 "$TAP_TMP/$name.db" '
			select state, sum(dur_ns), cpu from thread_state where tid = 51 group by state order by state')" \
'running|60001010|0
stopped|499997090|0'
	done
	is "SQL: the table" "$(sqlite3 "$TAP_TMP/stopped.db" 'select cpu, dur_ns, number, tid, inferred from stopped order by cpu')" \
'0|499997090|1|51|0
1|499997090|1|1|0'
	is "SQL: one CPU" "$(sqlite3 "$TAP_TMP/stolen.db" 'select cpu, dur_ns, number, tid, inferred from stopped')" '0|499997090|0|51|1'
	is "SQL: a call around the time" "$(sqlite3 "$TAP_TMP/stopped.db" \
		"select elapsed_ns, on_cpu_ns, waiting_ns, cut_start, cut_end from call where name = 'write'")" '549992000|49994910|499997090|0|0'
fi
tap_end
