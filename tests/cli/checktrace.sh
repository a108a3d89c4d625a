#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# checktrace: exit status and words for good and damaged traces.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

TOOL=$BIN/checktrace
make_traces >&2 || exit 1
GOOD=$TRACES/good.trace

DATES='s/[0-9]*-[0-9]*-[0-9]*_[0-9:.]*/DATE/'
common_checks checktrace "$GOOD"
run /dev/null "$TOOL" "$GOOD" "$GOOD" "$GOOD"
expect "three files are a usage error" 2 "^checktrace: "
run /dev/null "$TOOL" "$TRACES/nonexistent"
expect "no such file" 1 "^checktrace: cannot read .*/nonexistent: No such file or directory"
run /dev/null "$TOOL" "$TRACES"
expect "a directory" 1 "^checktrace: cannot read .*: it is a directory"

for file in good good2 good-ipc; do
	run /dev/null "$TOOL" "$TRACES/$file.trace"
	is "$file: exit status" "$STATUS $(cat "$ERR")" "0 "
	like "$file: says that it is covered" "$(cat "$OUT")" '100(\.0+)? ?%'
	like "$file: says that nothing is lost" "$(cat "$OUT")" '(^|[^0-9])0 .*lost|lost.*(^|[^0-9])0([^0-9]|$)'
done

for file in empty short-block cut-second-block zeros version2 zero-pairs ipc-cut noise name-over-end tsdelta-huge; do
	run /dev/null "$TOOL" "$TRACES/$file.trace"
	expect "$file" 1 "^checktrace: .*$file\.trace"
done
like "a fault is named by block, word and CPU" \
	"$(run /dev/null "$TOOL" "$TRACES/name-over-end.trace"; cat "$ERR" "$OUT")" \
	'block 0, word 8191, CPU 0'

# --json: the same numbers
for file in good good2 good-ipc noise many-cpus; do
	run /dev/null "$TOOL" "$TRACES/$file.trace"
	cp "$OUT" "$TAP_TMP/text"
	cp "$ERR" "$TAP_TMP/text.err"
	text_status=$STATUS
	run /dev/null "$TOOL" --json "$TRACES/$file.trace"
	is "$file: --json has the same exit status and errors" "$STATUS $(cat "$ERR")" \
		"$text_status $(cat "$TAP_TMP/text.err")"
	like "$file: --json says whether it is sound" "$(head -n 1 "$OUT")" \
		"^\{\"sound\": $([ "$STATUS" = 0 ] && echo true || echo false), "
	is "$file: --json has each CPU's events and spans" \
		"$(grep -o '"cpu": [0-9]*\|"events": [0-9]*, "spans": [0-9]*' "$OUT" | tr -dc '0-9\n' )" \
		"$(sed -n 's/^CPU \([0-9]*\):.* s, \([0-9]*\) events, \([0-9]*\) spans.*/\1\n\2\3/p' "$TAP_TMP/text")"
	if command -v node >/dev/null; then
		ok "$file: --json is JSON" node -e 'JSON.parse(require("fs").readFileSync(process.argv[1]))' "$OUT"
	else
		skip "$file: --json is JSON" "no node"
	fi
done
run /dev/null "$TOOL" --json "$TRACES/zeros.trace"
expect "--json of what cannot be read" 1 "^checktrace: .*zeros.trace: block 0"
like "says so" "$(cat "$OUT")" '^\{"sound": false, "file": ".*zeros.trace", "error": ".*version 0'

for name in k61-2cpu.trace k61-4cpu.trace; do
	if reference $name; then
		run /dev/null "$TOOL" "$REFERENCE/$name"
		is "$name of the original is sound" "$STATUS" 0
	else
		skip "$name of the original" "no reference traces"
	fi
done

tap_end
