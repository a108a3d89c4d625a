#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests unmakeself: the common checks, and that the exact JSON of a page comes back, from our
# pages and from pages of the original.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

TOOL=$BIN/unmakeself
GOOD=$DATA/good.json
TEMPLATE=$DATA/template.html
PAGE=$TAP_TMP/good.html
"$BIN/makeself" "$TEMPLATE" <"$GOOD" >"$PAGE"
common_checks unmakeself "$PAGE"

# round NAME JSON [TEMPLATE]: passes if JSON -> page -> JSON gives the same JSON.
round()
{
	"$BIN/makeself" "${3:-$TEMPLATE}" <"$2" >"$TAP_TMP/page.html" 2>"$ERR"
	run /dev/null "$TOOL" "$TAP_TMP/page.html"
	if [ "$STATUS" != 0 ]; then
		fail "$1" "exit status $STATUS: $(head -c 300 "$ERR")"
	else
		ok "$1" cmp "$OUT" "$2"
	fi
}
row()
{
	{ sed -n '1,/^"events"/p' "$GOOD"; cat; tail -n 2 "$GOOD"; } >"$TAP_TMP/row.json"
}

for template in "$TEMPLATE" "$DATA/original.html"; do
	t=$(basename "$template" .html)
	round "$t: good" "$GOOD" "$template"
	row </dev/null
	round "$t: no rows" "$TAP_TMP/row.json" "$template"
	# rows on several CPUs have the same start; some of them are no execution
	for cpu in -1 0 1 10 2 255 65535; do
		for dur in 0.00000000 0.00000001 0.00000010; do
			printf '[ 11.00000100, %s, %s, 51, 0, 65587, 0, 0, 0, "b"],\n' "$dur" "$cpu"
			printf '[ 11.00000100, %s, %s, 51, 0, 518, 0, 0, 0, "a"],\n' "$dur" "$cpu"
		done
	done | LC_ALL=C sort | row
	round "$t: many at the same time" "$TAP_TMP/row.json" "$template"
	printf '[ 11.00000100, 0.00000100, 0, -1, -1, -7, -5, 2251799813685247, -1, "%s"],\n' \
		'it'"'"'s </script> \\ \" \n \u0001 \u007f <!-- é 漢 ]]>' | row
	round "$t: hostile name, large and negative numbers" "$TAP_TMP/row.json" "$template"
	sed 's|"good"|"a </script> <b> \\\\u003c \\\\ \\" it'"'"'s"|; s|"flags" : 3|"flags" : {"<x>": [1, "<", -1.50e3]}|' \
		"$GOOD" >"$TAP_TMP/header.json"
	like "$t: the header to be is hostile" "$(cat "$TAP_TMP/header.json")" '</script> <b> \\\\u003c'
	round "$t: hostile header" "$TAP_TMP/header.json" "$template"
	sed 's/^\[ 11\.00000/[  1100.00000/' "$GOOD" >"$TAP_TMP/wide.json"
	round "$t: beyond 999 s" "$TAP_TMP/wide.json" "$template"
	sed 's/^\[ 11\.00000/[    11.00000/' "$GOOD" >"$TAP_TMP/wide.json"
	round "$t: a field wider than needed" "$TAP_TMP/wide.json" "$template"
done

# this page is written by hand in the original's form: only quotes are escaped
{ sed '/selfcontained2/,$d' "$DATA/original.html"
	printf "var myString = '"
	tr '\n' ' ' <"$GOOD"
	printf "';\n"
	sed '1,/selfcontained1/d' "$DATA/original.html"; } >"$TAP_TMP/theirs.html"
run "$TAP_TMP/theirs.html" "$TOOL"
ok "a page of the original's" cmp "$OUT" "$GOOD"

# pages of the book have a header key twice: the last value is valid, as in a browser
sed 's/"Comment" : "[^"]*",/"Comment" : "of before", &/' "$TAP_TMP/theirs.html" >"$TAP_TMP/twice.html"
is "a header key twice: the page has both" "$(grep -o '"Comment"' "$TAP_TMP/twice.html" | wc -l)" 2
run "$TAP_TMP/twice.html" "$TOOL"
is "a header key twice: exit status" "$STATUS" 0
cp "$OUT" "$TAP_TMP/twice.json"
run "$TAP_TMP/twice.json" "$BIN/makeself" "$DATA/template.html"
is "a header key twice: makeself reads the output" "$STATUS" 0
run "$TAP_TMP/twice.json" "$BIN/spantospan" 0.01
is "the last one counts" "$(grep -o '"Comment" : "[^"]*"' "$OUT")" "$(grep -o '"Comment" : "[^"]*"' "$GOOD")"

if [ -f build/demo/demo.json ]; then
	round "the demo" build/demo/demo.json
fi
if reference k61-4cpu.json; then
	round "the original's JSON, 4 CPUs" "$REFERENCE/k61-4cpu.json"
	round "the same in a page of the original's" "$REFERENCE/k61-4cpu.json" "$DATA/original.html"
else
	skip "the original's JSON" "no reference traces"
fi
# makes more rows than fit into a chunk of the page
awk 'BEGIN { for (i = 0; i < 1100000; i++)
	printf "[%12.8f, 0.00000100, %d, 51, 0, 65587, %d, 0, 0, \"w.51\"],\n", i / 1e6, i % 2, i % 7 }' |
	row
round "more than a chunk of rows" "$TAP_TMP/row.json"

# the page is large enough for an overview, which unmakeself must not print
{
	sed -n '1,/^"events"/p' "$DATA/good.json"
	awk 'BEGIN {
		for (i = 0; i < 200000; i++)
			printf "[ 11.%08d, 0.00000010, %d, 51, 0, 65587, 0, 0, 0, \"work.51\"],\n", 10 * i, i % 3
	}'
	tail -n 2 "$DATA/good.json"
} >"$TAP_TMP/many.json"
"$BIN/makeself" "$TEMPLATE" <"$TAP_TMP/many.json" >"$TAP_TMP/many.html"
is "a page with an overview" "$(grep -c kutrace-overview "$TAP_TMP/many.html")" 1
run "$TAP_TMP/many.html" "$TOOL"
is "a page with an overview gives its JSON back" "$STATUS $(cmp "$OUT" "$TAP_TMP/many.json" && echo same)" "0 same"
sed '/id="kutrace-overview"/{s/<\/script>//;q}' "$TAP_TMP/many.html" >"$TAP_TMP/cut.html"
run "$TAP_TMP/cut.html" "$TOOL"
expect "cut off inside the overview" 1 '^unmakeself: .*cut off inside its overview'

# incomplete pages
size=$(wc -c <"$PAGE")
bad=
for part in 1 50 90; do
	head -c $((size * part / 100)) "$PAGE" >"$TAP_TMP/cut.html"
	run "$TAP_TMP/cut.html" "$TOOL"
	[ "$STATUS" = 1 ] && ! grep -q '^]}' "$OUT" || bad="$bad $part%"
done
is "a page that is cut" "$bad" ""
sed 's/"spans":10/"spans":11/' "$PAGE" >"$TAP_TMP/count.html"
run "$TAP_TMP/count.html" "$TOOL"
expect "spans missing" 1 '^unmakeself: .*10 of 11 spans'
silent "spans missing: no output"
sed '/data-kutrace="dur"/d' "$PAGE" >"$TAP_TMP/element.html"
run "$TAP_TMP/element.html" "$TOOL"
expect "an element missing" 1 '^unmakeself: .*[0-9]+ of [0-9]+ elements'
sed '/data-kutrace="gap"/s/>eN../>eNAA/; /data-kutrace="gap"/s/....<\/script/AAAA<\/script/' "$PAGE" >"$TAP_TMP/bits.html"
run "$TAP_TMP/bits.html" "$TOOL"
expect "other bits" 1 '^unmakeself: .*gap: '
unlike "changed bits give no complete output" "$(cat "$OUT")" '^]}'
run "$TEMPLATE" "$TOOL"
expect "a page without a trace" 1 '^unmakeself: .*not a page with a trace'
run /dev/null "$TOOL" a b
expect "two pages" 2 '^unmakeself: more than one page: b'
STATUS=0
TMPDIR=/nonexistent "$TOOL" >"$OUT" 2>"$ERR" < <(cat "$PAGE") || STATUS=$?
expect "no room for a copy of a pipe" 1 '^unmakeself: .*cannot create a temporary file'

tap_end
