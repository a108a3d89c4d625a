#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests makeself: the common checks, both kinds of template, and names that try to break out of the
# page. tests/viewer tests what the page shows.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

TOOL=$BIN/makeself
GOOD=$DATA/good.json
TEMPLATE=$DATA/template.html
common_checks makeself "$GOOD" "$(realpath "$TEMPLATE")"

run "$GOOD" "$TOOL" "$TEMPLATE"
cp "$OUT" "$TAP_TMP/page.html"
is "the page begins as the template" "$(head -n 2 "$OUT")" "$(head -n 2 "$TEMPLATE")"
is "the page ends as the template" "$(tail -n 1 "$OUT")" "$(tail -n 1 "$TEMPLATE")"
is "the marker is gone" "$(grep -c 'kutrace-data -->' "$OUT")" 0
like "the page has the header" "$(tr '\n' ' ' <"$OUT")" 'id="kutrace-header">[^<]*"title" ?: ?"good"'
like "the page has its end mark, with all spans" "$(cat "$OUT")" 'id="kutrace-end">\{"chunks":[0-9]+,"spans":10,'
unlike "nothing is fetched from elsewhere" "$(cat "$OUT")" '(src|href)="?https?:'

for n in '</script><script>alert(1)</script>' '<!--<script>' ']]>' "it's" 'back\\slash' '\"quoted\"' '\n\u2028'; do
	{ sed -n '1,/^"events"/p' "$GOOD" | sed "s|\"good\"|\"$(printf %s "$n" | sed 's/[\\&|]/\\&/g')\"|"
		printf '[ 11.00000100, 0.00000100, 0, 51, 0, 65587, 0, 0, 0, "%s"],\n' "$n"
		tail -n 2 "$GOOD"; } >"$TAP_TMP/hostile.json"
	run "$TAP_TMP/hostile.json" "$TOOL" "$TEMPLATE"
	is "title and name $n: exit status" "$STATUS" 0
	is "title and name $n: no script more or less" \
		"$(grep -o -i '</script' "$OUT" | wc -l) $(grep -o -i '<script' "$OUT" | wc -l) $(grep -c '<!--' "$OUT")" \
		"$(grep -o -i '<script' "$OUT" | wc -l) $(grep -o -i '</script' "$OUT" | wc -l) 0"
	unlike "title and name $n: not as it is" "$(cat "$OUT")" 'alert\(1\)</script>'
done

run "$GOOD" "$TOOL" "$DATA/original.html"
is "an original template: exit status" "$STATUS" 0
is "an original template: its JSON is all of the input on one line" \
	"$(sed -n "s/^var myString = '\(.*\)';\$/\1/p" "$OUT" | tr -d ' ')" \
	"$(tr -d ' \n' <"$GOOD")"
like "an original template: its link to d3 stays" "$(cat "$OUT")" '^<script src="https://d3js.org/d3.v4.min.js">'
echo 'var d3 = "inlined";' >"$TAP_TMP/d3.js"
run "$GOOD" "$TOOL" "$DATA/original.html" --d3 "$TAP_TMP/d3.js"
like "--d3 puts the library inside" "$(cat "$OUT")" '^var d3 = "inlined";'
unlike "--d3 removes the link" "$(cat "$OUT")" 'src="https:'
run "$GOOD" "$TOOL" "$DATA/original.html" --d3 /nonexistent
expect "--d3 with no such file" 1 "^makeself: .*/nonexistent: No such file"
silent "--d3 with no such file: no output"

run "$GOOD" "$TOOL" /nonexistent
expect "no such template" 1 "^makeself: .*/nonexistent: No such file"
silent "no such template: no output"
run "$GOOD" "$TOOL" /tmp
expect "a directory as template" 1 "^makeself: .*/tmp: .*[Dd]irectory"
silent "a directory as template: no output"
: >"$TAP_TMP/e.trace"
run /dev/null "$TOOL" "$TAP_TMP/e.trace"
expect "an empty file" 1 "^makeself: $TAP_TMP/e.trace is empty$"
silent "an empty file: no output"
run "$GOOD" "$TOOL" "$TEMPLATE" "$TEMPLATE"
expect "two templates" 2 "^makeself: "
run "$GOOD" "$TOOL" "$TEMPLATE" --d3
expect "--d3 without a name" 2 "^makeself: --d3 "

run "$DATA/broken/cut-after-row.json" "$TOOL" "$TEMPLATE"
expect "JSON that is cut" 1 "^makeself: JSON cut off after line 18"
unlike "gives a page without its end" "$(cat "$OUT")" 'kutrace-end|</html>'

# many N: prints a trace of N spans, in which CPU 0 is busy for the first quarter of every microsecond
many()
{
	sed -n '1,/^"events"/p' "$GOOD"
	awk -v n="$1" 'BEGIN {
		for (i = 0; i < n / 2; i++) {
			t = 100 * i
			printf "[ 11.%08d, 0.00000025, 0, 51, 0, 65587, 0, 0, 0, \"work.51\"],\n", t
			printf "[ 11.%08d, 0.00000075, 0, 0, 0, 65536, 0, 0, 0, \"-idle-\"],\n", t + 25
		}
		if (n % 2)
			print "[ 11.99999999, 0.00000001, 60000, 0, 0, 65536, 0, 0, 0, \"-idle-\"],"
	}'
	tail -n 2 "$GOOD"
}
# bytes_of FILE STRING N: prints the bytes of the page's element STRING, N per line.
bytes_of()
{
	sed -n 's/.*id="kutrace-overview">.*"'"$2"'":"\([^"]*\)".*/\1/p' "$1" | base64 -d >"$TAP_TMP/z"
	{ printf '\037\213\010\0\0\0\0\0\0\3'; tail -c +3 "$TAP_TMP/z"; } | gzip -dc 2>/dev/null |
		od -An -v "-w$3" -tu1
}
commonest()
{
	sort | uniq -c | sort -rn | head -n 1 | awk '{ print $2, $3 }'
}
# shares: prints the shares of idle and of user code in most intervals.
shares()
{
	bytes_of "$1" shares 10 | awk '{ print $1, $4 }' | commonest
}
many 200001 >"$TAP_TMP/many.json"
run "$TAP_TMP/many.json" "$TOOL" "$TEMPLATE"
is "200,003 spans: exit status" "$STATUS" 0
like "200,003 spans have an overview, before the data" "$(grep -A 1 'id="kutrace-overview"' "$OUT" | tr '\n' ' ')" \
	'"spans":200003,"first":1100000000,"last":1200000000,"width":65536,"bins":1526,"cpus":\[0,60000\],"programs":\[\[51,"work.51"\]\],"mostBytes":[0-9]+,"most":"[^"]+","bytes":30520,"shares":".*</script> *<script [^>]*data-kutrace="gap"'
many 200000 >"$TAP_TMP/even.json"
run "$TAP_TMP/even.json" "$TOOL" "$TEMPLATE"
is "the overview has the right shares: three quarters idle, one quarter user code, of 255" "$(shares "$OUT")" "191 64"
# 1 + number of user code + 10 * pid 51 = 514, stored as the bytes 130 and 4, with 7 bits in each
is "the longest part of a stretch is user code of pid 51" "$(bytes_of "$OUT" most 2 | awk '{ print $1, $2 }' | commonest)" "130 4"
# The overview has a row for each of the 64 lowest CPUs, whatever their numbers and their order in the
# trace are.
{
	sed -n '1,/^"events"/p' "$GOOD"
	awk 'BEGIN {
		for (i = 0; i < 1000; i++) for (cpu = 699; cpu >= 500; cpu--)
			printf "[ 11.%08d, 0.%08d, %d, %d, 0, %d, 0, 0, 0, \"<%d>.%d\"],\n", 2000 * i, 20 * (cpu - 499),
				cpu, cpu, 65536 + cpu, cpu, cpu
	}'
	tail -n 2 "$GOOD"
} >"$TAP_TMP/cpus.json"
run "$TAP_TMP/cpus.json" "$TOOL" "$TEMPLATE"
bins=$(sed -n 's/.*id="kutrace-overview">.*"bins":\([0-9]*\).*/\1/p' "$OUT")
is "200 CPUs have 64 rows" "$(bytes_of "$OUT" shares 10 | wc -l)" $((64 * bins))
is "these are the lowest CPUs: 500 is busy for a hundredth, 563 for 64 hundredths" \
	"$(bytes_of "$OUT" shares $((10 * bins)) | awk '{ n = 0; for (i = 4; i <= NF; i += 10) n += $i
		if (NR == 1 || NR == 64) printf "%.2f ", n / 255 / (NF / 10) }')" "0.01 0.64 "
like "the overview has the programs of these CPUs, as text" "$(grep -o '"programs":\[.*"mostBytes"' "$OUT")" '\[500,"\\u003c500>\.500"\].*\[563,"\\u003c563>\.563"\]'
unlike "the overview has no other programs" "$(grep -o '"programs":\[.*"mostBytes"' "$OUT")" '\[564,|\[699,|<'
many 199998 >"$TAP_TMP/few.json"
run "$TAP_TMP/few.json" "$TOOL" "$TEMPLATE"
is "fewer have none" "$STATUS $(grep -c kutrace-overview "$OUT")" "0 0"
sed -i '18{h;d};30{G}' "$TAP_TMP/many.json"
run "$TAP_TMP/many.json" "$TOOL" "$TEMPLATE"
is "rows that are out of order give no overview" "$STATUS $(grep -c kutrace-overview "$OUT")" "0 0"

# Makes more spans than makeself stores in memory. The overview is then complete only after the last span.
# makeself writes it to space that it reserved before the data of a file, or after the data of a pipe.
{
	many 200001 | head -n -2
	awk 'BEGIN {
		for (long = "x"; length(long) < 60000; )
			long = long long
		long = substr(long, 1, 60000)
		for (i = 0; i < 90; i++)
			printf "[ 12.%08d, 0.00000010, 0, 51, 0, 65587, 0, 0, 0, \"%d%s.51\"],\n", 1000 * i, i, long
	}'
	tail -n 2 "$GOOD"
} >"$TAP_TMP/large.json"
places()
{
	grep -o 'id="kutrace-overview"\|data-kutrace="names"\|id="kutrace-end"' "$1" | uniq | tr '\n' ' '
}
"$TOOL" "$TEMPLATE" <"$TAP_TMP/large.json" >"$TAP_TMP/large.html"
is "a large page in a file has the overview before the data" "$? $(places "$TAP_TMP/large.html")" \
	'0 id="kutrace-overview" data-kutrace="names" id="kutrace-end" '
"$TOOL" "$TEMPLATE" <"$TAP_TMP/large.json" | cat >"$TAP_TMP/piped.html"
is "a large page in a pipe has the overview after the data" "$? $(places "$TAP_TMP/piped.html")" \
	'0 data-kutrace="names" id="kutrace-overview" id="kutrace-end" '
: >"$TAP_TMP/added.html"
"$TOOL" "$TEMPLATE" <"$TAP_TMP/large.json" >>"$TAP_TMP/added.html"
is "a large page appended to a file has the overview after the data" "$? $(cmp "$TAP_TMP/added.html" "$TAP_TMP/piped.html" && echo same)" "0 same"
overview_of()
{
	sed -n 's/.*id="kutrace-overview">\(.*[^ ]\) *<.script>.*/\1/p' "$1"
}
like "with all spans" "$(overview_of "$TAP_TMP/large.html")" '^{"spans":200093,.*"shares":"[^"]*"}$'
is "a page in a file and a page in a pipe have the same overview" "$(overview_of "$TAP_TMP/large.html")" "$(overview_of "$TAP_TMP/piped.html")"
is "except for the space for the overview, both pages are the same" "$(grep -v kutrace-overview "$TAP_TMP/large.html" | cksum)" \
	"$(grep -v kutrace-overview "$TAP_TMP/piped.html" | cksum)"
"${TOOL%/*}/unmakeself" <"$TAP_TMP/large.html" >"$TAP_TMP/back.json" 2>"$ERR"
is "the large page gives its JSON back" "$? $(cmp "$TAP_TMP/back.json" "$TAP_TMP/large.json" && echo same)" "0 same"

# Tests a page that counts as large. With small runs (KP_SMALL_LOADS), few spans are enough.
if [ -x "$BUILD/san/bin/makeself" ]; then
	xz -dc tests/golden/stock.json.xz >"$TAP_TMP/stock.json"
	run "$TAP_TMP/stock.json" "$BUILD/san/bin/makeself" "$TEMPLATE"
	like "a large page: message about the browser's memory" "$(cat "$ERR")" 'M spans: a browser needs about [0-9.]+ GB'
	run "$GOOD" "$BUILD/san/bin/makeself" "$TEMPLATE"
	is "a small page: no message" "$(cat "$ERR")" ""
else
	skip "a large page" "no sanitized filters are built"
fi

if reference k61-2cpu.json; then
	run "$REFERENCE/k61-2cpu.json" "$TOOL" "$TEMPLATE"
	is "the original's JSON" "$STATUS" 0
	like "the original's JSON has all its spans" "$(tail -n 5 "$OUT")" '"spans":80326,'
	between "packed to a fraction" "$(wc -c <"$OUT")" 10000 800000
	# output to a pipe without a reader
	mkfifo "$TAP_TMP/pipe"
	exec 7<>"$TAP_TMP/pipe" 8>"$TAP_TMP/pipe" 7>&-
	$DEFAULTS "$TOOL" "$TEMPLATE" <"$REFERENCE/k61-2cpu.json" 2>"$ERR" >&8
	is "a closed pipe" "$? $(cat "$ERR")" "141 "
else
	skip "the original's JSON" "no reference traces"
fi

tap_end
