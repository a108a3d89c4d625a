#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests option -o of the filters. The file is complete or does not exist. An old file stays until the
# new one is complete. An input file is never overwritten, and the umask sets its mode.
# tests/unit/test_lib_dump_file.c and control.sh test the files of kutrace_control.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

TOOL=$BIN/rawtohtml
TEMPLATE=$DATA/template.html
make_traces >&2 || exit 1
GOOD=$TRACES/good.trace
DIR=$TAP_TMP/o
umask 022
run /dev/null "$TOOL" --json "$GOOD"
cp "$OUT" "$TAP_TMP/want.json"

# fresh [CONTENT]: makes an empty folder, or one with the file x.
fresh()
{
	rm -rf "$DIR"
	mkdir "$DIR"
	[ $# = 0 ] || printf '%s\n' "$1" >"$DIR/x"
}
# left NAME FILE...: passes if the folder has exactly these files.
left()
{
	_left=$1
	shift
	is "$_left" "$(cd "$DIR" && find . -mindepth 1 | sed 's|^\./||' | sort | tr '\n' ' ')" \
		"$(printf '%s ' "$@")"
}

# --- the input ------------------------------------------------------------------

refused='^rawtohtml: cannot write .*: it is the file that is read; give another name'
fresh
cp "$GOOD" "$DIR/x"
ln "$DIR/x" "$DIR/hard"
ln -s x "$DIR/soft"
for to in x hard soft ./x; do
	run /dev/null "$TOOL" "$DIR/x" --json -o "$DIR/$to"
	expect "-o $to is the input" 1 "$refused"
	ok "-o $to does not change the input" cmp "$DIR/x" "$GOOD"
	run "$DIR/x" "$TOOL" --json -o "$DIR/$to"
	expect "-o $to is standard input" 1 "$refused"
	ok "-o $to does not change standard input" cmp "$DIR/x" "$GOOD"
done
cp "$TEMPLATE" "$DIR/template"
run /dev/null "$TOOL" "$DIR/x" --template "$DIR/template" -o "$DIR/template"
expect "-o is the template" 1 "$refused"
ok "the template stays" cmp "$DIR/template" "$TEMPLATE"
left "no other file is left" hard soft template x

# --- complete or absent --------------------------------------------------------------

fresh before
run /dev/null "$TOOL" --json "$TRACES/zeros.trace" -o "$DIR/x"
expect "no trace" 1 '^rawtohtml: .*zeros.trace'
is "no trace: the old file stays" "$(cat "$DIR/x")" before
left "no part is left" x
run /dev/null "$TOOL" --json "$TRACES/zeros.trace" -o "$DIR/y"
left "no trace: no new file" x

fresh before
STATUS=0
# env is needed because the parent process may ignore the signal
(ulimit -f 1; exec env --default-signal=XFSZ "$TOOL" --json "$GOOD" -o "$DIR/x") 2>"$ERR" || STATUS=$?
expect "no room" 1 "^rawtohtml: cannot write $DIR/x: File too large"
is "no room: the old file stays" "$(cat "$DIR/x")" before
left "no room: no part is left" x

# if some blocks are damaged, the filter makes a page of the other blocks and exits with 1
damaged=
for trace in "$TRACES"/*.trace; do
	run /dev/null "$TOOL" --json "$trace"
	[ "$STATUS" = 1 ] && tail -n 1 "$OUT" | grep -q '^]}' && damaged=$trace
done
like "a damaged trace" "$damaged" '\.trace$'
run /dev/null "$TOOL" --json "$damaged"
cp "$OUT" "$TAP_TMP/damaged.json"
fresh before
run /dev/null "$TOOL" --json "$damaged" -o "$DIR/x"
is "a damaged trace gives 1" "$STATUS" 1
ok "a damaged trace gives the rest" cmp "$DIR/x" "$TAP_TMP/damaged.json"
left "a damaged trace leaves no part" x

# other filters of raw traces do the same; filters of JSON write nothing if the JSON is incomplete
for other in rawtoevent kuod checktrace; do
	run /dev/null "$BIN/$other" "$damaged"
	cp "$OUT" "$TAP_TMP/damaged.out"
	status=$STATUS
	fresh before
	run /dev/null "$BIN/$other" -o "$DIR/x" "$damaged"
	is "$other: a damaged trace, status" "$STATUS" "$status"
	ok "$other: a damaged trace gives the same with -o" cmp "$DIR/x" "$TAP_TMP/damaged.out"
	left "$other: no part is left" x
done
head -n 20 "$DATA/good.json" | head -c 900 >"$TAP_TMP/half.json"
for other in "spantotrim 0" spantoprof "spantospan 5" spantowhy samptoname; do
	fresh before
	run "$TAP_TMP/half.json" "$BIN"/$other -o "$DIR/x"
	is "$other: half a JSON gives 1" "$STATUS" 1
	is "$other: half a JSON: the old file stays" "$(cat "$DIR/x")" before
	left "$other: no part is left" x
done

# the filter is stopped while it waits for more input
for signal in INT TERM HUP QUIT; do
	fresh before
	rm -f "$TAP_TMP/fifo"
	mkfifo "$TAP_TMP/fifo"
	$DEFAULTS "$TOOL" --json -o "$DIR/x" <"$TAP_TMP/fifo" 2>"$ERR" &
	pid=$!
	exec 9>"$TAP_TMP/fifo"
	head -c 100 "$GOOD" >&9
	i=0
	while [ $i -lt 1200 ] && [ -z "$(find "$DIR" -name '.x.*.part')" ]; do
		sleep 0.05
		i=$((i + 1))
	done
	is "SIG$signal: there is a part" "$(find "$DIR" -name '.x.*.part' | wc -l)" 1
	is "SIG$signal: the old file is still there before the signal" "$(cat "$DIR/x")" before
	kill -$signal $pid
	STATUS=0
	wait $pid || STATUS=$?
	exec 9>&-
	expect "SIG$signal ends it" $((128 + $(kill -l $signal))) "interrupted"
	is "SIG$signal: the old file stays" "$(cat "$DIR/x")" before
	left "SIG$signal: no part is left" x
done

# --- modes ----------------------------------------------------------------------------

fresh
for mask in 077 027 022; do
	rm -f "$DIR/x"
	(umask $mask; "$TOOL" --json "$GOOD" -o "$DIR/x" 2>/dev/null)
	is "a new file, umask $mask" "$(stat -c %a "$DIR/x")" "$(printf %o $((0666 & ~mask)))"
done
ok "with the JSON in it" cmp "$DIR/x" "$TAP_TMP/want.json"
for mode in 600 640 644 664; do
	chmod $mode "$DIR/x"
	echo before >"$DIR/x"
	(umask 077; "$TOOL" --json "$GOOD" -o "$DIR/x" 2>/dev/null)
	is "a file of mode $mode keeps it" "$(stat -c %a "$DIR/x")" $mode
	ok "a file of mode $mode has the JSON in it" cmp "$DIR/x" "$TAP_TMP/want.json"
done
left "no parts" x

# --- links and special files ---------------------------------------------------------------

fresh before
ln -s x "$DIR/link"
run /dev/null "$TOOL" --json "$GOOD" -o "$DIR/link"
ok "a link stays a link" test -L "$DIR/link"
ok "a link: its target is written" cmp "$DIR/x" "$TAP_TMP/want.json"
mkdir "$DIR/sub"
ln -s sub/two "$DIR/one"
ln -s ../three "$DIR/sub/two"
run /dev/null "$TOOL" --json "$GOOD" -o "$DIR/one"
ok "links to nothing yet stay links" test -L "$DIR/one" -a -L "$DIR/sub/two"
ok "links to missing files: the targets are made" cmp "$DIR/three" "$TAP_TMP/want.json"
ln -s loop "$DIR/loop"
run /dev/null "$TOOL" --json "$GOOD" -o "$DIR/loop"
expect "a link to itself" 1 '^rawtohtml: cannot write .*/loop: Too many levels'
left "no other file" link loop one sub sub/two three x

run /dev/null "$TOOL" --json "$GOOD" -o /dev/null
is "-o /dev/null" "$STATUS" 0
ok "-o /dev/null stays a device" test -c /dev/null
"$TOOL" --json "$GOOD" -o /dev/stdout 2>/dev/null | cat >"$OUT"
ok "-o /dev/stdout, a pipe" cmp "$OUT" "$TAP_TMP/want.json"
run /dev/null "$TOOL" --json "$GOOD" -o /dev/stdout
ok "-o /dev/stdout, a file" cmp "$OUT" "$TAP_TMP/want.json"
{ echo first; "$TOOL" --json "$GOOD" -o /dev/stdout 2>/dev/null; echo last; } >"$OUT"
is "-o /dev/stdout goes between other output" "$(sed -n '1p;$p' "$OUT" | tr '\n' ' ')" \
	"first last "
STATUS=0
"$TOOL" --json "$GOOD" -o /dev/stdout >&- 2>"$ERR" || STATUS=$?
expect "-o /dev/stdout, closed" 1 '^rawtohtml: cannot write /dev/stdout: '
ok "/dev/stdout is still a link" test -L /dev/stdout
rm -f "$TAP_TMP/fifo"
mkfifo "$TAP_TMP/fifo"
cat "$TAP_TMP/fifo" >"$OUT" &
run_out=$OUT
OUT=$TAP_TMP/other
run /dev/null "$TOOL" --json "$GOOD" -o "$TAP_TMP/fifo"
OUT=$run_out
wait $!
ok "-o FIFO" cmp "$OUT" "$TAP_TMP/want.json"
ok "-o FIFO stays a FIFO" test -p "$TAP_TMP/fifo"

tap_end
