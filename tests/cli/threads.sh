#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# ci
#
# Tests that the number of threads does not change rawtohtml's output, messages and exit status. The inputs are
# recorded traces, traces of 64 CPUs, and the corpus, most of which is damaged. An interrupted run leaves no file.
# KUTRACE_THREADS=4 and 16 must give the same results as KUTRACE_THREADS=1, which tests/cli/rawtohtml.sh compares with
# the pipeline of single filters. KUTRACE_FAST selects a part of the corpus and one recorded trace.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc
built "$BUILD/bin/rawtohtml" "$BUILD/bin/rawtoperfetto" "$BUILD/bench/gen_trace"

TOOL=$BIN/rawtohtml
TEMPLATE=$DATA/template.html
dates='s/"tracebase":"[^"]*"/DATE/; s/"randomid":[0-9]*/RANDOM/'
many=$TAP_TMP/many.trace

# made THREADS CMD...: prints the output of CMD without the parts that differ between runs, then the
# messages and status.
made()
{
	local threads=$1
	shift
	KUTRACE_THREADS=$threads run /dev/null "$@"
	sed -e "$dates" "$OUT"
	cat "$ERR"
	echo "status $STATUS"
}

# alike NAME CMD...: passes if the result is the same with KUTRACE_THREADS=1, 4 and 16.
alike()
{
	local name=$1 threads
	shift
	made 1 "$@" >"$TAP_TMP/want"
	for threads in 4 16; do
		made $threads "$@" >"$TAP_TMP/got"
		ok "$name: with $threads threads as with one" cmp "$TAP_TMP/want" "$TAP_TMP/got"
	done
}

# threads_of CMD...: prints the largest number of threads of CMD.
threads_of()
{
	local most=0 now pid
	"$@" >/dev/null 2>&1 &
	pid=$!
	while kill -0 $pid 2>/dev/null; do
		now=$(sed -n 's/^Threads:[[:space:]]*//p' /proc/$pid/status 2>/dev/null)
		[ "${now:-0}" -le $most ] || most=$now
	done
	wait $pid
	echo $most
}

names=stock
[ -n "${KUTRACE_FAST-}" ] || names="stock patched patched-4cpu stock-4cpu-wrap"
for name in $names; do
	xz -dc "tests/golden/$name.trace.xz" >"$TAP_TMP/$name.trace"
	alike "$name, JSON" "$TOOL" --json "$TAP_TMP/$name.trace"
	alike "$name, a page" "$TOOL" --template "$TEMPLATE" "$TAP_TMP/$name.trace"
done
"$BUILD/bench/gen_trace" "$TAP_TMP/stock.trace" 12 "$many" 32 || exit 1
alike "64 CPUs, JSON" "$TOOL" --json "$many"
alike "64 CPUs, a page of fewer spans" "$TOOL" --template "$TEMPLATE" --spans 100k "$many"
alike "64 CPUs, for Perfetto" "$BIN/rawtoperfetto" "$many"

# KUTRACE_THREADS changes the number of threads
is "KUTRACE_THREADS=1: number of threads" \
	"$(KUTRACE_THREADS=1 threads_of "$TOOL" --json "$many")" 3
is "KUTRACE_THREADS=4: number of threads" "$(KUTRACE_THREADS=4 threads_of "$TOOL" --json "$many")" 4

# Reads the corpus: complete files, and files with every kind of damage that the readers detect.
make_traces >&2 || exit 1
number=0 different=
for trace in "$TRACES"/*; do
	number=$((number + 1))
	[ -z "${KUTRACE_FAST-}" ] || [ $((number % 5)) = 0 ] || continue
	made 1 "$TOOL" --json "$trace" >"$TAP_TMP/want"
	made 4 "$TOOL" --json "$trace" >"$TAP_TMP/got"
	cmp -s "$TAP_TMP/want" "$TAP_TMP/got" || different="$different ${trace##*/}"
done
between "traces in the corpus" $number 20 100000
is "for the corpus, output, messages and status are the same" "$different" ""

# Makes the file shorter while it is read. The tool must report the error of the reading thread.
shorten()
{
	# During the second reading, after the index is made, the file is cut so far that every block read from now on
	# is missing.
	if grep -q ': reading' "$ERR"; then
		truncate -s 100000 "$TAP_TMP/cut.trace"
		return 0
	fi
	return 1
}
export KUTRACE_PROGRESS=always
for _ in 1 2 3 4 5; do	# on a busy machine the tool may already have read everything
	cp "$many" "$TAP_TMP/cut.trace"
	: >"$ERR"
	KUTRACE_THREADS=4 "$TOOL" --json "$TAP_TMP/cut.trace" >/dev/null 2>"$ERR" &
	pid=$!
	for _ in $(seq 6000); do
		shorten && break
		sleep 0.005
	done
	STATUS=0
	wait $pid || STATUS=$?
	[ $STATUS = 0 ] || break
done
is "a file that becomes shorter: status" $STATUS 1
like "a file that becomes shorter: message" "$(tail -n 1 "$ERR")" "block [0-9]*: the file became shorter while it was read"

# Sends ^C at times throughout the run.
reading() { grep -q ': reading' "$ERR"; }
packing() { grep -q ': packing' "$ERR"; }
looking() { grep -q ': looking' "$ERR"; }
export TMPDIR=$TAP_TMP/temporary
mkdir "$TMPDIR"
for when in looking reading packing; do
	undo=$TAP_TMP/page.html KUTRACE_THREADS=16 signal_when INT $when "$TOOL" --template "$TEMPLATE" -o "$TAP_TMP/page.html" "$many"
	is "^C while $when: status" $STATUS 130
	is "nothing is left" "$(ls -A "$TMPDIR"; ls "$TAP_TMP" | grep page)" ""
done
tap_end
