#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Measures what one more trace costs in a collection of 10, 100 and 1,000 traces of generated
# machines (gen_fleet), and how long DuckDB takes for one question to all of them. Writes JSON of
# {"name", "value", "unit"} to the given file. The answers are compared with the generated data: a
# difference is an error. `make bench` runs it from $BUILD/bench/bin; $FLEET_SIZES selects other
# numbers of traces.
#
#	fleet FILE.json
set -euo pipefail
out=${1:?usage: fleet FILE.json}
build=${BUILD:-build}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export LC_ALL=C
status=0
. tests/bench/figures.inc
of() { awk "BEGIN { printf \"%.${2:-1}f\", $1 }"; }

NODE_MODULES=$(templates/modules.sh tests/sql)
export NODE_MODULES
printf '%s\t%s\n' \
	traces "select count(*), sum(events) from trace" \
	calls "select count(*), sum(elapsed_ns), max(elapsed_ns) from call where kind = 'syscall' and cut_start + cut_end = 0" \
	slowest "select c.host, c.date, c.name, c.elapsed_ns, t.lost_events from call c join trace t on t.trace_id = c.trace_id where kind = 'syscall' order by elapsed_ns desc limit 10" \
	byhost "select host, name, count(*), quantile_cont(elapsed_ns, 0.99) from call where kind = 'syscall' group by host, name order by 4 desc limit 20" \
	oneday "select host, max(elapsed_ns) from call where date = '2026-11-02' group by host order by 2 desc limit 10" \
	>"$dir/questions"
echo "load $(cut -d' ' -f1-3 /proc/loadavg), $(nproc) CPUs"
printf '%7s %9s %9s %11s %11s %9s' traces raw-MB files-MB CPU-ms/trace each-KB/trace events
awk -F'\t' '{ printf " %9s", $1 "-s" } END { print "" }' "$dir/questions"
for n in ${FLEET_SIZES:-10 100 1000}; do
	mkdir "$dir/raw"
	"$build/bench/gen_fleet" "$n" "$dir/raw" >"$dir/truth"
	raw=$(du -sb "$dir/raw" | cut -f1)
	# shellcheck disable=SC2016 # the shell's own $1, later
	TIMES=$dir/times "$build/bench/timed" sh -c 'for trace in "$1"/*.trace; do "$2" --into "$3" "$trace" 2>/dev/null || exit 1; done' - \
		"$dir/raw" "$build/bin/rawtoparquet" "$dir/all"
	read -r _ _ cpu <"$dir/times"
	rm -r "$dir/raw"
	files=$(find "$dir/all" -type f -printf '%s\n' | awk '{ n += $1 } END { print n }')
	node tests/sql/fleet.mjs "$dir/all" <"$dir/questions" >"$dir/answers"
	events=$(awk -F'|' '/^= traces/ { getline; print $2 }' "$dir/answers")
	printf '%7d %9s %9s %11s %11s %9d' "$n" "$(of "$raw / 1e6")" "$(of "$files / 1e6")" "$(of "1000 * $cpu / $n")" \
		"$(of "$files / $n / 1000")" "$events"
	emit "fleet-$n-cpu" "$(of "1000 * $cpu / $n" 2)" ms/trace
	emit "fleet-$n-raw" "$(of "$raw / $n / 1000")" KB/trace
	emit "fleet-$n-files" "$(of "$files / $n / 1000")" KB/trace
	while read -r _ name seconds; do
		printf ' %9s' "$seconds"
		emit "fleet-$n-$name" "$seconds" s
	done < <(grep '^= ' "$dir/answers")
	echo
	want=$(awk '{ n += $3; e += $4; if ($5 > m) m = $5 } END { printf "%.0f|%.0f|%.0f", n, e, m }' "$dir/truth")
	got=$(awk '/^= calls/ { getline; print }' "$dir/answers")
	if [ "$got" != "$want" ]; then
		echo "  WRONG: $got, expected $want" >&2
		status=1
	fi
	rm -r "$dir/all"
done
figures_to "$out"
exit $status
