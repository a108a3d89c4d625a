#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests spantowhy: the common checks, the wakers in the workload, which follow from its source, and that the parts of a
# critical path add up.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

TOOL=$BIN/spantowhy
GOOD=$DATA/good.json
common_checks spantowhy "$GOOD"

run "$GOOD" "$TOOL" --pid 1
like "a new thread: its waker and the waker's activity" "$(cat "$OUT")" \
	'^11\.00000400 +2\.00 us  new: runnable, woken by work\.51 on CPU 0 in user code; 2\.00 us for CPU 0: work\.51 2\.00 us$'
is "its critical path continues with its waker" "$(sed '1,/^critical/d; /^gaps/,$d' "$OUT" | tr -s ' ')" \
'11.00000100 3.00 us work.51 ran on CPU 0, mostly user code
11.00000400 2.00 us init.1 waited for CPU 0
11.00000600 9.00 us init.1 ran on CPU 0, mostly user code'
is "first the totals, then the sums of the path, its steps, the gaps" "$(grep -n '^[a-z]' "$OUT")" \
'1:init.1: 1 runs, 9.00 us; 1 gaps, waiting for a CPU 2.00 us
2:time of the critical path by cause, 14.00 us in all:
5:by thread:
8:critical path of init.1, oldest step first:
12:gaps of init.1, oldest first:'
is "the sums, the largest first" "$(sed -n '3,4p; 6,7p' "$OUT" | tr -s ' ')" \
' 12.00 us 85.7 % ran, 2 steps
 2.00 us 14.3 % waited for a CPU, 1 step
 11.00 us 78.6 % init.1, 2 steps
 3.00 us 21.4 % work.51, 1 step'
# the user code of pid 65536 has the same event number as leaving deep idle
sed 's/, 51, 0, 65587, \(.*\)work\.51/, 65536, 0, 131072, \1work.65536/; s/, 51, 0,/, 65536, 0,/' "$GOOD" >"$TAP_TMP/65536.json"
run "$TAP_TMP/65536.json" "$TOOL" --pid 1
like "the user code of pid 65536 is not the exit from idle" "$(cat "$OUT")" \
	'woken by work\.65536 on CPU 0 in user code; 2\.00 us for CPU 0: work\.65536 2\.00 us$'
run "$GOOD" "$TOOL" --pid 77
expect "no such thread" 1 "^spantowhy: standard input: pid 77 does not run in this trace"
run "$GOOD" "$TOOL" --pid 1
cp "$OUT" "$TAP_TMP/by-number"
run "$GOOD" "$TOOL" --pid init
ok "a thread by its name" cmp "$OUT" "$TAP_TMP/by-number"
is "one thread has the name" "$STATUS $(cat "$ERR")" "0 "
run "$GOOD" "$TOOL" --pid init.1
ok "a thread by its name and number" cmp "$OUT" "$TAP_TMP/by-number"
run "$GOOD" "$TOOL" --pid 'in'
expect "no thread with this name" 1 "^spantowhy: standard input: no thread with the name in runs in this trace"
run "$GOOD" "$TOOL" --pid ''
expect "--pid with an empty name" 2 "^spantowhy: --pid needs the number or the name"
run "$GOOD" "$TOOL" --pid
expect "--pid without a number" 2 "^spantowhy: --pid needs"
run "$GOOD" "$TOOL" --from 2 --to 1
expect "--to before --from" 2 "^spantowhy: --to is not after --from"
run "$GOOD" "$TOOL" --to
expect "--to without a time" 2 "^spantowhy: --to needs"
run "$GOOD" "$TOOL" --to 10000000000
expect "--to after the largest time" 2 "^spantowhy: --to: bad number \"10000000000\" of seconds \(0 to 9999999999\)"
{ sed -n '1,/^"events"/p' "$GOOD"; grep '^\[ ' "$GOOD" | tac; tail -n 2 "$GOOD"; } >"$TAP_TMP/unsorted.json"
run "$TAP_TMP/unsorted.json" "$TOOL"
expect "rows out of order" 1 "rows are not in time order"

# The kernel of this trace records the scheduler. The thread leaves the CPU inside the scheduler, which its call has
# entered.
"$BIN/eventtospan" t <"$DATA/in-sched.events" 2>/dev/null | sort >"$TAP_TMP/in-sched.json"
run "$TAP_TMP/in-sched.json" "$TOOL" --pid 10
like "below the scheduler: the call that the thread waited in" "$(sed '1,/^gaps/d' "$OUT")" '  in wait4: waited 4\.959 ms, woken by other\.11 '
like "below the scheduler: the totals have the call" "$(cat "$OUT")" '^program\.10: 2 runs, 1\.011 ms; 1 gaps, in wait4 4\.959 ms,'
run "$TAP_TMP/in-sched.json" "$TOOL" --pid 10 --json
like "below the scheduler: the JSON has the call" "$(cat "$OUT")" '"in": "wait4", "waited": 0\.00495900'

# rows: prints a trace of the rows on standard input, in which thread 9 is on CPU from 11.00000000 to 11.00010100. Adds a
# later run of the thread.
rows()
{
	sed -n '1,/^"events"/p' "$GOOD"
	cat
	printf '%s\n' '[ 11.00010000, 0.00000001, 0, 9, 0, 518, 1, 0, 0, "runnable.1"],' \
		'[ 11.00010100, 0.00000900, 0, 1, 0, 65537, 0, 0, 0, "init.1"],' \
		'[ 11.00011000, 0.00000100, 0, 9, 0, 65545, 0, 0, 0, "later.9"],' '[999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, ""]' ']}'
}
rows >"$TAP_TMP/renamed.json" <<'E2'
[ 11.00000000, 0.00005000, 0, 9, 0, 65545, 0, 0, 0, "early.9"],
[ 11.00005000, 0.00001000, 0, 9, 0, 2087, 0, 0, 0, "getpid"],
[ 11.00006000, 0.00004100, 0, 9, 0, 65545, 0, 0, 0, "middle.9"],
E2
run "$TAP_TMP/renamed.json" "$TOOL" --pid 9
is "user code before a rename is user code" "$(sed -n 's/.*later.9 ran on CPU 0, //p' "$OUT" | sort -u)" "mostly user code"
# forty calls of 2.5 us; the last call repeats the name of the first one, and is 1 us longer
awk 'BEGIN { for (i = 0; i < 40; i++)
	printf "[ 11.%08d, 0.%08d, 0, 9, 0, %d, 0, 0, 0, \"call%d\"],\n", i * 250, i < 39 ? 250 : 350, 2048 + i % 39, i % 39 }' |
	rows >"$TAP_TMP/many.json"
run "$TAP_TMP/many.json" "$TOOL" --pid 9
like "of forty calls, the one that took longest" "$(cat "$OUT")" 'later.9 ran on CPU 0, mostly call0$'

# In a trace from which short spans were omitted, a wait can end after its gap.
rows <<'E2' | LC_ALL=C sort >"$TAP_TMP/thinned.json"
[ 11.00000000, 0.00001000, 0, 9, 0, 65545, 0, 0, 0, "early.9"],
[ 11.00001000, 0.00005000, -1, 9, 0, 783, 0, 0, 0, "wait_pipe"],
[ 11.00001000, 0.00004000, 0, 0, 0, 65536, 0, 0, 0, "-idle-"],
[ 11.00005000, 0.00005100, 0, 9, 0, 65545, 0, 0, 0, "early.9"],
E2
run "$TAP_TMP/thinned.json" "$TOOL" --pid 9
like "a wait that goes on after its gap: no negative time" "$(cat "$OUT")" ' 40\.00 us  in user code: waited 40\.00 us for pipe, waker not recorded; 0 ns for CPU 0'

rows <<'E2' | LC_ALL=C sort >"$TAP_TMP/unknown.json"
[ 11.00000000, 0.00001000, 0, 9, 0, 65545, 0, 0, 0, "early.9"],
[ 11.00001000, 0.00004000, 0, 0, 0, 65536, 0, 0, 0, "-idle-"],
[ 11.00003000, 0.00002000, 1, 78, 0, -3, 0, 9, 0, "-wakeup-"],
[ 11.00005000, 0.00005100, 0, 9, 0, 65545, 0, 0, 0, "early.9"],
E2
run "$TAP_TMP/unknown.json" "$TOOL" --pid 9
like "a waker that does not run in the trace" "$(cat "$OUT")" ' woken by an unknown thread on CPU 1; 20\.00 us for CPU 0: idle 20\.00 us$'

# The thread waits during an attempt to take a lock. An attempt that has ended before the wait does not explain it.
rows <<'E2' | LC_ALL=C sort >"$TAP_TMP/locked.json"
[ 11.00000000, 0.00001000, 0, 9, 0, 2066, 0, 0, 0, "pwrite64"],
[ 11.00000100, 0.00000100, 0, 9, 0, 643, 5, 0, 0, "mutex:early.5"],
[ 11.00000900, 0.00004300, 0, 9, 0, 643, 7, 0, 0, "rwsem:file_write.7"],
[ 11.00001000, 0.00002000, -1, 9, 0, 783, 0, 0, 0, "wait_pipe"],
[ 11.00001000, 0.00004000, 0, 0, 0, 65536, 0, 0, 0, "-idle-"],
[ 11.00003000, 0.00002000, 1, 78, 0, -3, 0, 9, 0, "-wakeup-"],
[ 11.00005000, 0.00002000, 0, 9, 0, 2066, 0, 0, 0, "pwrite64"],
[ 11.00007000, 0.00001000, -1, 9, 0, 783, 0, 0, 0, "wait_pipe"],
[ 11.00007000, 0.00002000, 0, 0, 0, 65536, 0, 0, 0, "-idle-"],
[ 11.00009000, 0.00001100, 0, 9, 0, 65545, 0, 0, 0, "late.9"],
E2
run "$TAP_TMP/locked.json" "$TOOL" --pid 9
is "a wait for a lock names the lock; a later wait does not" "$(grep -o 'in pwrite64: waited [0-9.]* us for [^,]*' "$OUT")" \
	"$(printf 'in pwrite64: waited 20.00 us for the lock rwsem:file_write.7\nin pwrite64: waited 10.00 us for pipe')"
like "the path adds up the time of a lock" "$(cat "$OUT")" '  waited for the lock rwsem:file_write\.7, 1 step$'
run "$TAP_TMP/locked.json" "$TOOL" --pid 9 --json
is "JSON: the lock, in its gap and its step" "$(grep -c '"lock": "rwsem:file_write.7"' "$OUT")" 2

# Thread 8 has a name only after the selected time, thread 6 before and after it, and thread 7 has none.
rows >"$TAP_TMP/named.json" <<'E2'
[ 11.00000000, 0.00001000, 0, 6, 0, 65542, 0, 0, 0, "before.6"],
[ 11.00001000, 0.00001000, 0, 6, 0, 2087, 0, 0, 0, "getpid"],
[ 11.00002000, 0.00001000, 0, 7, 0, 2087, 0, 0, 0, "getpid"],
[ 11.00003000, 0.00001000, 0, 8, 0, 2087, 0, 0, 0, "getpid"],
[ 11.00004000, 0.00001000, 0, 8, 0, 65544, 0, 0, 0, "after.8"],
[ 11.00005000, 0.00001000, 0, 6, 0, 65542, 0, 0, 0, "late.6"],
[ 11.00006000, 0.00004100, 0, 9, 0, 65545, 0, 0, 0, "early.9"],
E2
run "$TAP_TMP/named.json" "$TOOL" --from 11.00001 --to 11.00004
is "names of threads outside the selected time" "$(grep -o '^.*: [0-9]* runs\|^critical path of [^,]*' "$OUT" | tr '\n' ';')" \
	"critical path of after.8;before.6: 1 runs;?.7: 1 runs;after.8: 1 runs;"
run "$TAP_TMP/named.json" "$TOOL" --pid 7 --json
like "a thread without a name, in JSON" "$(cat "$OUT")" '\{"pid": 7, "name": "\?\.7", "runs": 1,'
run "$TAP_TMP/named.json" "$TOOL"
is "in the whole trace, the last name counts" "$(grep -o '^.*[.]6: [0-9]* runs' "$OUT")" "late.6: 2 runs"

if ! command -v xz >/dev/null; then
	skip "the stock trace" "no xz"
	tap_end
fi
xz -dc "$DATA/pid-reuse.trace.xz" >"$TAP_TMP/reuse"
"$BIN/rawtohtml" --json "$TAP_TMP/reuse" 2>/dev/null | "$BIN/spantospan" 1000 2>/dev/null | LC_ALL=C sort >"$TAP_TMP/reuse.json"
run "$TAP_TMP/reuse.json" "$TOOL"
is "no time is negative in a thinned trace" "$STATUS $(grep -c ' runs, ' "$OUT") $(grep -E ' -[0-9.]+ [nmu]?s' "$OUT")" "0 9 "
xz -dc "$DATA/service.trace.xz" >"$TAP_TMP/service"
run "$TAP_TMP/service" "$TOOL" --pid flock
like "of several threads, the one that is longest in the trace" "$(cat "$ERR")" 'spantowhy: standard input: 2 threads have the name flock; this is flock\.4715$'
like "its gaps" "$(cat "$OUT")" '^34\.26576300 +1\.152 s  in flock: waited 1\.152 s'
STOCK=$TAP_TMP/stock.json
xz -dc tests/golden/stock.json.xz >"$STOCK"
pid_of() { grep -o "\"$1\.[0-9]*\"" "$STOCK" | head -n 1 | tr -dc '0-9'; }
main=$(pid_of workload)

# gaps PID: prints the gaps of PID as text.
gaps()
{
	run "$STOCK" "$TOOL" --pid "$1"
	grep -E '^ *[0-9.]+ +[0-9.]+ [a-z]+  (in|new)' "$OUT"
}
gaps "$(pid_of pipe_child)" >"$TAP_TMP/pipe"
n=$(grep -c 'in read: waited .* for pipe' "$TAP_TMP/pipe")
between "pipe: the child waits in read for a pipe" "$n" 20 211
is "pipe: each time it is woken by the parent in write" \
	"$(grep 'in read: waited .* for pipe' "$TAP_TMP/pipe" | grep -c "woken by workload.$main on CPU [01] in write;")" "$n"
like "fork: the child is new, woken by its parent in clone" "$(cat "$TAP_TMP/pipe")" \
	"new: runnable, woken by workload.$main on CPU [01] in clone;"
gaps "$(pid_of tcp_server)" >"$TAP_TMP/tcp"
n=$(grep -c 'in recvfrom: waited .* for net' "$TAP_TMP/tcp")
between "tcp: the server waits in recvfrom for the net" "$n" 20 103
between "tcp: woken by the client's own softirq in sendto" \
	"$(grep 'in recvfrom: waited .* for net' "$TAP_TMP/tcp" | grep -c "woken by workload.$main on CPU [01] in BH:rx of sendto;")" $((n - 5)) "$n"
for locker in $(grep -o '"locker\.[0-9]*"' "$STOCK" | sort -u | tr -dc '0-9\n'); do
	gaps "$locker"
done >"$TAP_TMP/mutex"
n=$(grep -c 'in futex: waited .* for lock' "$TAP_TMP/mutex")
between "mutex: lockers wait in futex for a lock" "$n" 1 251
is "mutex: each time woken by another locker in futex" \
	"$(grep 'in futex: waited .* for lock' "$TAP_TMP/mutex" | grep -c 'woken by locker.[0-9]* on CPU [01] in futex;')" "$n"
gaps "$main" >"$TAP_TMP/main"
is "nap: seven sleeps, woken by no thread" \
	"$(grep 'in nanosleep: waited' "$TAP_TMP/main" | grep -c ' for time, woken by .* in \(BH:\|local_timer\)')" 7

# A wait without a known reason has the name of the call that contains it. Its time is the time of
# the rows.
like "in wait4: no reason is made up" "$(grep -m 1 'in wait4: waited' "$TAP_TMP/main")" 'in wait4: waited [0-9.]+ [mu]s, woken by'
rows=$(grep '"wait_unk"' "$STOCK" | awk -F '[][, ]+' -v pid="$main" '$5 == pid { us += $3 * 1e6 } END { printf "%.0f", us }')
# the sums agree within the precision of the output
between "waits without a reason, by call, add up to their rows" \
	"$(sed -n 's/.*: [0-9]* runs, .* gaps, //p' "$OUT" | tr ',' '\n' | awk '/^ in / {
		us += $(NF - 1) * ($NF == "s" ? 1e6 : $NF == "ms" ? 1e3 : 1) } END { printf "%.0f", us }')" $((rows - 3)) $((rows + 3))
unlike "no output has the name of an unknown wait" "$(cat "$OUT")" 'unk[ ,]'

awk '{ if ($1 + 0 < last) bad++; u = $3 == "ns" ? 1e-9 : $3 == "us" ? 1e-6 : $3 == "ms" ? 1e-3 : 1; last = $1 + $2 * u * .999 }
	END { print bad + 0, NR }' "$TAP_TMP/main" >"$TAP_TMP/order"
like "gaps are in order and do not overlap" "$(cat "$TAP_TMP/order")" '^0 [0-9]{3}'

# Names in parts of the trace in which a thread has no row with its name.
run "$STOCK" "$TOOL" --from 16.2 --to 16.201
is "a thread in a system call has its name" "$(sed '1,/^all threads/d' "$OUT" | cut -d' ' -f1-3 | head -n 1)" "workload.$main: 1 runs,"
bad=0
threads=0
for i in $(seq 0 19); do
	from=$(awk -v i="$i" 'BEGIN { printf "%.3f", 16.08 + i * 0.025 }')
	run "$STOCK" "$TOOL" --json --from "$from" --to "${from}9"
	threads=$((threads + $(grep -c '"runs": ' "$OUT")))
	bad=$((bad + $(grep -c '"name": "?' "$OUT")))
done
is "twenty parts of 0.9 ms: no thread without a name" "$bad $((threads > 20))" "0 1"

# why_sums FILE, prof_sums FILE: print pid and waiting time of each thread, in units of 10 ns.
why_sums()
{
	"$TOOL" --json "$1" | awk '/"runs": / {
		gsub(/[{}:,"]/, " ")
		for (i = 1; i <= NF; i++)
			if ($i == "runnable")
				break
		t = 0
		for (; i < NF; i++)
			if ($(i + 1) ~ /^[0-9.]+$/)
				t += int($(i + 1) * 1e8 + 0.5)
		sum[$2] += t
	} END { for (p in sum) if (sum[p]) print p, sum[p] }' | sort
}
prof_sums()
{
	"$BIN/spantoprof" --json <"$1" | awk '/"pid": / { gsub(/[,:]/, " "); pid = $2 }
		/"class": "wait"/ { match($0, /"time": [0-9.]+/); sum[pid] += int(substr($0, RSTART + 8, RLENGTH - 8) * 1e8 + 0.5) }
		END { for (p in sum) if (sum[p]) print p, sum[p] }' | sort
}
for name in $(golden_names); do
	xz -dc "tests/golden/$name.json.xz" >"$TAP_TMP/golden.json"
	why_sums "$TAP_TMP/golden.json" >"$TAP_TMP/why.sums"
	prof_sums "$TAP_TMP/golden.json" >"$TAP_TMP/prof.sums"
	is "$name: each thread waits as long as by spantoprof" "$(diff "$TAP_TMP/why.sums" "$TAP_TMP/prof.sums")" ""
	between "$name: threads that wait" "$(wc -l <"$TAP_TMP/why.sums")" 20 60
done

# the path in JSON: the steps are adjacent, from the call that made the process to its last run
run "$STOCK" "$TOOL" --json --pid "$main"
sed -n '/"path"/,$p' "$OUT" | grep -o '"start": [0-9.]*, "end": [0-9.]*' | tr -d ',' >"$TAP_TMP/path"
is "the critical path has no holes" \
	"$(awk 'NR > 1 && $2 != before { bad++ } { before = $4 } END { print bad + 0, (NR > 100) }' "$TAP_TMP/path")" "0 1"
is "the critical path begins when the process is made" "$(head -n 1 "$TAP_TMP/path" | cut -d' ' -f2)" \
	"$(awk -F '[][, ]+' -v pid="$main" '/"-wakeup-"/ && $9 == pid { print $2; exit }' "$STOCK")"
is "the critical path ends with the last run of the process" "$(tail -n 1 "$TAP_TMP/path" | cut -d' ' -f4)" \
	"$(awk -F '[][, ]+' -v pid="$main" '$4 >= 0 && $5 == pid && $7 >= 1024 { end = $2 + $3 } END { printf "%.8f", end }' "$STOCK")"
run "$STOCK" "$TOOL" --pid rcu_preempt --json
is "the path of a thread that is older than the trace begins where the trace does" \
	"$(sed -n '/"path"/,$p' "$OUT" | grep -o -m 1 '"start": [0-9.]*' | head -n 1 | cut -d' ' -f2)" \
	"$(grep -o -m 1 '"from": [0-9.]*' "$OUT" | cut -d' ' -f2)"
run "$STOCK" "$TOOL" --json --pid "$main"

# the text: sums first, steps and gaps in order of time; the sums add up to the path
run "$STOCK" "$TOOL" --pid "$main"
length=$(awk '{ if (NR == 1) a = $2; b = $4 } END { printf "%.0f", (b - a) * 1e6 }' "$TAP_TMP/path")
# us: prints the sum of the first times of the lines in microseconds
us() { awk '{ u = $2 == "ns" ? 1e-3 : $2 == "us" ? 1 : $2 == "ms" ? 1e3 : 1e6; sum += $1 * u } END { printf "%.0f", sum }'; }
between "the causes add up to the path" "$(sed -n '/^time of/,/^by thread/p' "$OUT" | grep '^ ' | us)" $((length - 5)) $((length + 5))
between "the threads add up to the path" "$(sed -n '/^by thread/,/^critical/p' "$OUT" | grep '^ ' | us)" $((length - 20)) $((length + 20))
for part in '^time of,^by thread' '^by thread,^critical'; do
	is "the largest sum comes first: $part" "$(sed -n "/${part%,*}/,/${part#*,}/p" "$OUT" | grep '^ ' |
		awk '{ u = $2 == "ns" ? 1e-3 : $2 == "us" ? 1 : $2 == "ms" ? 1e3 : 1e6; if (NR > 1 && $1 * u > last) print; last = $1 * u }')" ""
done
for part in '^critical path,^gaps' '^gaps,^nothing'; do
	sed -n "/${part%,*}/,/${part#*,}/p" "$OUT" | grep '^ *[0-9]*\.[0-9]\{8\} ' >"$TAP_TMP/rows"
	between "rows of ${part%,*}" "$(wc -l <"$TAP_TMP/rows")" 400 2000
	is "the oldest comes first: $part" "$(awk '{ if ($1 + 0 < last) print; last = $1 + 0 }' "$TAP_TMP/rows")" ""
done

# --top: the rows with the most time, in the same order, and the sum of the others
cp "$OUT" "$TAP_TMP/all"
run "$STOCK" "$TOOL" --pid "$main" --top 7
for part in '^critical path,^gaps,steps' '^gaps,^nothing,gaps'; do
	IFS=, read -r from to what <<<"$part"
	sed -n "/$from/,/$to/p" "$TAP_TMP/all" | grep '^ *[0-9]*\.[0-9]\{8\} ' >"$TAP_TMP/rows"
	awk '{ u = $3 == "ns" ? 1e-3 : $3 == "us" ? 1 : $3 == "ms" ? 1e3 : 1e6; print $2 * u, $0 }' "$TAP_TMP/rows" |
		sort -rn | head -n 7 | cut -d' ' -f2- | sort -n >"$TAP_TMP/longest"
	is "--top 7: the longest $what, oldest first" "$(sed -n "/$from/,/$to/p" "$OUT" | grep '^ *[0-9]*\.[0-9]\{8\} ')" "$(cat "$TAP_TMP/longest")"
	like "--top 7: the number of other $what" "$(cat "$OUT")" "^left out: $(($(wc -l <"$TAP_TMP/rows") - 7)) shorter $what, [0-9.]+ ms in all\$"
done
between "--top 7: steps and the line of the others add up to the path" "$({ sed -n '/^critical path/,/^gaps/p' "$OUT" |
	sed -n 's/^[0-9]*\.[0-9]\{8\} *//p'; sed -n 's/^left out: [0-9]* shorter steps, //p' "$OUT"; } | us)" $((length - 20)) "$length"
run "$STOCK" "$TOOL" --top 3
is "--top 3: three threads, and how many others ran" "$(sed '1,/^all threads/d' "$OUT" | grep -c ' runs, ') $(grep -c '^left out: [0-9]* threads, which ran' "$OUT")" "3 1"
run "$STOCK" "$TOOL" --top 3 --json
expect "--top and --json" 2 "^spantowhy: --top cannot be used with --json"

# Without --pid: what fired the trigger, otherwise the program that run ran, otherwise the last thread.
# chosen [OPTION...]: prints the first line for the trace $TAP_TMP/chosen, and the thread and the reason of JSON
chosen()
{
	run "$TAP_TMP/chosen" "$TOOL" "$@"
	head -n 1 "$OUT"
	run "$TAP_TMP/chosen" "$TOOL" --json "$@"
	sed -n 's/.*"path_of": {"pid": \([0-9]*\), .*"because": "\([a-z]*\)".*/\1 \2/p' "$OUT"
}
cp "$STOCK" "$TAP_TMP/chosen"
is "the program of run, in a trace without its number" "$(chosen)" \
	"explains workload.$main: kutrace_control started it; try --pid NAME for another thread
$main started"
child=$(pid_of pipe_child)
server=$(pid_of tcp_server)
sed "s/^ \"coverage2\" : {/&\"run\": $child, /" "$STOCK" >"$TAP_TMP/chosen"
is "the program of run, by its number" "$(chosen)" \
	"explains pipe_child.$child: it is the recorded program; try --pid NAME for another thread
$child run"
sed -i "s/^ \"coverage2\" : {/&\"fired\": \"syscall:futex>1ms\", \"fired_by\": \"x\", \"fired_pid\": $server, /" "$TAP_TMP/chosen"
is "what fired the trigger" "$(chosen)" \
	"explains tcp_server.$server: it fired the trigger syscall:futex>1ms; try --pid NAME for another thread
$server fired"
is "in a time in which neither runs" "$(chosen --from 16.53 --to 16.55 | sed 's/\..*: of all/: of all/')" \
	"explains workload.$main: kutrace_control started it; try --pid NAME for another thread
$main started"
is "--pid counts more" "$(chosen --pid "$main" | sed 's/ runs.*//')" "workload.$main: 432
$main pid"
grep -v 'kutrace_control+' "$STOCK" >"$TAP_TMP/chosen"
like "without any of these: the last thread, but not kutrace_control" "$(chosen | head -n 1)" \
	'^explains workload\.[0-9]+: of all threads, it ran last; try --pid NAME for another thread$'
is "kutrace_control runs last in it" "$(awk -F '[][, ]+' '/^\[/ && $4 >= 0 && $5 > 0 && $7 >= 1024 && $2 < 999 && $2 + $3 > end { end = $2 + $3; pid = $5 }
	END { print pid }' "$STOCK")" "$(pid_of kutrace_control)"
awk -F '[][, ]+' -v pid="$(pid_of kutrace_control)" '!/^\[/ || $5 == 0 || $5 == pid || $2 == "999.0"' "$STOCK" | grep -v 'kutrace_control+' >"$TAP_TMP/chosen"
is "only kutrace_control ran" "$(chosen)" "no thread ran, except idle and kutrace_control"
run "$TAP_TMP/chosen" "$TOOL" --pid kutrace_control
like "only kutrace_control ran: --pid explains it" "$(cat "$OUT")" '^critical path of kutrace_control\.[0-9]+, oldest step first:$'
run "$STOCK" "$TOOL" --json --pid "$main"
for other in pipe_child tcp_server; do
	like "the critical path goes through $other" "$(sed -n '/"path"/,$p' "$OUT")" "\"kind\": \"run\", \"pid\": [0-9]+, \"name\": \"$other"
done
from=$(awk -F'[[,]' '/mark_a=pipe/ { gsub(/ /, "", $2); print $2; exit }' "$STOCK")
to=$(awk -F'[[,]' '/mark_a=.pipe/ { gsub(/ /, "", $2); print $2; exit }' "$STOCK")
run "$STOCK" "$TOOL" --json --from "$from" --to "$to"
like "--from and --to limit the explanation" "$(head -n 1 "$OUT")" "^\{\"from\": $from, \"to\": $to, "
if command -v node >/dev/null; then
	ok "--json prints valid JSON" node -e 'JSON.parse(require("fs").readFileSync(process.argv[1]))' "$OUT"
else
	skip "--json prints valid JSON" "no node"
fi
tap_end
