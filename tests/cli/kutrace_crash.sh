#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# fast
#
# Tests the output, the files and the error messages of kutrace_crash. tests/data/make_crash.c makes the
# dumps. test_crash.sh tests dumps of real machines.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc
built "$BUILD/tests/make_crash" "$BIN/kutrace_crash" "$BIN/checktrace" "$BIN/rawtoevent"
TOOL=$BIN/kutrace_crash
make_crash=$BUILD/tests/make_crash
for kind in elf kdump lzo nothing; do
	"$make_crash" $kind "$TAP_TMP/$kind" || fail "the dump $kind is made"
done

# says NAME STATUS PATTERN ARGUMENT...: passes if stderr matches the pattern.
says()
{
	_name=$1 _status=$2 _pattern=$3
	shift 3
	_got=0
	"$TOOL" "$@" >"$OUT" 2>"$ERR" </dev/null || _got=$?
	is "$_name: exit status" "$_got" "$_status"
	like "$_name: message" "$(cat "$ERR")" "$_pattern"
}

# --- successful runs ---
says "an ELF core" 0 '^kutrace_crash: main: 6 blocks of 2 CPUs, .*; unfinished entries: 0$' "$TAP_TMP/elf"
cp "$OUT" "$TAP_TMP/elf.trace"
ok "an ELF core: its trace is sound" "$BIN/checktrace" "$TAP_TMP/elf.trace"
is "an ELF core: all marks are in the trace" "$("$BIN/rawtoevent" "$TAP_TMP/elf.trace" 2>/dev/null | grep -c ' mark_d ')" 4014
says "a kdump-compressed dump" 0 '^kutrace_crash: main: 6 blocks' "$TAP_TMP/kdump"
ok "a kdump-compressed dump gives the same trace" cmp "$OUT" "$TAP_TMP/elf.trace"
says "-o" 0 '^kutrace_crash: main: ' -o "$TAP_TMP/x.trace" "$TAP_TMP/elf"
is "-o: nothing on standard output" "$(wc -c <"$OUT")" 0
ok "-o: the same trace" cmp "$TAP_TMP/x.trace" "$TAP_TMP/elf.trace"
"$TOOL" --list "$TAP_TMP/elf" >"$OUT" 2>"$ERR"
like "--list" "$(cat "$OUT")" '^main  *recording  *6  *2 0x120000  *6\.1\.0-test$'
is "--list: nothing on stderr" "$(cat "$ERR")" ""
says "--anchor, as --list shows it" 0 '^kutrace_crash: main: 6 blocks' --anchor 0x120000 "$TAP_TMP/elf"
ok "--anchor: the same trace" cmp "$OUT" "$TAP_TMP/elf.trace"
says "--session" 0 '^kutrace_crash: main: 6 blocks' --session main "$TAP_TMP/elf"
"$TOOL" --list --json "$TAP_TMP/elf" >"$OUT" 2>"$ERR"
like "--list --json" "$(cat "$OUT")" '"session": "main", "state": "recording", "anchor": 1179648,'
ok "--list --json is JSON" perl -MJSON::PP -e 'local $/; decode_json(<>)' "$OUT"
"$TOOL" --json -o "$TAP_TMP/x.trace" "$TAP_TMP/elf" >"$OUT" 2>"$ERR"
ok "--json -o is JSON" perl -MJSON::PP -e 'local $/; decode_json(<>)' "$OUT"
like "--json -o" "$(cat "$OUT")" '"trace_bytes": 458752, .*"incomplete_entries": 0\}$'

# --- refused runs ---
says "no dump" 2 '^kutrace_crash: needs a dump'
says "two dumps" 2 '^kutrace_crash: takes one dump' a b
says "an unknown option" 2 '^kutrace_crash: --what: no such option' --what "$TAP_TMP/elf"
says "an option without its value" 2 '^kutrace_crash: --session: needs a value' --session
says "no address" 2 '^kutrace_crash: --anchor 0x12345: not an address of an anchor' --anchor 0x12345 "$TAP_TMP/elf"
says "--json alone" 2 '^kutrace_crash: --json: needs --list or -o' --json "$TAP_TMP/elf"
says "--list with -o" 2 '^kutrace_crash: --list: writes no trace' --list -o x "$TAP_TMP/elf"
says "no such file" 1 '^kutrace_crash: cannot read .*/none: No such file or directory$' "$TAP_TMP/none"
says "a directory" 1 '^kutrace_crash: cannot read .*: it is a directory$' "$TAP_TMP"
says "no dump at all" 1 '^kutrace_crash: cannot read tests/cli/kutrace_crash.sh: it is neither an ELF core nor' tests/cli/kutrace_crash.sh
says "a program" 1 '^kutrace_crash: cannot read .*: it is an ELF file, but not a core$' "$TOOL"
says "a dump without an anchor" 1 '^kutrace_crash: .*/nothing: it has no data of KUtrace' "$TAP_TMP/nothing"
says "pages that cannot be read here" 1 'compressed with lzo, which this program cannot read: .*makedumpfile -c' "$TAP_TMP/lzo"
says "no such session" 1 'it has no session mine; try --list' --session mine "$TAP_TMP/elf"
says "no anchor at that address" 1 'there is no anchor at that address' --anchor 0x130000 "$TAP_TMP/elf"
says "-o into nowhere" 1 '^kutrace_crash: cannot write /nowhere/x.trace: No such file or directory$' -o /nowhere/x.trace "$TAP_TMP/elf"
"$TOOL" "$TAP_TMP/elf" >/dev/full 2>"$ERR"
is "a full disk: exit status" $? 1
like "a full disk: message" "$(cat "$ERR")" '^kutrace_crash: cannot write standard output: No space left on device$'
"$TOOL" "$TAP_TMP/elf" 2>"$ERR" >&-
is "no standard output: exit status" $? 1
cat "$TAP_TMP/elf" | "$TOOL" /dev/stdin >"$OUT" 2>"$ERR"
is "a pipe: exit status" $? 1
like "a pipe: message" "$(cat "$ERR")" 'it can be read only once, like a pipe: write it to a file first'

# --- the options in --help are also in the man page ---
for option in $("$TOOL" --help | grep -Eo '^ +(-[a-z], )?--[a-z-]+' | grep -Eo -- '--[a-z-]+' | sort -u); do
	ok "$option is in the man page" grep -q -- "$(printf %s "$option" | sed 's/-/\\\\-/g')" docs/reference/man/kutrace_crash.1
done
like "--version" "$("$TOOL" --version)" "^kutrace_crash [0-9.]+$"
tap_end
