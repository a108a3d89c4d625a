#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# spantotrim: what every filter does, and each way to trim, to the byte.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

TOOL=$BIN/spantotrim
GOOD=$DATA/good.json
common_checks spantotrim "$GOOD" 0

# rows ARGS...: numbers of GOOD's rows that are kept, counted from 1
rows()
{
	run "$GOOD" "$TOOL" "$@"
	grep '^\[ ' "$GOOD" >"$TAP_TMP/rows"
	grep '^\[ ' "$OUT" | grep -nxFf - "$TAP_TMP/rows" | cut -d: -f1 | tr '\n' ' '
	# header and trailer stay, whatever is kept
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
is "behind everything" "$(rows 500 600)" ""
is "everything" "$(rows 0 9999)" "1 2 3 4 5 6 7 8 9 10 "
is "the first microsecond" "$(rows 0.000001)" "1 2 "
is "the last 12 microseconds" "$(rows -0.000012)" "10 "
is "the last 20.01 microseconds" "$(rows -0.00002001)" "9 10 "
is "a name" "$(rows getpid)" "2 4 "
is "a number with punctuation" "$(rows ', 51, 0, 65587,')" "1 3 "
is "a name in quotes" "$(rows '"getpid"')" "2 "
is "no option but a string" "$(rows -sched-)" "8 "
is "not there" "$(rows nosuchthing)" ""
is "behind --" "$(rows -- --help)" ""
run "$GOOD" "$TOOL" 1e3
like "1e3 is a string" "$(cat "$ERR")" "^spantotrim: kept 0 of 10 spans"
run "$GOOD" "$TOOL" 0
is "0 says nothing" "$(cat "$ERR")" ""

# usage_error NAME REGEX ARGS...
usage_error()
{
	_n=$1
	_r=$2
	shift 2
	run "$GOOD" "$TOOL" "$@"
	expect "$_n" 2 "$_r"
	silent "$_n: no output"
}
usage_error "no argument" "^spantotrim: no start time or string given"
usage_error "empty string" "^spantotrim: the string to look for is empty" ""
usage_error "three arguments" "^spantotrim: too many arguments: 3" 1 2 3
usage_error "stop is no number" "^spantotrim: bad time: x is no number" 1 x
usage_error "start is no number" "^spantotrim: bad time: x is no number" x 1
usage_error "stop before start" "^spantotrim: stop time 1 is before start time 2" 2 1
usage_error "negative start with a stop" "^spantotrim: start time -2 is negative" -2 1
usage_error "out of range" "^spantotrim: bad time: 10000000000 is out of range" 10000000000
usage_error "too many digits" "^spantotrim: bad time: .* is out of range" 1234567890123456789012345

# last n seconds: from a pipe as from a file, also with nowhere to keep a copy
run "$GOOD" "$TOOL" -0.00002001
cp "$OUT" "$TAP_TMP/last"
cat "$GOOD" | "$TOOL" -0.00002001 >"$OUT" 2>/dev/null
ok "the end of a pipe" cmp "$OUT" "$TAP_TMP/last"
STATUS=0
cat "$GOOD" | TMPDIR=/nonexistent "$TOOL" -1 >"$OUT" 2>"$ERR" || STATUS=$?
STATUS=${PIPESTATUS[1]:-$STATUS}
like "no room for a copy of a pipe" "$(cat "$ERR")" "^spantotrim: cannot make a temporary file"
silent "no room for a copy: no output"

# order
{ sed -n '1,/^"events"/p' "$GOOD"; grep '^\[ ' "$GOOD" | tac; tail -n 2 "$GOOD"; } >"$TAP_TMP/unsorted.json"
run "$TAP_TMP/unsorted.json" "$TOOL" 0
is "rows out of order are passed on" "$STATUS" 0
ok "and come out unchanged" cmp "$OUT" "$TAP_TMP/unsorted.json"
run "$TAP_TMP/unsorted.json" "$TOOL" 1
expect "the first n seconds need order" 1 "not in time order: standard input \(line 19\)"
unlike "and leave no whole output" "$(cat "$OUT")" '^]}'

# other layouts of the same
tr -d ' \n' <"$GOOD" | sed 's/Time(sec)/Time (sec)/; s/CPUNumber/CPU Number/; s/V2withIPCfield/V2 with IPC field/' >"$TAP_TMP/tight.json"
run "$TAP_TMP/tight.json" "$TOOL" 0
ok "JSON without any blanks comes out in our layout" cmp "$OUT" "$GOOD"
sed 's/, /\n\t,\r\n  /g' "$GOOD" >"$TAP_TMP/loose.json"
run "$TAP_TMP/loose.json" "$TOOL" 0
ok "JSON on many lines comes out in our layout" cmp "$OUT" "$GOOD"

# beyond 999 s
sed 's/^\[ 11\.00000/[  1100.00000/' "$GOOD" >"$TAP_TMP/wide.json"
run "$TAP_TMP/wide.json" "$TOOL" 1099 1101
ok "a wide start field stays wide" cmp "$OUT" "$TAP_TMP/wide.json"
ok "and is sorted by bytes" sh -c "LC_ALL=C sort -c '$OUT'"
sed 's/^\[ 11\.00000/[1100.00000/' "$GOOD" >"$TAP_TMP/narrow.json"
run "$TAP_TMP/narrow.json" "$TOOL" 0
is "too narrow a field gets the long trailer" "$(tail -n 2 "$OUT" | head -c 14)" "[9999999999.0,"
ok "which sorts last, too" sh -c "LC_ALL=C sort -c '$OUT'"
cp "$OUT" "$TAP_TMP/again.json"
run "$TAP_TMP/again.json" "$TOOL" 0
is "and is read again" "$STATUS" 0
sed 's/^\[ 11\.00000/[9990.00000/' "$GOOD" | LC_ALL=C sort >"$TAP_TMP/sorted.json"
run "$TAP_TMP/sorted.json" "$TOOL" 0
expect "a trailer sorted into the rows is put last" 0 "trailer .* put last"

# the original's
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
	ok "$name trimmed to 0.2 s is what awk picks" cmp "$OUT" "$TAP_TMP/awk"
	between "and a part of it" "$(wc -l <"$OUT")" 50 40000
	run "$ref" "$TOOL" write
	awk '!/^\[ / || /write/' "$ref" >"$TAP_TMP/awk"
	ok "$name trimmed by a string is what awk picks" cmp "$OUT" "$TAP_TMP/awk"
	"$TOOL" 0 <"$ref" 2>"$ERR" | head -n 1 >/dev/null
	is "| head -1 is a closed pipe" "${PIPESTATUS[0]} $(cat "$ERR")" \
		"1 spantotrim: cannot write standard output: Broken pipe"
done

tap_end
