#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# takes: 25
#
# rawtoparquet: what every filter does; that the same trace gives the same bytes, that nothing is left of
# what did not become whole, that memory is bounded and files are no larger than the trace; that DuckDB reads
# every trace of the corpus, and all rows of many row groups as SQLite has them. What the tables say: sql.sh.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc
if ! [ -x "$BIN/rawtoparquet" ]; then
	skip "rawtoparquet" "not built"
	tap_end
fi
make_traces >&2 || exit 1
TOOL=$BIN/rawtoparquet
GOOD=$TRACES/good.trace
# standard output gets an archive of the folder
O_IS=is_archived
common_checks rawtoparquet "$GOOD"

duckdb=
if command -v npm >/dev/null && command -v sqlite3 >/dev/null && [ -x "$BIN/rawtosqlite" ]; then
	duckdb=$(templates/modules.sh tests/sql 2>"$ERR") || skip "DuckDB" "$(tail -n 1 "$ERR")"
else
	skip "DuckDB" "no npm, or no sqlite3"
fi
export NODE_MODULES=$duckdb
: >"$TAP_TMP/none"

# whatever is in it, what comes out can be read, and holds all time of the CPUs
if [ -n "$duckdb" ]; then
	printf '1\tselect coalesce(sum(dur_ns), 0) - (select sum(on_cpu_ns) from thread) from sched_slice\n' >"$TAP_TMP/sums"
	for table in $(sed -n 's/^KT_TABLE([A-Z_]*, "\([a-z_]*\)".*/\1/p' postprocess/export/schema.def); do
		printf '2\tselect count(*) - count(trace_id) from %s\n' "$table" >>"$TAP_TMP/sums"
	done
	bad=
	for trace in "$TRACES"/*.trace; do
		run /dev/null "$TOOL" -o "$TAP_TMP/corpus" "$trace"
		[ -d "$TAP_TMP/corpus" ] || continue
		said=$(node tests/sql/duckdb.mjs "$TAP_TMP/none" "$TAP_TMP/corpus" <"$TAP_TMP/sums" 2>&1 | sort -u | tr '\n' ' ')
		[ "$said" = "0 = 1 = 2 " ] || bad="$bad $(basename "$trace"): $said"
		rm -r "$TAP_TMP/corpus"
	done
	is "every trace of the corpus: none, or one that DuckDB reads" "$bad" ""
fi

# --- the folder ---

xz -dc tests/golden/stock.trace.xz >"$TAP_TMP/stock.trace"
"$TOOL" -o "$TAP_TMP/a" "$TAP_TMP/stock.trace" 2>/dev/null
TZ=Asia/Tokyo "$TOOL" -o "$TAP_TMP/b" <"$TAP_TMP/stock.trace" 2>/dev/null
ok "the same trace gives the same bytes, wherever" diff -r "$TAP_TMP/a" "$TAP_TMP/b"
run /dev/null "$TOOL" -o "$TAP_TMP/a" "$TAP_TMP/stock.trace"
expect "a folder that is there is not written over" 1 'it is there already'
ok "it is as it was" diff -r "$TAP_TMP/a" "$TAP_TMP/b"
mkdir "$TAP_TMP/o"
run /dev/null "$TOOL" -o "$TAP_TMP/o/x" "$TRACES/zeros.trace"
expect "no trace" 1 '^rawtoparquet: .*zeros.trace'
${MAKE:-make} --no-print-directory BUILD="$BUILD" "$BUILD/bench/gen_trace" "$BUILD/bench/timed" >&2 || exit 1
"$BUILD/bench/gen_trace" "$TAP_TMP/stock.trace" 32 "$TAP_TMP/large.trace"
"$TOOL" -o "$TAP_TMP/o/x" "$TAP_TMP/large.trace" 2>"$ERR" &
pid=$!
for _ in $(seq 6000); do
	[ -n "$(find "$TAP_TMP/o" -name 'call.parquet' -size +100k)" ] && break
	sleep 0.01
done
kill -INT $pid
STATUS=0
wait $pid || STATUS=$?
expect "interrupted" 3 interrupted
is "nothing is left of these" "$(ls -A "$TAP_TMP/o")" ""
TIMES=$TAP_TMP/times "$BUILD/bench/timed" "$TOOL" -o "$TAP_TMP/large" "$TAP_TMP/large.trace" 2>/dev/null
read -r _ kib _ <"$TAP_TMP/times"
between "memory at 32 MiB of trace, KiB" "$kib" 1 262144
between "bytes of files of a 32 MiB trace" "$(cat "$TAP_TMP/large"/* | wc -c)" 1000000 $((32 << 20))
if [ -n "$duckdb" ]; then
	"$BIN/rawtosqlite" -o "$TAP_TMP/large.db" "$TAP_TMP/large.trace" 2>/dev/null
	# each column of each table: how many values, and sums, or lengths, of them
	for table in $(sed -n 's/^KT_TABLE([A-Z_]*, "\([a-z_]*\)".*/\1/p' postprocess/export/schema.def); do
		sqlite3 "$TAP_TMP/large.db" "select case type when 'TEXT' then 'count(' || name || '), sum(length(' || name || ')), min(' || name || '), max(' || name || '), count(distinct ' || name || ')'
			else 'count(' || name || '), sum(' || name || ' % 1000003), min(' || name || '), max(' || name || ')' end
			from pragma_table_info('$table')" | paste -sd, | sed "s/^/1	select /; s/\$/ from $table/"
	done >"$TAP_TMP/sums"
	# sums that depend on the order of rows
	printf '1\tselect sum((n * 31 + elapsed_ns + tid) %% 1000003) from (select row_number() over (order by start_ns, elapsed_ns, tid, name) as n, elapsed_ns, tid from call) as c\n' >>"$TAP_TMP/sums"
	node tests/sql/duckdb.mjs "$TAP_TMP/none" "$TAP_TMP/large" <"$TAP_TMP/sums" >"$TAP_TMP/duck"
	awk -F'\t' '{ print ".print = " $1; print $2 ";" }' "$TAP_TMP/sums" | sqlite3 -batch -list "$TAP_TMP/large.db" >"$TAP_TMP/lite"
	ok "all columns of millions of rows: as in SQLite" diff "$TAP_TMP/lite" "$TAP_TMP/duck"
	between "rows of call" "$(sqlite3 "$TAP_TMP/large.db" 'select count(*) from call')" 1000000 10000000
fi
for wrong in "$GOOD $GOOD" '--frobnicate'; do
	# shellcheck disable=SC2086 # several arguments
	run "$GOOD" "$TOOL" $wrong
	expect "usage: $wrong" 2 '^rawtoparquet: '
done
tap_end
