#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# full
#
# Tests that no two threads of a filter access the same memory without synchronisation. ThreadSanitizer reports
# nothing for the filters with threads, on recorded traces, traces of 64 CPUs, the corpus, and interrupted runs. Their
# output equals the output of normal builds. The unit tests of base/thread.c and transform/ also run with
# ThreadSanitizer.
# To prove that the compiler detects races, the test first compiles a program with a race.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

# always builds these programs, because no other test uses them
flock "$BUILD/.tests.lock" env -u MAKEFLAGS -u MFLAGS ${MAKE:-make} --no-print-directory BUILD="$BUILD" tsan >&2 || exit 1
built "$BUILD/bin/rawtohtml" "$BUILD/bin/rawtoperfetto" "$BUILD/bench/gen_trace"
TSAN=$BUILD/tsan
TEMPLATE=$DATA/template.html
LIMIT=300
export TSAN_OPTIONS=exitcode=66
export KUTRACE_THREADS=16
# removes what differs: dates, and the findings, of which KP_SMALL_LOADS has a smaller limit
dates='s/"tracebase":"[^"]*"/DATE/; s/"randomid":[0-9]*/RANDOM/; /id="kutrace-findings">/,/<\/script>/d'

# free CMD...: does the same as run, in an address space that ThreadSanitizer of any version can map.
free()
{
	run /dev/null setarch -R "$@"
}

cat >"$TAP_TMP/race.c" <<'C'
#include <pthread.h>
static int shared;
static void *add(void *unused) { (void)unused; for (int i = 0; i < 1000; i++) shared++; return 0; }
int main(void)
{
	pthread_t other;
	pthread_create(&other, 0, add, 0);
	add(0);
	pthread_join(other, 0);
	return 0;
}
C
${CC:-cc} -fsanitize=thread -g "$TAP_TMP/race.c" -o "$TAP_TMP/race" -lpthread || exit 1
free "$TAP_TMP/race"
is "a race is seen" $STATUS 66

for test in ahead worker rows; do
	free "$TSAN/tests/unit/test_$test"
	is "test_$test: no report" "$STATUS $(grep -c 'WARNING: ThreadSanitizer' "$ERR")" "0 0"
done

# clean NAME PROGRAM ARG...: passes if there is no report, and the normal build gives the same output.
clean()
{
	local name=$1 program=$2
	shift 2
	KUTRACE_THREADS=1 run /dev/null "$BIN/$program" "$@"
	sed -e "$dates" "$OUT" >"$TAP_TMP/want"
	local want=$STATUS
	free "$TSAN/bin/$program" "$@"
	is "$name, $program: status, as without, no report" "$STATUS $(grep -c 'WARNING: ThreadSanitizer' "$ERR")" "$want 0"
	ok "$name, $program: output" cmp "$TAP_TMP/want" <(sed -e "$dates" "$OUT")
	[ "$STATUS" = "$want" ] || sed -n '/WARNING/,/^$/p' "$ERR" | head -n 40 >&2
}

for golden in tests/golden/*.trace.xz; do
	name=$(basename "$golden" .trace.xz)
	xz -dc "$golden" >"$TAP_TMP/$name.trace"
	clean "$name" rawtohtml --json "$TAP_TMP/$name.trace"
	clean "$name" rawtohtml --template "$TEMPLATE" "$TAP_TMP/$name.trace"
done
clean stock rawtohtml --template "$TEMPLATE" --spans 5k "$TAP_TMP/stock.trace"
clean stock rawtoperfetto "$TAP_TMP/stock.trace"
"$BUILD/bench/gen_trace" "$TAP_TMP/stock.trace" 12 "$TAP_TMP/many.trace" 32 || exit 1
clean "64 CPUs" rawtohtml --template "$TEMPLATE" "$TAP_TMP/many.trace"

make_traces >&2 || exit 1
reports=
for trace in "$TRACES"/*; do
	free "$TSAN/bin/rawtohtml" --json "$trace"
	[ "$STATUS" -lt 66 ] && ! grep -q ThreadSanitizer "$ERR" || reports="$reports ${trace##*/}"
done
is "the corpus: no report" "$reports" ""

reading() { grep -q ': reading [1-9]' "$ERR"; }
packing() { grep -q ': packing' "$ERR"; }
for when in reading packing; do
	KUTRACE_PROGRESS=always signal_when INT $when setarch -R "$TSAN/bin/rawtohtml" --template "$TEMPLATE" \
		-o "$TAP_TMP/page.html" "$TAP_TMP/many.trace"
	is "^C while $when: status, no report" "$STATUS $(grep -c 'WARNING: ThreadSanitizer' "$ERR")" "130 0"
done
tap_end
