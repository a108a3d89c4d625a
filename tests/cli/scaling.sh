#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# takes: 400
# timeout: 1500
# ci
#
# Tests that the cost of every filter grows with its input at most slightly more than linearly. Runs each filter at n,
# 2n, 4n and 8n entries of each shape of tests/data/make_shapes.c. 8n entries may cost at most LIMIT times as much as n
# entries. Every filter must also end soon after SIGINT and SIGTERM.
#
# The cost is the number of instructions if the machine counts them for users, otherwise CPU time (tests/cli/cost.c).
# The cost of an empty shape is subtracted. CPU time varies, so a filter above the limit is measured again, and the
# lowest value counts. Chance can only make the test pass later, not fail.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc
built "$BUILD/tests/make_shapes" "$BUILD/tests/cost" "$BUILD/bench/gen_trace"

# With fewer entries, a quadratic cost with a small constant would stay below the limit.
N=32000
# linear cost is 8, n log n about 10, quadratic 64; CPU time also depends on caches, which larger inputs exceed
LIMIT_instructions=14
LIMIT_ns=26
TRIES=6
export KUTRACE_THREADS=1 COST=$TAP_TMP/cost
D=$TAP_TMP/shape
# the filters by their input
RAW="checktrace kuod rawtoevent rawtoctf rawtohtml rawtoparquet rawtoperfetto"
[ -x "$BIN/rawtosqlite" ] && RAW="$RAW rawtosqlite"
JSON="makeself spandiff spantoprof spantospan spantospeedscope spantotrim spantowhy spantowhy_pid spantowhy_budget spantowhy_findings"
[ -x "$BIN/samptoname" ] && JSON="$JSON samptoname"
echo 'ffffffff81000000 T start' >"$TAP_TMP/kallsyms"
FILTERS="$RAW eventtospan $JSON ctftoevent perfettotoevent unmakeself"
for source in postprocess/tools/*.c; do
	filter=$(basename "$source" .c)
	[ -x "$BIN/$filter" ] || continue
	like "$filter is measured" " $FILTERS " " $filter "
done

# line_of FILTER FOLDER: sets CMD (an array) and IN to the command line and standard input of FILTER
# for the inputs in FOLDER.
line_of()
{
	local in=$2
	IN=$in/json
	case $1 in
	rawtoparquet) rm -rf "$TAP_TMP/parquet"; CMD=("$BIN/$1" "$in/raw" -o "$TAP_TMP/parquet") ;;
	rawtohtml) CMD=("$BIN/$1" --template "$DATA/template.html" "$in/raw" -o "$TAP_TMP/made") ;;
	rawto*) CMD=("$BIN/$1" "$in/raw" -o "$TAP_TMP/made") ;;
	checktrace | kuod) CMD=("$BIN/$1" "$in/raw") ;;
	eventtospan) IN=$in/events CMD=("$BIN/$1" t) ;;
	makeself) CMD=("$BIN/$1" "$DATA/template.html") ;;
	samptoname) CMD=("$BIN/$1" --kallsyms "$TAP_TMP/kallsyms") ;;
	spandiff) CMD=("$BIN/$1" "$in/json" "$in/json") ;;
	spantospan) CMD=("$BIN/$1" 5) ;;
	spantotrim) CMD=("$BIN/$1" 0 59) ;;
	spantowhy_pid) CMD=("$BIN/spantowhy" --pid "$(cat "$in/pid")") ;;
	spantowhy_budget) CMD=("$BIN/spantowhy" --budget --pid "$(cat "$in/pid")") ;;
	spantowhy_findings) CMD=("$BIN/spantowhy" --findings) ;;
	ctftoevent) CMD=("$BIN/$1" "$in/ctf") ;;
	perfettotoevent) CMD=("$BIN/$1" "$in/perfetto") ;;
	unmakeself) CMD=("$BIN/$1" "$in/html") ;;
	*) CMD=("$BIN/$1") ;;
	esac
}

# inputs FOLDER: makes the inputs of the other filters from FOLDER/raw
inputs()
{
	local in=$1
	"$BIN/rawtoevent" "$in/raw" >"$in/events" 2>/dev/null
	"$BIN/eventtospan" t <"$in/events" 2>/dev/null | sort >"$in/json"
	"$BIN/rawtoctf" "$in/raw" -o "$in/ctf" 2>/dev/null
	"$BIN/rawtoperfetto" "$in/raw" -o "$in/perfetto" 2>/dev/null
	"$BIN/rawtohtml" --template "$DATA/template.html" "$in/raw" -o "$in/html" 2>/dev/null
	# finds the thread of the last row of user code
	awk -F'[[,]' '$4 >= 0 && $5 > 0 && $7 >= 65536 { pid = $5 + 0 } END { print pid ? pid : 1 }' "$in/json" >"$in/pid"
}

# cost FILTER FOLDER: sets UNIT and COUNT to the cost of FILTER.
cost()
{
	local CMD IN
	line_of "$1" "$2"
	rm -rf "$COST" "$TAP_TMP/made"
	"$BUILD/tests/cost" "${CMD[@]}" <"$IN" >/dev/null 2>"$ERR"
	read -r UNIT COUNT STATUS CPU_US AFTER_US <"$COST"
}

# least FILTER FOLDER FILE: does the same as cost, but gives the lowest of this measurement and the
# measurements in FILE.
least()
{
	local before=
	cost "$1" "$2"
	[ -s "$3" ] && read -r before <"$3"
	[ -n "$before" ] && [ "$before" -lt "$COUNT" ] && COUNT=$before
	echo "$COUNT" >"$3"
}

mkdir -p "$D/0"
"$BUILD/tests/make_shapes" marks 10 "$D/0/raw"
inputs "$D/0"
for filter in $FILTERS; do
	for _ in 1 2 3; do least "$filter" "$D/0" "$D/0/cost.$filter"; done
done
diag "costs are in $UNIT"
limit=LIMIT_$UNIT
limit=${!limit}

# grows FILTER: succeeds if the cost of FILTER at 8n is within the limit. Sets RATIO, and COSTS at
# all sizes.
grows()
{
	local filter=$1 base m try
	read -r base <"$D/0/cost.$filter"
	for try in $(seq $TRIES); do
		for m in 1 2 4 8; do
			[ "$try" = 1 ] || [ $m = 1 ] || [ $m = 8 ] || continue
			least "$filter" "$D/$m" "$D/$m/cost.$filter"
			# checktrace rejects most of the shapes
			[ "$STATUS" = 0 ] || [ "$filter$STATUS" = checktrace1 ] || return 1
		done
		COSTS=$(cat "$D"/[1248]/cost."$filter" | paste -sd' ')
		# a cost below two million (2 ms) is mainly the variation of the fixed cost
		RATIO=$(echo "$COSTS" | awk -v base="$base" '{
			one = $1 - base
			printf "%.1f", ($4 - base) / (one < 2000000 ? 2000000 : one) }')
		awk -v r="$RATIO" -v l="$limit" 'BEGIN { exit r > l }' && return 0
		# chance does not explain a cost of four times the limit
		awk -v r="$RATIO" -v l="$limit" 'BEGIN { exit r <= 4 * l }' && return 1
	done
	return 1
}

for shape in ${SHAPES:-$("$BUILD/tests/make_shapes")}; do
	bad=
	for m in 1 2 4 8; do
		rm -rf "$D/$m"
		mkdir -p "$D/$m"
		"$BUILD/tests/make_shapes" "$shape" $((N * m)) "$D/$m/raw"
		inputs "$D/$m"
	done
	for filter in $FILTERS; do
		grows "$filter" || bad="$bad $filter($RATIO times: $COSTS; status $STATUS)"
	done
	is "$shape: eight times the input costs no more than $limit times as much" "$bad" ""
done

# ends FILTER SIGNAL CPU_US: sends the signal after a fifth of the filter's CPU time. The filter
# must die of it before its normal end. Four fifths of the work remain, which take even
# longer on a busy machine.
ends()
{
	local filter=$1 signal=$2 whole=$3 CMD IN
	for _ in 1 2 3; do
		line_of "$filter" "$D/large"
		rm -rf "$COST" "$TAP_TMP/made"
		"$BUILD/tests/cost" -s "$signal" $((whole / 5)) "${CMD[@]}" <"$IN" >/dev/null 2>"$ERR"
		read -r UNIT COUNT STATUS CPU_US AFTER_US <"$COST"
		[ "$STATUS" = $((128 + signal)) ] && [ "$AFTER_US" -ge 0 ] && [ "$AFTER_US" -lt $((whole * 3 / 4)) ] &&
			[ "$AFTER_US" -lt 1000000 ] && return 0
	done
	return 1
}

mkdir -p "$D/large"
"$BUILD/tests/make_shapes" round_robin $((N * 8)) "$D/large/raw"
inputs "$D/large"
bad=
for filter in $FILTERS; do
	cost "$filter" "$D/large"
	whole=$CPU_US
	for signal in 2 15; do
		ends "$filter" $signal "$whole" ||
			bad="$bad $filter(signal $signal: status $STATUS, $AFTER_US us of CPU after it, $whole us in all)"
	done
done
is "every filter stops soon after SIGINT and SIGTERM" "$bad" ""
tap_end
