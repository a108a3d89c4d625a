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
