#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Measures the peak memory of every filter, with discarded output, on a trace of MIB and on a trace
# of a tenth of that size. The limit is $limit_kib for each filter ($tables_kib for tables). The
# difference between both sizes has the limit $grow_kib. spantowhy holds the rows of the requested
# time, so it gets the same two seconds of both traces. Findings hold the rows too, and are left out. The first trace of spandiff is the small
# one. post.sh runs this script with $POST_BIG. Prints a table, and writes a line "NAME VALUE UNIT"
# for each figure to the given file.
#
#	memory.sh MIB GOLDEN.trace FIGURES
set -uo pipefail
mib=${1:?usage: memory.sh MIB GOLDEN.trace FIGURES}
golden=$2
figures=$3
build=${BUILD:-build}
bin=${POST_BIN:-$build/bin}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export LC_ALL=C
limit_kib=65536
tables_kib=131072	# limit for the row groups of all tables, and for SQLite's pages
grow_kib=1024	# variations of a heap, and 24 bytes of index for each block of 64 KiB
status=0
declare -A small=()

# measured NAME CMD...: runs a filter and stores its numbers for the table
measured()
{
	local name=$1
	shift
	TIMES=$dir/times.$name "$build/bench/timed" "$@" >/dev/null 2>"$dir/said.$name" ||
		echo "status $?: $(tail -n 2 "$dir/said.$name")" >"$dir/failed.$name"
}

# row NAME MIB: prints the filter's line of the table
row()
{
	local name=$1 seconds kib cpu limit grow
	if [ -f "$dir/failed.$name" ] || ! read -r seconds kib cpu <"$dir/times.$name"; then
		echo "  $name: FAILED: $(cat "$dir/failed.$name" 2>/dev/null)"
		status=1
		return
	fi
	printf '  %-16s %5d MiB trace: %7.1f s (CPU %7.1f), %6.1f MiB peak\n' "$name" "$2" \
		"$seconds" "$cpu" "$(awk "BEGIN { print $kib / 1024 }")"
	echo "$name-memory-$2 $(awk "BEGIN { printf \"%.1f\", $kib / 1024 }") MiB" >>"$figures"
	limit=$limit_kib
	grow=$grow_kib
	case $name in	# row groups of rare tables become full only after gigabytes
	rawtosqlite | rawtoparquet) limit=$tables_kib grow=$((16 * grow_kib)) ;;
	esac
	[ "$kib" -le $limit ] || { echo "  BROKEN: more than $((limit / 1024)) MiB"; status=1; }
	[ -z "${small[$name]:-}" ] || [ "$kib" -le $((small[$name] + grow)) ] ||
		{ echo "  BROKEN: memory grows with the trace"; status=1; }
	small[$name]=$kib
	rm -f "$dir/times.$name"
}

# old programs, which post.sh can measure too, have no such option
plain=
! "$bin/rawtohtml" --help | grep -q -- --no-findings || plain=--no-findings
template=
[ -f "$build/templates/show_cpu.html" ] || template=tests/data/template.html
"$bin/rawtohtml" --json "$golden" 2>/dev/null >"$dir/small.json"
start=$(sed -n 's/^\[ *\([0-9]*\)\..*/\1/p' "$dir/small.json" | head -n 1)
by_json='spantotrim spantospan spantoprof folded spantowhy spandiff samptoname makeself spantospeedscope'
for size in $((mib / 10)) "$mib"; do
	trace=$dir/$size.trace
	"$build/bench/gen_trace" "$golden" "$size" "$trace" || exit 1
	for what in rawtoevent kuod checktrace rawtohtml-json rawtoctf rawtoperfetto rawtosqlite rawtoparquet; do
		[ -x "$bin/${what%-json}" ] || continue
		# a database needs six times the space of the trace
		[ "$what-$size" != "rawtosqlite-$mib" ] || continue
		case $what in
		rawtohtml-json) set -- rawtohtml --json ;;
		*) set -- $what ;;
		esac
		measured $what "$bin/$1" "${@:2}" "$trace"
		row $what "$size"
	done

	"$bin/rawtoctf" -o "$dir/other.tar" "$trace" 2>/dev/null
	measured ctftoevent "$bin/ctftoevent" "$dir/other.tar"
	row ctftoevent "$size"
	"$bin/rawtoperfetto" -o "$dir/other" "$trace" 2>/dev/null
	measured perfettotoevent "$bin/perfettotoevent" "$dir/other"
	row perfettotoevent "$size"
	rm -f "$dir/other" "$dir/other.tar"

	"$bin/rawtoevent" "$trace" 2>/dev/null | measured eventtospan "$bin/eventtospan" bench
	row eventtospan "$size"

	# read the spans once, for all programs that take spans
	for what in $by_json; do
		mkfifo "$dir/$what"
		case $what in
		spantotrim) set -- spantotrim 0 ;;
		spantospan) set -- spantospan 10 ;;
		folded) set -- spantoprof --folded ;;
		spantowhy) set -- spantowhy --from "$start" --to $((start + 2)) ;;
		spandiff) set -- spandiff "$dir/small.json" - ;;
		# shellcheck disable=SC2086 # one word, or none
		makeself) set -- makeself $plain $template ;;
		*) set -- $what ;;
		esac
		measured $what "$bin/$1" "${@:2}" <"$dir/$what" &
	done
	# shellcheck disable=SC2086 # several words
	"$bin/rawtohtml" --json "$trace" 2>/dev/null | (cd "$dir" && tee -p $by_json >/dev/null)
	wait
	for what in $by_json; do
		row $what "$size"
		rm "$dir/$what"
	done

	mkfifo "$dir/page"
	# shellcheck disable=SC2086 # two words, or none
	measured rawtohtml sh -c 'exec "$@" >"$0"' "$dir/page" "$bin/rawtohtml" $plain ${template:+--template $template} "$trace" &
	measured unmakeself "$bin/unmakeself" <"$dir/page"
	wait
	for what in rawtohtml unmakeself; do
		row $what "$size"
	done
	rm -f "$dir/page" "$trace"
done
exit $status
