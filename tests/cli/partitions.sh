#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# takes: 15
#
# Tests a collection of ten traces of generated machines, one of them added twice. The tables over all traces
# must have exactly the generated data (tests/bench/gen_fleet.c), as read by DuckDB and with the statements of
# docs/guide/fleet.md. tests/bench/fleet.sh tests the scaling.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc
if ! [ -x "$BIN/rawtoparquet" ] || ! command -v npm >/dev/null; then
	skip "a collection" "no rawtoparquet, or no npm"
	tap_end
fi
NODE_MODULES=$(templates/modules.sh tests/sql 2>"$ERR") || {
	skip "a collection" "$(tail -n 1 "$ERR")"
	tap_end
}
export NODE_MODULES
built "$BUILD/bench/gen_fleet"

mkdir "$TAP_TMP/raw"
"$BUILD/bench/gen_fleet" 10 "$TAP_TMP/raw" >"$TAP_TMP/truth"
"$BIN/checktrace" "$TAP_TMP/raw/00003.trace" >"$OUT" 2>"$ERR"
is "the machines are sound" "$(tail -n 1 "$OUT")" "sound"
for trace in "$TAP_TMP"/raw/*.trace "$TAP_TMP/raw/00004.trace"; do
	"$BIN/rawtoparquet" --into "$TAP_TMP/all" "$trace" 2>"$ERR" || cat "$ERR" >&2
done
ask() { node tests/sql/fleet.mjs "$TAP_TMP/all" 2>&1 | sed 's/^\(= .*\) .*/\1/'; }

is "each trace is there once" "$(printf 'n\tselect count(*), count(distinct trace_id), count(distinct host), count(distinct date) from trace\n' | ask | tail -n 1)" "10|10|3|4"
printf '%s\t%s\n' calls "select c.date, c.host, count(*), sum(elapsed_ns) from call c where kind = 'syscall' and cut_start + cut_end = 0 group by c.trace_id, c.date, c.host order by 1, 2, 3" |
	ask | tail -n +2 | tr '|' ' ' >"$TAP_TMP/got"
ok "calls and their time, by date and host" diff <(cut -d' ' -f1-4 "$TAP_TMP/truth" | sort) <(sort "$TAP_TMP/got")
printf '%s\t%s\n' slowest "select c.date, c.host, max(elapsed_ns), arg_max(name, elapsed_ns) from call c where kind = 'syscall' group by c.trace_id, c.date, c.host" |
	ask | tail -n +2 | tr '|' ' ' >"$TAP_TMP/got"
ok "the slowest call of each" diff <(cut -d' ' -f1,2,5,6 "$TAP_TMP/truth" | sort) <(sort "$TAP_TMP/got")

# runs the statement of docs/guide/fleet.md
sed -n '/^```sql duckdb$/,/^```$/p' docs/guide/fleet.md | sed '/^```/d; s/--.*//' | tr '\n\t' '  ' | sed 's/^/one	/; s/; *$//' >"$TAP_TMP/statement"
day=2026-11-02
sed "s/2026-11-[0-9]*/$day/" "$TAP_TMP/statement" | ask | tail -n +2 >"$TAP_TMP/got"
is "docs/guide/fleet.md: the slowest calls of a day, of all machines" "$(head -n 1 "$TAP_TMP/got")" \
	"$(awk -v d=$day '$1 == d { print $5, $2, $6 }' "$TAP_TMP/truth" | sort -rn | awk 'NR == 1 { print $2 "|" $3 "|" $1 "|0" }')"
is "docs/guide/fleet.md: ten of them" "$(wc -l <"$TAP_TMP/got")" 10

# runs the statement of docs/guide/sql.md over three traces with known faults, of two machines
built "$BUILD/bench/gen_trace"
xz -dc tests/golden/stock.trace.xz >"$TAP_TMP/stock.trace"
for size in 6 8 12; do
	"$BUILD/bench/gen_trace" "$TAP_TMP/stock.trace" $size "$TAP_TMP/faults"
	[ $size != 8 ] || perl -0777 -pi -e 's/guest\0/other\0/ or die' "$TAP_TMP/faults"
	"$BIN/rawtoparquet" --into "$TAP_TMP/faulty" "$TAP_TMP/faults" 2>"$ERR" || cat "$ERR" >&2
	"$BIN/spantowhy" --findings --json "$TAP_TMP/faults" 2>"$ERR" |
		jq -r --arg host $([ $size = 8 ] && echo other || echo guest) '.findings[] | [.finding, (.cost * 1e9 + 0.5 | floor), $host, .sentence] | join("|")'
done >"$TAP_TMP/known"
awk -F'|' '{ cost[$1] += $2; traces[$1]++; if (!(($1, $3) in on)) { on[$1, $3]; hosts[$1]++ } if ($2 > most[$1]) { most[$1] = $2; worst[$1] = $3 "|" $4 } }
	END { for (kind in cost) printf "%s|%.0f|%d|%d|%s\n", kind, cost[kind], hosts[kind], traces[kind], worst[kind] }' "$TAP_TMP/known" |
	sort -t'|' -k2,2nr >"$TAP_TMP/want"
between "kinds of faults" "$(wc -l <"$TAP_TMP/want")" 2 14
sed -n '/^```sql duckdb$/,/^```$/p' docs/guide/sql.md | sed '/^```/d' | tr '\n\t' '  ' | sed 's/^/one	/; s/; *$//' |
	node tests/sql/fleet.mjs "$TAP_TMP/faulty" 2>&1 | tail -n +2 >"$TAP_TMP/got"
ok "docs/guide/sql.md: the faults that cost most, of all machines" diff "$TAP_TMP/want" "$TAP_TMP/got"

# the result has one file per host, table and day
compact=$(sed -n '/^    copy (/,/;$/p' docs/guide/fleet.md | tr '\n' ' ' | sed "s,'traces/,'$TAP_TMP/all/,; s,compact/call,$TAP_TMP/compact,")
both="select count(*), (select count(*) from call where date = '2026-11-02'), sum(elapsed_ns) - (select sum(elapsed_ns) from call where date = '2026-11-02') from read_parquet('$TAP_TMP/compact/*/*/*.parquet')"
printf 'copy\t%s\nboth\t%s\n' "$compact" "$both" | ask | tail -n 1 >"$TAP_TMP/got"
like "docs/guide/fleet.md: put together, a day is the same" "$(tr '|' ' ' <"$TAP_TMP/got")" '^([0-9]+) \1 0$'
is "a file a host" "$(find "$TAP_TMP/compact" -name '*.parquet' | cut -d/ -f5- | wc -l)" 3
# the columns declared to query engines equal those of the files
awk -v engine=trino -v at=x -f docs/examples/tables.awk docs/reference/tables.md | sed -n 's/^create table "\([a-z_]*\)" (\(.*\)) with .*/\1 \2/p' |
	sed 's/ "\([a-z_0-9]*\)" \([a-z]*\),*/ \1 \2/g' | tr '[:lower:]' '[:upper:]' >"$TAP_TMP/want"
cut -d' ' -f1 "$TAP_TMP/want" | tr '[:upper:]' '[:lower:]' | while read -r table; do
	printf "%s\tselect upper('%s ' || string_agg(column_name || ' ' || case column_name when 'date' then 'VARCHAR' else column_type end, ' ')) from (describe select * from %s)\n" "$table" "$table" "$table"
done | ask | grep -v '^=' >"$TAP_TMP/got"
between "tables declared to query engines" "$(wc -l <"$TAP_TMP/want")" 17 100
ok "their columns equal those of the files" diff "$TAP_TMP/want" "$TAP_TMP/got"
for engine in duckdb clickhouse clickhouse-s3 spark trino; do
	is "tables for $engine" "$(awk -v engine=$engine -v at=x -f docs/examples/tables.awk docs/reference/tables.md | grep -c '^create')" \
		"$(wc -l <"$TAP_TMP/want")"
done
tap_end
