#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests rawtohtml: the common checks, and that its output equals the output of the guide's pipeline
# byte by byte. Covers JSON and page, trimmed and merged, golden and reference traces, and
# every readable file of the corpus.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

TOOL=$BIN/rawtohtml
TEMPLATE=$DATA/template.html
make_traces >&2 || exit 1
GOOD=$TRACES/good.trace
DATES='s/"tracebase":"[^"]*"/DATE/; s/"randomid":[0-9]*/RANDOM/'
common_checks rawtohtml "$GOOD" --template "$(realpath "$TEMPLATE")"

# pipeline TRACE TITLE: writes the pipeline's output to $TAP_TMP/want.json.
pipeline()
{
	"$BIN/rawtoevent" "$1" 2>/dev/null | sort -n | "$BIN/eventtospan" "$2" 2>/dev/null |
		LC_ALL=C sort >"$TAP_TMP/want.json"
}

# same NAME TRACE TITLE START STOP USEC: compares rawtohtml with the pipeline: JSON, page, trimmed from START to STOP,
# merged to USEC, and trimmed and merged.
same()
{
	local name=$1 trace=$2 title=$3 start=$4 stop=$5 usec=$6
	pipeline "$trace" "$title"
	run /dev/null "$TOOL" --json --title "$title" "$trace"
	is "$name: --json exits 0" "$STATUS" 0
	ok "$name: JSON is the pipeline's" cmp "$OUT" "$TAP_TMP/want.json"
	between "$name: with rows in it" "$(grep -c '^\[' "$OUT")" 10 10000000
	"$BIN/makeself" "$TEMPLATE" <"$TAP_TMP/want.json" >"$TAP_TMP/want.html" 2>/dev/null
	run /dev/null "$TOOL" --template "$TEMPLATE" --title "$title" "$trace"
	is "$name: a page, exit status" "$STATUS" 0
	ok "$name: page is the pipeline's" cmp "$OUT" "$TAP_TMP/want.html"
	"$BIN/spantotrim" "$start" "$stop" <"$TAP_TMP/want.json" 2>/dev/null >"$TAP_TMP/trim.json"
	run /dev/null "$TOOL" --json --title "$title" --trim "$start" "$stop" "$trace"
	ok "$name: trimmed" cmp "$OUT" "$TAP_TMP/trim.json"
	between "$name: trimmed to something" "$(grep -c '^\[' "$OUT")" 2 \
		"$(($(grep -c '^\[' "$TAP_TMP/want.json") - 1))"
	"$BIN/spantospan" "$usec" <"$TAP_TMP/want.json" 2>/dev/null >"$TAP_TMP/merge.json"
	run /dev/null "$TOOL" --json --title "$title" --merge "$usec" "$trace"
	ok "$name: merged" cmp "$OUT" "$TAP_TMP/merge.json"
	"$BIN/spantospan" "$usec" <"$TAP_TMP/trim.json" 2>/dev/null |
		"$BIN/makeself" "$TEMPLATE" >"$TAP_TMP/want.html" 2>/dev/null
	run /dev/null "$TOOL" --template "$TEMPLATE" --title "$title" --trim "$start" "$stop" \
		--merge "$usec" "$trace"
	ok "$name: trimmed and merged, as a page" cmp "$OUT" "$TAP_TMP/want.html"
}

same good "$GOOD" good 11.00000180 11.00001000 1
xz -dc tests/golden/stock.trace.xz >"$TAP_TMP/stock.trace"
same golden "$TAP_TMP/stock.trace" golden 16.2 16.4 10
# Makes the recording 3000 times as long: from 1000 s on, start times have more digits.
cp "$TAP_TMP/stock.trace" "$TAP_TMP/long.trace"
put_word "$TAP_TMP/long.trace" 5 $(($(word "$TAP_TMP/long.trace" 3) +
	($(word "$TAP_TMP/long.trace" 5) - $(word "$TAP_TMP/long.trace" 3)) * 3000))
same long "$TAP_TMP/long.trace" long 900 1200 10
run /dev/null "$TOOL" --json "$TAP_TMP/long.trace"
cp "$OUT" "$TAP_TMP/long.json"
like "long: beyond 999 s" "$(tail -n 3 "$TAP_TMP/long.json" | head -n 1)" '^\[ *1[0-9]{3}\.'
run /dev/null "$TOOL" --template "$TEMPLATE" "$TAP_TMP/long.trace"
"$BIN/unmakeself" <"$OUT" >"$TAP_TMP/back.json" 2>"$ERR"
ok "long: the page gives the JSON back to the byte" cmp "$TAP_TMP/back.json" "$TAP_TMP/long.json"
while read -r name start stop; do
	if reference "$name.trace"; then
		same "$name" "$REFERENCE/$name.trace" 'a "title" \ <b>' "$start" "$stop" 2.5
	else
		skip "$name" "no reference traces"
	fi
done <<'X'
k61-2cpu 11.5 12
k61-4cpu 35.9 36.3
X

# Makes enough rows for many sorted runs, most of which go to the temporary file.
built "$BUILD/bench/gen_trace"
"$BUILD/bench/gen_trace" "$TAP_TMP/stock.trace" 12 "$TAP_TMP/large.trace"
same large "$TAP_TMP/large.trace" large 20 30 50
run /dev/null env KUTRACE_PROGRESS=always "$TOOL" --template "$TEMPLATE" --merge 50 "$TAP_TMP/large.trace"
is "progress: the phases of a large one, in order" "$(sed -n 's/^rawtohtml: \(.*\) [0-9]* %, .*/\1/p' "$ERR" | uniq | tr '\n' ' ')" \
	"looking through reading counting packing finding "
is "progress: none goes back" "$(sed -n 's/^rawtohtml: \(.*\) \([0-9]*\) %, .*/\1 \2/p' "$ERR" |
	awk '{ p = $NF; $NF = "" } $0 == last && p < before { print } { last = $0; before = p }')" ""
$DEFAULTS "$TOOL" --json "$TAP_TMP/large.trace" 2>"$ERR" | head -n 1 >/dev/null
is "| head -1 is a closed pipe" "${PIPESTATUS[0]} $(cat "$ERR")" "141 "
STATUS=0
TMPDIR=/nonexistent "$TOOL" --json "$TAP_TMP/large.trace" >"$OUT" 2>"$ERR" || STATUS=$?
expect "no room for temporary files" 1 '^rawtohtml: cannot create a temporary file: No such file or directory; try TMPDIR=DIR'
silent "no room for temporary files: no output"
rm -f "$TAP_TMP/large.trace"

# --spans N: at most N spans remain. The total time is conserved, and spans between marks stay if the
# limit permits.
full=$TAP_TMP/full.json
"$TOOL" --json "$TAP_TMP/stock.trace" >"$full" 2>/dev/null
rows=$(grep -c '^\[' "$full")
# marked: prints the rows between marks, by the rule of transform/merge.h, without the trailer.
marked()	# JSON
{
	awk -F '[][, ]+' -v marks="$full" '
	function label(text) { sub(/.*mark_a=/, "", text); sub(/".*/, "", text); return text }
	BEGIN {
		while ((getline <marks) > 0) {
			if (!/"mark_a=/) continue
			at = $2
			l = label($0)
			if (l !~ /^\//) { open[substr(l, 1, 5)] = at; continue }
			l = substr(l, 2, 5)
			if (l in open) { from[++n] = open[l]; to[n] = at; delete open[l] }
		}
	}
	/^\[ / {
		for (i = 1; i <= n; i++)
			if ($2 + 0 <= to[i] + 0 && ($3 + 0 ? $2 + $3 > from[i] + 0 : $2 + 0 >= from[i] + 0)) { print; next }
	}' "$1"
}
# busy: prints the execution time on each CPU, in units of 10 ns.
busy()
{
	awk -F '[][, ]+' '/^\[ / && $4 >= 0 && ($7 >= 65536 || ($7 >= 1024 && $7 < 4096)) { t[$4] += $3 * 1e8 }
		END { for (c in t) printf "%d:%.0f ", c, t[c] }' "$1"
}
inside=$(marked "$full" | wc -l)
between "marks enclose most of the golden trace" "$inside" 10000 $((rows - 500))
# With this limit, half of the rows outside marks fit.
most=$((inside + (rows - inside) / 2))
run /dev/null "$TOOL" --json --spans $most "$TAP_TMP/stock.trace"
cp "$OUT" "$TAP_TMP/thin.json"
is "--spans: exit status" "$STATUS" 0
between "--spans: number of spans" "$(grep -c '^\[ ' "$OUT")" "$inside" $most
like "--spans: the message has the numbers" "$(cat "$ERR")" "merged, except the $inside between marks: $(grep -c '^\[ ' "$OUT") of $((rows - 1)) are left\$"
marked "$full" >"$TAP_TMP/marked"
marked "$TAP_TMP/thin.json" >"$TAP_TMP/thin.marked"
is "--spans: spans between marks are unchanged" "$(comm -23 <(sort "$TAP_TMP/marked") <(sort "$TAP_TMP/thin.marked") | wc -l)" 0
is "--spans: no time is lost" "$(busy "$TAP_TMP/thin.json")" "$(busy "$full")"
run /dev/null "$TOOL" --json --spans 2k "$TAP_TMP/stock.trace"
between "--spans below the number between marks: number of spans" "$(grep -c '^\[ ' "$OUT")" 500 2000
like "--spans below the number between marks: message" "$(cat "$ERR")" 'also the [0-9]+ between marks'
is "--spans below the number between marks: no time is lost" "$(busy "$OUT")" "$(busy "$full")"
run /dev/null "$TOOL" --json --spans 1M "$TAP_TMP/stock.trace"
ok "--spans more than there are: nothing changes" cmp "$OUT" "$full"
for wrong in 0 -1 M 1X 1MM x ''; do
	run /dev/null "$TOOL" --json --spans "$wrong" "$GOOD"
	expect "--spans '$wrong'" 2 '^rawtohtml: --spans: bad number'
done
run /dev/null "$TOOL" --json --spans 5 --merge 5 "$GOOD"
expect "--spans and --merge" 2 '^rawtohtml: --merge cannot be used with --spans'
# Makes a large page. With small runs (KP_SMALL_LOADS), few spans are enough.
if [ -x "$BUILD/san/bin/rawtohtml" ]; then
	run /dev/null "$BUILD/san/bin/rawtohtml" --template "$TEMPLATE" "$TAP_TMP/stock.trace"
	like "a large page: message about the browser's memory" "$(cat "$ERR")" 'M spans: a browser needs about [0-9.]+ GB'
	like "a large page: the message has the effect of --spans" "$(cat "$ERR")" '--spans .* would merge spans shorter than about [0-9.]+ us.*; a browser would then need [0-9.]+ GB'
	for fewer in "--merge 0.01" "--spans 2500"; do
		run /dev/null "$BUILD/san/bin/rawtohtml" --template "$TEMPLATE" $fewer "$TAP_TMP/stock.trace"
		is "a large page, $fewer: message about the browser's memory" "$(grep -cE 'M spans: a browser needs about [0-9.]+ GB' "$ERR")" 1
		is "a large page, $fewer: no advice" "$(grep -c ' would merge spans' "$ERR")" 0
	done
	run /dev/null "$BUILD/san/bin/rawtohtml" --json "$TAP_TMP/stock.trace"
	is "--json: no message about a browser, even for a large trace" "$(grep -c browser "$ERR")" 0
else
	skip "a large page" "no sanitized filters are built"
fi

KUTRACE_PROGRESS=never run /dev/null "$TOOL" --template "$TEMPLATE" "$TAP_TMP/long.trace"
is "progress: none if it is turned off" "$(grep -c '%' "$ERR")" 0

# every readable trace of the corpus, including damaged ones
different=
for trace in "$TRACES"/*.trace; do
	pipeline "$trace" t
	tail -n 1 "$TAP_TMP/want.json" | grep -q '^]}' || continue
	run /dev/null "$TOOL" --json --title t "$trace"
	cmp -s "$OUT" "$TAP_TMP/want.json" || different="$different $(basename "$trace")"
	"$BIN/makeself" "$TEMPLATE" <"$TAP_TMP/want.json" >"$TAP_TMP/want.html" 2>/dev/null
	run /dev/null "$TOOL" --template "$TEMPLATE" --title t "$trace"
	cmp -s "$OUT" "$TAP_TMP/want.html" || different="$different $(basename "$trace") (page)"
done
is "every readable trace of the corpus gives the pipeline's output" "$different" ""

run "$GOOD" "$TOOL" --json
cp "$OUT" "$TAP_TMP/good.json"
run "$GOOD" "$TOOL" - --json
ok "- is stdin" cmp "$OUT" "$TAP_TMP/good.json"
run /dev/null "$TOOL" --json "$GOOD" -o "$TAP_TMP/file.json"
is "-o exits 0" "$STATUS" 0
ok "-o writes the same to a file" cmp "$TAP_TMP/file.json" "$TAP_TMP/good.json"
silent "-o leaves stdout empty"
run /dev/null "$TOOL" --json "$GOOD" -o /nonexistent/out
expect "-o that cannot be made" 1 '^rawtohtml: cannot write /nonexistent/out: No such file or directory'
run /dev/null "$TOOL" --json "$GOOD" -o /proc/out
expect "-o into a read-only directory" 1 '^rawtohtml: cannot write /proc/out: '
run /dev/null "$TOOL" --json "$GOOD" -o /dev/full
expect "-o on a full disk" 1 '^rawtohtml: cannot write /dev/full: No space left on device'
mkdir -p "$TAP_TMP/dir"
run /dev/null "$TOOL" --json "$GOOD" -o "$TAP_TMP/dir"
expect "-o that is a directory" 1 '^rawtohtml: cannot write .*: Is a directory'
run /dev/null "$TOOL" --json "$TRACES/zeros.trace" -o "$TAP_TMP/untouched"
expect "an invalid trace" 1 '^rawtohtml: .*zeros.trace: block 0, word 1: version'
is "an invalid trace leaves no file" "$(ls "$TAP_TMP/untouched" 2>/dev/null)" ""
run /dev/null "$TOOL" --json "$TRACES/nonexistent"
expect "no such file" 1 '^rawtohtml: cannot read .*/nonexistent: No such file or directory'
run /dev/null "$TOOL" --template /nonexistent "$GOOD"
expect "no such template" 1 '^rawtohtml: .*/nonexistent: No such file'
silent "no such template: no output"
for bad in '--trim 1' '--trim' '--trim a b' '--trim 2 1' '--trim -1 1' '--trim 1 1e3' '--merge' \
	'--merge x' '--merge -1' '--title' '-o' '--template' "$GOOD $GOOD" '--frobnicate' \
	"--json --template $TEMPLATE"; do
	# shellcheck disable=SC2086 # several arguments
	run "$GOOD" "$TOOL" $bad
	expect "usage: $bad" 2 '^rawtohtml: '
done

tap_end
