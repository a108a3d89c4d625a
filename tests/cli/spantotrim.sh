#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests spantotrim: the common checks, and the exact output of each way to trim.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

TOOL=$BIN/spantotrim
GOOD=$DATA/good.json
common_checks spantotrim "$GOOD" 0

# rows ARGS...: prints the numbers of the rows of GOOD that remain, counted from 1.
rows()
{
	run "$GOOD" "$TOOL" "$@"
	grep '^\[ ' "$GOOD" >"$TAP_TMP/rows"
	grep '^\[ ' "$OUT" | grep -nxFf - "$TAP_TMP/rows" | cut -d: -f1 | tr '\n' ' '
	# header and trailer always stay
	diff <(grep -v '^\[ ' "$GOOD") <(grep -v '^\[ ' "$OUT") >/dev/null || echo "and not its header"
}

for zero in 0 0.0 -0 +0 .0 00; do
	run "$GOOD" "$TOOL" $zero
	ok "$zero keeps every byte" cmp "$OUT" "$GOOD"
done
is "start and stop" "$(rows 11.000003 11.000004)" "3 4 5 6 "
is "a span that ends at start is out, one that starts at stop is in" \
	"$(rows 11.000002 11.0000022)" "2 3 "
is "an instant" "$(rows 11.0000045 11.0000045)" "3 6 7 "
is "before everything" "$(rows 0 1)" ""
is "after everything" "$(rows 500 600)" ""
is "everything" "$(rows 0 9999)" "1 2 3 4 5 6 7 8 9 10 "
is "the first microsecond" "$(rows 0.000001)" "1 2 "
is "the last 12 microseconds" "$(rows -0.000012)" "10 "
is "the last 20.01 microseconds" "$(rows -0.00002001)" "9 10 "
is "a name" "$(rows getpid)" "2 4 "
is "a number with punctuation" "$(rows ', 51, 0, 65587,')" "1 3 "
is "a name in quotes" "$(rows '"getpid"')" "2 "
is "no option but a string" "$(rows -sched-)" "8 "
is "a string that does not occur" "$(rows nosuchthing)" ""
is "a string after --" "$(rows -- --help)" ""
run "$GOOD" "$TOOL" 1e3
like "1e3 is a string" "$(cat "$ERR")" "^spantotrim: kept 0 of 10 spans"
run "$GOOD" "$TOOL" 0
is "0 prints no message" "$(cat "$ERR")" ""

# usage_error NAME REGEX ARGS...: passes if these arguments are a usage error.
usage_error()
{
	_n=$1
	_r=$2
	shift 2
	run "$GOOD" "$TOOL" "$@"
	expect "$_n" 2 "$_r"
	silent "$_n: no output"
}
usage_error "no argument" "^spantotrim: nothing is selected: give a time, a string, --pid or --mark$"
usage_error "empty string" "^spantotrim: the string to look for is empty" ""
usage_error "three arguments" "^spantotrim: too many arguments: 3" 1 2 3
usage_error "stop is no number" "^spantotrim: bad time: x is not a number" 1 x
usage_error "start is no number" "^spantotrim: bad time: x is not a number" x 1
usage_error "an unknown option" "^spantotrim: unknown option --from; type: spantotrim START STOP FILE$" --from 1 --to 2
run "$GOOD" "$TOOL" -- --from
like "an unknown option after -- is a string" "$STATUS $(cat "$ERR")" "^0 spantotrim: kept 0 of 10 spans"
usage_error "a file that is not the last argument" "^spantotrim: the file must be the last argument: $GOOD$" "$GOOD" init
# the last argument is no number, and has a dot or a slash
for file in 1.tracee ./none; do
	for start in init 1 "1 2"; do
		# shellcheck disable=SC2086 # words
		run "$GOOD" "$TOOL" $start "$TAP_TMP/$file"
		expect "$start and a file that does not exist" 1 "^spantotrim: cannot read $TAP_TMP/$file: No such file or directory$"
	done
done
run "$GOOD" "$TOOL" ./none
like "a single argument is a string, also with a slash" "$STATUS $(cat "$ERR")" "^0 spantotrim: kept 0 of 10 spans"
usage_error "stop before start" "^spantotrim: stop time 1 is before start time 2" 2 1
usage_error "negative start with a stop" "^spantotrim: start time -2 is negative" -2 1
usage_error "out of range" "^spantotrim: bad time: 10000000000 is out of range \(-9999999999 to 9999999999 seconds\)" 10000000000
usage_error "too many digits" "^spantotrim: bad time: .* is out of range" 1234567890123456789012345

# the last n seconds of a pipe are the same as of a file, also if no copy can be stored
run "$GOOD" "$TOOL" -0.00002001
cp "$OUT" "$TAP_TMP/last"
cat "$GOOD" | "$TOOL" -0.00002001 >"$OUT" 2>/dev/null
ok "the end of a pipe" cmp "$OUT" "$TAP_TMP/last"
STATUS=0
cat "$GOOD" | TMPDIR=/nonexistent "$TOOL" -1 >"$OUT" 2>"$ERR" || STATUS=$?
STATUS=${PIPESTATUS[1]:-$STATUS}
like "no room for a copy of a pipe" "$(cat "$ERR")" "^spantotrim: cannot create a temporary file.*; try TMPDIR=DIR"
silent "no room for a copy: no output"

{ sed -n '1,/^"events"/p' "$GOOD"; grep '^\[ ' "$GOOD" | tac; tail -n 2 "$GOOD"; } >"$TAP_TMP/unsorted.json"
run "$TAP_TMP/unsorted.json" "$TOOL" 0
is "rows out of order are passed on" "$STATUS" 0
ok "rows out of order are unchanged" cmp "$OUT" "$TAP_TMP/unsorted.json"
run "$TAP_TMP/unsorted.json" "$TOOL" 1
expect "the first n seconds need order" 1 "not in time order: standard input \(line 19\)"
unlike "the first n seconds need order: no complete output" "$(cat "$OUT")" '^]}'

tr -d ' \n' <"$GOOD" | sed 's/Time(sec)/Time (sec)/; s/CPUNumber/CPU Number/; s/V2withIPCfield/V2 with IPC field/' >"$TAP_TMP/tight.json"
run "$TAP_TMP/tight.json" "$TOOL" 0
ok "JSON without any blanks comes out in our layout" cmp "$OUT" "$GOOD"
sed 's/, /\n\t,\r\n  /g' "$GOOD" >"$TAP_TMP/loose.json"
run "$TAP_TMP/loose.json" "$TOOL" 0
ok "JSON on many lines comes out in our layout" cmp "$OUT" "$GOOD"

# start times from 1000 s on
sed 's/^\[ 11\.00000/[  1100.00000/' "$GOOD" >"$TAP_TMP/wide.json"
run "$TAP_TMP/wide.json" "$TOOL" 1099 1101
ok "a wide start field stays wide" cmp "$OUT" "$TAP_TMP/wide.json"
ok "a wide start field is sorted by bytes" sh -c "LC_ALL=C sort -c '$OUT'"
sed 's/^\[ 11\.00000/[1100.00000/' "$GOOD" >"$TAP_TMP/narrow.json"
run "$TAP_TMP/narrow.json" "$TOOL" 0
is "a field that is too narrow gets the long trailer" "$(tail -n 2 "$OUT" | head -c 14)" "[9999999999.0,"
ok "the long trailer sorts last" sh -c "LC_ALL=C sort -c '$OUT'"
cp "$OUT" "$TAP_TMP/again.json"
run "$TAP_TMP/again.json" "$TOOL" 0
is "a trace with the long trailer is read again" "$STATUS" 0
sed 's/^\[ 11\.00000/[9990.00000/' "$GOOD" | LC_ALL=C sort >"$TAP_TMP/sorted.json"
run "$TAP_TMP/sorted.json" "$TOOL" 0
expect "a trailer sorted into the rows is moved to the end" 0 "trailer .* moved to the end"

# marks, pids, and the state at the cut
like "a mark that is not there" "$(run "$GOOD" "$TOOL" --mark nosuch getpid; cat "$ERR")" "^spantotrim: no mark nosuch in the trace"
like "no second mark after the first" "$(run "$GOOD" "$TOOL" --mark getpid getpid; cat "$ERR")" \
	"^spantotrim: no mark getpid after the first one in the trace"
is "a pid: its runs and its wakeups" "$(rows --pid 1)" "5 6 7 9 "
is "a pid in a range" "$(rows --pid 51 11.000003 11.0000035)" "3 4 "
is "a pid and a string" "$(rows --pid 51 sched)" "8 "
usage_error "--mark with one name" "^spantotrim: --mark needs two names" --mark a
usage_error "--mark and a time" "^spantotrim: --mark cannot be used with a time" --mark a b 1
is "the name of a thread: the same" "$(rows --pid init)" "5 6 7 9 "
xz -dc "$DATA/pid-reuse.trace.xz" >"$TAP_TMP/reuse"
for i in 0 1 2; do
	run "$TAP_TMP/reuse" "$TOOL" --pid reuse_$i
	grep -c '"reuse_[0-9]\.30000"' "$OUT"
	grep -o '"reuse_[0-9]\.30000"' "$OUT" | sort -u
done >"$TAP_TMP/lives" 2>/dev/null
like "of several threads with a pid, only the one with the name" "$(grep reuse "$TAP_TMP/lives" | tr -d '\n')" '^"reuse_0\.30000""reuse_1\.30000""reuse_2\.30000"$'
run "$GOOD" "$TOOL" 1 2 3 "$GOOD"
expect "too many arguments before a file" 2 "^spantotrim: too many arguments: 3"
is "the name with its number: the same" "$(rows --pid init.1)" "5 6 7 9 "
run "$GOOD" "$TOOL" --pid ini
expect "no thread with this name" 1 "^spantotrim: standard input: no thread has the name ini$"
ok "a name in a pipe" sh -c 'cat "$1" | "$2" --pid init 2>/dev/null | grep -q "init\.1"' sh "$GOOD" "$TOOL"
usage_error "--pid with a negative number" "^spantotrim: --pid needs the number or the name" --pid -1
usage_error "--pid with an empty name" "^spantotrim: --pid needs the number or the name" --pid ""
usage_error "--state alone" "^spantotrim: nothing is selected" --state
run "$GOOD" "$TOOL" --state 0
ok "--state 0 keeps every byte" cmp "$OUT" "$GOOD"
run "$GOOD" "$TOOL" --state 11.000003 11.0000045
is "--state cuts spans at the limits, but not arcs" "$(grep '^\[ ' "$OUT")" \
'[ 11.00000300, 0.00000001, 0, 51, 0, 522, 433696207, 0, 0, "mark_a=getpid"],
[ 11.00000300, 0.00000150, 0, 51, 0, 65587, 0, 51, 0, "work.51"],
[ 11.00000400, 0.00000001, 0, 51, 0, 518, 1, 0, 0, "runnable.1"],
[ 11.00000400, 0.00000200, 0, 51, 0, -3, 0, 1, 0, "-wakeup-"],
[ 11.00000402, 0.00000048, -1, 1, 0, 770, 0, 0, 0, "wait_cpu"],'
if command -v xz >/dev/null; then
	STOCK=$TAP_TMP/stock.json
	xz -dc tests/golden/stock.json.xz >"$STOCK"
	# covered FROM TO: prints the execution time of each CPU in units of 10 ns, and
	# whether all of it is inside the interval.
	covered()
	{
		awk -F'[[,]' -v a="$1" -v b="$2" '/^\[ / {
			s = sprintf("%.0f", $2 * 1e8) + 0; d = sprintf("%.0f", $3 * 1e8) + 0
			if ($7 >= 65536 || ($7 >= 1024 && $7 < 4096))
				sum[$4 + 0] += d
			if ($7 >= 0 && $7 != 516 && $7 != 517 && (s < a * 1e8 - .5 || s + d > b * 1e8 + .5))
				out++
		} END { for (c = 0; c < 2; c++) printf "%d ", sum[c]; print out + 0 }' "$OUT"
	}
	first=$(grep -m1 '^\[ ' "$STOCK" | cut -c2-13)
	start=$(awk "BEGIN { printf \"%.8f\", $first + 0.12345678 }")
	stop=$(awk "BEGIN { printf \"%.8f\", $first + 0.16345678 }")
	run "$STOCK" "$TOOL" --state "$start" "$stop"
	is "--state: 40 ms of two CPUs, nothing outside" "$(covered "$start" "$stop")" "4000000 4000000 0"
	ok "--state: in byte order" sh -c "LC_ALL=C sort -c '$OUT'"
	used=$(awk -F'[[,]' '/^\[ / && $5 > 0 && $7 != 526 { print $5 + 0 }' "$OUT" | sort -u)
	named=$(awk -F'[[,]' '/^\[ / && $7 == 526 { print $5 + 0 }' "$STOCK" | sort -u)
	is "--state: the names of exactly the pids in the output" \
		"$(awk -F'[[,]' '/^\[ / && $7 == 526 { print $5 + 0 }' "$OUT" | sort -u)" \
		"$(comm -12 <(echo "$used") <(echo "$named"))"
	between "--state: the output has names" "$(grep -c ', 526, ' "$OUT")" 1 50
	cp "$OUT" "$TAP_TMP/state"
	(cat "$STOCK" | "$TOOL" --state "$start" "$stop" 2>/dev/null) >"$OUT"
	ok "--state of a pipe" cmp "$OUT" "$TAP_TMP/state"
	run "$STOCK" "$TOOL" --mark fault /fault
	from=$(awk -F'[[,]' '/mark_a=fault/ { gsub(/ /, "", $2); print $2; exit }' "$STOCK")
	to=$(awk -F'[[,]' '/mark_a=.fault/ { gsub(/ /, "", $2); print $2; exit }' "$STOCK")
	cp "$OUT" "$TAP_TMP/mark"
	run "$STOCK" "$TOOL" "$from" "$to"
	ok "from mark to mark is that range" cmp "$OUT" "$TAP_TMP/mark"
	between "from mark to mark is a part of the trace" "$(wc -l <"$OUT")" 500 8000
	run "$STOCK" "$TOOL" --mark mark_d=1 fault
	like "a numbered mark" "$(cat "$OUT")" '"mark_a=burst"'
	run "$STOCK" "$TOOL" --state --mark mark_a=fault mark_a=/fault
	is "marks by their whole names, with --state" "$(covered "$from" "$to" | cut -d' ' -f3)" 0
else
	skip "marks and state of the stock trace" "no xz"
fi

# reference traces of the original
for name in k61-2cpu.json k61-4cpu.json; do
	if ! reference $name; then
		skip "$name" "no reference traces"
		continue
	fi
	ref=$REFERENCE/$name
	run "$ref" "$TOOL" 0
	ok "$name comes out byte for byte" cmp "$OUT" "$ref"
	ok "$name is in byte order" sh -c "LC_ALL=C sort -c '$OUT'"
	first=$(grep -m1 '^\[ ' "$ref" | cut -c2-13)
	start=$(awk "BEGIN { printf \"%.8f\", $first + 0.1 }")
	stop=$(awk "BEGIN { printf \"%.8f\", $first + 0.3 }")
	run "$ref" "$TOOL" "$start" "$stop"
	awk -F'[[,]' -v a="$start" -v b="$stop" '
		!/^\[ / { print; next }
		$2 + 0 <= b + 0 && ($3 + 0 > 0 ? sprintf("%.8f", $2 + $3) + 0 > a + 0 : $2 + 0 >= a + 0)
	' "$ref" >"$TAP_TMP/awk"
	ok "$name trimmed to 0.2 s equals awk's selection" cmp "$OUT" "$TAP_TMP/awk"
	between "$name trimmed to 0.2 s is a part of it" "$(wc -l <"$OUT")" 50 40000
	run "$ref" "$TOOL" write
	awk '!/^\[ / || /write/' "$ref" >"$TAP_TMP/awk"
	ok "$name trimmed by a string equals awk's selection" cmp "$OUT" "$TAP_TMP/awk"
	$DEFAULTS "$TOOL" 0 <"$ref" 2>"$ERR" | head -n 1 >/dev/null
	is "| head -1 is a closed pipe" "${PIPESTATUS[0]} $(cat "$ERR")" "141 "
done

tap_end
