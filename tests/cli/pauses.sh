#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# fast
#
# Tests a recording that was off for half a second, with all filters. No filter counts the
# pause as other time, and each filter that reports totals reports the pause.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

make_traces >&2 || exit 1
TRACE=$TRACES/paused.trace
"$BIN/rawtoevent" "$TRACE" 2>/dev/null | LC_ALL=C sort -n >"$TAP_TMP/events"
"$BIN/eventtospan" pause <"$TAP_TMP/events" 2>/dev/null | LC_ALL=C sort >"$TAP_TMP/json"

is "the event text has the fact, in units of 10 ns" "$(awk '$5 ~ /^pause=/ && $1 == -1 { print $2, $4, $5 }' "$TAP_TMP/events")" \
	"1 0 pause=1100010000:1150010000"
is "each CPU has one pause, and no other row is in it" "$(awk '/^\[/ {
	gsub(/[][,]/, " ")
	if ($1 < 999 && $1 < 11.5001 && $1 + $2 > 11.0001)
		print $1, $2, $3, $6, $7, $10
}' "$TAP_TMP/json")" '11.00010000 0.50000000 0 644 1 "-pause-"
11.00010000 0.50000000 1 644 1 "-pause-"'
is "open spans end where recording goes off and begin again where it goes on" \
	"$(awk '/^\[/ && /"(write|-idle-)"/ { gsub(/[][,]/, " "); print $1, $2, $3, $4, $8, $10 }' "$TAP_TMP/json" | sort -k3,3 -k1,1)" \
'11.00000300 0.00009700 0 51 0 "write"
11.50010000 0.00000400 0 51 5 "write"
11.00000900 0.00000100 1 1 0 "write"
11.00001000 0.00009000 1 0 0 "-idle-"
11.50010000 0.00000900 1 0 0 "-idle-"
11.50010900 0.00000300 1 1 5 "write"
11.50011300 0.00000020 1 1 5 "write"'
# In this trace, CPU 1 has no event after the pause.
head -c -65536 "$TRACE" >"$TAP_TMP/quiet.trace"
"$BIN/rawtohtml" --json "$TRACE" 2>/dev/null | grep '^\[ ' | LC_ALL=C sort >"$TAP_TMP/direct"
is "one process gives the same rows" "$(cat "$TAP_TMP/direct")" "$(grep '^\[ ' "$TAP_TMP/json")"

run /dev/null "$BIN/checktrace" --strict "$TRACE"
is "checktrace: sound, with --strict" "$STATUS $(cat "$ERR")" "0 "
is "checktrace: counts the pause, and the rest is covered" "$(grep -o '^recording was off.*seconds\|covered .*overlaps' "$OUT"; tail -n 1 "$OUT")" \
'covered 100.000000 %, 0 gaps, 0 overlaps
covered 100.000000 %, 0 gaps, 0 overlaps
recording was off: 1 pauses, 0.50000000 seconds
sound, but recording was off in between'
run /dev/null "$BIN/checktrace" --json "$TRACE"
like "checktrace --json: has it" "$(cat "$OUT")" '"pauses": \{"count": 1, "time": 0\.50000000'
is "checktrace --json: no CPU is covered in the pause" "$(grep -o '"covered": [0-9.]*' "$OUT" | sort -u | awk '$2 > 0.001')" ""

run "$TAP_TMP/json" "$BIN/spantoprof" --json
is "spantoprof counts no time of the pause" \
	"$(grep -o '"\(cpu\|time\|elapsed\|longest\)": [0-9.]*' "$OUT" | awk '$2 > 0.001')" ""
like "spantoprof: reports the length of the pause" "$(cat "$OUT")" '"paused": 0\.50000000'
run "$TAP_TMP/json" "$BIN/spantowhy" --pid 1
is "spantowhy: the pause is no gap" "$(grep 'in write: waited' "$OUT")" ""
is "spantowhy: the pause is no wait of the critical path, which stays with the thread" \
	"$(sed -n '/^critical/,$p' "$OUT" | grep -E '500\.|did not run')" \
'11.00001000   500.096 ms  init.1 is not in the trace: recording was off for 500.000 ms of that
recording was off for 500.000 ms in between: that time is no gap and no wait'
run "$TAP_TMP/json" "$BIN/spantowhy" --pid 1 --json
is "spantowhy --json: the same" "$(grep -o '"paused": [0-9.]*' "$OUT" | tr '\n' ' ') $(grep -c '"kind": "off", "pid": 1,' "$OUT") $(grep -c '"kind": "unknown"' "$OUT")" \
	'"paused": 0.50000000 "paused": 0.50000000  1 0'
run "$TAP_TMP/json" "$BIN/spantowhy"
like "spantowhy: the last line reports the pause" "$(tail -n 1 "$OUT")" '^recording was off for 500\.000 ms in between'
run "$TAP_TMP/json" "$BIN/spantowhy" --from 11.50012 --to 12
unlike "spantowhy: an interval without a pause has no such line" "$(cat "$OUT")" 'recording was off'
# why OPTION...: prints the status, the members from, to and paused of JSON, and the error; then the same of the text
why()
{
	run "$TAP_TMP/json" "$BIN/spantowhy" --json "$@"
	echo "$STATUS $(grep -o '^{"from": [0-9.]*, "to": [0-9.]*\(, "paused": [0-9.]*\)\?' "$OUT") $(cat "$ERR")"
	run "$TAP_TMP/json" "$BIN/spantowhy" "$@"
	echo "$STATUS $(grep -v '^init\|^work\|^[0-9]\|^critical\|^explains\|^time of\|^by thread\|^ \|^all threads\|^gaps' "$OUT") $(cat "$ERR")"
}
# shellcheck disable=SC2086 # several words, or none
for pid in '' '--pid 51'; do
	is "spantowhy $pid: the selected time is in the pause" "$(why $pid --from 11.2 --to 11.3)" \
'0 {"from": 11.20000000, "to": 11.30000000, "paused": 0.10000000 
0 recording was off from 11.20000000 to 11.30000000 s, in all of the selected time '
	is "spantowhy $pid: the selected time begins in the pause" "$(why $pid --from 11.2)" \
'0 {"from": 11.20000000, "to": 11.50011500, "paused": 0.30010000 
0 recording was off for 300.100 ms in between: that time is no gap and no wait '
	is "spantowhy $pid: the selected time ends in the pause" "$(why $pid --to 11.3)" \
'0 {"from": 11.00000200, "to": 11.30000000, "paused": 0.29990000 
0 recording was off for 299.900 ms in between: that time is no gap and no wait '
	for times in '20 21' '1 2' '20 '; do
		from=${times% *}
		to=${times#* }
		is "spantowhy $pid: the trace has nothing from $from s on${to:+ until $to s}" "$(why $pid --from "$from" ${to:+--to $to})" \
"0 {\"from\": $from.00000000, \"to\": ${to:-$from}.00000000 spantowhy: standard input: the trace has nothing in the selected time: it is from 11.00000200 to 11.50011500 s
0  spantowhy: standard input: the trace has nothing in the selected time: it is from 11.00000200 to 11.50011500 s"
	done
done
# From 0.007 to 0.009 s, recording is on, but no CPU has had an event since the pause.
"$BIN/eventtospan" unknown >"$TAP_TMP/unknown" 2>/dev/null <<'U'
-1 1 335 0 pause=500000:700000
400000 0 512 0 51 0 51 0 0 work.51 (200)
900000 0 512 0 52 0 52 0 0 task.52 (200)
950000 10 2087 0 52 0 0 52 0 getpid (827)
U
LC_ALL=C sort -o "$TAP_TMP/unknown" "$TAP_TMP/unknown"
run "$TAP_TMP/unknown" "$BIN/spantowhy" --from 0.0075 --to 0.008
is "spantowhy: no CPU has an event yet" "$STATUS $(cat "$OUT" "$ERR")" \
	"0 spantowhy: standard input: the trace has nothing in the selected time: it is from 0.00400000 to 0.00950010 s"
run "$TAP_TMP/json" "$BIN/spantowhy" --pid 1 --to 11.000005
is "spantowhy: a thread that runs later" "$STATUS $(cat "$ERR")" "1 spantowhy: standard input: pid 1 does not run in the selected time"
# Events of some CPUs are missing before 0.06 s. Thread 5 may have run on these CPUs from 0.02 to 0.05 s.
cat >"$TAP_TMP/partial.json" <<'P'
{
 "title" : "x",
 "coverage" : {"backend": "tracepoint"},
 "coverage2" : {"partial": "0:6000000"},
"events" : [
[0.00000000, 0.02000000, 1, 5, 0, 65541, 0, 0, 0, "alpha.5"],
[0.02000000, 0.03000000, 1, 0, 0, 65536, 0, 0, 0, "-idle-"],
[0.05000000, 0.01500000, 1, 5, 0, 65541, 0, 0, 0, "alpha.5"],
[0.06500000, 0.01500000, 1, 0, 0, 65536, 0, 0, 0, "-idle-"],
[0.08000000, 0.01000000, 1, 5, 0, 65541, 0, 0, 0, "alpha.5"],
[999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, ""]
]}
P
partial='alpha.5 is not in the trace: events of some CPUs are missing until 0.06000000 s
events of some CPUs are missing until 0.06000000 s: gaps and waits that begin earlier are not counted'
run "$TAP_TMP/partial.json" "$BIN/spantowhy" --pid 5
is "spantowhy: makes no wait of a time in which events are missing" \
	"$(grep -c '^0.02000000 ' "$OUT"; grep -o ' 1 gaps.*\|alpha.*missing.*\|^events of.*' "$OUT")" "1
 1 gaps, waiting for a CPU 15.000 ms
$partial"
run "$TAP_TMP/partial.json" "$BIN/spantowhy" --pid 5 --json
is "spantowhy --json: the same" "$(grep -o '"partial_to": [0-9.]*' "$OUT") $(grep -c '"kind": "off", "pid": 5,' "$OUT")" '"partial_to": 0.06000000 1'
for bad in 5 '"junk"' '"7:5"' '"0:6000000' '{"to": "0:6000000"}' '"0:60000000000000000000000000000000000000000000000000000000000000"'; do
	sed "s/\"0:6000000\"/$bad/" "$TAP_TMP/partial.json" >"$TAP_TMP/bad.json"
	run "$TAP_TMP/bad.json" "$BIN/spantowhy" --pid 5
	unlike "spantowhy: $bad is no such time" "$(cat "$OUT")" 'missing'
done
# Marks before, in and after pauses: the times between them exclude the pauses.
marks()	# rows on stdin
{
	sed -n '1,/^"events"/p' "$TAP_TMP/json"
	cat
	echo '[999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, ""]'
	echo ']}'
}
marks >"$TAP_TMP/a.json" <<'A'
[  0.00001000, 0.00004000, 0, 100, 0, 65636, 0, 0, 0, "prog.100"],
[  0.00002000, 0.00000001, 0, 100, 0, 522, 5, 0, 0, "mark_a=load"],
[  0.00004000, 0.00000001, 0, 100, 0, 522, 6, 0, 0, "mark_a=/load"],
A
marks >"$TAP_TMP/b.json" <<'B'
[  0.00001000, 0.00002000, 0, 100, 0, 65636, 0, 0, 0, "prog.100"],
[  0.00002000, 0.00000001, 0, 100, 0, 522, 5, 0, 0, "mark_a=load"],
[  0.00003000, 1.00000000, 0, 0, 0, 644, 1, 0, 0, "-pause-"],
[  0.00003000, 1.00000000, 1, 0, 0, 644, 1, 0, 0, "-pause-"],
[  1.00003000, 0.00002000, 0, 100, 0, 65636, 0, 0, 0, "prog.100"],
[  1.00004000, 0.00000001, 0, 100, 0, 522, 6, 0, 0, "mark_a=/load"],
[  1.00005000, 1.00000000, 0, 0, 0, 644, 2, 0, 0, "-pause-"],
[  2.00005000, 1.00000000, 0, 0, 0, 644, 0, 0, 0, "-pause-"],
[  3.00005000, 1.00000000, 0, 0, 0, 644, 3, 0, 0, "-pause-"],
B
marks >"$TAP_TMP/c.json" <<'C'
[  0.00001000, 0.50000000, 0, 0, 0, 644, 1, 0, 0, "-pause-"],
[  0.50001000, 0.00001000, 0, 100, 0, 65636, 0, 0, 0, "prog.100"],
[  0.50002000, 0.00000001, 0, 100, 0, 522, 5, 0, 0, "mark_a=load"],
[  0.50002000, 1.00000000, 0, 0, 0, 644, 2, 0, 0, "-pause-"],
[  1.10002000, 0.00000001, 0, 100, 0, 522, 6, 0, 0, "mark_a=/load"],
[  1.50002000, 0.00001000, 0, 100, 0, 65636, 0, 0, 0, "prog.100"],
C
for two in 'a b 20.00 us -> 20.00 us, 0 ns in the first trace and for 1.000 s' \
	'b c 10.00 us -> 10.00 us, 20.00 us -> 0 ns, 1.000 s in the first trace and for 1.000 s'; do
	read -r a b want <<<"$two"
	run /dev/null "$BIN/spandiff" "$TAP_TMP/$a.json" "$TAP_TMP/$b.json"
	is "spandiff $a $b: no time of a pause" "$(sed -n 's/^mark_a=load: \([^(]*\) (.*/\1, /p; s/^mark_a=.load: \([^(]*\) (.*/\1, /p
		s/^recording was off for \(.*\) in the second trace: .*/\1/p' "$OUT" | tr -d '\n')" "$want"
done
run /dev/null "$BIN/spandiff" --json "$TAP_TMP/a.json" "$TAP_TMP/b.json"
like "spandiff --json: has the pauses" "$(cat "$OUT")" '"paused": \{"a": 0\.0+, "b": 1\.0+\}'
run /dev/null "$BIN/spandiff" "$TAP_TMP/a.json" "$TAP_TMP/a.json"
unlike "spandiff: prints no pauses if there are none" "$(cat "$OUT")" 'recording was off'
# Only with its pauses, a part of a trace shows that a thread does not wait in them.
# shellcheck disable=SC2086 # several words
for select in '--pid 51' '--state --pid 51' '--pid 51 11 12' work '--state work' '--pid 51 work'; do
	"$BIN/spantotrim" $select <"$TAP_TMP/json" >"$TAP_TMP/part" 2>/dev/null
	is "spantotrim $select: keeps the pause of each CPU" "$(grep '"-pause-"' "$TAP_TMP/part")" "$(grep '"-pause-"' "$TAP_TMP/json")"
	run "$TAP_TMP/part" "$BIN/spantowhy" --pid 51
	is "spantotrim $select: the pause is no gap" "$(grep -o '[0-9]* gaps\|recording was off for .* in between' "$OUT" | tr '\n' ' ')" \
		"0 gaps recording was off for 500.000 ms in between "
done
# shellcheck disable=SC2086 # several words
for select in '--state 11.2 11.3' '--state --pid 51 11.2 11.3'; do
	is "spantotrim $select: the part of a pause" "$("$BIN/spantotrim" $select <"$TAP_TMP/json" 2>/dev/null | awk '/-pause-/ { gsub(/[][,]/, " "); print $1, $2, $3, $7 }')" \
'11.20000000 0.10000000 0 1
11.20000000 0.10000000 1 1'
done
is "spantospan: keeps the pause, and no span goes through it" "$("$BIN/spantospan" 1000 <"$TAP_TMP/json" | awk '/^\[/ {
	gsub(/[][,]/, " ")
	if ($1 < 999 && $1 < 11.5001 && $1 + $2 > 11.0001)
		print $3, $6
}' | sort)" '0 644
1 644'
if [ -x "$BIN/rawtosqlite" ] && command -v sqlite3 >/dev/null; then
	"$BIN/rawtosqlite" -o "$TAP_TMP/db" "$TRACE" 2>/dev/null
	is "SQL: a row for each CPU" "$(sqlite3 "$TAP_TMP/db" 'select cpu, dur_ns, number from pause order by cpu')" \
'0|500000000|1
1|500000000|1'
	is "SQL: no other row lasts as long" "$(sqlite3 "$TAP_TMP/db" 'select count(*) from sched_slice where dur_ns > 1000000
		union all select count(*) from thread_state where dur_ns > 1000000 union all select count(*) from call where elapsed_ns > 1000000' | tr '\n' ' ')" "0 0 0 "
	is "SQL: a call at the pause is two, both cut off" \
		"$(sqlite3 "$TAP_TMP/db" 'select cut_start, cut_end from call where tid = 51 and name = "write" order by start_ns' | tr '\n' ' ')" "0|1 1|0 "
	"$BIN/rawtosqlite" -o "$TAP_TMP/quiet.db" "$TAP_TMP/quiet.trace" 2>/dev/null
	is "SQL: a CPU without an event after the pause ends with the pause" "$(sqlite3 "$TAP_TMP/quiet.db" '
		select (select last_ns from cpu where cpu = 1) - max(start_ns + dur_ns) from pause where cpu = 1;
		select (select sum(last_ns - first_ns) from cpu) - (select sum(dur_ns) from sched_slice) - (select sum(dur_ns) from pause)' |
		tr '\n' ' ')" "0 0 "
else
	skip "SQL" "no rawtosqlite, or no sqlite3"
fi

# thread_states TRACE: prints PID START END STATE, as Perfetto derives them from switches and wakings
thread_states()
{
	"$BIN/rawtoperfetto" "$1" 2>/dev/null | perfetto_text >"$TAP_TMP/text"
	awk -f tests/cli/perfetto_flat.awk "$TAP_TMP/text" | tee "$TAP_TMP/flat" | sort -s -k2,2n | awk '
	function set(pid, state, at) {
		if (pid in now && since[pid] < at)
			print pid, since[pid], at, now[pid]
		now[pid] = state
		since[pid] = at
	}
	BEGIN { split("R S D", letter, " ") }
	$1 == "switch" {
		if ($4)
			set($4, $5 == 16 ? "X" : $5 > 511 ? "?" : letter[$5 + 1], $2)
		if ($6)
			set($6, "Running", $2)
	}
	$1 == "waking" && now[$4] !~ /^R/ { set($4, "R", $2) }
	END { for (pid in now) set(pid, "", "end") }' | grep -v '^4194[0-9]* ' | sort -k1,1n -k2,2n
}
if command -v protoc >/dev/null; then
	. tests/cli/perfetto.inc
	is "Perfetto: the state of a thread ends at the pause, and is unknown in it" "$(thread_states "$TRACE")" \
'1 11000008000 11000010000 Running
1 11000010000 11000100000 S
1 11000100000 11500106000 ?
1 11500106000 11500109000 R
1 11500109000 end Running
51 11000002000 11000100000 Running
51 11000100000 11500100000 ?
51 11500100000 end Running'
	is "Perfetto: a thread that exits at a pause is not dead, and goes on after it" \
		"$(thread_states "$TRACES/paused-exit.trace" | grep '^51 ')" \
'51 11000002000 11000100000 Running
51 11000100000 11500100000 ?
51 11500100000 end Running'
	thread_states "$TAP_TMP/quiet.trace" >/dev/null
	is "Perfetto: a CPU without an event after the pause leaves -pause- at its end" \
		"$(awk '$1 == "switch" && $3 == 1 { last = $2 " " ($4 > 4194304) " " $6 } END { print last }' "$TAP_TMP/flat")" \
		"11500100000 1 0"
	is "Perfetto: before and after the pause it is the same thread" "$(grep -c '^new \|^free ' "$TAP_TMP/flat")" 0
else
	skip "Perfetto" "no protoc"
fi
"$BIN/rawtoctf" "$TRACE" -o "$TAP_TMP/ctf.tar" 2>/dev/null
like "CTF: the fact is in the environment" "$(tar -xOf "$TAP_TMP/ctf.tar" 2>/dev/null | strings | grep pause=)" \
	'"pause=1100010000:1150010000"'

# pause_rows FILE: prints the content of the rows 644 (pauses) of FILE.
pause_rows()
{
	awk '/^\[/ { gsub(/[][,]/, " "); if ($6 == 644) print $1, $2, $3, $7 }' "$1"
}
cat >"$TAP_TMP/adjacent.events" <<'E2'
-1 1 335 0 pause=50000:70000
-1 2 335 0 pause=70001:90000
40000 0 512 0 51 0 51 0 0 work.51 (200)
45000 0 512 1 52 0 52 0 0 task.52 (200)
90000 1 512 0 51 0 51 0 0 work.51 (200)
90010 1 512 1 52 0 52 0 0 task.52 (200)
95000 10 2087 0 51 0 0 51 0 getpid (827)
95000 10 2087 1 52 0 0 52 0 getpid (827)
E2
"$BIN/eventtospan" adjacent <"$TAP_TMP/adjacent.events" 2>/dev/null | LC_ALL=C sort >"$TAP_TMP/adjacent"
is "pauses without an event between: both are rows of each CPU" "$(pause_rows "$TAP_TMP/adjacent")" \
'0.00050000 0.00020000 0 1
0.00050000 0.00020000 1 1
0.00070000 0.00000001 0 0
0.00070000 0.00000001 1 0
0.00070001 0.00019999 0 2
0.00070001 0.00019999 1 2'
run "$TAP_TMP/adjacent" "$BIN/spantoprof" --json
like "spantoprof: has the length of both" "$(cat "$OUT")" '"paused": 0\.00039999'
run "$TAP_TMP/adjacent" "$BIN/spantowhy" --pid 51
is "spantowhy: has the length of both" "$(grep 'recording was off' "$OUT" | tr -s ' ')" \
'0.00050000 400.00 us work.51 is not in the trace: recording was off for 399.99 us of that
recording was off for 399.99 us in between: that time is no gap and no wait'

# Thread 51 is woken after the pause, and runs 100 us later. Thread 52 is not woken.
"$BIN/eventtospan" woken >"$TAP_TMP/woken" 2>/dev/null <<'W'
-1 1 335 0 pause=500000:700000
400000 0 512 0 51 0 51 0 0 work.51 (200)
430000 0 512 0 52 0 52 0 0 task.52 (200)
450000 0 512 0 50 0 50 0 0 other.50 (200)
710000 1 518 0 50 0 51 0 0 runnable.51 (206)
720000 0 512 0 51 0 51 0 0 work.51 (200)
800000 0 512 0 52 0 52 0 0 task.52 (200)
900000 10 2087 0 52 0 0 52 0 getpid (827)
W
LC_ALL=C sort -o "$TAP_TMP/woken" "$TAP_TMP/woken"
for from in '' '--from 0.006'; do
	# shellcheck disable=SC2086 # two words, or none
	run "$TAP_TMP/woken" "$BIN/spantowhy" $from
	is "spantowhy $from: a wait that begins after the pause counts" "$(sed -n 's/: .* \([0-9]* gaps\)/ \1/p' "$OUT" | sort)" \
'other.50 0 gaps, waiting for a CPU 0 ns
task.52 0 gaps, waiting for a CPU 0 ns
work.51 1 gaps, waiting for a CPU 100.00 us'
done
run "$TAP_TMP/woken" "$BIN/spantowhy" --pid 51
is "spantowhy --pid: the gap begins at the wakeup, and the call is unknown" "$(sed '1,/^gaps/d; /^recording/d' "$OUT" | tr -s ' ')" \
	'0.00710000 100.00 us in an unknown call: runnable, woken by other.50 on CPU 0 in user code; 100.00 us for CPU 0: other.50 100.00 us'
is "spantowhy --pid: the critical path has the wait and the pause" "$(sed -n '/^gaps/q; /^critical/,$s/^0\.[0-9]* *//p' "$OUT")" \
'300.00 us  work.51 ran on CPU 0, mostly user code
2.800 ms  work.51 is not in the trace: recording was off for 2.000 ms of that
100.00 us  work.51 waited for CPU 0
800.00 us  work.51 ran on CPU 0, mostly user code'
run "$TAP_TMP/woken" "$BIN/spantowhy" --pid 52
is "spantowhy --pid: without a wakeup after the pause, there is no gap" "$(grep -c '^[0-9].*runnable' "$OUT") $(grep -o 'task.52 is not .*' "$OUT")" \
	"0 task.52 is not in the trace: recording was off for 2.000 ms of that"
run "$TAP_TMP/woken" "$BIN/spantowhy" --pid 51 --json
like "spantowhy --json: the call is unknown" "$(cat "$OUT")" '\{"start": 0\.00710000, "end": 0\.00720000, "in": null, "waited": 0\.0+, "for": null, '

# spantospan fills gaps of up to 30 ns, because traces of the original have such gaps at marks.
sed '/^-1 2 /d; s/50000:70000/50000:50002/; s/^90000/50003/; s/^90010/50010/' "$TAP_TMP/adjacent.events" |
	"$BIN/eventtospan" short 2>/dev/null | LC_ALL=C sort | "$BIN/spantospan" 1000 2>/dev/null >"$TAP_TMP/short"
is "spantospan: no span goes through a pause of 20 ns" "$(awk '/^\[/ { gsub(/[][,]/, " ")
	if ($6 != 644 && $1 < 0.0005 && $1 + $2 > 0.00050001)
		print }' "$TAP_TMP/short")$(pause_rows "$TAP_TMP/short" | grep -c ' 0.00000002 [01] 1$')" "2"

# Tests a pause that no trace can have: event times end at 400000000000000000 units.
sed 's/70001:90000/70001:999999999999999999/' "$TAP_TMP/adjacent.events" >"$TAP_TMP/huge.events"
"$BIN/eventtospan" huge <"$TAP_TMP/huge.events" 2>"$TAP_TMP/huge.err" | LC_ALL=C sort >"$TAP_TMP/huge"
run "$TAP_TMP/huge" "$BIN/spantoprof" --json
is "a pause beyond all times: spantoprof reads the output of eventtospan" "$STATUS $(cat "$ERR")" "0 "
is "a pause beyond all times is ignored, and the other is not" "$(pause_rows "$TAP_TMP/huge" | awk '$4 > 0')" \
'0.00050000 0.00020000 0 1
0.00050000 0.00020000 1 1'
like "eventtospan: reports that it is ignored" "$(cat "$TAP_TMP/huge.err")" '^  ignored pauses '
sed 's/70001:90000/400000000000000000:400000000000000001/' "$TAP_TMP/adjacent.events" |
	"$BIN/eventtospan" edge 2>"$TAP_TMP/edge.err" >/dev/null
like "a pause that ends one unit beyond the last time is ignored" "$(cat "$TAP_TMP/edge.err")" '^  ignored pauses '
sed 's/70001:90000/70001:400000000000000000/' "$TAP_TMP/adjacent.events" |
	"$BIN/eventtospan" edge 2>"$TAP_TMP/edge.err" | LC_ALL=C sort >"$TAP_TMP/edge"
run "$TAP_TMP/edge" "$BIN/spantoprof"
is "a pause that ends with the last time is a pause" "$STATUS $(grep -c ignored "$TAP_TMP/edge.err") $(pause_rows "$TAP_TMP/edge" | awk '$4 == 2' | wc -l)" "0 0 2"
sed 's/pause=\([0-9]*\):/pause=\1x/' "$TRACE" >"$TAP_TMP/bad.trace"
run /dev/null "$BIN/checktrace" "$TAP_TMP/bad.trace"
like "checktrace: reports a pause without two times" "$(cat "$OUT")" '^ignored pauses '
run /dev/null "$BIN/rawtohtml" --json "$TAP_TMP/bad.trace"
like "rawtohtml: reports it also" "$(cat "$ERR")" '^  ignored pauses '
run /dev/null "$BIN/checktrace" --json "$TAP_TMP/bad.trace"
like "checktrace --json: has it" "$(cat "$OUT")" '"pauses": \{"count": 0, "time": 0\.00000000, "ignored": true\}'

# A trace can have any event number, but only filters make rows of pauses, locks and waits.
EVERY=$TRACES/every-event.trace
like "no event becomes a row that only filters make" \
	"$("$BIN/rawtoevent" "$EVERY" 2>/dev/null | "$BIN/eventtospan" every 2>"$TAP_TMP/every.err" |
		awk -F', *' '/^\[/ && $6 ~ /^(526|527|64[2-9]|650|76[89]|7[78][0-9]|79[0-3])$/ && $3 >= 0 { bad++ } END { print bad + 0, (NR > 3000) }')" \
	'^0 1$'
like "eventtospan: reports such events" "$(cat "$TAP_TMP/every.err")" '^  ignored 38 events whose '
run /dev/null "$BIN/rawtohtml" --json "$EVERY"
like "rawtohtml: reports them also" "$(cat "$ERR")" '^  ignored 38 events whose '
run /dev/null "$BIN/checktrace" "$EVERY"
like "checktrace: reports them" "$(cat "$OUT")" '^ignored 38 events whose '
like "checktrace: no CPU is covered twice" "$(cat "$OUT")" ', 0 gaps, 0 overlaps, '
run /dev/null "$BIN/checktrace" --json "$EVERY"
like "checktrace --json: counts them" "$(cat "$OUT")" '"ignored_events": 38,'
# CPU 0 has overwritten its events before 60000. Task 52 may have run on CPU 0 while it was not on CPU 1.
cat >"$TAP_TMP/partial.events" <<'E3'
-1 1 335 0 partial=10000:60000
10000 0 512 1 52 0 52 0 0 task.52 (200)
20000 0 512 1 0 0 0 0 0 -idle- (200)
40000 1 518 1 0 0 52 0 0 runnable.52 (206)
50000 0 512 1 52 0 52 0 0 task.52 (200)
60000 0 512 0 0 0 0 0 0 -idle- (200)
65000 0 512 1 0 0 0 0 0 -idle- (200)
70000 1 518 1 0 0 52 0 0 runnable.52 (206)
80000 0 512 1 52 0 52 0 0 task.52 (200)
90000 10 2087 1 52 0 0 52 0 getpid (827)
E3
# away FILE: prints the waits and wakeups in FILE.
away()
{
	awk '/^\[/ { gsub(/[][,]/, " "); if ($1 < 999 && ($6 >= 768 && $6 < 800 || $6 == -3)) print $1, $2, $10 }' "$1"
}
"$BIN/eventtospan" partial <"$TAP_TMP/partial.events" 2>/dev/null | LC_ALL=C sort >"$TAP_TMP/partial"
like "the header has the range" "$("$BIN/eventtospan" partial <"$TAP_TMP/partial.events" 2>/dev/null | grep coverage)" '"partial": "10000:60000"'
is "no wait and no wakeup from before all CPUs are there" "$(away "$TAP_TMP/partial")" \
'0.00065000 0.00005000 "wait_unk"
0.00070000 0.00010000 "wait_cpu"
0.00070000 0.00010000 "-wakeup-"'
# Without the run at 50000, task 52 leaves its CPU before 60000 and is woken after it.
sed '/^[45]0000 /d; /^65000 /d' "$TAP_TMP/partial.events" | "$BIN/eventtospan" woken 2>/dev/null | LC_ALL=C sort >"$TAP_TMP/partial-woken"
run "$TAP_TMP/partial-woken" "$BIN/spantowhy" --pid 52
like "spantowhy: a wait counts that begins when all CPUs are there" "$(cat "$OUT")" '^task\.52: 2 runs, .*; 1 gaps, waiting for a CPU 100\.00 us$'
sed 's/=10000:60000/=10000-60000/' "$TAP_TMP/partial.events" | "$BIN/eventtospan" unfit 2>"$TAP_TMP/unfit.err" |
	LC_ALL=C sort >"$TAP_TMP/unfit"
is "a fact partial without two times: eventtospan reports once that it is ignored" \
	"$(grep -c '^  ignored a fact partial ' "$TAP_TMP/unfit.err") $(grep -c partial= "$TAP_TMP/unfit")" "1 0"
# In a raw trace, replaces the fact pause by a fact partial that has the same length and the same times.
sed 's/pause=\([0-9:]*\)\x00\x00/partial=\1/' "$TRACE" >"$TAP_TMP/partial.trace"
run /dev/null "$BIN/checktrace" "$TRACE"
pause=$("$BIN/rawtoevent" "$TRACE" 2>/dev/null | sed -n 's/.* pause=\([0-9]*\):\([0-9]*\).*/\1 \2/p' | head -1)
seconds=$(echo "$pause" | awk '{ printf "%.8f %.8f", $1 / 1e8, $2 / 1e8 }')
run /dev/null "$BIN/checktrace" "$TAP_TMP/partial.trace"
like "checktrace: prints the range of a good fact" "$(cat "$OUT")" "^partial: from ${seconds% *} to ${seconds#* } s the trace lacks "
is "checktrace: does not report that a good fact is ignored" "$(grep -c "^ignored" "$OUT")" 0
run /dev/null "$BIN/checktrace" --json "$TAP_TMP/partial.trace"
like "checktrace --json: has the range of a good fact" "$(cat "$OUT")" "\"partial\": \{\"from\": ${seconds% *}, \"to\": ${seconds#* }\}"
sed 's/partial=\([0-9]*\):/partial=\1x/' "$TAP_TMP/partial.trace" >"$TAP_TMP/unfit.trace"
run /dev/null "$BIN/checktrace" "$TAP_TMP/unfit.trace"
is "checktrace: reports a bad fact once, and prints no range" "$(grep -c '^ignored a fact partial ' "$OUT") $(grep -c '^partial:' "$OUT")" "1 0"
run /dev/null "$BIN/checktrace" --json "$TAP_TMP/unfit.trace"
like "checktrace --json: reports a bad fact" "$(cat "$OUT")" '"partial": \{"ignored": true\}'
run /dev/null "$BIN/rawtohtml" --json "$TAP_TMP/unfit.trace"
is "rawtohtml: reports a bad fact once" "$(grep -c '^  ignored a fact partial ' "$ERR")" 1

sed 1d "$TAP_TMP/partial.events" | "$BIN/eventtospan" whole 2>/dev/null | LC_ALL=C sort >"$TAP_TMP/whole"
is "without the fact, there are waits and wakeups in that time" "$(away "$TAP_TMP/whole" | wc -l)" 6
is "execution is the same" "$(grep '^\[' "$TAP_TMP/partial" | grep -v wa[ik])" "$(grep '^\[' "$TAP_TMP/whole" | grep -v wa[ik])"
tap_end
