#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# takes: 20
#
# Tests rawtoctf. It passes the common checks. babeltrace2 prints without a complaint every event that rawtoevent
# prints, with each field (ctf_expected.awk), and the losses. A folder is complete or does not exist.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc
make_traces >&2 || exit 1
TOOL=$BIN/rawtoctf
GOOD=$TRACES/good.trace
# standard output gets a tar archive of the folder
O_IS=is_archived
common_checks rawtoctf "$GOOD"

reader=
if command -v babeltrace2 >/dev/null; then
	reader=babeltrace2
else
	skip "babeltrace2 reads the output" "no babeltrace2"
fi
DIR=$TAP_TMP/ctf

# printed DIR: prints babeltrace2's text, with a line per event in the form of ctf_expected.awk.
printed()
{
	$reader --clock-cycles --no-delta "$1" 2>"$ERR" | sed -E '
		s/^\[0*([0-9]+)\] (.* )?([A-Za-z0-9_]+): \{ cpu_id = ([0-9]+) \}, \{ tid = (-?[0-9]+)(, ([a-z_]+) = ([0-9]+))? \}, /\1 \4 \5 \7=\8 \3 /
		s/^([0-9]+ [0-9]+ -?[0-9]+ )= /\1/' | sort
}

# witness NAME TRACE [COUNTER]: passes if babeltrace2 prints exactly the events that ctf_expected.awk derives from
# rawtoevent's text. COUNTER is that program's variable counter.
witness()
{
	rm -rf "$DIR"
	run /dev/null "$TOOL" --into "$DIR" "$2"
	is "$1: exit status" "$STATUS" 0
	is "$1: the first line of the metadata" "$(head -n 1 "$DIR/metadata")" "/* CTF 1.8 */"
	[ -n "$reader" ] || return 0
	printed "$DIR" >"$TAP_TMP/got"
	is "$1: babeltrace2 prints no message" "$(cat "$ERR")" ""
	"$BIN/rawtoevent" "$2" 2>/dev/null | awk -v counter="${3:-}" -f tests/cli/ctf_expected.awk |
		sort >"$TAP_TMP/want"
	between "$1: events" "$(wc -l <"$TAP_TMP/want")" "$(grep -c . "$TAP_TMP/want")" 10000000
	ok "$1: babeltrace2 prints exactly the expected events" cmp "$TAP_TMP/got" "$TAP_TMP/want"
	diff "$TAP_TMP/got" "$TAP_TMP/want" | head -n 5 >&2
}

for name in $(golden_names); do
	xz -dc "tests/golden/$name.trace.xz" >"$TAP_TMP/$name.trace"
	witness "$name" "$TAP_TMP/$name.trace"
done
witness "counters" "$TRACES/good-ipc.trace" ipc
witness "typed tracepoints" "$TRACES/points.trace"
witness "the scheduler as it was" "$TRACES/old-sched.trace"
for name in k61-2cpu k61-4cpu; do
	if reference "$name.trace"; then
		witness "$name" "$REFERENCE/$name.trace"
	else
		skip "$name" "no reference traces"
	fi
done

# --- time and host ----------------------------------------------------------------

rm -rf "$DIR"
"$TOOL" --into "$DIR" "$TAP_TMP/stock.trace" 2>/dev/null
like "the host" "$(cat "$DIR/metadata")" '^	hostname = "guest";$'
like "the tracer name by which readers recognise a kernel trace" "$(cat "$DIR/metadata")" '^	tracer_name = "lttng-modules";$'
like "the facts of the trace" "$(cat "$DIR/metadata")" '^	kutrace_[0-9]+ = "backend=tracepoint";$'
like "the id of the trace" "$(cat "$DIR/metadata")" \
	"uuid = \"$("$BIN/rawtoevent" "$TAP_TMP/stock.trace" 2>/dev/null | sed -n 's/^# ## TRACE: //p')\";"
if [ -n "$reader" ]; then
	first=$($reader --clock-gmt --clock-date --no-delta "$DIR" 2>/dev/null | head -n 1)
	like "times are UTC" "$first" '^\[2026-11-20 10:46:16\.073585980\]'
	TZ=Asia/Tokyo "$TOOL" -o "$TAP_TMP/tokyo.tar" "$TAP_TMP/stock.trace" 2>/dev/null
	mkdir "$TAP_TMP/tokyo"
	tar -xf "$TAP_TMP/tokyo.tar" -C "$TAP_TMP/tokyo"
	ok "an archive, unpacked, is the folder" diff -r "$DIR" "$TAP_TMP/tokyo"
fi

# --- loss ---------------------------------------------------------------------------

sed 's/lost_full=0/lost_full=7/; s/lost_rate=0/lost_rate=2/' <(xz -dc tests/golden/patched.trace.xz) >"$TAP_TMP/lost.trace"
rm -rf "$DIR"
run /dev/null "$TOOL" --into "$DIR" "$TAP_TMP/lost.trace"
like "the summary reports the losses" "$(cat "$ERR")" '^  [79] events lost'
count=$(sed -n 's/^  \([0-9]*\) events lost/\1/p' "$ERR")
is "the summary has the same losses as checktrace" "$count" \
	"$("$BIN/checktrace" --strict "$TAP_TMP/lost.trace" 2>&1 | sed -n 's/.*: \([0-9]*\) events lost$/\1/p')"
if [ -n "$reader" ]; then
	$reader "$DIR" 2>"$ERR" >"$OUT"
	like "babeltrace2 reports the discarded events, from the first event to the last" "$(cat "$ERR")" \
		"^WARNING: Tracer discarded $count events between"
	is "babeltrace2 prints no other message" "$(wc -l <"$ERR")" 1
fi

# --- readable output for every input ----------------------------------------------------

bad=
for trace in $(corpus_traces); do
	rm -rf "$DIR"
	run /dev/null "$TOOL" --into "$DIR" "$trace"
	if [ ! -d "$DIR" ]; then
		[ "$STATUS" = 1 ] && [ -s "$ERR" ] || bad="$bad $(basename "$trace") (status $STATUS)"
		continue
	fi
	[ -n "$reader" ] || continue
	$reader "$DIR" >"$OUT" 2>"$ERR" || bad="$bad $(basename "$trace") (babeltrace2: $?)"
	grep -v '^WARNING: Tracer discarded [0-9]* events\{0,1\} between' "$ERR" |
		grep -q . && bad="$bad $(basename "$trace") ($(head -c 200 "$ERR"))"
	[ "$("$BIN/rawtoevent" "$trace" 2>/dev/null | grep -c '^[0-9].* ([0-9a-f]*)$')" -le "$(wc -l <"$OUT")" ] ||
		bad="$bad $(basename "$trace") (events are missing)"
	iconv -f UTF-8 -t UTF-8 "$OUT" >/dev/null 2>&1 || bad="$bad $(basename "$trace") (no text)"
done
is "every trace of the corpus: none, or one that babeltrace2 reads" "$bad" ""

# --- complete or absent -------------------------------------------------------------------

# left NAME FILE...: passes if the folder has exactly these files.
left()
{
	_left=$1
	shift
	is "$_left" "$(ls -A "$TAP_TMP/into" | sort | tr '\n' ' ')" "$(printf '%s ' "$@")"
}
mkdir "$TAP_TMP/into"
run /dev/null "$TOOL" --into "$TAP_TMP/into/x" "$TRACES/zeros.trace"
expect "no trace" 1 '^rawtoctf: .*zeros.trace'
is "no trace: nothing is left" "$(ls -A "$TAP_TMP/into")" ""
run /dev/null "$TOOL" --into "$TAP_TMP/into/x/" "$GOOD"
is "--into: exit status" "$STATUS" 0
silent "--into leaves stdout empty"
left "--into: no part is left" x
is "--into: the umask sets the mode" "$(stat -c %a "$TAP_TMP/into/x")" $(printf %o $((0777 & ~$(umask))))
ls -l "$TAP_TMP/into/x" >"$TAP_TMP/before"
run /dev/null "$TOOL" --into "$TAP_TMP/into/x" "$GOOD"
expect "a folder that has something in it" 1 '^rawtoctf: cannot write .*/into/x: it exists and is not an empty folder'
ls -l "$TAP_TMP/into/x" >"$TAP_TMP/after"
ok "a folder that has something in it stays as it is" cmp "$TAP_TMP/before" "$TAP_TMP/after"
left "a folder that has something in it: no other file is made" x
echo mine >"$TAP_TMP/into/file"
run /dev/null "$TOOL" --into "$TAP_TMP/into/file" "$GOOD"
expect "a file of that name" 1 '^rawtoctf: cannot write .*/into/file: it exists and is not an empty folder'
is "a file of that name stays" "$(cat "$TAP_TMP/into/file")" mine
rm "$TAP_TMP/into/file"
mkdir "$TAP_TMP/into/empty"
run /dev/null "$TOOL" --into "$TAP_TMP/into/empty" "$GOOD"
is "an empty folder: exit status" "$STATUS" 0
ok "an empty folder becomes it" diff -r "$TAP_TMP/into/empty" "$TAP_TMP/into/x"
run /dev/null "$TOOL" --into /nonexistent/x "$GOOD"
expect "a folder that cannot be made" 1 '^rawtoctf: cannot write /nonexistent/x: No such file'
STATUS=0
(ulimit -f 1; exec env --default-signal=XFSZ "$TOOL" --into "$TAP_TMP/into/full" "$TAP_TMP/stock.trace") 2>&1 |
	cat >"$ERR"
STATUS=${PIPESTATUS[0]}
expect "no room" 1 '^rawtoctf: cannot write .*/into/full/channel0_[0-9]+: File too large'
left "no room: nothing is left" empty x
# a trace that takes long enough to be interrupted
large_trace
some_written()
{
	[ -n "$(find "$TAP_TMP/into" -path '*.part/*' -size +100k)" ]
}
undo=$TAP_TMP/into/large signal_when INT some_written "$TOOL" --into "$TAP_TMP/into/large" "$TAP_TMP/large.trace"
expect "interrupted" 130 interrupted
left "interrupted: nothing is left" empty x
"$TOOL" -o "$TAP_TMP/a.tar" "$TAP_TMP/measured.trace" 2>/dev/null
"$TOOL" <"$TAP_TMP/measured.trace" 2>/dev/null | cmp - "$TAP_TMP/a.tar"
is "the same trace gives the same bytes" "${PIPESTATUS[1]}" 0
memory_within "memory at $LARGE_MIB MiB of trace" 65536 "$TOOL" -o "$TAP_TMP/b.tar" "$TAP_TMP/measured.trace"

# --- -o NAME: an archive for NAME.tar and for standard output, otherwise a folder ---
for other in rawtoctf rawtoparquet; do
	[ -x "$BIN/$other" ] || continue
	run "$GOOD" "$BIN/$other"
	cp "$OUT" "$TAP_TMP/archive"
	for to in "$TAP_TMP/o.tar" - /dev/stdout; do
		run /dev/null "$BIN/$other" "$GOOD" -o "$to"
		[ "$to" != "$TAP_TMP/o.tar" ] || cp "$to" "$OUT"
		ok "$other -o ${to##*/}: the archive" cmp "$OUT" "$TAP_TMP/archive"
	done
	run /dev/null "$BIN/$other" "$GOOD" -o "$TAP_TMP/o.folder/"
	ok "$other -o DIR: the folder" is_archived "$TAP_TMP/o.folder" "$TAP_TMP/archive"
	is "$other: no file is called -" "$(ls -d ./- 2>/dev/null)" ""
	run /dev/null "$BIN/$other" "$GOOD" -o "$TAP_TMP/x" --into "$TAP_TMP/y"
	expect "$other: -o and --into" 2 "^$other: -o and --into (both name the output|are two places)"
	run /dev/null "$BIN/$other" --into "" "$GOOD"
	expect "$other: --into with an empty name" 2 "^$other: --into needs the name of a folder"
done
run /dev/null "$TOOL" --folder "$TAP_TMP/into/a.tar" "$GOOD"
ok "--folder: a folder, whatever its name" test -f "$TAP_TMP/into/a.tar/metadata"
run /dev/null "$TOOL" --into "$TAP_TMP/into/b.tar" "$GOOD"
ok "--into is another name of it" diff -r "$TAP_TMP/into/a.tar" "$TAP_TMP/into/b.tar"
run /dev/null "$TOOL" "$GOOD" -o "$TAP_TMP/x" --folder "$TAP_TMP/y"
expect "-o and --folder" 2 "^rawtoctf: -o and --folder both name the output"
run /dev/null "$TOOL" --help
unlike "--help has one name" "$(cat "$OUT")" '--into'

for bad in '--into' '--folder' "$GOOD $GOOD" '--frobnicate'; do
	# shellcheck disable=SC2086 # several arguments
	run "$GOOD" "$TOOL" $bad
	expect "usage: $bad" 2 '^rawtoctf: '
done
tap_end
