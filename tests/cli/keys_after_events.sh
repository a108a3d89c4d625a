#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests span JSON with keys after the events, as the original's page exports them: callouts
# ("extra") and views ("savedview"). Every reader accepts them. Filters that write JSON or pages
# pass them on, and they stay at the end when the lines are sorted.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

GOOD=$DATA/good.json
# The original's page exports these lines in place of the last line of the JSON, with one view per line.
{
	sed '$d' "$GOOD"
	cat <<'X'
],
"extra" : [
  [11.000001,0.0000005,0,51,0,65587,0,0,0,"a callout"],
  [11.000002,0.0000005,0,51,0,65587,0,0,0,"an \\ other's </script>"]
],
"savedview" : [
  ["&#x21d0;", {"savedtransformX":{"k":891.5520609756106,"x":-230419.99283171,"y":0},"rangeX":1396,"xleft_ts":11.000001,"xright_ts":11.000005,"grouplength":[4,54,0,0]}],
  ["&#x2780;", null]
]}
X
} >"$TAP_TMP/exported.json"
TAIL='], "extra" : \[   \[11.000001,.*"an \\\\ other.s </script>"\] \], "savedview" : \[   \["&#x21d0;", .*\],   \["&#x2780;", null\] \]\}$'

# has_tail NAME FILE: passes if the last line of FILE begins with $TAIL.
has_tail()
{
	like "$1" "$(tail -n 1 "$2")" "^$TAIL"
}

run "$TAP_TMP/exported.json" "$BIN/spantotrim" 0
is "spantotrim reads the keys" "$STATUS $(cat "$ERR")" "0 "
has_tail "spantotrim passes the keys on, in one line" "$OUT"
cp "$OUT" "$TAP_TMP/in.json"
ok "the other lines are unchanged" \
	cmp <(sed '$d' "$TAP_TMP/in.json") <(sed '$d' "$GOOD")
LC_ALL=C sort "$TAP_TMP/in.json" >"$TAP_TMP/sorted.json"
ok "sorting the lines keeps the keys at the end" cmp "$TAP_TMP/sorted.json" "$TAP_TMP/in.json"
shuf --random-source="$GOOD" "$TAP_TMP/in.json" | LC_ALL=C sort >"$TAP_TMP/sorted.json"
ok "sorting from any order of lines keeps the keys at the end" cmp "$TAP_TMP/sorted.json" "$TAP_TMP/in.json"
run "$TAP_TMP/in.json" "$BIN/spantotrim" 0
ok "a second pass gives the same bytes" cmp "$OUT" "$TAP_TMP/in.json"

while read -r filter args; do
	# shellcheck disable=SC2086 # several arguments
	run "$TAP_TMP/in.json" "$BIN/$filter" $args
	is "$filter $args" "$STATUS" 0
	has_tail "$filter $args passes them on" "$OUT"
	# shellcheck disable=SC2086
	cat "$TAP_TMP/in.json" | "$BIN/$filter" $args >"$TAP_TMP/piped" 2>/dev/null
	ok "$filter $args: a pipe gives the same" cmp "$TAP_TMP/piped" "$OUT"
	sed '$s/.*/]}/' "$OUT" >"$TAP_TMP/without"
	# shellcheck disable=SC2086
	run "$GOOD" "$BIN/$filter" $args
	ok "$filter $args: the other output is the same as without the keys" cmp "$OUT" "$TAP_TMP/without"
done <<'X'
spantotrim 11.000001 11.000004
spantotrim 0.000003
spantotrim -0.000003
spantotrim --state 11.000001 11.000004
spantotrim --pid 51
spantotrim work
spantospan 0
spantospan 1
X
if [ -x "$BIN/samptoname" ]; then
	run "$TAP_TMP/in.json" "$BIN/samptoname"
	ok "samptoname" cmp "$OUT" "$TAP_TMP/in.json"
fi

# filters that print a report accept the keys, and their reports do not change
for report in spantoprof 'spantowhy --pid 51'; do
	# shellcheck disable=SC2086
	run "$GOOD" "$BIN/"$report
	cp "$OUT" "$TAP_TMP/want"
	_want=$STATUS
	# shellcheck disable=SC2086
	run "$TAP_TMP/in.json" "$BIN/"$report
	is "$report" "$STATUS" "$_want"
	ok "$report: the report is the same as without the keys" cmp "$OUT" "$TAP_TMP/want"
done
run /dev/null "$BIN/spandiff" "$TAP_TMP/exported.json" "$TAP_TMP/in.json"
is "spandiff" "$STATUS" 0

# --- pages ------------------------------------------------------------------------

for template in "$DATA/template.html" "$DATA/original.html"; do
	name=$(basename "$template" .html)
	run "$TAP_TMP/in.json" "$BIN/makeself" "$template"
	is "$name: a page is made" "$STATUS" 0
	cp "$OUT" "$TAP_TMP/page.html"
	like "$name: the page has the views" "$(cat "$OUT")" 'savedview'
	run "$TAP_TMP/page.html" "$BIN/unmakeself"
	ok "$name: unmakeself returns the exact JSON" cmp "$OUT" "$TAP_TMP/in.json"
	"$BIN/unmakeself" <"$TAP_TMP/page.html" 2>/dev/null | "$BIN/makeself" "$template" 2>/dev/null |
		"$BIN/unmakeself" >"$OUT" 2>/dev/null
	ok "$name: a second round gives the same" cmp "$OUT" "$TAP_TMP/in.json"
done
run "$TAP_TMP/in.json" "$BIN/makeself" "$DATA/template.html"
is "our page has the keys in a separate element, in which no text ends the script" \
	"$(grep -c '^<script type="application/json" id="kutrace-behind">.*other.s \\u003c/script>.*</script>$' "$OUT")" 1
grep -v kutrace-behind "$OUT" >"$TAP_TMP/page.html"
run "$GOOD" "$BIN/makeself" "$DATA/template.html"
ok "the other parts of the page are the same as without the keys" cmp "$OUT" "$TAP_TMP/page.html"
run "$TAP_TMP/in.json" "$BIN/makeself" "$DATA/template.html"
sed '/kutrace-behind/{s/<\/script>//;q}' "$OUT" >"$TAP_TMP/page.html"
run "$TAP_TMP/page.html" "$BIN/unmakeself"
expect "a page that is cut inside the keys" 1 '^unmakeself: .*cut off inside'
run "$TAP_TMP/in.json" "$BIN/makeself" "$DATA/template.html"
sed '/kutrace-behind/s/>{/>{{/' "$OUT" >"$TAP_TMP/page.html"
run "$TAP_TMP/page.html" "$BIN/unmakeself"
expect "a page with damaged keys" 1 '^unmakeself: .*the keys after the events'
unlike "a page with damaged keys: no complete output" "$(tail -n 1 "$OUT")" '\}$'

# this page of the original has views, and blanks in place of newlines, as on the original's web site
{ sed '/selfcontained2/,$d' "$DATA/original.html"
	printf "var myString = '"
	sed "s/\\\\/\\\\\\\\/g; s/'/\\\\'/g; s/<\\/script/<\\\\\\/script/g" "$TAP_TMP/exported.json" | tr '\n' ' '
	printf "';\n"
	sed '1,/selfcontained1/d' "$DATA/original.html"; } >"$TAP_TMP/theirs.html"
run "$TAP_TMP/theirs.html" "$BIN/unmakeself"
ok "a page of the original's with views" cmp "$OUT" "$TAP_TMP/in.json"

# --- views and notes from a separate file (makeself --views) -------------------------

V=$TAP_TMP/views.json
cat >"$V" <<'X'
{
"extra" : [
  [11.000002, 1e-8, -1, 51, -1, -4, 10, -0.4, 0, "it waits </script> here"]
],
"savedview" : [
  ["&#x21d0;", {"xleft_ts":11.000001,"xright_ts":11.000005,"kutrace":"t=11.000001-11.000005&g=CPU"}]
],
"kutrace" : {"version":1,"title":"good","trace":"x"}
}
X
want='], "extra" : [   [11.000002, 1e-8, -1, 51, -1, -4, 10, -0.4, 0, "it waits </script> here"] ], "savedview" : [   ["&#x21d0;", {"xleft_ts":11.000001,"xright_ts":11.000005,"kutrace":"t=11.000001-11.000005&g=CPU"}] ], "kutrace" : {"version":1,"title":"good","trace":"x"}}'
for template in "$DATA/template.html" "$DATA/original.html"; do
	name=$(basename "$template" .html)
	for json in "$GOOD" "$TAP_TMP/in.json"; do
		run "$json" "$BIN/makeself" "$template" --views "$V"
		is "$name, $(basename "$json"): --views" "$STATUS $(cat "$ERR")" "0 "
		cp "$OUT" "$TAP_TMP/page.html"
		run "$TAP_TMP/page.html" "$BIN/unmakeself"
		is "$name, $(basename "$json"): they are behind the events" "$(tail -n 1 "$OUT")" "$want"
		ok "$name, $(basename "$json"): which are as they were" \
			cmp <(sed '$d' "$OUT") <(sed '$d' "$json")
	done
done
run "$GOOD" "$BIN/makeself" "$DATA/template.html" --views "$V"
"$BIN/unmakeself" <"$OUT" 2>/dev/null | "$BIN/makeself" "$DATA/template.html" --views "$V" >"$TAP_TMP/again.html"
ok "--views: from a page into a page gives the same" cmp "$OUT" "$TAP_TMP/again.html"
is "--views: no text ends the script" "$(grep -c 'waits </script>' "$OUT")" 0
# the export of the original has this form on the clipboard
{ echo '],'; sed '1d' "$V"; } >"$TAP_TMP/export.txt"
run "$GOOD" "$BIN/makeself" "$DATA/template.html" --views "$TAP_TMP/export.txt"
ok "--views accepts the original's export" cmp "$OUT" "$TAP_TMP/again.html"
# if the file lacks a key, the trace keeps its own
echo '{"extra" : []}' >"$V"
run "$TAP_TMP/in.json" "$BIN/makeself" "$DATA/template.html" --views "$V"
"$BIN/unmakeself" <"$OUT" >"$TAP_TMP/out.json" 2>/dev/null
like "--views with notes only keeps the views" "$(tail -n 1 "$TAP_TMP/out.json")" '^\], "extra" : \[\], "savedview" : \[   \["&#x21d0;", \{"savedtransformX'
refused()	# NAME REGEX [JSON]
{
	run "${3:-$GOOD}" "$BIN/makeself" "$DATA/template.html" --views "$V"
	expect "--views: $1" 1 "^makeself: $2"
	silent "--views: $1: no output"
}
echo '{"extra" : [], "events" : []}' >"$V"
refused "events" '(bad JSON: )?.*views.json'
echo '{"extra" : [], "title" : "x"}' >"$V"
refused "another key" '.*views.json: key "title" is neither views nor notes'
echo '{"extra" : [], "extra" : []}' >"$V"
refused "a key twice" 'bad JSON: .*views.json.*key "extra" occurs twice'
echo '{}' >"$V"
refused "nothing" '.*views.json: it has no views and no notes'
: >"$V"
refused "an empty file" 'bad JSON: .*views.json: no object of keys'
echo '{"extra" : [' >"$V"
refused "cut off" '(bad )?JSON.*views.json'
echo '{"extra" : []} x' >"$V"
refused "more data after the end" 'bad JSON: .*views.json.*more data after the end'
head -c 300000 /dev/zero >"$V"
refused "zeros" 'bad JSON: .*views.json'
rm "$V"
refused "no such file" 'cannot open views: .*views.json: No such file'
echo '{"extra" : []}' >"$V"
sed 's/^ "title"/ "extra" : 1,\n "title"/' "$GOOD" >"$TAP_TMP/front.json"
run "$TAP_TMP/front.json" "$BIN/makeself" "$DATA/template.html" --views "$V"
expect "--views: a trace with the key before the events" 1 '^makeself: .*key "extra" is already before the events'
unlike "--views: a trace with the key before the events: the page is not complete" "$(cat "$OUT")" '</html>'
printf '{"points" : [\n[0.000213, 0],\n[999.000000, 0]\n]}\n' >"$TAP_TMP/disk.json"
run "$TAP_TMP/disk.json" "$BIN/makeself" "$DATA/original.html" --views "$V"
expect "--views: rows of disk blocks" 1 '^makeself: .*only pages of CPUs have views'

# --- large, damaged ------------------------------------------------------------------

# 3 MB of views, one of them of 1 MB
{
	sed '$d' "$TAP_TMP/in.json"
	printf '], "savedview" : ['
	awk 'BEGIN {
		for (i = 0; i < 100000; i++) printf "%s[\"view %d\", [%d]]", i ? ", " : "", i, i
		printf ", [\"long\", ["
		for (i = 0; i < 300000; i++) printf "%s1", i ? "," : ""
		printf "]]"
	}'
	printf ']}\n'
} >"$TAP_TMP/large.json"
run "$TAP_TMP/large.json" "$BIN/spantotrim" 0
ok "megabytes of views" cmp "$OUT" "$TAP_TMP/large.json"
run "$TAP_TMP/large.json" "$BIN/spantotrim" -- -100
ok "megabytes of views in two passes" cmp <(tail -n 1 "$OUT") <(tail -n 1 "$TAP_TMP/large.json")
"$BIN/makeself" "$DATA/template.html" <"$TAP_TMP/large.json" 2>/dev/null | "$BIN/unmakeself" >"$OUT" 2>"$ERR"
ok "megabytes of views through a page" cmp "$OUT" "$TAP_TMP/large.json"

bad()	# NAME REGEX: passes if spantotrim refuses the file bad.json
{
	run "$TAP_TMP/bad.json" "$BIN/spantotrim" 0
	expect "$1" 1 "$2"
	unlike "$1: no complete output" "$(tail -n 1 "$OUT")" '\}$'
}
head -c -3 "$TAP_TMP/in.json" >"$TAP_TMP/bad.json"
bad "cut after the events" '^spantotrim: JSON cut off '
sed '$s/"savedview"/"extra"/' "$TAP_TMP/in.json" >"$TAP_TMP/bad.json"
bad "a key twice" '^spantotrim: .*key "extra" occurs twice'
sed '$s/"savedview"/"title"/' "$TAP_TMP/in.json" >"$TAP_TMP/bad.json"
bad "a key of the header" '^spantotrim: .*key "title" occurs twice'
sed '$s/"savedview"/"events"/' "$TAP_TMP/in.json" >"$TAP_TMP/bad.json"
bad "events twice" '^spantotrim: .*key "events" occurs twice'
sed '$s/}$/,}/' "$TAP_TMP/in.json" >"$TAP_TMP/bad.json"
bad "a comma too many" '^spantotrim: .*found .}. where a header key in quotes must be|^spantotrim: .*where a .*key'
sed '$s/$/x/' "$TAP_TMP/in.json" >"$TAP_TMP/bad.json"
bad "more data after the end" '^spantotrim: .*more data after the end'

tap_end
