#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# fast
#
# Tests options that scripts for KUtrace 3 (Sites) use. Options that still have a meaning work, and the others
# change nothing.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc
xz -dc tests/golden/stock.trace.xz >"$TAP_TMP/a.trace"
export LC_ALL=C
"$BIN/rawtoevent" "$TAP_TMP/a.trace" 2>/dev/null | sort -n >"$TAP_TMP/a.events"
"$BIN/eventtospan" t <"$TAP_TMP/a.events" 2>/dev/null | sort >"$TAP_TMP/a.json"

# the_same NAME INPUT WANT COMMAND...: passes if COMMAND, with the file INPUT on stdin, prints the content of WANT.
the_same()
{
	local name=$1 input=$2 want=$3
	shift 3
	run "$input" "$@"
	is "$name: exit status" "$STATUS" 0
	ok "$name" cmp "$OUT" "$want"
}
the_same "eventtospan t -rel0" "$TAP_TMP/a.events" <("$BIN/eventtospan" t <"$TAP_TMP/a.events" 2>/dev/null) \
	"$BIN/eventtospan" t -rel0
the_same "kuod FILE -all -t" /dev/null <("$BIN/kuod" "$TAP_TMP/a.trace") "$BIN/kuod" "$TAP_TMP/a.trace" -all -t
the_same "checktrace FILE -v -nopf" /dev/null <("$BIN/checktrace" "$TAP_TMP/a.trace") \
	"$BIN/checktrace" "$TAP_TMP/a.trace" -v -nopf
the_same "checktrace -q: the last line alone" /dev/null <("$BIN/checktrace" "$TAP_TMP/a.trace" | tail -n 1) \
	"$BIN/checktrace" "$TAP_TMP/a.trace" -q
is "a long option by one dash, with its value" "$("$BIN/kuod" "$TAP_TMP/a.trace" -block 1 | cksum)" \
	"$("$BIN/kuod" "$TAP_TMP/a.trace" --block 1 | cksum)"

the_same "spantoprof -row" "$TAP_TMP/a.json" <("$BIN/spantoprof" <"$TAP_TMP/a.json") "$BIN/spantoprof" -row
the_same "spantoprof -row -v" "$TAP_TMP/a.json" <("$BIN/spantoprof" <"$TAP_TMP/a.json") "$BIN/spantoprof" -row -v
the_same "spantoprof -group -all -v is --group" "$TAP_TMP/a.json" <("$BIN/spantoprof" --group <"$TAP_TMP/a.json") \
	"$BIN/spantoprof" -group -all -v
note="spantoprof: prints a profile, not the rows of KUtrace 3 for makeself; -all and -v have no effect"
is "spantoprof: one line reports that its rows are not for makeself" "$(cat "$ERR")" "$note"
the_same "spantoprof -group -row: the last one counts" "$TAP_TMP/a.json" <("$BIN/spantoprof" <"$TAP_TMP/a.json") "$BIN/spantoprof" -group -row
the_same "spantoprof -row -group: the last one counts" "$TAP_TMP/a.json" <("$BIN/spantoprof" --group <"$TAP_TMP/a.json") \
	"$BIN/spantoprof" -row -group
the_same "spantoprof -group" "$TAP_TMP/a.json" <("$BIN/spantoprof" --group <"$TAP_TMP/a.json") "$BIN/spantoprof" -group
is "spantoprof -group: the same line" "$(cat "$ERR")" "$note"
run "$TAP_TMP/a.json" "$BIN/spantoprof" --group
is "spantoprof --group: no such line" "$(cat "$ERR")" ""

run "$TAP_TMP/a.json" "$BIN/spantotrim" -state
is "where arguments may begin with a dash, -state is a string: exit status" "$STATUS" 0
unlike "-state as a string selects rows" "$(grep '^\[' "$OUT")" 'getpid'

# --- rawtoevent FILE -maxblock N: gives the same output as a file that ends after N blocks ---
head -c $((2 * 65536)) "$TAP_TMP/a.trace" >"$TAP_TMP/two.trace"
the_same "rawtoevent FILE -maxblock 2" /dev/null <("$BIN/rawtoevent" "$TAP_TMP/two.trace" 2>/dev/null) \
	"$BIN/rawtoevent" "$TAP_TMP/a.trace" -maxblock 2
the_same "-maxblock that is more than there are" /dev/null <("$BIN/rawtoevent" "$TAP_TMP/a.trace" 2>/dev/null) \
	"$BIN/rawtoevent" "$TAP_TMP/a.trace" -maxblock 999999
run /dev/null "$BIN/rawtoevent" "$TAP_TMP/a.trace" -maxblock 0
expect "-maxblock 0" 2 '^rawtoevent: --maxblock needs a number of blocks, 1 or more'
for how in "-maxblock 1.5" --maxblock=1.5 -maxblock=1.5 -maxblock=; do
	run /dev/null "$BIN/rawtoevent" "$TAP_TMP/a.trace" $how
	expect "$how" 2 '^rawtoevent: --maxblock needs a number of blocks, 1 or more'
done
the_same "-maxblock=2 is --maxblock=2" /dev/null <("$BIN/rawtoevent" "$TAP_TMP/a.trace" --maxblock=2 2>/dev/null) \
	"$BIN/rawtoevent" "$TAP_TMP/a.trace" -maxblock=2
pid=$(awk -F '[[ ,]+' '/^\[/ && $2 < 999 && $5 > 0 { print $5; exit }' "$TAP_TMP/a.json")
the_same "spantowhy -pid=$pid" "$TAP_TMP/a.json" <("$BIN/spantowhy" --pid=$pid <"$TAP_TMP/a.json" 2>/dev/null) \
	"$BIN/spantowhy" -pid=$pid
run "$TAP_TMP/a.json" "$BIN/spantowhy" -pid=$pid.5
expect "half a thread" 1 '^spantowhy: .*: no thread with the name'
run "$TAP_TMP/a.json" "$BIN/spantotrim" --pid $pid.5 0
expect "half a thread, in spantotrim" 1 '^spantotrim: .*: no thread has the name'
run /dev/null "$BIN/checktrace" "$TAP_TMP/a.trace" -q=1
expect "a value of an option that has none" 2 '^checktrace: .*-q=1'
run /dev/null "$BIN/rawtoevent" "$TAP_TMP/a.trace" -maxblocks 1
expect "no such option by one dash" 2 '^rawtoevent: unknown option'

# --- spantospan usec start stop: gives the same output as that part of the trace ---
read -r start stop <<<"$(awk -F '[[ ,]+' '/^\[/ && $2 < 999 { if (!n++) first = $2; last = $2 }
	END { printf "%.8f %.8f", first + (last - first) / 3, first + (last - first) / 2 }' "$TAP_TMP/a.json")"
"$BIN/spantotrim" "$start" "$stop" <"$TAP_TMP/a.json" 2>/dev/null >"$TAP_TMP/part.json"
between "rows of the part" "$(wc -l <"$TAP_TMP/part.json")" 100 $(($(wc -l <"$TAP_TMP/a.json") - 1))
for usec in 0 20; do
	"$BIN/spantospan" $usec <"$TAP_TMP/part.json" 2>/dev/null | grep '^\[' >"$TAP_TMP/want"
	"$BIN/spantospan" $usec "$start" "$stop" <"$TAP_TMP/a.json" 2>/dev/null | grep '^\[' >"$TAP_TMP/got"
	ok "spantospan $usec start stop" cmp "$TAP_TMP/got" "$TAP_TMP/want"
done
is "spantospan 0 start: to the end" "$("$BIN/spantospan" 0 "$start" <"$TAP_TMP/a.json" | tail -n 3 | cksum)" \
	"$(tail -n 3 "$TAP_TMP/a.json" | cksum)"
run "$TAP_TMP/a.json" "$BIN/spantospan" 20 2 1
expect "stop is before start" 2 '^spantospan: stop time 1 is before start time 2'

# --- makeself html json out ---
the_same "makeself html json out" /dev/null /dev/null "$BIN/makeself" tests/data/template.html "$TAP_TMP/a.json" "$TAP_TMP/a.html" -nod3
ok "makeself html json out: the page" cmp "$TAP_TMP/a.html" <("$BIN/makeself" tests/data/template.html <"$TAP_TMP/a.json")
run "$TAP_TMP/a.json" "$BIN/makeself" tests/data/template.html "$TAP_TMP/a.json"
expect "two files: nothing is overwritten" 2 '^makeself: too many arguments'
run /dev/null "$BIN/makeself" "$TAP_TMP/a.json" "$TAP_TMP/d.html"
expect "a trace and a page" 2 "^makeself: too many arguments: $TAP_TMP/d.html; to write a page: makeself $TAP_TMP/a.json -o $TAP_TMP/d.html$"
run /dev/null "$BIN/makeself" tests/data/template.html "$TAP_TMP/a.json" "$TAP_TMP/b.html" -o "$TAP_TMP/c.html"
expect "two outputs" 2 '^makeself: -o and .*b.html both name the output'
tap_end
