#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Measures speed and memory of the filters: a trace of 32 MiB (over 4 million events) made of a
# golden trace goes through each filter, the guide's pipeline and rawtohtml. Then rawtohtml reads
# traces of 32, 256 and 2048 MiB, or of the sizes in $POST_SIZES, and a trace of 2 and one of 64
# CPUs, on one processor and on all available ones. Writes JSON of {"name", "value", "unit"} to the
# given file. `make bench` runs it from $BUILD/bench/bin. $POST_RUNS is the number of runs; the best
# counts, because other programs only make a run slower. Seconds are of the clock. If they miss
# their target, the processor time beside them shows whether the machine was busy. Size and memory
# do not depend on other load, so a missed target of these is an error. With $POST_BIG (MiB, such as
# 2048), memory.sh also puts traces of that size through every filter.
#
#	post FILE.json
set -euo pipefail
out=${1:?usage: post FILE.json}
build=${BUILD:-build}
bin=$build/bin
runs=${POST_RUNS:-3}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export LC_ALL=C
status=0
. tests/bench/figures.inc

# timed IN CMD...: sets $seconds and $kib (peak) to the values of the best of $runs runs
timed()
{
	local in=$1 i s k c
	shift
	seconds=
	for ((i = 0; i < runs; i++)); do
		TIMES=$dir/times "$build/bench/timed" "$@" <"$in" 2>/dev/null >"$dir/out"
		read -r s k c <"$dir/times"
		if [ -z "$seconds" ] || awk "BEGIN { exit !($s < $seconds) }"; then
			seconds=$s kib=$k cpu=$c
		fi
	done
}

# filter NAME IN CMD...: measures one filter and prints its line
filter()
{
	local name=$1 in=$2 bytes
	shift
	timed "$@"
	bytes=$(stat -c %s "$in")
	printf '  %-22s %7.2f s (CPU %5.2f) %8.1f MB/s %7.2f M events/s %7.1f MB peak\n' "$name" "$seconds" "$cpu" \
		"$(awk "BEGIN { print $bytes / $seconds / 1e6 }")" \
		"$(awk "BEGIN { print $events / $seconds / 1e6 }")" \
		"$(awk "BEGIN { print $kib / 1024 }")"
	emit "$name" "$seconds" s
	emit "$name-cpu" "$cpu" s
	emit "$name-speed" "$(awk "BEGIN { printf \"%.1f\", $bytes / $seconds / 1e6 }")" MB/s
	emit "$name-events" "$(awk "BEGIN { printf \"%.0f\", $events / $seconds }")" events/s
	emit "$name-memory" "$(awk "BEGIN { printf \"%.1f\", $kib / 1024 }")" MiB
}

# promise NAME VALUE LIMIT UNIT: prints whether the value is within the limit
promise()
{
	local verdict=kept
	if ! awk "BEGIN { exit !($2 <= $3) }"; then
		verdict=BROKEN
		[ "$4" = s ] && verdict="missed (load $(cut -d' ' -f1 /proc/loadavg))" || status=1
	fi
	printf '  target: %s %.2f %s (at most %s): %s\n' "$1" "$2" "$4" "$3" "$verdict"
}

xz -dc tests/golden/stock.trace.xz >"$dir/golden"
"$build/bench/gen_trace" "$dir/golden" 32 "$dir/trace"
"$bin/rawtoevent" "$dir/trace" 2>"$dir/said" >"$dir/events"
events=$(sed -n 's/.* \([0-9]*\) events,.*/\1/p' "$dir/said" | head -n 1)
echo "  trace: $(stat -c %s "$dir/trace") bytes, $events events, best of $runs, on $(nproc) CPUs"
emit trace-events "$events" events
filter rawtoevent "$dir/trace" "$bin/rawtoevent"
filter sort-n "$dir/events" sort -n
# sort reads a pipe in small pieces, with temporary files, as in the pipeline
filter sort-n-from-pipe "$dir/events" sh -c "cat | sort -n"
sorts=$seconds
mv "$dir/out" "$dir/events"
filter eventtospan "$dir/events" "$bin/eventtospan" bench
mv "$dir/out" "$dir/unsorted"
rm "$dir/events"
filter sort-from-pipe "$dir/unsorted" sh -c "cat | sort"
sorts=$(awk "BEGIN { print $sorts + $seconds }")
filter sort "$dir/unsorted" sort
mv "$dir/out" "$dir/json.in"
rm "$dir/unsorted"
filter spantotrim "$dir/json.in" "$bin/spantotrim" 0
filter spantospan "$dir/json.in" "$bin/spantospan" 10
template=
[ -f "$build/templates/show_cpu.html" ] || template=tests/data/template.html
filter makeself "$dir/json.in" "$bin/makeself" $template
rm "$dir/json.in"
filter pipeline "$dir/trace" sh -c "'$bin/rawtoevent' | sort -n | '$bin/eventtospan' bench | sort"
pipeline=$seconds
filter rawtohtml-json "$dir/trace" "$bin/rawtohtml" --json
json=$seconds
filter rawtohtml "$dir/trace" "$bin/rawtohtml" ${template:+--template $template}
html=$seconds html_kib=$kib bytes=$(stat -c %s "$dir/out")
emit html-size "$(awk "BEGIN { printf \"%.1f\", $bytes / 1e6 }")" MB
promise "the guide's pipeline" "$pipeline" 3.5 s
printf '    the two sorts of the pipeline, each alone after a pipe: %.2f s\n' "$sorts"
emit pipeline-sorts "$sorts" s
promise "rawtohtml --json" "$json" 1 s
promise "rawtohtml" "$html" 1.5 s
promise "the page" "$(awk "BEGIN { print $bytes / 1e6 }")" 15 MB
promise "rawtohtml's memory" "$(awk "BEGIN { print $html_kib / 1024 }")" 256 MiB
html_cpu=$cpu
for tool in rawtoctf rawtoperfetto; do
	filter $tool "$dir/trace" "$bin/$tool"
	promise "$tool's time on a CPU against rawtohtml's" "$(awk "BEGIN { print $cpu / $html_cpu }")" 2 times
	promise "$tool's memory" "$(awk "BEGIN { print $kib / 1024 }")" 256 MiB
done

# a database takes rows one by one, so its target is lower
for limit in rawtoparquet:2 rawtosqlite:5; do
	tool=${limit%:*}
	[ -x "$bin/$tool" ] || continue
	filter $tool "$dir/trace" "$bin/$tool"
	promise "$tool's time on a CPU against rawtohtml's" "$(awk "BEGIN { print $cpu / $html_cpu }")" "${limit#*:}" times
	promise "$tool's memory" "$(awk "BEGIN { print $kib / 1024 }")" 256 MiB
	[ $tool != rawtoparquet ] || promise "rawtoparquet's files against the trace" \
		"$(awk "BEGIN { print $(stat -c %s "$dir/out") / $(stat -c %s "$dir/trace") }")" 1 times
done

# Measures rawtohtml once for each size, and computes the cost of a MB of trace. xz unpacks the
# smallest trace, to show the speed of this machine.
xz -1kc "$dir/trace" >"$dir/trace.xz"
filter xz-dc "$dir/trace.xz" sh -c 'xz -dc | wc -c'
emit xz-dc-unpacked "$(awk "BEGIN { printf \"%.1f\", $(stat -c %s "$dir/trace") / $seconds / 1e6 }")" MB/s
rm "$dir/trace.xz"
first=
# findings need memory for each span, so they are measured once, with nearly as many spans as they may have
plain=
! "$bin/rawtohtml" --help | grep -q -- --no-findings || plain=--no-findings
for size in ${POST_SIZES:-32 256 2048}; do
	rm -f "$dir/out"
	"$build/bench/gen_trace" "$dir/golden" "$size" "$dir/trace"
	runs=1 timed "$dir/trace" "$bin/rawtohtml" $plain ${template:+--template $template}
	bytes=$(stat -c %s "$dir/trace")
	speed=$(awk "BEGIN { printf \"%.1f\", $bytes / $seconds / 1e6 }")
	# processor time separates the effect of the size from other load
	work=$(awk "BEGIN { printf \"%.1f\", $cpu * 1e9 / $bytes }")
	printf '  rawtohtml, %4d MiB: %7.2f s (CPU %7.2f) %6.1f MB/s %6.1f MB peak, a page of %.1f MB\n' "$size" "$seconds" \
		"$cpu" "$speed" "$(awk "BEGIN { print $kib / 1024 }")" "$(awk "BEGIN { print $(stat -c %s "$dir/out") / 1e6 }")"
	emit "rawtohtml-$size" "$seconds" s
	emit "rawtohtml-$size-speed" "$speed" MB/s
	emit "rawtohtml-$size-cpu" "$work" ns/byte
	emit "rawtohtml-$size-memory" "$(awk "BEGIN { printf \"%.1f\", $kib / 1024 }")" MiB
	promise "rawtohtml's memory, $size MiB" "$(awk "BEGIN { print $kib / 1024 }")" 64 MiB
	[ -n "$first" ] || first=$work
	promise "processor time of a byte against the smallest trace's" "$(awk "BEGIN { print $work / $first }")" 1.15 times
done

if [ -n "$plain" ]; then
	rm -f "$dir/out"
	"$build/bench/gen_trace" "$dir/golden" 29 "$dir/trace"
	timed "$dir/trace" "$bin/rawtohtml" $plain ${template:+--template $template}
	without=$cpu without_kib=$kib
	timed "$dir/trace" "$bin/rawtohtml" ${template:+--template $template}
	more=$(awk "BEGIN { printf \"%.2f\", $cpu - $without }")
	more_mib=$(awk "BEGIN { printf \"%.1f\", ($kib - $without_kib) / 1024 }")
	printf '  findings of 4.9 million spans: CPU %7.2f s more, %6.1f MiB more\n' "$more" "$more_mib"
	emit findings-cpu "$more" s
	emit findings-memory "$more_mib" MiB
	promise "findings of 4.9 million spans, CPU" "$more" 2 s
	promise "findings of 4.9 million spans, memory" "$more_mib" 300 MiB
fi

# The speed on several processors: the same trace on one processor and on all, with the streams of 2
# CPUs and of 64 CPUs (32 copies of the recorded machine side by side). Memory for 64 CPUs is 20 MiB
# more than for 2 CPUs: the open blocks, 200 KiB for each CPU, and the rows of the page's overview,
# of at most 64 CPUs.
one=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\).*/\1/p' /proc/self/status)
for copies in 1 32; do
	rm -f "$dir/out"
	"$build/bench/gen_trace" "$dir/golden" "${POST_CORES_MIB:-128}" "$dir/trace" $copies
	alone=
	for on in one all; do
		if [ $on = one ]; then
			timed "$dir/trace" taskset -c "$one" "$bin/rawtohtml" ${template:+--template $template}
			alone=$seconds
		else
			timed "$dir/trace" "$bin/rawtohtml" ${template:+--template $template}
		fi
		name=rawtohtml-$((copies * 2))-streams-on-$on
		printf '  rawtohtml, %2d streams, on %s of %d processors: %6.2f s (CPU %6.2f), %5.1f MB peak, %.2f times as fast\n' \
			$((copies * 2)) $on "$(nproc)" "$seconds" "$cpu" "$(awk "BEGIN { print $kib / 1024 }")" \
			"$(awk "BEGIN { print $alone / $seconds }")"
		emit "$name" "$seconds" s
		emit "$name-cpu" "$cpu" s
		emit "$name-memory" "$(awk "BEGIN { printf \"%.1f\", $kib / 1024 }")" MiB
		promise "rawtohtml's memory, $((copies * 2)) streams" "$(awk "BEGIN { print $kib / 1024 }")" \
			$((copies > 1 ? 96 : 64)) MiB
	done
	emit "rawtohtml-$((copies * 2))-streams-gain" "$(awk "BEGIN { printf \"%.2f\", $alone / $seconds }")" times
done

if [ -n "${POST_BIG:-}" ]; then
	rm -f "$dir/out" "$dir/trace"
	: >"$dir/figures"
	tests/bench/memory.sh "$POST_BIG" "$dir/golden" "$dir/figures" || status=1
	while read -r name value unit; do
		emit "$name" "$value" "$unit"
	done <"$dir/figures"
fi

figures_to "$out"
exit $status
