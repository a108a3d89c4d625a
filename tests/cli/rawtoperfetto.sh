#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# takes: 20
#
# Tests rawtoperfetto. It passes the common checks. protoc decodes its output with Perfetto's names and numbers.
# Slices nest, no thread runs twice at a time, and flows begin and end. The trace has everything that other outputs
# have: each system call of the event text, and each kernel span and run of the span JSON.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc
. tests/cli/perfetto.inc
make_traces >&2 || exit 1
TOOL=$BIN/rawtoperfetto
GOOD=$TRACES/good.trace
common_checks rawtoperfetto "$GOOD"

protoc=
if command -v protoc >/dev/null; then
	protoc=1
else
	skip "protoc decodes the output" "no protoc"
fi
sqlite=
if command -v sqlite3 >/dev/null && [ -x "$BIN/rawtosqlite" ]; then
	sqlite=1
else
	skip "calls as in the tables" "no sqlite3"
fi

# flat TRACE: writes the Perfetto trace of TRACE to $TAP_TMP/flat, one line per item, and the slices
# to $TAP_TMP/slices.
flat()
{
	"$TOOL" "$1" 2>/dev/null >"$TAP_TMP/pf"
	perfetto_text <"$TAP_TMP/pf" >"$TAP_TMP/text" 2>"$ERR" || return 1
	awk -f tests/cli/perfetto_flat.awk "$TAP_TMP/text" >"$TAP_TMP/flat"
	grep -aE '^(begin|end) ' "$TAP_TMP/flat" | awk '{ print NR, $0 }' |
		sort -k4,4 -k3,3n -k1,1n | cut -d' ' -f2- |
		awk -f tests/cli/perfetto_slices.awk >"$TAP_TMP/slices"
}

# metadata: prints the facts of the whole trace as KEY=VALUE.
metadata()
{
	awk '/^  trace_attributes \{/ { in_it = 1 } /^  \}/ { in_it = 0 }
		in_it && /^      key: / { key = substr($0, 13, length($0) - 13) }
		in_it && /_value: / { sub(/^[^:]*: /, ""); print key "=" $0 }' "$TAP_TMP/text"
}

# odd: prints the first lines that are wrong for any trace, or nothing.
odd()
{
	grep -ah '^odd\|?unknown?' "$TAP_TMP/flat" "$TAP_TMP/slices"
	awk '$3 < 0 { print "lasts less than nothing:", $0 }' "$TAP_TMP/slices"
	# A thread must leave a CPU before it runs on another. Ignores runs of length 0. After "new", another thread has
	# the number, although the earlier thread may still be on its CPU.
	grep -E '^(new|switch) ' "$TAP_TMP/flat" | sort -s -k2,2n | awk '$1 == "new" { life[$3]++ }
		$1 == "switch" {
			if ($4 && since[$3] != $2) {
				if ($4 == now[$3]) print since[$3], 1, $3, $4 "/" who[$3]
				print $2, 0, $3, $4 "/" ($4 == now[$3] ? who[$3] : life[$4] + 0)
			}
			now[$3] = $6; since[$3] = $2; who[$3] = life[$6] + 0
		}
		END { for (cpu in now) if (now[cpu]) print since[cpu], 1, cpu, now[cpu] "/" who[cpu] }' |
		sort -k1,1n -k2,2n -s | awk '
		$2 == 0 { if ($4 in on && on[$4] != $3) print "left another CPU:", $0; delete on[$4] }
		$2 == 1 { if ($4 in on) print "runs twice:", $0; on[$4] = $3 }'
	awk '$1 == "switch" { if ($3 in now && now[$3] != $4) print "another ran:", $0; now[$3] = $6 }' "$TAP_TMP/flat"
	# Only a pause, or a run between two pauses, may have length 0.
	awk '$1 == "switch" { if (since[$3] == $2 && $4 < 4194305 && (from[$3] < 4194305 || $6 < 4194305))
			print "no time on a CPU:", $0; since[$3] = $2; from[$3] = $4 }' "$TAP_TMP/flat"
	# The flow of an arrow between CPUs has one start and one end. The flow of an RPC has starts only.
	awk '$1 == "flow" { n[$2 " " $3]++; t[$2 " " $3] = $4; if ($5 ~ /^c/) id[$2]; else rpc[$2] }
		END { for (i in id) if (i in rpc || n[i " start"] != 1 || n[i " end"] != 1 || t[i " start"] + 0 > t[i " end"] + 0)
			print "flow", i, n[i " start"] + 0, n[i " end"] + 0
			for (i in rpc) if (!n[i " start"] || n[i " end"]) print "flow of an RPC", i, n[i " end"] + 0 }' "$TAP_TMP/flat"
	awk '$1 == "counter" && $3 == "n2" { if ($4 < 0) print "fewer than none wait"; last = $4 }
		END { if (last + 0) print last, "wait for ever" }' <(sort -s -k2,2n "$TAP_TMP/flat")
}

# witness NAME TRACE: compares the Perfetto trace with the outputs of other filters.
witness()
{
	ok "$1: protoc decodes it" flat "$2"
	is "$1: the trace is consistent" "$(odd | head -n 5)" ""
	"$BIN/rawtohtml" --json "$2" 2>/dev/null | awk -f tests/cli/perfetto_expected.awk >"$TAP_TMP/json"
	"$BIN/rawtoevent" "$2" 2>/dev/null | awk -f tests/cli/perfetto_expected.awk >"$TAP_TMP/events"
	grep '^slice' "$TAP_TMP/json" | sort >"$TAP_TMP/want"
	sed -n 's/^c/slice c/p' "$TAP_TMP/slices" | sort >"$TAP_TMP/got"
	between "$1: kernel spans" "$(wc -l <"$TAP_TMP/want")" 3 10000000
	ok "$1: the slices of CPUs are exactly the kernel spans" cmp "$TAP_TMP/got" "$TAP_TMP/want"
	grep '^run' "$TAP_TMP/json" | sort >"$TAP_TMP/want"
	# ignore runs of length 0 before and after a pause
	awk '$1 == "switch" { if ($3 in since && !($2 == since[$3] && (now[$3] >= 4194305 || $6 >= 4194305)))
		print "run", $3, now[$3], since[$3], $2; since[$3] = $2; now[$3] = $6 }' \
		"$TAP_TMP/flat" | sort >"$TAP_TMP/got"
	ok "$1: which task ran where, and how long" cmp "$TAP_TMP/got" "$TAP_TMP/want"
	grep '^waking' "$TAP_TMP/events" | sort >"$TAP_TMP/want"
	awk '$1 == "waking" { print $1, $2, $3, $4 }' "$TAP_TMP/flat" | sort >"$TAP_TMP/got"
	ok "$1: the wakeups" cmp "$TAP_TMP/got" "$TAP_TMP/want"
	# slices that are not in the event text are calls whose beginning or end was not recorded
	grep '^call' "$TAP_TMP/events" | sort >"$TAP_TMP/want"
	sed -n 's/^t/call t/p' "$TAP_TMP/slices" | sort >"$TAP_TMP/got"
	is "$1: each system call is a slice of its thread, from its beginning to its end" \
		"$(comm -23 "$TAP_TMP/want" "$TAP_TMP/got" | head -n 3)" ""
	between "$1: system calls" "$(wc -l <"$TAP_TMP/want")" 3 10000000
	# the slices of threads equal the calls in the tables, including incomplete calls
	[ -n "$sqlite" ] || return
	"$BIN/rawtosqlite" -o "$TAP_TMP/db" "$2" 2>/dev/null
	sqlite3 -separator ' ' "$TAP_TMP/db" "select 'call t' || tid, c.start_ns - zero_ns, elapsed_ns, name from call c join trace using (trace_id)
		where tid <> 0 and kind not in ('interrupt', 'softirq')" | sort >"$TAP_TMP/want"
	between "$1: calls of threads" "$(wc -l <"$TAP_TMP/want")" 3 10000000
	ok "$1: the slices of threads are exactly these calls" cmp "$TAP_TMP/got" "$TAP_TMP/want"
	# Perfetto shows the last name of a thread. A process has the name of its main thread; each process
	# of these traces has only one thread.
	sqlite3 -separator ' ' "$TAP_TMP/db" 'select tid, name from thread where tid <> 0 and slices > 0' |
		sort >"$TAP_TMP/want"
	grep -a '^called [0-9]* [1-9]' "$TAP_TMP/flat" | sort -s -k2,2n | cut -d' ' -f3- |
		awk '$1 < 4194305 { name[$1] = $0 } END { for (pid in name) print name[pid] }' | sort >"$TAP_TMP/got"
	ok "$1: each thread has its last name" cmp "$TAP_TMP/got" "$TAP_TMP/want"
	between "$1: threads with names" "$(wc -l <"$TAP_TMP/want")" 1 100000
	{
		sed -n 's/^process //p' "$TAP_TMP/flat"
		grep -a '^renamed ' "$TAP_TMP/flat" | sort -s -k2,2n | cut -d' ' -f3-
	} | awk '{ name[$1] = $0 } END { for (pid in name) print name[pid] }' | sort >"$TAP_TMP/got"
	ok "$1: each process has the name of its thread" cmp "$TAP_TMP/got" "$TAP_TMP/want"
}

if [ -n "$protoc" ]; then
	for name in $(golden_names); do
		xz -dc "tests/golden/$name.trace.xz" >"$TAP_TMP/$name.trace"
		witness "$name" "$TAP_TMP/$name.trace"
	done
	for name in k61-2cpu k61-4cpu; do
		if reference "$name.trace"; then
			witness "$name" "$REFERENCE/$name.trace"
		else
			skip "$name" "no reference traces"
		fi
	done

	# --- names, times, losses ---
	flat "$TAP_TMP/stock.trace"
	like "times are tied to UTC" "$(tr -d '\n' <"$TAP_TMP/text")" \
		'clock_id: 6 +timestamp: 0 +\} +clocks \{ +clock_id: 1 +timestamp: 1795171560000000000'
	like "the kernel's release" "$(cat "$TAP_TMP/text")" 'release: "6\.1\.0-56-cloud-amd64"'
	like "a thread's name" "$(cat "$TAP_TMP/text")" 'next_comm: "kutrace_control"'
	unlike "the track of a thread has no name that would override later ones" "$(cat "$TAP_TMP/text")" 'thread_name'
	like "a thread has its later name in switches" "$(cat "$TAP_TMP/text")" 'prev_comm: "workload"'
	like "a mark" "$(cat "$TAP_TMP/flat")" '^instant [0-9]+ t105 mark_a=pipe$'
	like "caveats" "$(cat "$TAP_TMP/text")" 'string_value: ".*\\"caveats\\": \[\\"fault_end'
	like "caveats, as metadata" "$(metadata)" '^coverage="\{.*\\"caveats\\": \[\\"fault_end'
	is "nothing lost, as metadata" "$(metadata | grep '^lost_events\|^damaged')" "lost_events=0
damaged_entries=0"
	like "the id of the trace, as metadata" "$(metadata)" \
		"^start=\"\{.*$("$BIN/rawtoevent" "$TAP_TMP/stock.trace" 2>/dev/null | sed -n 's/^# ## TRACE: //p')"
	unlike "without losses, there is no track of losses" "$(cat "$TAP_TMP/flat")" '^begin [0-9]+ n1 '
	for state in 0 1 2; do	# the states are preempted, asleep, waiting for a disk
		between "switches in state $state" "$(grep -c "^switch [0-9]* [0-9]* [0-9]* $state " "$TAP_TMP/flat")" 20 1000
	done
	# the area of the counter is the total time in which threads waited for a CPU
	waited=$("$BIN/rawtohtml" --json "$TAP_TMP/stock.trace" 2>/dev/null |
		awk -F, '$6 == 770 { n += $2 } END { printf "%.8f", n }')
	is "the counter of threads that wait for a CPU" "$(sort -s -k2,2n "$TAP_TMP/flat" | awk '$1 == "counter" && $3 == "n2" {
		n += last * ($2 - time); time = $2; last = $4 } END { printf "%.8f", n / 1e9 }')" "$waited"
	between "the counter of waiting threads is not empty, ms" "$(awk "BEGIN { printf \"%d\", $waited * 1000 }")" 50 5000
	sed 's/lost_full=0/lost_full=7/' "$TAP_TMP/stock.trace" >"$TAP_TMP/lost.trace"
	flat "$TAP_TMP/lost.trace"
	like "lost events, as long as the trace" "$(cat "$TAP_TMP/slices")" \
		'^n1 16073905480 5125[0-9]+ 7 events lost, 0 damaged'
	like "lost events, as metadata" "$(metadata)" '^lost_events=7$'
	flat "$TRACES/good-ipc.trace"
	like "instructions a cycle" "$(cat "$TAP_TMP/flat")" '^track n[0-9]+ counter CPU 0 instructions a cycle'
	between "instructions per cycle are a counter" "$(grep -c '^counter .* n512 ' "$TAP_TMP/flat")" 2 1000

	# RPC 7 occurs twice: its spans are in two flows, and the second begins when the client sends a request again
	flat "$TRACES/good-rpc.trace"
	"$BIN/rawtohtml" --json "$TRACES/good-rpc.trace" 2>/dev/null | awk -F, '
		/^\[/ { e = $6 + 0; t = $1; gsub(/[^0-9]/, "", t) }
		/^\[/ && (((e == 513 || e == 514) && $7 + 0 == 7) || ((e == 515 || e == 517 || e == 538) && $5 + 0 == 7)) {
			if (e == 513 && $4 + 0 == 51) flow++
			print flow, t "0" }' | sort >"$TAP_TMP/want"
	between "RPCs: number of their spans" "$(cut -d' ' -f1 "$TAP_TMP/want" | sort | uniq -c | awk '$1 >= 6' | wc -l)" 2 2
	ok "RPCs: their flows" diff "$TAP_TMP/want" <(awk '$1 == "flow" { print $2, $4 }' "$TAP_TMP/flat" | sort)
	is "RPCs: the trace is consistent" "$(odd)" ""
	for what in 'other ask.7' 'other todo' 'other lru'; do
		like "a track: $what" "$(grep '^track' "$TAP_TMP/flat")" "$what\$"
	done
	like "a message is there when it was received" "$(cat "$TAP_TMP/flat")" '^instant 11000006600 t1 ask\.7$'
	is "frequencies, kHz" "$(awk '$1 == "power" && $4 == "cpu_frequency" { print $5 }' "$TAP_TMP/flat" | tr '\n' ' ')" "2400000 800000 "

	# --- decodable output for every input ---
	bad=
	for trace in $(corpus_traces); do
		run /dev/null "$TOOL" "$trace"
		[ -s "$OUT" ] || continue
		flat "$trace" || bad="$bad $(basename "$trace") (protoc: $(head -c 100 "$ERR"))"
		# in these traces, one thread runs on several CPUs at the same time
		wrong=$(odd)
		case $trace in
		*/many-cpus.trace | */good2.trace | */hostile-comm.trace)
			wrong=$(grep -v '^runs twice\|^left another' <<<"$wrong") ;;
		esac
		[ -z "$wrong" ] || bad="$bad $(basename "$trace") ($(head -n 1 <<<"$wrong"))"
	done
	is "every trace of the corpus: none, or one that holds together" "$bad" ""
fi

# --- the output file ---

xz -dc tests/golden/stock.trace.xz >"$TAP_TMP/stock.trace"
"$TOOL" -o "$TAP_TMP/a.pf" "$TAP_TMP/stock.trace" 2>/dev/null
TZ=Asia/Tokyo "$TOOL" <"$TAP_TMP/stock.trace" 2>/dev/null | cmp - "$TAP_TMP/a.pf" >&2
is "the same trace gives the same bytes, wherever" "${PIPESTATUS[1]}" 0
mkdir "$TAP_TMP/o"
run /dev/null "$TOOL" -o "$TAP_TMP/o/x" "$TRACES/zeros.trace"
expect "no trace" 1 '^rawtoperfetto: .*zeros.trace'
is "no trace: nothing is left" "$(ls -A "$TAP_TMP/o")" ""
large_trace
some_written()
{
	[ -n "$(find "$TAP_TMP/o" -name '*.part' -size +100k)" ]
}
undo=$TAP_TMP/o/x signal_when INT some_written "$TOOL" -o "$TAP_TMP/o/x" "$TAP_TMP/large.trace"
expect "interrupted" 130 interrupted
is "interrupted: nothing is left" "$(ls -A "$TAP_TMP/o")" ""
memory_within "memory at $LARGE_MIB MiB of trace" 65536 "$TOOL" -o /dev/null "$TAP_TMP/measured.trace"
run "$GOOD" "$TOOL" --title 'a "title"'
like "--title" "$(tr -d '\000' <"$OUT")" 'a \\"title\\"'
for bad in '--title' "$GOOD $GOOD" '--frobnicate'; do
	# shellcheck disable=SC2086 # several arguments
	run "$GOOD" "$TOOL" $bad
	expect "usage: $bad" 2 '^rawtoperfetto: '
done
tap_end
