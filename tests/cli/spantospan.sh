#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests spantospan: the common checks, the exact output for a small input, and that the total time of the
# reference traces is conserved.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

TOOL=$BIN/spantospan
GOOD=$DATA/good.json
common_checks spantospan "$GOOD" 10

for zero in 0 0.0 00 +0; do
	run "$GOOD" "$TOOL" $zero
	ok "$zero keeps every byte" cmp "$OUT" "$GOOD"
done

# merged to 5 us: work, getpid, work and half of -sched- become the first span of CPU 0
run "$GOOD" "$TOOL" 5
is "exit status" "$STATUS" 0
is "rows" "$(grep '^\[' "$OUT")" "$(cat <<'X'
[ 11.00000100, 0.00000500, 0, 51, 0, 65587, 0, 51, 0, "work.51"],
[ 11.00000300, 0.00000001, 0, 51, 0, 522, 433696207, 0, 0, "mark_a=getpid"],
[ 11.00000600, 0.00000900, 0, 1, 0, 65537, 0, 0, 0, "init.1"],
[ 11.00000700, 0.00002000, 1, 0, 0, 65536, 0, 0, 0, "-idle-"],
[999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, ""]
X
)"
ok "the output is in byte order" sh -c "LC_ALL=C sort -c '$OUT'"
like "omitted spans are counted in the header" "$(cat "$OUT")" '^ "dropped" : \{"short": 3\},$'
is "omitted spans are counted on stderr" "$(cat "$ERR")" \
	"spantospan: 6 execution spans became 3; 3 of 4 other rows were short and are omitted"
is "the header has the resolution" "$(grep -c '^ "resolution_us" : 5.00,$' "$OUT")" 1
grep -v '^\[\|"dropped"\|"resolution_us"' "$OUT" >"$TAP_TMP/header"
grep -v '^\[' "$GOOD" >"$TAP_TMP/good-header"
ok "the rest of the header is unchanged" cmp "$TAP_TMP/header" "$TAP_TMP/good-header"

cp "$OUT" "$TAP_TMP/once.json"
run "$TAP_TMP/once.json" "$TOOL" 0.02
like "a second pass keeps the count of the first" "$(cat "$OUT")" '^ "dropped" : \{"short": 3\},$'
is "a second pass keeps the coarser resolution" "$(grep 'resolution' "$OUT")" ' "resolution_us" : 5.00,'
run "$TAP_TMP/once.json" "$TOOL" 5
sed 's/^\[ 11.00000300.*/&\n[ 11.00000301, 0.00000001, 0, 51, 0, 518, 1, 0, 0, "runnable.1"],/' "$OUT" >"$TAP_TMP/more.json"
run "$TAP_TMP/more.json" "$TOOL" 5
like "a second pass adds to the count of the first" "$(cat "$OUT")" '^ "dropped" : \{"short": 4\},$'
for old in '{"locks": 2, "short": 3}' '{"locks": 2}' '{}' '{ "locks": {"short": 2} }' 7; do
	sed "s/\"dropped\" : {\"short\": 3}/\"dropped\" : $old/" "$TAP_TMP/more.json" >"$TAP_TMP/old.json"
	run "$TAP_TMP/old.json" "$TOOL" 5
	printf '%s\n' "$(sed -n 's/^ "dropped" : //p' "$OUT")"
done >"$TAP_TMP/dropped"
is "other causes keep their counts" "$(cat "$TAP_TMP/dropped")" "$(cat <<'X'
{"locks": 2, "short": 4},
{"locks": 2, "short": 1},
{"short": 1},
{ "locks": {"short": 2}, "short": 1},
{"before": 7, "short": 1},
X
)"
run "$GOOD" "$TOOL" 0.5
like "half a microsecond" "$(cat "$ERR")" "6 execution spans became 5"
run "$GOOD" "$TOOL" 1000000
is "a length above the trace's: one span per CPU" "$(grep -c '^\[ .*655' "$OUT")" 2

usage_error()
{
	_n=$1
	_r=$2
	shift 2
	run "$GOOD" "$TOOL" "$@"
	expect "$_n" 2 "$_r"
	silent "$_n: no output"
}
usage_error "no argument" "^spantospan: no number of microseconds given"
usage_error "no number" "^spantospan: bad resolution: ten is not a number" ten
usage_error "negative" "^spantospan: bad resolution: -1 is out of range \(0 to 9999999999000000 microseconds\)" -1
usage_error "four arguments" "^spantospan: too many arguments: 4" 1 2 3 4
usage_error "a start that is no time" "^spantospan: bad time: x is not a number of seconds" 1 x
usage_error "too large" "^spantospan: bad resolution: .* is out of range" 99999999999999999999
usage_error "an unknown option" "^spantospan: unknown option --from; type: spantospan USEC START STOP FILE$" 10 --from 1
run "$GOOD" "$TOOL" 10 "$TAP_TMP/none.json"
expect "a file that does not exist" 1 "^spantospan: cannot read $TAP_TMP/none.json: No such file or directory$"
usage_error "infinite" "^spantospan: bad resolution: inf is not a number" inf

{ sed -n '1,/^"events"/p' "$GOOD"; grep '^\[ ' "$GOOD" | tac; tail -n 2 "$GOOD"; } >"$TAP_TMP/unsorted.json"
run "$TAP_TMP/unsorted.json" "$TOOL" 5
expect "rows out of order" 1 "not in time order: standard input \(line 19\).*LC_ALL=C sort"
silent "rows out of order: no output"

# this library sends a signal between spantospan's check for signals and its read
cat >"$TAP_TMP/late.c" <<'X'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
size_t fread(void *to, size_t size, size_t count, FILE *in)
{
	static int calls;
	if (!calls++)
		raise(SIGTERM);
	return ((size_t (*)(void *, size_t, size_t, FILE *))dlsym(RTLD_NEXT, "fread"))(to, size, count, in);
}
X
if ${CC:-cc} -shared -fPIC "$TAP_TMP/late.c" -o "$TAP_TMP/late.so" -ldl 2>/dev/null; then
	mkfifo "$TAP_TMP/wait"
	LD_PRELOAD="$TAP_TMP/late.so" timeout -s KILL 20 "$TOOL" 5 <"$TAP_TMP/wait" >"$OUT" 2>"$ERR" &
	late=$!
	exec 9>"$TAP_TMP/wait"
	head -c 100 "$GOOD" >&9
	STATUS=0
	wait $late || STATUS=$?
	exec 9>&-
	expect "a signal just before it waits for input" 143 "interrupted"
else
	skip "a signal just before it waits for input" "no compiler"
fi

# Prints per CPU the sum of execution time in 10 ns, and the numbers of gaps, overlaps and short spans. A gap of
# up to 30 ns counts as time of the following span, because spantospan may put it into a span.
tiling()
{
	awk -F'[[,]' -v res="$2" '
		function units(s) { split(s, p, "."); return p[1] * 100000000 + p[2] }
		/^\[ / && $4 >= 0 && ($7 >= 65536 || ($7 >= 1024 && $7 < 4096)) {
			s = units($2 + 0 == 0 ? "0.0" : $2); d = units($3)
			cpu = $4 + 0
			if (cpu in end && s > end[cpu]) { if (s - end[cpu] > 3) gaps++; else d += s - end[cpu] }
			if (cpu in end && s < end[cpu]) overlaps++
			end[cpu] = s + units($3); sum[cpu] += d
			if (d < res) small++
		}
		/^\[ / { s = units($2); if (s < last) disorder++; last = s }
		END {
			for (c = 0; c < 64; c++) if (c in sum) printf "%d:%.0f ", c, sum[c]
			printf "gaps=%d overlaps=%d disorder=%d\n", gaps, overlaps, disorder
			printf "%d\n", small > "/dev/stderr"
		}' "$1"
}

# The original's JSON has a gap of 10 to 30 ns at each mark. spantospan adds such a gap to the merged span, and keeps
# longer gaps.
holes()	# HOLE in units of 10 ns: prints a trace with gaps of that length
{
	sed -n '1,/^"events"/p' "$GOOD"
	awk -v hole="$1" 'BEGIN { for (i = 0; i < 100; i++)
		printf "[ 11.%08d, 0.%08d, 0, 51, 0, %d, 0, 0, 0, \"%s\"],\n", 100 + i * 100, 100 - hole, i % 2 ? 2087 : 65587,
			i % 2 ? "getpid" : "work.51" }'
	printf '%s\n' '[999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, ""]' ']}'
}
for hole in 1 2 3; do
	holes $hole >"$TAP_TMP/holes.json"
	run "$TAP_TMP/holes.json" "$TOOL" 9.9
	# ten spans have nine gaps between them
	is "holes of ${hole}0 ns: ten spans become one" "$(grep -c '^\[ ' "$OUT")" 10
	is "holes of ${hole}0 ns are part of the one span" "$(grep '^\[ ' "$OUT" | cut -d, -f2 | sort -u)" " 0.00000$((1000 - hole))"
	like "other holes stay, and the merged ones are counted" "$(cat "$ERR")" "^spantospan: 90 holes of up to 30 ns between them, $((90 * hole * 10)) ns in all,"
done
holes 4 >"$TAP_TMP/holes.json"
run "$TAP_TMP/holes.json" "$TOOL" 9.9
is "a gap of 40 ns stays" "$(grep -c '^\[ ' "$OUT")" 100
for name in qt-19105 hello-demo ch14; do
	if [ ! -f "../shared/originals/$name.json.xz" ] || ! command -v xz >/dev/null; then
		skip "$name" "no files of the original, or no xz"
		continue
	fi
	xz -dc "../shared/originals/$name.json.xz" >"$TAP_TMP/theirs.json"
	run "$TAP_TMP/theirs.json" "$TOOL" 50
	tiling "$OUT" 5000 2>"$TAP_TMP/small" >/dev/null
	between "$name, 50 us: short ones only at real gaps and the end" "$(cat "$TAP_TMP/small")" 0 8
done

for name in k61-2cpu.json k61-4cpu.json; do
	if ! reference $name; then
		skip "$name" "no reference traces"
		continue
	fi
	ref=$REFERENCE/$name
	before=$(tiling "$ref" 0 2>/dev/null)
	last=$(wc -l <"$ref")
	for usec in 1 10 100 10000; do
		run "$ref" "$TOOL" $usec
		is "$name, $usec us: every CPU's time is the same, no gap, no overlap, in order" \
			"$(tiling "$OUT" $((usec * 100)) 2>"$TAP_TMP/small")" "$before"
		between "$name, $usec us: short ones only where there was a gap or the end" \
			"$(cat "$TAP_TMP/small")" 0 30
		lines=$(wc -l <"$OUT")
		between "$name, $usec us: fewer rows" "$lines" 20 $((last - 1))
		last=$lines
		is "$name, $usec us: no mark is lost" "$(grep -c 'mark_' "$OUT")" "$(grep -c 'mark_' "$ref")"
	done
	$DEFAULTS "$TOOL" 1 <"$ref" 2>"$ERR" | head -n 1 >/dev/null
	is "$name: | head -1 is a closed pipe" "${PIPESTATUS[0]} $(cat "$ERR")" "141 "
done

tap_end
