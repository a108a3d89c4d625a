#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests spantoprof: the common checks, and sums and counts against the rows and against the known
# work of the workload.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

TOOL=$BIN/spantoprof
GOOD=$DATA/good.json
common_checks spantoprof "$GOOD"

run "$GOOD" "$TOOL"
is "all lines of the good trace" "$(tr -s ' ' <"$OUT" | sed 's/ $//')" \
' on CPU count longest p50 p99 elapsed at what
init.1: 9.00 us of CPU, 34.6 % of one
 9.00 us 1 9.00 us 9.00 us 11.00000600 user
 1.98 us 1 1.98 us 1.98 us 11.00000402 wait_cpu
work.51: 5.00 us of CPU, 19.2 % of one
 3.80 us 2 2.80 us 3.80 us 11.00000220 user
 1.00 us 0 >=1.00 us 1.00 us 11.00000500 -sched- (+1 cut off)
 200 ns 1 200 ns 200 ns 200 ns 200 ns 11.00000200 getpid
-idle- CPU 1: 20.00 us of CPU, 76.9 % of one, 20.00 us idle
 20.00 us 1 20.00 us 20.00 us 11.00000700 -idle-'
run "$GOOD" "$TOOL" --folded
is "folded stacks in ns, without idle" "$(LC_ALL=C sort "$OUT")" \
'init.1 9000
work.51 3800
work.51;-sched- 1000
work.51;getpid 200'
run "$GOOD" "$TOOL" --folded --folded-pc
expect "two kinds of output" 2 "^spantoprof: --folded cannot be used with --folded-pc"
for stacks in --folded --folded-pc; do
	run "$GOOD" "$TOOL" $stacks --json
	expect "JSON and $stacks" 2 "^spantoprof: --json cannot be used with $stacks\$"
done
run "$GOOD" "$TOOL" a b
expect "two files" 2 "^spantoprof: more than one file: b"

# A call in several parts counts as one call, and two adjacent calls count as two. The end of the last
# call was not recorded.
{ sed -n '1,/^"events"/p' "$GOOD"
	cat <<'X'
[ 11.00000100, 0.00000100, 0, 51, 0, 65587, 0, 0, 0, "a;b c.51"],
[ 11.00000200, 0.00000010, 0, 51, 0, 2048, 0, 0, 0, "read"],
[ 11.00000210, 0.00000010, 0, 51, 0, 1038, 0, 0, 0, "page_fault"],
[ 11.00000220, 0.00000010, 0, 51, 0, 1535, 9, 0, 0, "BH:rcu"],
[ 11.00000230, 0.00000010, 0, 51, 0, 1038, 0, 0, 0, "page_fault"],
[ 11.00000240, 0.00000010, 0, 51, 0, 2048, 0, 1, 0, "read"],
[ 11.00000250, 0.00000020, 0, 51, 0, 2048, 0, 1, 0, "read"],
[ 11.00000900, 0.00000020, 1, 51, 0, 2048, 0, 1, 0, "read"],
X
	tail -n 2 "$GOOD"; } >"$TAP_TMP/pieces.json"
run "$TAP_TMP/pieces.json" "$TOOL"
like "pieces of two reads" "$(cat "$OUT")" '^ +600 ns +1 +500 ns +500 ns +500 ns +7\.20 us +11\.00000200 read \(\+1 cut off\)$'
like "pieces of a fault" "$(cat "$OUT")" '^ +200 ns +1 +300 ns +300 ns +300 ns +300 ns +11\.00000210 page_fault$'
run "$TAP_TMP/pieces.json" "$TOOL" --folded
is "nested stacks, no blank or semicolon of a name in them" "$(LC_ALL=C sort "$OUT")" \
'a_b_c.51 1000
a_b_c.51;read 600
a_b_c.51;read;page_fault 200
a_b_c.51;read;page_fault;BH:rcu 100'

# threads with the same name are one program; the first has one read, the second two
{ sed -n '1,/^"events"/p' "$GOOD"
	cat <<'X'
[ 11.00000100, 0.00000100, 0, 51, 0, 65587, 0, 0, 0, "work.51"],
[ 11.00000200, 0.00000030, 0, 51, 0, 2048, 0, 1, 0, "read"],
[ 11.00000230, 0.00000070, 0, 51, 0, 65587, 0, 0, 0, "work.51"],
[ 11.00000300, 0.00000200, 0, 52, 0, 65588, 0, 0, 0, "work.52"],
[ 11.00000500, 0.00000010, 0, 52, 0, 2048, 0, 1, 0, "read"],
[ 11.00000510, 0.00000090, 0, 52, 0, 65588, 0, 0, 0, "work.52"],
[ 11.00000600, 0.00000050, 0, 52, 0, 2048, 0, 1, 0, "read"],
[ 11.00000650, 0.00000050, 0, 52, 0, 65588, 0, 0, 0, "work.52"],
[ 11.00000700, 0.00000100, 0, 53, 0, 65589, 0, 0, 0, "worker/0:1.53"],
[ 11.00000700, 0.00000100, 1, 0, 0, 65536, 0, 0, 0, "-idle-"],
X
	tail -n 2 "$GOOD"; } >"$TAP_TMP/programs.json"
run "$TAP_TMP/programs.json" "$TOOL" --group
is "--group" "$(tr -s ' ' <"$OUT" | sed 's/ $//')" \
' on CPU count longest p50 p99 elapsed at what
work (2 threads): 6.00 us of CPU, 85.7 % of one
 5.10 us 5 2.00 us 5.10 us 11.00000300 user
 900 ns 3 500 ns 300 ns 500 ns 900 ns 11.00000600 read
worker/0:1 (1 thread): 1.00 us of CPU, 14.3 % of one
 1.00 us 1 1.00 us 1.00 us 11.00000700 user
-idle- CPU 1: 1.00 us of CPU, 14.3 % of one, 1.00 us idle
 1.00 us 1 1.00 us 1.00 us 11.00000700 -idle-'
is "--group: no error" "$STATUS $(cat "$ERR")" "0 "
run "$TAP_TMP/programs.json" "$TOOL" --group --folded
is "--group: each stack once" "$(LC_ALL=C sort "$OUT")" 'work 5100
work;read 900
worker/0:1 1000'
run "$TAP_TMP/programs.json" "$TOOL" --group --json
like "--group: threads in JSON, and no pid" "$(cat "$OUT")" '\{"threads": 2, "name": "work", "cpu": 0\.00000600,'
sed 's/"work\.5[12]"/"work.9"/' "$TAP_TMP/programs.json" >"$TAP_TMP/numbered.json"
run "$TAP_TMP/numbered.json" "$TOOL" --group --folded
like "--group: a number that is not the thread's is part of the name" "$(cat "$OUT")" '^work\.9 5100$'
sed 's/"work\.5\([12]\)"/"python3.1\1"/' "$TAP_TMP/programs.json" >"$TAP_TMP/numbered.json"
run "$TAP_TMP/numbered.json" "$TOOL" --group
is "--group: names that differ in such a number are two programs" "$(grep -o '^python.*thread)' "$OUT" | LC_ALL=C sort | tr '\n' ' ')" \
	"python3.11 (1 thread) python3.12 (1 thread) "

# frequencies of CPU 0 while work.51 runs: 1 us unknown, 1 us at 2000 MHz, 3 us at 1000 MHz
{ sed -n '1,/^"events"/p' "$GOOD"
	cat <<'X'
[ 11.00000100, 0.00000100, 0, 51, 0, 65587, 0, 0, 0, "work.51"],
[ 11.00000200, 0.00000100, 0, 0, 0, 521, 2000, 0, 0, "-freq-"],
[ 11.00000200, 0.00000100, 0, 51, 0, 2048, 0, 0, 0, "read"],
[ 11.00000300, 0.00000200, 0, 51, 0, 65587, 0, 0, 0, "work.51"],
[ 11.00000300, 0.00000300, 0, 0, 0, 521, 1000, 0, 0, "-freq-"],
[ 11.00000500, 0.00000100, 0, 51, 0, 2048, 0, 0, 0, "read"],
[ 11.00000500, 0.00000100, 1, 52, 0, 65588, 0, 0, 0, "else.52"],
X
	tail -n 2 "$GOOD"; } >"$TAP_TMP/freq.json"
run "$TAP_TMP/freq.json" "$TOOL"
like "frequency: the mean while it ran, and the highest there was" "$(cat "$OUT")" \
	'^work\.51: 5\.00 us of CPU, 100\.0 % of one, at 1250 MHz \(62 % of 2000\)$'
like "frequency: none is made up where none was recorded" "$(cat "$OUT")" \
	'^else\.52: 1\.00 us of CPU, [0-9.]* % of one$'
cp "$OUT" "$TAP_TMP/freq.out"
awk '/-freq-/ && !n++ { print "[ 11.00000200, 0.00000100, -1, 0, 0, 521, 9000, 0, 0, \"-freq-\"]," } { print }' \
	"$TAP_TMP/freq.json" >"$TAP_TMP/nocpu.json"
run "$TAP_TMP/nocpu.json" "$TOOL"
is "frequency: of no CPU: no error" "$STATUS $(cat "$ERR")" "0 "
is "frequency: of no CPU: counts for no CPU" "$(diff "$TAP_TMP/freq.out" "$OUT")" ""
run "$TAP_TMP/freq.json" "$TOOL" --json
like "frequency: the highest, in JSON" "$(head -n 1 "$OUT")" '"mhz": 2000, "processes"'
like "frequency: of the process, in JSON" "$(cat "$OUT")" '"name": "work\.51", .*"mhz": 1250, "kinds"'

if ! command -v xz >/dev/null; then
	skip "the stock trace" "no xz"
	tap_end
fi
STOCK=$TAP_TMP/stock.json
xz -dc tests/golden/stock.json.xz >"$STOCK"
run "$STOCK" "$TOOL"
# of NAME: prints "COUNT KIND" for each line of the process NAME.
of() { awk -v n="$1" '/^[^ ]/ { in_it = index($0, n) == 1 } in_it && NF > 4 { print $3, $NF }' "$OUT"; }
like "tcp: as many sendto as the client made" "$(of workload.105)" '^103 sendto$'
like "tcp: recvfrom" "$(of workload.105)" '^103 recvfrom$'
like "nap: nanosleep" "$(of workload.105)" '^7 nanosleep$'
like "disk: pwrite64" "$(of workload.105)" '^61 pwrite64$'
like "disk: pread64" "$(of workload.105)" '^61 pread64$'
run "$STOCK" "$TOOL" --json
sum=$(grep -o '"cpu": [0-9.]*, "samples"' "$OUT" | awk '{ sum += $2 } END { printf "%.8f", sum }')
rows=$(awk -F'[[,]' '/^\[ / && ($7 >= 65536 || ($7 >= 1024 && $7 < 4096)) { sum += $3 } END { printf "%.8f", sum }' "$STOCK")
is "all of the CPUs' time is in the profile" "$sum" "$rows"
n=$(grep -o '"class": "sample".*"count": [0-9]*' "$OUT" | awk '{ sum += $NF } END { print sum + 0 }')
is "all PC samples are in the profile" "$n" "$(grep -c '"PC=' "$STOCK")"
run "$STOCK" "$TOOL" --folded-pc
is "all PC samples are in the folded output" "$(awk '{ sum += $NF } END { print sum }' "$OUT")" "$n"
run "$STOCK" "$TOOL" --json
if command -v node >/dev/null; then
	ok "--json prints valid JSON" node -e 'JSON.parse(require("fs").readFileSync(process.argv[1]))' "$OUT"
else
	skip "--json prints valid JSON" "no node"
fi
# A part of a trace may have no row with the name of a thread.
"$BIN/spantotrim" --state 11.00001 11.00002 <<'E' 2>/dev/null >"$TAP_TMP/unnamed.json"
{
 "title" : "x",
"events" : [
[ 11.00000000, 0.00001000, 0, 51, 0, 65587, 0, 0, 0, "work.51"],
[ 11.00001000, 0.00001000, 0, 51, 0, 2087, 0, 0, 0, "getpid"],
[ 11.00001000, 0.00001000, 1, 52, 0, 2087, 0, 0, 0, "getpid"],
[999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, ""]
]}
E
run "$TAP_TMP/unnamed.json" "$TOOL"
is "threads without a name have their pids" "$(grep -o '^[^ ]*: ' "$OUT" | tr -d '\n')" "?.51: ?.52: "
run "$TAP_TMP/unnamed.json" "$TOOL" --json
is "threads without a name have their pids, in JSON" "$(grep -o '"name": "[^"]*"' "$OUT" | tr -d '\n')" '"name": "?.51""name": "?.52"'
tap_end
