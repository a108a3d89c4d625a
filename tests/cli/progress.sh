#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# fast
#
# Tests the progress that filters show at a terminal. It appears from the third second on, has an estimate if the end
# is known, and disappears when the filter is done. The filters of a pipeline share a terminal, and one at a time
# shows its progress. Covers all phases of each filter, except for rawtohtml, which rawtohtml.sh tests.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc
command -v script >/dev/null || { skip "progress" "no script(1)"; tap_end; }

xz -dc tests/golden/stock.trace.xz >"$TAP_TMP/stock.trace"
"$BIN/rawtoevent" "$TAP_TMP/stock.trace" 2>/dev/null | sort -n >"$TAP_TMP/events"
split -n l/12 "$TAP_TMP/events" "$TAP_TMP/part."

# slowly: writes the events in parts, over six seconds.
cat >"$TAP_TMP/slowly" <<'E2'
#!/bin/sh
for part in "$0".dir/part.*; do
	cat "$part"
	sleep 0.5
done
E2
chmod 755 "$TAP_TMP/slowly"
mkdir "$TAP_TMP/slowly.dir"
mv "$TAP_TMP"/part.* "$TAP_TMP/slowly.dir/"
bin=$(realpath "$BIN")

# at_terminal LINE: prints what appears on the terminal, with a line for each update, and without the final messages.
at_terminal()
{
	script -qec "$1" /dev/null </dev/null 2>&1 | tr '\r' '\n' | sed 's/\x1b\[K//g' | grep -E '^(eventtospan|makeself|rawtoevent): (reading|copying|writing) '
}
at_terminal "$TAP_TMP/slowly | $bin/eventtospan t | $bin/makeself $PWD/$DATA/template.html >/dev/null" >"$TAP_TMP/said"
between "a pipeline shows its progress" "$(wc -l <"$TAP_TMP/said")" 3 40
is "one filter of a pipeline at a time shows its progress" "$(sed 's/:.*//' "$TAP_TMP/said" | uniq | sort | uniq -d)" ""
is "the end of a pipe is unknown, so there is no estimate" "$(grep -c 'left\|%' "$TAP_TMP/said")" 0

# Reads a file: progress appears from the beginning if requested, otherwise none for a quick run.
"$BIN/rawtoevent" "$TAP_TMP/stock.trace" 2>"$ERR" >"$OUT"
between "a quick run shows no progress" "$(grep -c '%' "$ERR")" 0 0
run "$TAP_TMP/events" env KUTRACE_PROGRESS=always "$BIN/eventtospan" t
like "a file's end is known" "$(grep -m 1 '%' "$ERR")" '^eventtospan: reading [0-9]+ %, [0-9.]+ of [0-9.]+ MB$'
run "$TAP_TMP/events" env KUTRACE_PROGRESS=never "$BIN/eventtospan" t
is "KUTRACE_PROGRESS=never shows no progress" "$(grep -c '%' "$ERR")" 0

# The message of a filter must not be on the same line as the progress of another filter.
at_all()
{
	script -qec "$1" /dev/null </dev/null 2>&1 | tr '\r' '\n' | sed 's/\x1b\[K//g'
}
at_all "(sleep 4.25; exec $bin/spantoprof $TAP_TMP/absent) & $TAP_TMP/slowly | $bin/eventtospan t >/dev/null; wait" >"$TAP_TMP/said"
is "the final messages are on lines of their own" "$(grep -c '[0-9] MB.*eventtospan' "$TAP_TMP/said")" 0
is "the message of a filter without progress is on a line of its own" "$(grep -c '^spantoprof: cannot read' "$TAP_TMP/said")" 1

# phases NAME WANT IN CMD...: passes if each phase reports its total and its percentage, and no phase goes back.
phases()
{
	local name=$1 want=$2 in=$3
	shift 3
	run "$in" env KUTRACE_PROGRESS=always "$@"
	is "$name: exit status" "$STATUS" 0
	is "$name: its phases" "$(sed -nE 's/^[a-z]+: ([a-zA-Z ]+) [0-9]+ %, .* of .*/\1/p' "$ERR" | uniq | paste -sd,)" "$want"
	is "$name: none goes back" "$(sed -nE 's/^[a-z]+: ([a-zA-Z ]+) ([0-9]+) %, .*/\1 \2/p' "$ERR" |
		awk '{ p = $NF; $NF = "" } $0 == last && p < before { print } { last = $0; before = p }')" ""
}
built "$BUILD/bench/gen_trace"
"$BUILD/bench/gen_trace" "$TAP_TMP/stock.trace" 4 "$TAP_TMP/4.trace"
"$BIN/rawtohtml" --json "$TAP_TMP/4.trace" 2>/dev/null >"$TAP_TMP/4.json"
"$BIN/rawtoevent" "$TAP_TMP/4.trace" 2>/dev/null >"$TAP_TMP/4.events"
to=$TAP_TMP/written
phases "spantospan" "reading,writing,storing" "$TAP_TMP/4.json" "$BIN/spantospan" 1 -o "$to"
phases "spantotrim" "looking through,reading,storing" "$TAP_TMP/4.json" "$BIN/spantotrim" -o "$to" -- -12
phases "spantospeedscope" "reading,writing,storing" "$TAP_TMP/4.json" "$BIN/spantospeedscope" -o "$to"
phases "spantowhy" "reading,following the path,writing,explaining" "$TAP_TMP/4.json" "$BIN/spantowhy"
phases "spantowhy --json" "reading,explaining,following the path,writing" "$TAP_TMP/4.json" "$BIN/spantowhy" --json
phases "spandiff" "reading A,reading B" "$TAP_TMP/4.json" "$BIN/spandiff" "$TAP_TMP/4.json" "$TAP_TMP/4.json"
LC_ALL=C sort -k 9 "$TAP_TMP/4.events" >"$TAP_TMP/unsorted"
phases "eventtospan, unsorted" "reading,sorting,writing,storing" "$TAP_TMP/unsorted" "$BIN/eventtospan" -o "$to"
"$BIN/eventtospan" <"$TAP_TMP/4.events" 2>/dev/null | cmp - "$to"
is "eventtospan, unsorted: as if it were sorted" "${PIPESTATUS[*]}" "0 0"
phases "rawtoctf" "looking through,reading,copying" "$TAP_TMP/4.trace" "$BIN/rawtoctf" -o "$TAP_TMP/ctf.tar"
phases "ctftoevent" "reading,storing" /dev/null "$BIN/ctftoevent" "$TAP_TMP/ctf.tar" -o "$to"
phases "rawtoperfetto" "looking through,reading,writing,storing" "$TAP_TMP/4.trace" "$BIN/rawtoperfetto" -o "$TAP_TMP/perfetto"
phases "perfettotoevent" "looking through,reading" /dev/null "$BIN/perfettotoevent" "$TAP_TMP/perfetto"
if [ -x "$BIN/rawtosqlite" ]; then
	phases "rawtosqlite" "looking through,reading,writing,finding,making indexes,copying,storing" "$TAP_TMP/4.trace" \
		"$BIN/rawtosqlite" -o "$to"
fi

# After SIGINT or SIGTERM in one of these phases, the signal ends the filter, and no file remains.
at_work() { grep -q " $phase " "$ERR" || ! [ -d "/proc/$1" ]; }
mkdir "$TAP_TMP/left" "$TAP_TMP/left/tmp"
export TMPDIR=$TAP_TMP/left/tmp KUTRACE_PROGRESS=always
while read -r phase tool file; do
	[ -x "$BIN/$tool" ] || continue
	for signal in INT TERM; do
		undo=$TAP_TMP/left/x signal_when $signal at_work "$BIN/$tool" -o "$TAP_TMP/left/x" <"$TAP_TMP/$file"
		expect "$tool: SIG$signal while $phase" $((128 + $(kill -l $signal))) "interrupted"
		is "$tool: no file is left" "$(find "$TAP_TMP/left" -mindepth 1 | sed 's|.*/||')" tmp
	done
done <<'X'
sorting eventtospan unsorted
making rawtosqlite 4.trace
X
unset TMPDIR KUTRACE_PROGRESS
tap_end
