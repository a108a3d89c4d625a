#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# takes: 40
#
# Tests the tables of rawtosqlite and rawtoparquet. Every question of docs/guide/sql.md has the same answer in SQLite
# and in DuckDB. The sums of the tables equal the sums of spantoprof and checktrace. The tables have the same waits and
# point events as the span JSON, and the same tasks that ended waits. docs/reference/tables.md lists all tables.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

generator=$BUILD/gen/gen_tables
built "$generator"
ok "docs/reference/tables.md is up to date (make docs)" diff <("$generator") docs/reference/tables.md

if ! [ -x "$BIN/rawtosqlite" ] || ! command -v sqlite3 >/dev/null; then
	skip "tables" "no sqlite3"
	tap_end
fi
duckdb=
if [ -x "$BIN/rawtoparquet" ] && command -v npm >/dev/null; then
	duckdb=$(templates/modules.sh tests/sql 2>"$ERR") || skip "DuckDB" "$(tail -n 1 "$ERR")"
else
	skip "DuckDB" "no rawtoparquet, or no npm"
fi
export NODE_MODULES=$duckdb
awk -f tests/sql/questions.awk docs/guide/sql.md >"$TAP_TMP/questions"
between "questions" "$(wc -l <"$TAP_TMP/questions")" 25 100
sed -n 's/^KT_VIEW("\([a-z_]*\)", "\(.*\)",$/create view \1 as \2/p' postprocess/export/schema.def >"$TAP_TMP/views"
between "views" "$(wc -l <"$TAP_TMP/views")" 2 20

# lite NAME <QUESTIONS prints SQLite's answers for one trace. duck NAME... <QUESTIONS prints DuckDB's answers for
# several traces.
lite()
{
	awk -F'\t' '{ print ".print = " $1; print $2 }' |
		sqlite3 -batch -bail -list "$TAP_TMP/$1.db" 2>"$ERR" |
		awk 'BEGIN { FS = OFS = "|" } { for (i = 1; i <= NF; i++) if ($i ~ /^-?[0-9]+\.0$/) sub(/\.0$/, "", $i); print }'
	[ ! -s "$ERR" ] || cat "$ERR"
}
duck()
{
	node tests/sql/duckdb.mjs "$TAP_TMP/views" "$@" 2>"$ERR" || cat "$ERR"
}

# tables NAME: makes the tables of $TAP_TMP/NAME.trace in both formats.
tables()
{
	ok "$1: rawtosqlite" "$BIN/rawtosqlite" -o "$TAP_TMP/$1.db" "$TAP_TMP/$1.trace"
	is "$1: SQLite finds it sound" "$(sqlite3 "$TAP_TMP/$1.db" 'pragma integrity_check; pragma user_version')" "ok
1"
	[ -z "$duckdb" ] || ok "$1: rawtoparquet" "$BIN/rawtoparquet" -o "$TAP_TMP/$1" "$TAP_TMP/$1.trace"
}

# points NAME [IPC]: compares everything other than execution with the span JSON in $TAP_TMP/json.
points()
{
	awk -v ipc="${2-}" -f tests/sql/points.awk docs/reference/events.md "$TAP_TMP/json" | sort >"$TAP_TMP/want"
	sqlite3 "$TAP_TMP/$1.db" <tests/sql/points.sql | sort >"$TAP_TMP/got"
	ok "$1: pauses, wakeups, IPIs, locks, RPCs, packets, counters, samples, marks are the span JSON's" diff "$TAP_TMP/want" "$TAP_TMP/got"
	cut -d' ' -f1 "$TAP_TMP/want" >>"$TAP_TMP/seen"
}

# witness NAME: compares the tables with the output of other filters for the trace.
witness()
{
	"$BIN/rawtohtml" --json "$TAP_TMP/$1.trace" 2>/dev/null >"$TAP_TMP/json"
	"$BIN/spantoprof" --json <"$TAP_TMP/json" | awk -f tests/sql/profile.awk | sort >"$TAP_TMP/want"
	sqlite3 "$TAP_TMP/$1.db" <tests/sql/profile.sql | sort >"$TAP_TMP/got"
	between "$1: facts of spantoprof" "$(wc -l <"$TAP_TMP/want")" 100 1000000
	ok "$1: time on CPUs, calls and waits of each thread are spantoprof's" diff "$TAP_TMP/want" "$TAP_TMP/got"
	awk -f tests/sql/wakers.awk "$TAP_TMP/json" | sort >"$TAP_TMP/want"
	sqlite3 -separator ' ' "$TAP_TMP/$1.db" "select tid, dur_ns, coalesce(waker_tid || ' ' || waker_cpu, '-')
		from thread_state where state = 'waiting'" | sort >"$TAP_TMP/got"
	between "$1: waits with a waker" "$(grep -cv -e '-$' "$TAP_TMP/want")" 50 1000000
	ok "$1: the waker of each wait, and its CPU" diff "$TAP_TMP/want" "$TAP_TMP/got"
	points "$1"
	"$BIN/checktrace" "$TAP_TMP/$1.trace" >"$TAP_TMP/check" 2>/dev/null
	sqlite3 "$TAP_TMP/$1.db" "select 'CPU ' || cpu || ': ' ||
			printf('%d.%08d to %d.%08d s, ', f / 100000000, f % 100000000, l / 100000000, l % 100000000) || events || ' events'
		from (select cpu, c.events, (first_ns - zero_ns) / 10 as f, (last_ns - zero_ns) / 10 as l
			from cpu c join trace using (trace_id));
		select 'lost: ' || lost_events || ' events' from trace;
		select 'inferred spans: ' || inferred_spans from trace" >"$TAP_TMP/got"
	grep -o '^CPU .* events,\|^lost: [0-9]* events\|^inferred spans: [0-9]*' "$TAP_TMP/check" |
		sed 's/,$//' | sort >"$TAP_TMP/want"
	ok "$1: CPUs' times and events, losses, inferred spans are checktrace's" diff "$TAP_TMP/want" <(sort "$TAP_TMP/got")
	is "$1: all time is there" "$(sed -n 's/^31\t//p' "$TAP_TMP/questions" | sqlite3 "$TAP_TMP/$1.db")" "0|0|0"
}

# asked NAME: asks all questions in both engines.
asked()
{
	lite "$1" <"$TAP_TMP/questions" >"$TAP_TMP/lite"
	unlike "$1: SQLite answers" "$(cat "$TAP_TMP/lite")" 'Error'
	[ -n "$duckdb" ] || return
	duck "$TAP_TMP/$1" <"$TAP_TMP/questions" >"$TAP_TMP/duck"
	ok "$1: DuckDB answers all questions as SQLite does" diff "$TAP_TMP/lite" "$TAP_TMP/duck"
}

names=$(golden_names) names_asked="stock patched-4cpu patched-wrap" pauses="pause "
[ -z "${KUTRACE_FAST-}" ] || names="stock patched patched-4cpu" names_asked="stock patched-4cpu" pauses=
for name in $names; do
	xz -dc "tests/golden/$name.trace.xz" >"$TAP_TMP/$name.trace"
	tables "$name"
	witness "$name"
done
make_traces >&2 || exit 1
for name in good-rpc good-ipc; do
	cp "$TRACES/$name.trace" "$TAP_TMP"
	tables "$name"
	"$BIN/rawtohtml" --json "$TAP_TMP/$name.trace" 2>/dev/null >"$TAP_TMP/json"
	points "$name" "$([ $name = good-rpc ] || echo 1)"
done
is "each of these tables had rows" "$(sort -u "$TAP_TMP/seen" | tr '\n' ' ')" "counter ipi lock mark packet ${pauses}rpc sample wakeup "
for name in $names_asked; do
	asked "$name"
done
# each question has an answer for one of these traces
lite stock <"$TAP_TMP/questions" >"$TAP_TMP/answers"
lite patched-4cpu <"$TAP_TMP/questions" >>"$TAP_TMP/answers"
xz -dc tests/data/linux72/identity.trace.xz >"$TAP_TMP/identity.trace"
tables identity
lite identity <"$TAP_TMP/questions" >>"$TAP_TMP/answers"
# a longer trace, which repeats the recorded workload, has known faults
built "$BUILD/bench/gen_trace"
"$BUILD/bench/gen_trace" "$TAP_TMP/stock.trace" 12 "$TAP_TMP/faults.trace"
tables faults
asked faults
grep -E '^3[23]	' "$TAP_TMP/questions" | lite faults >>"$TAP_TMP/answers"
is "questions without an answer" "$(awk '/^= / { if (!($2 in rows)) rows[$2] = 0; at = $2; next } { rows[at]++ }
	END { for (n in rows) if (!rows[n]) print n }' "$TAP_TMP/answers")" ""

# errno_name NUMBER: prints the name of the error from the C headers.
errno_name()
{
	echo '#include <errno.h>' | ${CC:-cc} -E -dM - |
		awk -v n="$1" '$3 == n && $2 ~ /^E/ && $2 != "EWOULDBLOCK" && $2 != "EDEADLOCK" && $2 != "ENOTSUP" { print $2 }'
}

# --- known faults ---
# the findings of spantowhy, in the same order: kind, cost, number of spans, victim, culprit, spans
"$BIN/spantowhy" --findings --json "$TAP_TMP/faults.trace" 2>/dev/null | jq -r '.findings[] | [.finding, (.cost * 1e9 + 0.5 | floor), .count,
	.victim.pid, .culprit.pid // "", .sentence, .try, ([.spans[] | "\(.pid) \(.start * 1e8 + 0.5 | floor)"] | join(" "))] | join("|")' >"$TAP_TMP/want"
between "known faults of spantowhy" "$(wc -l <"$TAP_TMP/want")" 2 100
for options in "" --no-findings; do
	"$BIN/rawtosqlite" $options -o "$TAP_TMP/searched$options.db" "$TAP_TMP/faults.trace" 2>/dev/null
done
sqlite3 "$TAP_TMP/searched.db" "select kind, cost_ns, parts, tid, culprit_tid, sentence, advice, (select group_concat(tid || ' ' || ((p.start_ns - zero_ns) / 10), ' ')
	from finding_span p where p.finding = number) from finding join trace using (trace_id) order by number" >"$TAP_TMP/got"
ok "the known faults are those of spantowhy --findings" diff "$TAP_TMP/want" "$TAP_TMP/got"
is "the trace has their number" "$(sqlite3 "$TAP_TMP/searched.db" 'select findings from trace')" "$(wc -l <"$TAP_TMP/want")"
is "a trace without faults: 0" "$(sqlite3 "$TAP_TMP/stock.db" 'select findings, (select count(*) from finding) from trace')" "0|0"
is "--no-findings: unknown" "$(sqlite3 -nullvalue NULL "$TAP_TMP/searched--no-findings.db" 'select findings, (select count(*) from finding) from trace')" "NULL|0"
ok "--no-findings changes nothing else" diff <(sqlite3 "$TAP_TMP/searched.db" .dump | grep -v -e '"*finding' -e 'INTO trace VALUES') \
	<(sqlite3 "$TAP_TMP/searched--no-findings.db" .dump | grep -v -e '"*finding' -e 'INTO trace VALUES')

# --- facts of one trace, listed by hand ---
is "losses, by cause" "$(sqlite3 "$TAP_TMP/stock.db" 'select cause, events from loss')" "full|0
names|0
nested|0
noblock|0
probe|0
damaged|0"
like "the trace" "$(sqlite3 "$TAP_TMP/stock.db" 'select * from trace')" \
	'^2aef9ff9-22bd-8d7f-a6cd-73f90983740e\|guest\|6\.1\.0-56.*\|tracepoint\|syscall,trap,.*\|fault_end,'
is "errors have names" "$(sqlite3 "$TAP_TMP/patched.db" "select distinct error from call
	where error is not null order by error" | tr '\n' ' ')" \
	"$("$BIN/rawtohtml" --json "$TAP_TMP/patched.trace" 2>/dev/null | awk -F, '
		/^\[/ && $6 + 0 >= 2048 && $6 + 0 < 4096 && $8 + 0 > 61440 { print 65536 - $8 }' | sort -u |
		while read -r error; do errno_name "$error"; done | sort -u | tr '\n' ' ')"
sed 's/lost_full=0/lost_full=7/' "$TAP_TMP/stock.trace" >"$TAP_TMP/lost.trace"
tables lost
is "the losses" "$(sqlite3 "$TAP_TMP/lost.db" "select lost_events, l.events from trace join loss l using (trace_id)
	where cause = 'full'")" "7|7"
if [ -n "$duckdb" ]; then
	ok "lost: the same in DuckDB" diff <(lite lost <"$TAP_TMP/questions") \
		<(duck "$TAP_TMP/lost" <"$TAP_TMP/questions")
	# several traces form one table, and joins keep them separate
	printf '1\tselect count(*), count(distinct trace_id) from call\n2\tselect count(*) from program_call\n' >"$TAP_TMP/few"
	calls=$(for name in stock patched; do sqlite3 "$TAP_TMP/$name.db" 'select count(*) from call'; done | awk '{ n += $1 } END { print n }')
	is "two traces at once" "$(duck "$TAP_TMP/stock" "$TAP_TMP/patched" <"$TAP_TMP/few" | tr '\n' ' ')" "= 1 $calls|2 = 2 $calls "
fi
tap_end
