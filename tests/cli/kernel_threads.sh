#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# The time of kernel threads and of io_uring's workers is system time. iouring.trace (Linux 7.2) has a program that writes
# by io_uring, its workers, and kernel threads. All of these have names in the trace by which the kernel calls only its own.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

xz -dc "$DATA/iouring.trace.xz" >"$TAP_TMP/trace"
KERNEL='^(iou-(wrk|sqp)-[0-9]+|k(worker|softirqd|compactd|damond).*|rcu_.*|migration/[0-9]+)$'

"$BIN/rawtohtml" --json "$TAP_TMP/trace" 2>/dev/null | "$BIN/spantoprof" >"$TAP_TMP/profile" 2>/dev/null
# NAME user|kernel, of each thread that has such a line
awk '/^[^ ].*: .* of CPU, / { name = $1; sub(/\.[0-9]+:$/, "", name) } / (user|kernel)$/ { print name, $NF }' "$TAP_TMP/profile" | sort -u >"$TAP_TMP/kinds"
is "spantoprof: kernel threads have kernel code" "$(awk -v kernel="$KERNEL" '$1 ~ kernel && $2 != "kernel"' "$TAP_TMP/kinds")" ""
is "spantoprof: programs have user code" "$(awk -v kernel="$KERNEL" '$1 !~ kernel && $2 != "user"' "$TAP_TMP/kinds")" ""
between "spantoprof: kinds of kernel threads" "$(grep -c ' kernel$' "$TAP_TMP/kinds")" 8 20
between "spantoprof: programs" "$(grep -c ' user$' "$TAP_TMP/kinds")" 4 20

# NAME user|kernel, of each thread whose own code spantowhy names: of a gap, of a waker, of a step of the path
"$BIN/rawtohtml" --json "$TAP_TMP/trace" 2>/dev/null >"$TAP_TMP/json"
for pid in $("$BIN/spantowhy" "$TAP_TMP/json" | sed -n 's/^[^ ].*\.\([0-9]*\): [0-9]* runs, .*/\1/p'); do
	"$BIN/spantowhy" --pid "$pid" "$TAP_TMP/json" >"$TAP_TMP/why"
	"$BIN/spantowhy" --pid "$pid" --json "$TAP_TMP/json" | tr '{' '\n' >"$TAP_TMP/why.json"
	name=$(sed -n "s/\.$pid: [0-9]* runs, .*//p" "$TAP_TMP/why")
	sed -n "s/^ *[0-9.]* *[0-9.]* [a-z]*  in \(user\|kernel\) code: .*/$(printf %s "$name" | sed 's,/,\\/,g') \1/p" "$TAP_TMP/why"
	sed -n 's/.*woken by \([^ ]*\)\.[0-9]* on CPU [0-9]* in \(user\|kernel\) code;.*/\1 \2/p' "$TAP_TMP/why"
	sed -n 's/^ *[0-9.]* *[0-9.]* [a-z]*  \([^ ]*\)\.[0-9]* ran on CPU [0-9]*, mostly \(user\|kernel\) code$/\1 \2/p' "$TAP_TMP/why"
	sed -n 's/.*"name": "\([^"]*\)\.[0-9]*".*"in": "\(user\|kernel\)".*/\1 \2/p' "$TAP_TMP/why.json" | sed 's/$/ json/'
done | sort | uniq -c | awk '{ print $2, $3, $4, $1 }' >"$TAP_TMP/why.kinds"
is "spantowhy: kernel threads run kernel code" "$(awk -v kernel="$KERNEL" '$1 ~ kernel && $2 != "kernel"' "$TAP_TMP/why.kinds")" ""
is "spantowhy: programs run user code" "$(awk -v kernel="$KERNEL" '$1 !~ kernel && $2 != "user"' "$TAP_TMP/why.kinds")" ""
for kind in user kernel; do
	between "spantowhy: threads with $kind code" "$(awk -v kind=$kind '$2 == kind && $3 != "json"' "$TAP_TMP/why.kinds" | wc -l)" 3 20
done
like "spantowhy --json: wakers in kernel code" "$(cat "$TAP_TMP/why.kinds")" '^iou-wrk-[0-9]+ kernel json '

if [ -x "$BIN/rawtosqlite" ] && command -v sqlite3 >/dev/null; then
	ok "rawtosqlite" "$BIN/rawtosqlite" -o "$TAP_TMP/db" "$TAP_TMP/trace"
	sqlite3 -separator ' ' "$TAP_TMP/db" "select replace(name, ' ', '_'), user_ns, system_ns from thread where tid <> 0" >"$TAP_TMP/threads"
	is "tables: kernel threads have no user time" "$(awk -v kernel="$KERNEL" '$1 ~ kernel && $2 > 0' "$TAP_TMP/threads")" ""
	between "tables: and 375 to 405 ms of system time" "$(awk -v kernel="$KERNEL" '$1 ~ kernel { t += $3 } END { printf "%d", t / 1000000 }' "$TAP_TMP/threads")" 375 405
	between "tables: user time is that of programs, 100 to 120 ms" "$(awk '{ t += $2 } END { printf "%d", t / 1000000 }' "$TAP_TMP/threads")" 100 120
	is "tables: no waker that is a kernel thread was in user code" "$(sqlite3 "$TAP_TMP/db" "select distinct w.name
		from thread_state s join thread w on w.tid = s.waker_tid and w.life = s.waker_life
		where s.waker_kind = 'user'" | grep -E "$KERNEL")" ""
	is "tables: the time of slices is the thread's" "$(sqlite3 "$TAP_TMP/db" "select (select sum(user_ns) from thread) - (select sum(user_ns) from sched_slice),
		(select sum(system_ns) from thread) - (select sum(system_ns) from sched_slice)")" "0|0"
else
	skip "tables" "no rawtosqlite, or no sqlite3"
fi
tap_end
