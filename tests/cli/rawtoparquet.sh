#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# takes: 25
# ci
#
# Tests rawtoparquet. It passes the common checks. The same trace gives the same bytes. No file remains of an
# incomplete output. Memory is limited, and the files are no larger than the trace. DuckDB reads every trace
# of the corpus, and for many row groups finds the same rows as SQLite. sql.sh tests the content of the
# tables.
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
# standard output gets a tar archive of the folder
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

# for every input, the output is readable and contains all time of the CPUs
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
if [ -n "$duckdb" ]; then
	"$BIN/rawtosqlite" -o "$TAP_TMP/stock.db" "$TAP_TMP/stock.trace" 2>/dev/null
	for table in $(sed -n 's/^KT_TABLE([A-Z_]*, "\([a-z_]*\)".*/\1/p' postprocess/export/schema.def); do
		sqlite3 -batch -list "$TAP_TMP/stock.db" "select '$table', * from $table"
	done | sort >"$TAP_TMP/lite"
	node tests/sql/hyparquet.mjs "$TAP_TMP/a" 2>"$ERR" | sort >"$TAP_TMP/hyparquet"
	between "rows of all tables" "$(wc -l <"$TAP_TMP/hyparquet")" 10000 10000000
	ok "another reader of Parquet, hyparquet: each row of each table is SQLite's" diff "$TAP_TMP/lite" "$TAP_TMP/hyparquet"
	cat "$ERR" >&2
fi
run /dev/null "$TOOL" -o "$TAP_TMP/a" "$TAP_TMP/stock.trace"
expect "an existing folder is not overwritten" 1 'it exists and is not an empty folder'
ok "the existing folder is unchanged" diff -r "$TAP_TMP/a" "$TAP_TMP/b"
mkdir "$TAP_TMP/o"
run /dev/null "$TOOL" -o "$TAP_TMP/o/x" "$TRACES/zeros.trace"
expect "no trace" 1 '^rawtoparquet: .*zeros.trace'
run /dev/null "$TOOL" -o "$TAP_TMP/rest.tar" "$TRACES/time-jumps.trace"
expect "damage inside a block" 1 'damaged'
is "an archive of the rest remains" "$(tar -tf "$TAP_TMP/rest.tar" | grep -c parquet)" \
	"$(grep -c '^KT_TABLE(' postprocess/export/schema.def)"
large_trace
calls_in()	# FOLDER
{
	[ -n "$(find "$1" -name 'call.parquet' -size +100k)" ]
}
first_calls() { calls_in "$TAP_TMP/o"; }
undo=$TAP_TMP/o/x signal_when INT first_calls "$TOOL" -o "$TAP_TMP/o/x" "$TAP_TMP/large.trace"
expect "interrupted" 130 interrupted
is "no file is left of the failed runs" "$(ls -A "$TAP_TMP/o")" ""
memory_within "memory at 32 MiB of trace" 262144 "$TOOL" -o "$TAP_TMP/large" "$TAP_TMP/large.trace"
between "bytes of files of a 32 MiB trace" "$(cat "$TAP_TMP/large"/* | wc -c)" 1000000 $((32 << 20))
if [ -n "$duckdb" ]; then
	"$BIN/rawtosqlite" -o "$TAP_TMP/large.db" "$TAP_TMP/large.trace" 2>/dev/null
	# computes for each column of each table the number of values, and their sum or total length
	for table in $(sed -n 's/^KT_TABLE([A-Z_]*, "\([a-z_]*\)".*/\1/p' postprocess/export/schema.def); do
		sqlite3 "$TAP_TMP/large.db" "select case type when 'TEXT' then 'count(' || name || '), sum(length(' || name || ')), min(' || name || '), max(' || name || '), count(distinct ' || name || ')'
			else 'count(' || name || '), sum(' || name || ' % 1000003), min(' || name || '), max(' || name || ')' end
			from pragma_table_info('$table')" | paste -sd, | sed "s/^/1	select /; s/\$/ from $table/"
	done >"$TAP_TMP/sums"
	# computes sums that depend on the order of the rows
	printf '1\tselect sum((n * 31 + elapsed_ns + tid) %% 1000003) from (select row_number() over (order by start_ns, elapsed_ns, tid, name) as n, elapsed_ns, tid from call) as c\n' >>"$TAP_TMP/sums"
	node tests/sql/duckdb.mjs "$TAP_TMP/none" "$TAP_TMP/large" <"$TAP_TMP/sums" >"$TAP_TMP/duck"
	awk -F'\t' '{ print ".print = " $1; print $2 ";" }' "$TAP_TMP/sums" | sqlite3 -batch -list "$TAP_TMP/large.db" >"$TAP_TMP/lite"
	ok "all columns of millions of rows: as in SQLite" diff "$TAP_TMP/lite" "$TAP_TMP/duck"
	between "rows of call" "$(sqlite3 "$TAP_TMP/large.db" 'select count(*) from call')" 1000000 10000000
fi

# --- a collection ---

# another NAME SECONDS HOST: makes a copy of stock.trace that began SECONDS later on the machine HOST.
another()
{
	sed "s,guest\\x00,$3\\x00," "$TAP_TMP/stock.trace" >"$TAP_TMP/$1.trace"
	put_word "$TAP_TMP/$1.trace" 3 $(($(word "$TAP_TMP/$1.trace" 3) + $2 * 1000000))
	put_word "$TAP_TMP/$1.trace" 5 $(($(word "$TAP_TMP/$1.trace" 5) + $2 * 1000000))
}
# held: prints the files of the collection with checksums.
held()
{
	(cd "$TAP_TMP/all" && find . -type f | sort | xargs sha256sum)
}
another tomorrow 86400 guest
another odd 0 ../xg
tables=$(grep -c '^KT_TABLE(' postprocess/export/schema.def)
mkdir -m 750 "$TAP_TMP/all"
for name in stock tomorrow odd; do
	"$TOOL" --into "$TAP_TMP/all" "$TAP_TMP/$name.trace" 2>"$ERR" || cat "$ERR" >&2
done
is "each trace is in its place" "$(cd "$TAP_TMP/all" && find trace -type f | cut -d/ -f1-3 | sort | tr '\n' ' ')" \
	"trace/date=2026-11-20/host=..%2Fxg trace/date=2026-11-20/host=guest trace/date=2026-11-21/host=guest "
is "a collection has all tables of each trace" "$(find "$TAP_TMP/all" -name '*.parquet' | wc -l)" $((3 * tables))
is "files can be read by those who can read the collection" "$(stat -c %a "$TAP_TMP"/all/call/date=*/host=guest/*.parquet |
	sort -u | tr '\n' ' ')$(stat -c %a "$TAP_TMP"/all/call "$TAP_TMP"/all/call/date=* | sort -u)" "640 750"
held >"$TAP_TMP/before"
"$TOOL" --into "$TAP_TMP/all" "$TAP_TMP/stock.trace" 2>/dev/null &
"$TOOL" --into "$TAP_TMP/all" "$TAP_TMP/stock.trace" 2>/dev/null
wait
ok "a trace that is added twice is in the collection once" diff "$TAP_TMP/before" <(held)
run /dev/null "$TOOL" --into "$TAP_TMP/all" "$TRACES/zeros.trace"
expect "no trace for it" 1 '^rawtoparquet: .*zeros.trace'
run /dev/null sh -c 'ulimit -f 200; exec "$@"' - "$TOOL" --into "$TAP_TMP/all" "$TAP_TMP/large.trace"
expect "a part that cannot be written" 1 '^rawtoparquet: cannot (write|make) .*: File too large'
added_calls() { calls_in "$TAP_TMP/all"; }
signal_when KILL added_calls "$TOOL" --into "$TAP_TMP/all" "$TAP_TMP/large.trace"
ok "killed: no table has anything of it" diff "$TAP_TMP/before" <(cd "$TAP_TMP/all" && find . -type f ! -path './.*' | sort | xargs sha256sum)
run "$GOOD" "$TOOL" --into /proc/x
expect "no place for it" 1 '^rawtoparquet: cannot write /proc/x'
run "$GOOD" "$TOOL" --into "$TAP_TMP/all" -o "$TAP_TMP/o/x"
expect "two places" 2 '^rawtoparquet: -o and --into'
if [ -n "$duckdb" ]; then
	cat >"$TAP_TMP/many" <<-END
		create view call as select * from read_parquet('$TAP_TMP/all/call/*/*/*.parquet', hive_partitioning = true)
		create view trace as select * from read_parquet('$TAP_TMP/all/trace/*/*/*.parquet', hive_partitioning = true)
	END
	mkdir "$TAP_TMP/nothing"
	printf '1\tselect date, host, count(*), count(distinct trace_id) from call group by date, host order by date, host\n2\tselect hostname from trace order by hostname\n' |
		node tests/sql/duckdb.mjs "$TAP_TMP/many" "$TAP_TMP/nothing" >"$TAP_TMP/duck" 2>&1
	is "one query covers all traces" "$(tr '\n' ' ' <"$TAP_TMP/duck")" \
		"= 1 2026-11-20|../xg|6375|1 2026-11-20|guest|6375|1 2026-11-21|guest|6375|1 = 2 ../xg guest guest "
fi
for wrong in '--into' "$GOOD $GOOD" '--frobnicate'; do
	# shellcheck disable=SC2086 # several arguments
	run "$GOOD" "$TOOL" $wrong
	expect "usage: $wrong" 2 '^rawtoparquet: '
done
tap_end
