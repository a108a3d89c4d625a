#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests the exit status and the text of checktrace for good and damaged traces.
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
	like "$file: the text reports full coverage" "$(cat "$OUT")" '100(\.0+)? ?%'
	like "$file: the text reports no loss" "$(cat "$OUT")" '(^|[^0-9])0 .*lost|lost.*(^|[^0-9])0([^0-9]|$)'
done

for file in empty short-block cut-second-block zeros version2 zero-pairs ipc-cut noise name-over-end tsdelta-huge; do
	run /dev/null "$TOOL" "$TRACES/$file.trace"
	expect "$file" 1 "^checktrace: .*$file\.trace"
done
like "a fault is named by block, word and CPU" \
	"$(run /dev/null "$TOOL" "$TRACES/name-over-end.trace"; cat "$ERR" "$OUT")" \
	'block 0, word 8191, CPU 0'

for file in good good2 good-ipc noise many-cpus; do
	run /dev/null "$TOOL" "$TRACES/$file.trace"
	cp "$OUT" "$TAP_TMP/text"
	cp "$ERR" "$TAP_TMP/text.err"
	text_status=$STATUS
	run /dev/null "$TOOL" --json "$TRACES/$file.trace"
	is "$file: --json has the same exit status and errors" "$STATUS $(cat "$ERR")" \
		"$text_status $(cat "$TAP_TMP/text.err")"
	like "$file: --json has the verdict" "$(head -n 1 "$OUT")" \
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
expect "--json of an unreadable trace" 1 "^checktrace: .*zeros.trace: block 0"
like "--json of an unreadable trace has the error" "$(cat "$OUT")" '^\{"sound": false, "file": ".*zeros.trace", "error": ".*version 0'

# Adds facts about losses to a trace. The facts are also late entries: their times are earlier than
# those of the entries before them.
cp "$GOOD" "$TAP_TMP/lossy.trace"
used=44		# number of words of the good trace
is "there is space after the entries of the good trace" "$(word "$TAP_TMP/lossy.trace" $((used - 1)) | grep -c .)$(word "$TAP_TMP/lossy.trace" $used)" 10
meta()	# NUMBER-OF-WORDS TEXT: adds a META name after these words, with an earlier time
{
	put_word "$TAP_TMP/lossy.trace" $used $((0x45776 << 44 | (0x10f | $1 << 4) << 32 | used))
	printf '%s' "$2" | dd of="$TAP_TMP/lossy.trace" bs=8 seek=$((used + 1)) conv=notrunc status=none
	used=$((used + $1))
}
meta 4 lost_buffer_full=170
meta 3 lost_nmi=13
run /dev/null "$TOOL" "$TAP_TMP/lossy.trace"
is "a trace that lost events is sound" "$STATUS" 0
like "loss: the sum, and by cause" "$(cat "$OUT")" '^lost: 183 events, nmi=13, buffer_full=170'
like "order: late entries are counted" "$(cat "$OUT")" '^order: [12] late entries put back, 0 out of order'
run /dev/null "$TOOL" --json "$TAP_TMP/lossy.trace"
like "loss in JSON" "$(cat "$OUT")" '"lost": \{"total": 183, "counted": true, .*"buffer_full=170"'
run /dev/null "$TOOL" --strict "$TAP_TMP/lossy.trace"
is "--strict: a trace that lost events is not sound" "$STATUS" 1
# The tool reports a step of the wall clock, which is no error of the trace. It ignores a value that
# is no number.
unlike "a trace without a clock step reports none" "$("$TOOL" "$TAP_TMP/lossy.trace"; "$TOOL" --json "$TAP_TMP/lossy.trace")" 'clock'
meta 4 clock_step_us=12x
unlike "a step that is not a number is ignored" "$("$TOOL" "$TAP_TMP/lossy.trace" 2>&1)" 'clock'
meta 4 clock_step_us=-1500000
run /dev/null "$TOOL" "$TAP_TMP/lossy.trace"
is "a trace whose wall clock was set is sound" "$STATUS" 0
like "the text has the size of the step" "$(cat "$OUT")" '^clock: during the recording the wall clock moved back by 1\.500000 s'
run /dev/null "$TOOL" --json "$TAP_TMP/lossy.trace"
like "the JSON has the size of the step" "$(cat "$OUT")" '"clock": \{"step_us": -1500000\}'
like "rawtoevent has the size of the step" "$("$BUILD/bin/rawtoevent" "$TAP_TMP/lossy.trace" 2>&1 >/dev/null)" '^  during the recording the wall clock moved back by 1\.500000 s'
# the share of inferred spans; in returns-only.trace, half of the spans or more are inferred
run /dev/null "$TOOL" "$GOOD"
like "inferred: no span of the good trace" "$(cat "$OUT")" '^inferred spans: 0 of [1-9][0-9]*, 0\.000000 %; 0\.000000 % of the time'
run /dev/null "$TOOL" "$TRACES/old-sched.trace"
is "old scheduler numbers: exit status" "$STATUS $(cat "$ERR")" "0 "
like "old scheduler numbers: no span is inferred" "$(cat "$OUT")" '^inferred spans: 0 of '
is "old scheduler numbers: the trace is sound" "$(tail -n 1 "$OUT")" sound
run /dev/null "$TOOL" "$TRACES/returns-only.trace"
expect "half of it inferred" 0 "^checktrace: .*returns-only.trace: half of its spans or more were inferred: [0-9]+ of [0-9]+$"
is "half of it inferred: the last line reports that" "$(tail -n 1 "$OUT")" "sound, but half of its spans or more are inferred"
run /dev/null "$TOOL" --json "$TRACES/returns-only.trace"
like "half of it inferred: the JSON reports that" "$(tr '\n' ' ' <"$OUT")" '"sound": true.*"inferred": .*"half": true'
run /dev/null "$TOOL" --strict "$TRACES/returns-only.trace"
is "--strict: half of it inferred is not sound" "$STATUS $(tail -n 1 "$OUT")" "1 not sound"
# order: a trace whose header has a stop before its start
cp "$GOOD" "$TAP_TMP/back.trace"
put_word "$TAP_TMP/back.trace" 4 $(($(word "$GOOD" 2) - 100))
run /dev/null "$TOOL" "$TAP_TMP/back.trace"
expect "order: a clock that goes back" 1 "^checktrace: .*back.trace"

for name in k61-2cpu.trace k61-4cpu.trace; do
	if reference $name; then
		run /dev/null "$TOOL" "$REFERENCE/$name"
		is "$name of the original is sound" "$STATUS" 0
	else
		skip "$name of the original" "no reference traces"
	fi
done

tap_end
