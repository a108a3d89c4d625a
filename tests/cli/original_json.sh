#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests the JSON of the original's pages for RPCs and disk blocks. It passes row by row through
# unmakeself, the span filters and makeself, and damage in it is reported.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

RPC=$TAP_TMP/rpc.json
DISK=$TAP_TMP/disk.json
TEMPLATE=$DATA/original.html
cat >"$RPC" <<'X'
  {
 "Comment" : "flat, [of] \"RPCs\"",
 "deltaT23" : 0,
 "list" : [1, [2, 3], {"a" : "], ["}],
 "title" : "it's </script> \\ <b>",
 "version" : 4,
"events" : [
[ 42.096524,  42.096561,  42.146424,  42.146424, "unk:unk", "unk:unk", 7.2, 7.2, 65535, 0, "RespRcv ", "Work", "Success", 144, "...]], [\"...<b>'"],
[ 42.096703,  42.096741,  42.119323,  42.119323, "10.0.0.1", "::1", 7.2, 0.0, 36768, 0, "RespRcv ", "Read", "ERROR_2", 144, "........................"],
[ 42.200000,  42.200000,  0.000000,  0.000000, "unk:unk", "unk:unk", 7.2, 7.2, 1, 0, "ReqSend ", "Work", "", 144, ""],
[999.0, 0.0, 0.0, 0.0, "", "", 0.0, 0.0, 0, 0, "", "", "", 0, ""]
]}
X
cat >"$DISK" <<'X'
   {
  "axisLabelX" : "Time (sec)",
  "thousandsY" : 1024,
 "points" : [
[0.000213,     0],
[0.000218,     1],
[0.000230,     3],
[0.000240, 2],
[999.000000, 0]
]}
X
# Output of KUtrace 3's spantoprof: lines of CPUs, pids and RPCs, numbered from 65536 on.
PROFILE=$TAP_TMP/profile.json
cat >"$PROFILE" <<'X'
  {
 "Comment" : "V2 with IPC field",
 "kernelVersion" : "4.19.19-rick",
 "presorted" : 1,
 "title" : "profile, [of] CPUs",
 "version" : 3,
"events" : [
[  0.00000000, 0.00000000, 65536, -1, -1, 526, 0, 0, 0, "0 "],
[  0.00000000, 0.00178700, 65536, -1, -1, 67446, 0, 0, 4, "work.1910"],
[  0.00178700, 0.50000000, 65536, -1, -1, 65536, 0, 0, 0, "-idle-"],
[  0.00000000, 0.00000000, 65537, -1, -1, 526, 0, 0, 0, "1 "],
[  0.00000000, 0.60000000, 65537, -1, -1, 2087, 65535, 0, 15, "getpid ] ["],
[  0.00000000, 0.00000000, -1, 65538, -1, 526, 0, 0, 0, "work.1910 "],
[  0.00000000, 0.00178700, -1, 65538, -1, 67446, 0, 0, 4, "work.1910"],
[  0.00000000, 0.00000001, -1, -1, 65539, 67446, 0, 0, 4, "work.1910"],
[999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, ""]
]}
X
# Makes a profile without the lines of CPUs, and one that has only lines of RPCs.
PIDS=$TAP_TMP/profile_pids.json RPCS=$TAP_TMP/profile_rpcs.json
grep -v '6553[67], -1, -1' "$PROFILE" >"$PIDS"
sed '/6553[67], -1, -1/d; /-1, 65538, -1/d; /-1, -1, 65539/{p;p;p;p}' "$PROFILE" >"$RPCS"
is "lines of such profiles" "$(grep -c '^\[  0' "$PIDS") $(grep -c '^\[  0' "$RPCS")" "3 5"

for data in "$RPC" "$DISK" "$PROFILE" "$PIDS" "$RPCS"; do
	name=$(basename "$data" .json)
	case $name in
	rpc) what=RPCs ;;
	disk) what='disk blocks' ;;
	*) what='a profile' ;;
	esac
	for filter in "spantotrim 0" "spantospan 0" "spantospan 10" "spantotrim 0 1000"; do
		run "$data" "$BIN/${filter%% *}" ${filter#* }
		is "$name: $filter: exit status" "$STATUS" 0
		ok "$name: $filter: all rows as they are" cmp "$OUT" "$data"
		cat "$data" | "$BIN/${filter%% *}" ${filter#* } >"$OUT" 2>"$ERR"
		ok "$name: $filter: the same through a pipe" cmp "$OUT" "$data"
	done
	"$BIN/spantospan" 10 <"$data" 2>"$ERR" >/dev/null
	like "$name: spantospan reports that there is nothing to merge" "$(cat "$ERR")" \
		"^spantospan: rows of $what are not spans of CPUs: nothing is merged"
	run "$data" "$BIN/makeself" "$TEMPLATE"
	is "$name: makeself" "$STATUS $(cat "$ERR")" "0 "
	cp "$OUT" "$TAP_TMP/page.html"
	is "$name: the page has one string, on a line of its own" \
		"$(grep -c "^var myString = '.*';\$" "$TAP_TMP/page.html")" 1
	is "$name: nothing in it ends the script" \
		"$(grep -c '</script>' "$TAP_TMP/page.html")" "$(grep -c '</script>' "$TEMPLATE")"
	run "$TAP_TMP/page.html" "$BIN/unmakeself"
	is "$name: unmakeself" "$STATUS $(cat "$ERR")" "0 "
	ok "$name: the same, to the byte" cmp "$OUT" "$data"
	cat "$TAP_TMP/page.html" | "$BIN/unmakeself" >"$OUT"
	ok "$name: the same through a pipe" cmp "$OUT" "$data"
	for option in -5 "--pid 7 0" "--mark a b" "--state 0 1"; do
		run "$data" "$BIN/spantotrim" $option
		expect "$name: spantotrim $option is refused" 1 "^spantotrim: cannot select in standard input: rows of $what have no CPUs and pids"
	done
	# A file cut at any position is an error and never looks complete. Only the newline at the
	# end may be missing.
	size=$(stat -c %s "$data") silent=0
	for ((n = size - 2; n > size * 3 / 4; n -= 7)); do
		head -c "$n" "$data" >"$TAP_TMP/cut.json"
		"$BIN/spantotrim" 0 <"$TAP_TMP/cut.json" >"$OUT" 2>"$ERR" && silent=$((silent + 1))
		grep -q '^spantotrim: bad JSON: .*: cut off after row' "$ERR" || silent=$((silent + 1))
	done
	is "$name: cut off" "$silent" 0
	{ cat "$data"; echo x; } >"$TAP_TMP/more.json"
	run "$TAP_TMP/more.json" "$BIN/spantospan" 0
	expect "$name: more data after the end" 1 "^spantospan: bad JSON: .*more data after its end"
done

for data in "$PROFILE" "$PIDS" "$RPCS"; do
	name=$(basename "$data" .json)
	run "$data" "$BIN/makeself" "$DATA/template.html"
	expect "$name: does not go into our page" 1 '^makeself: cannot show standard input: .*; try its show_cpu\.html$'
	is "$name: there is no output" "$(cat "$OUT")" ""
done
run "$PROFILE" "$BIN/spantotrim" 0.55 1
is "profile: rows of a stretch of time" "$(grep -c '^\[  0' "$OUT") $(cat "$ERR")" "1 spantotrim: kept 1 of 8 rows"
for change in 's/65536, -1, -1, 526/65536, 7, -1, 526/' 's/65536, -1, -1, 526/65535, -1, -1, 526/'; do
	sed "$change" "$PROFILE" >"$TAP_TMP/spans.json"
	run "$TAP_TMP/spans.json" "$BIN/spantotrim" 0
	expect "profile rows with other CPU numbers count as spans: $change" 1 '^spantotrim: .*CPU out of range: 6553[67]'
done

rows()
{
	grep -c '^\[' "$OUT"
}
run "$RPC" "$BIN/spantotrim" 42.13 42.14
is "RPCs: the rows of an interval, and the trailer" "$(rows) $(cat "$ERR")" "2 spantotrim: kept 1 of 3 rows"
like "RPCs: the one that lasted until then remains" "$(cat "$OUT")" '^\[ 42.096524, '
run "$RPC" "$BIN/spantotrim" 0.01
is "RPCs: of the first hundredth of a second" "$(rows)" 3
run "$RPC" "$BIN/spantotrim" Read
is "RPCs: that hold a string" "$(rows) $(grep -c '"Read"' "$OUT")" "2 1"
# spantospan with a start and a stop gives the same output as spantotrim for these times
for part in "$RPC 42.13 42.14" "$RPC 42.15" "$RPC 50 60" "$DISK 0.000215 0.000220" "$DISK 0.00023" "$DISK 0 1000"; do
	read -r data start stop <<<"$part"
	"$BIN/spantotrim" "$start" "${stop:-10000}" <"$data" >"$TAP_TMP/want" 2>"$TAP_TMP/kept"
	for usec in 0 10; do
		run "$data" "$BIN/spantospan" $usec $start $stop
		is "$(basename "$data" .json): spantospan $usec $start $stop: exit status" "$STATUS" 0
		ok "$(basename "$data" .json): spantospan $usec $start $stop: the rows of spantotrim" cmp "$OUT" "$TAP_TMP/want"
		is "$(basename "$data" .json): spantospan $usec $start $stop: how many" \
			"$(grep -o 'kept .*' "$ERR")" "$(grep -o 'kept .*' "$TAP_TMP/kept")"
	done
done
run "$RPC" "$BIN/spantotrim" 50 60
is "RPCs: none of them" "$STATUS $(rows) $(tail -n 2 "$OUT" | tr -d '\n')" \
	'0 1 [999.0, 0.0, 0.0, 0.0, "", "", 0.0, 0.0, 0, 0, "", "", "", 0, ""]]}'
run "$DISK" "$BIN/spantotrim" 0.000215 0.000220
is "disk: the rows of an interval" "$(rows)" 2

# our template shows the rows as spans: header, names and times
cat >"$TAP_TMP/calls.json" <<'X'
{
 "title" : "a \"deltaT23\" : 7",
 "deltaT23" : 0.5,
 "version" : 4,
"events" : [
[ 1.000000, 0.600000, 0.700000, 1.300000, "a", "b", 7.2, 7.2, 1, 0, "RespRcv ", "Read ", "Success ", 144, "x"],
[ 1.050000, 0.650000, 0.700000, 1.300000, "unk:unk", "unk:unk", 7.2, 7.2, 2, 0, "RespRcv ", "it's", "ERROR_2", 9, "x"],
[ 1.150000, 0.700000, 0.800000, 1.250000, "a", "b", 7.2, 7.2, 3, 0, "RespRcv ", "Read", "", 0, "x"],
[ 1.200000, 0.000000, 0.000000, 0.000000, "a", "c", 7.2, 7.2, 4, 0, "ReqSend ", "Read", "", 0, "x"],
[ 1.300000, 0.900000, 0.850000, 1.500000, "a", "c", 7.2, 7.2, 5, 0, "RespRcv ", "Read", "", 0, "x"],
[999.0, 0.0, 0.0, 0.0, "", "", 0.0, 0.0, 0, 0, "", "", "", 0, ""]
]}
X
spans()
{
	"$BIN/makeself" "$DATA/template.html" <"$1" 2>"$ERR" | "$BIN/unmakeself" >"$OUT"
	grep '^\[ ' "$OUT" | tr -d ' ' | cut -d, -f1-4,6-7,10-
}
is "RPCs: as spans" "$(spans "$TAP_TMP/calls.json")" "$(cat <<'X'
[1.00000000,0.10000000,-1,1,781,0,"wait_net"],
[1.05000000,0.10000000,-1,2,781,0,"wait_net"],
[1.10000000,0.10000000,0,1,65537,144,"Reada>b.1"],
[1.15000000,0.05000000,-1,3,781,0,"wait_net"],
[1.15000000,0.05000000,1,2,65538,9,"it'sERROR_2.2"],
[1.20000000,0.10000000,-1,1,781,0,"wait_net"],
[1.20000000,0.10000000,-1,2,781,0,"wait_net"],
[1.20000000,0.00000001,-1,4,522,0,"mark_a=Reada>c.4,notwhole"],
[1.20000000,0.10000000,0,3,65539,0,"Reada>b.3"],
[1.30000000,0.10000000,-1,5,781,0,"wait_net"],
[1.30000000,0.00000001,-1,5,522,0,"mark_a=Reada>c.5,notwhole"],
[1.35000000,0.15000000,-1,5,781,0,"wait_net"],
X
)"
is "RPCs: the header has rows, lanes and omissions" "$(grep '"foreign"' "$OUT")" \
	' "foreign" : {"rows": "RPCs", "lanes": 2, "left_out": 2},'
is "RPCs: the rest of the header" "$(grep -c -e '"version" : 4' -e '"title" : "a \\"deltaT23\\" : 7"' "$OUT")" 2
is "disk: as spans" "$(spans "$DISK")" "$(cat <<'X'
[0.00021300,0.00000001,0,1,525,0,"mark_d"],
[0.00021300,0.00000500,0,1,65537,0,"blocks0to1.1"],
[0.00021800,0.00000001,0,1,525,1,"mark_d"],
[0.00023000,0.00000001,0,2,525,3,"mark_d"],
[0.00023000,0.00000001,0,2,65538,3,"block3.2"],
[0.00024000,0.00000001,0,3,525,2,"mark_d"],
[0.00024000,0.00000001,0,3,65539,2,"block2.3"],
X
)"
is "disk: the header has rows, lanes and omissions" "$(grep '"foreign"' "$OUT")" \
	' "foreign" : {"rows": "disk blocks", "lanes": 1, "left_out": 0, "block_bytes": 4096},'
for data in "$RPC" "$DISK"; do
	head -c $(($(stat -c %s "$data") * 9 / 10)) "$data" >"$TAP_TMP/cut.json"
	run "$TAP_TMP/cut.json" "$BIN/makeself" "$DATA/template.html"
	expect "cut off, with our template" 1 '^makeself: bad JSON: .*cut off after row'
	unlike "cut off, with our template: the page is not complete" "$(cat "$OUT")" 'kutrace-end'
done

# Malformed rows after the first one: the number of fields of the first row decides whether the input is rows of disk
# blocks or spans.
sed 's/^\[0.000230, .*/[0.000230, "x"],/' "$DISK" >"$TAP_TMP/bad.json"
run "$TAP_TMP/bad.json" "$BIN/spantotrim" 0
expect "a string for a number" 1 '^spantotrim: bad JSON: standard input, rows of disk blocks: row 3 is bad: \[0.000230, "x"\]'
sed 's/^\(\[0.000230.*\),$/\1/' "$DISK" >"$TAP_TMP/bad.json"
run "$TAP_TMP/bad.json" "$BIN/makeself" "$TEMPLATE"
expect "no comma" 1 '^makeself: bad JSON: .*no row after row 3'
unlike "no comma: the page is not complete" "$(cat "$OUT")" '</html>'
sed 's/^\[0.000230, .*/{},/' "$DISK" >"$TAP_TMP/bad.json"
run "$TAP_TMP/bad.json" "$BIN/spantospan" 0
expect "an object instead of a row" 1 '^spantospan: bad JSON: .*no row after row 2'
{ sed '/^\[0.000230/,$d' "$DISK"; printf '['; head -c 70000 /dev/zero | tr '\0' 1; } >"$TAP_TMP/bad.json"
run "$TAP_TMP/bad.json" "$BIN/spantospan" 0
expect "a row without an end" 1 '^spantospan: bad JSON: .*row 3 is longer than 65536 bytes'
run "$RPC" "$BIN/spantoprof"
expect "filters that look into spans refuse them" 1 '^spantoprof: '
tap_end
