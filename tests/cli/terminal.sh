#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# takes: 20
# fast
#
# Tests text reports at a terminal: width, colours, pager, --top. In a pipe or a file, none of them changes the text,
# except by --color=always and --top.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc
command -v perl >/dev/null || { skip "reports at a terminal" "no perl"; tap_end; }

xz -dc tests/golden/stock.trace.xz >"$TAP_TMP/trace"
xz -dc tests/golden/stock.json.xz >"$TAP_TMP/json"
xz -dc tests/golden/patched.json.xz >"$TAP_TMP/other"
LOG=$TAP_TMP/log
PLAIN=$TAP_TMP/plain
unset NO_COLOR PAGER KUTRACE_PAGER LESS
export TERM=xterm
REPORTS="spantoprof $TAP_TMP/json
spantowhy $TAP_TMP/json
spantowhy --pid 105 $TAP_TMP/json
spandiff $TAP_TMP/json $TAP_TMP/other
checktrace $TAP_TMP/trace
kuod --block 1 $TAP_TMP/trace"

# at ROWS COLUMNS COMMAND...: runs the command on a terminal, with the keys of the file $KEYS. Sets STATUS; $LOG gets
# the output.
KEYS=/dev/null
at()
{
	STATUS=0
	perl tests/guest/pty.pl 60 "$1" "$2" "$LOG" "${@:3}" <"$KEYS" || STATUS=$?
	sed -i 's/\r//g' "$LOG"
}
# without colours, and the width of the longest line
bare() { sed 's/\x1b\[[0-9;]*m//g' "$@"; }
widest() { bare "$LOG" | perl -CSD -ne 'chomp; $most = length if length > $most; END { print $most + 0 }'; }

while read -r tool arguments; do
	"$BIN/$tool" $arguments >"$PLAIN" 2>/dev/null
	unlike "$tool: no colour in a pipe" "$(cat "$PLAIN")" $'\x1b'
	"$BIN/$tool" --color=always $arguments 2>/dev/null >"$OUT"
	is "$tool: colours do not change the text" "$(bare "$OUT" | cmp - "$PLAIN" 2>&1)" ""
	for columns in 60 80 100 132; do
		at 24 $columns "$BIN/$tool" --no-pager $arguments
		between "$tool: lines fit $columns columns" "$(widest)" 10 $columns
	done
	[ "$tool" = spantoprof ] || is "$tool: broken lines lose nothing" \
		"$(bare "$LOG" | tr -s ' \n' '\n\n' | cmp - <(tr -s ' \n' '\n\n' <"$PLAIN") 2>&1)" ""
	at 24 300 env NO_COLOR=1 "$BIN/$tool" --no-pager $arguments
	is "$tool: wide enough, without colour: the plain text" "$(cmp "$LOG" "$PLAIN" 2>&1)" ""
	at 24 300 "$BIN/$tool" --no-pager $arguments
	[ "$tool" = kuod ] || like "$tool: a terminal has colours" "$(cat "$LOG")" $'\x1b\\[[0-9;]+m'
	at 24 300 "$BIN/$tool" --no-pager -o "$TAP_TMP/file" $arguments
	is "$tool: a file has the plain text" "$(cmp "$TAP_TMP/file" "$PLAIN" 2>&1)" ""
done <<<"$REPORTS"

# --- colours ---
for setting in "NO_COLOR=1" "TERM=dumb" "-u TERM"; do
	at 24 80 env $setting "$BIN/spantoprof" --no-pager "$TAP_TMP/json"
	unlike "no colour: $setting" "$(cat "$LOG")" $'\x1b'
done
at 24 80 env NO_COLOR= "$BIN/spantoprof" --no-pager "$TAP_TMP/json"
like "an empty NO_COLOR does not count" "$(cat "$LOG")" $'\x1b'
at 24 80 "$BIN/spantoprof" --no-pager --color=never "$TAP_TMP/json"
unlike "--color=never" "$(cat "$LOG")" $'\x1b'
run "$TAP_TMP/json" env NO_COLOR=1 "$BIN/spantoprof" --color always
is "--color=always counts more than NO_COLOR" "$(grep -c $'^\x1b\\[35m.* wait_unk\x1b\\[m$' "$OUT" | sed 's/[1-9].*/some/')" some
run "$TAP_TMP/json" "$BIN/spantoprof" --color=sometimes
expect "--color with another value" 2 "^spantoprof: --color needs auto, always or never"
run "$TAP_TMP/json" "$BIN/spantoprof" --json --color=always
unlike "JSON has no colours" "$(cat "$OUT")" $'\x1b'

# --- names ---
long=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaazz
sed "s/\"work\.51\"/\"$long.51\"/; s/\"getpid\"/\"b$long\"/" "$DATA/good.json" >"$TAP_TMP/long"
at 24 80 env LC_ALL=C "$BIN/spantoprof" --no-pager --color=never "$TAP_TMP/long"
like "a long name is cut in the middle" "$(cat "$LOG")" '^a{12}\.\.\.a{6}zz\.51:'
like "a long kind is cut at its end" "$(cat "$LOG")" ' ba{10,12}\.\.\.$'
between "lines with long names fit" "$(widest)" 60 80
at 24 80 env LC_ALL=C.UTF-8 "$BIN/spantoprof" --no-pager --color=never "$TAP_TMP/long"
like "one character for the missing part, in UTF-8" "$(cat "$LOG")" $'^a{13}\xe2\x80\xa6a{7}zz\\.51:'
sed 's/"work\.51"/"äöüäöüäöüäöüäöüäöüäöüäöüäöüäöü.51"/' "$DATA/good.json" >"$TAP_TMP/umlauts"
at 24 80 env LC_ALL=C.UTF-8 "$BIN/spantoprof" --no-pager --color=never "$TAP_TMP/umlauts"
like "a name is cut between characters" "$(cat "$LOG")" $'^äöüäöüäöüäöüä\xe2\x80\xa6äöüäöüäöü\\.51:'

# --- the pager ---
cat >"$TAP_TMP/pager" <<E2
#!/bin/sh
printf '%s' "\$LESS" >$TAP_TMP/less
exec cat >$TAP_TMP/paged
E2
chmod 755 "$TAP_TMP/pager"
# paged NAME WANT ROWS COMMAND...: passes if the command starts the pager (WANT 1) or does not (0).
paged()
{
	rm -f "$TAP_TMP/paged"
	at "$3" 80 "${@:4}"
	is "$1" "$STATUS $([ -f "$TAP_TMP/paged" ] && echo 1 || echo 0)" "0 $2"
}
export KUTRACE_PAGER=$TAP_TMP/pager
paged "a long report is shown in the pager" 1 24 "$BIN/spantoprof" "$TAP_TMP/json"
is "the terminal shows nothing else" "$(cat "$LOG")" ""
KUTRACE_PAGER=cat at 24 80 "$BIN/spantoprof" "$TAP_TMP/json"
is "the pager gets what the terminal would get" "$(cmp "$LOG" "$TAP_TMP/paged" 2>&1)" ""
is "LESS has the options of git" "$(cat "$TAP_TMP/less")" FRX
paged "LESS is set" 1 24 env LESS=S "$BIN/spantoprof" "$TAP_TMP/json"
is "LESS keeps its value" "$(cat "$TAP_TMP/less")" S
rows=$(wc -l <"$LOG")
at 24 80 "$BIN/checktrace" "$TAP_TMP/trace"
rows=$(wc -l <"$LOG")
between "a short report" "$rows" 5 23
paged "a report as long as the screen, without the prompt" 0 $((rows + 1)) "$BIN/checktrace" "$TAP_TMP/trace"
paged "a report that is a line longer" 1 "$rows" "$BIN/checktrace" "$TAP_TMP/trace"
paged "--no-pager" 0 24 "$BIN/spantoprof" --no-pager "$TAP_TMP/json"
paged "no pager on a dumb terminal" 0 24 env TERM=dumb "$BIN/spantoprof" "$TAP_TMP/json"
paged "no pager if standard input is no terminal" 0 24 sh -c "'$BIN/spantoprof' <'$TAP_TMP/json'"
paged "no pager if standard output is no terminal" 0 24 sh -c "'$BIN/spantoprof' '$TAP_TMP/json' | cat"
paged "no pager for -o" 0 24 "$BIN/spantoprof" -o "$TAP_TMP/file" "$TAP_TMP/json"
paged "KUTRACE_PAGER counts more than PAGER" 1 24 env PAGER=/nonexistent "$BIN/spantoprof" "$TAP_TMP/json"
paged "PAGER" 1 24 env -u KUTRACE_PAGER "PAGER=$TAP_TMP/pager" "$BIN/spantoprof" "$TAP_TMP/json"
paged "a command for the shell" 1 24 env "KUTRACE_PAGER=cat | cat >$TAP_TMP/paged" "$BIN/spantoprof" "$TAP_TMP/json"
at 24 80 env KUTRACE_PAGER=cat "$BIN/spantoprof" "$TAP_TMP/json"
cp "$LOG" "$TAP_TMP/unpaged"
for pager in "" /nonexistent "nonexistent -x"; do
	at 24 80 env "KUTRACE_PAGER=$pager" "$BIN/spantoprof" "$TAP_TMP/json"
	is "no pager \"$pager\": plain output" "$STATUS $(cmp "$LOG" "$TAP_TMP/unpaged" 2>&1)" "0 "
done
mkdir "$TAP_TMP/empty"
at 24 80 env -u KUTRACE_PAGER "PATH=$TAP_TMP/empty" "$(realpath "$BIN")/spantoprof" "$TAP_TMP/json"
is "less is not installed: plain output" "$STATUS $(cmp "$LOG" "$TAP_TMP/unpaged" 2>&1)" "0 "
at 24 80 env "KUTRACE_PAGER=head -n 1" "$BIN/kuod" "$TAP_TMP/trace"
is "a pager that ends early: no message" "$(wc -l <"$LOG")" 1
is "... and SIGPIPE ends the report" "$STATUS" 141

# The terminal sends ^C to the pager and to the report. The pager handles it, and ends later. The report ends after it.
# The read has a timeout: a shell runs its trap only after a command, and the signal can come before the read waits.
cat >"$TAP_TMP/keys" <<'E2'
#!/bin/bash
trap 'echo interrupted' INT
read -r first
echo "ready: $first"
until read -r -t 0.1 key </dev/tty && [ "$key" = q ]; do :; done
echo "the pager ends"
E2
chmod 755 "$TAP_TMP/keys"
printf '%s\n' 'expect ready' 'send \x03' 'expect interrupted' 'run sleep 0.3' 'send \x03' 'expect interrupted' \
	'run sleep 0.3' 'send q\r' 'expect the pager ends' >"$TAP_TMP/steps"
KEYS=$TAP_TMP/steps
for what in "spantoprof $TAP_TMP/json" "kuod $TAP_TMP/trace"; do
	at 24 80 env "KUTRACE_PAGER=$TAP_TMP/keys" "$BIN/"$what
	is "${what%% *}: ^C twice while the pager runs: ends by SIGINT after the pager" "$STATUS $(grep -c 'the pager ends' "$LOG")" "130 1"
done
KEYS=/dev/null
if command -v less >/dev/null; then
	printf '%s\n' 'expect on CPU' 'send q' >"$TAP_TMP/steps"
	KEYS=$TAP_TMP/steps
	at 24 80 env -u KUTRACE_PAGER "$BIN/spantoprof" "$TAP_TMP/json"
	is "less is the default, and shows colours" "$STATUS $(grep -c 'ESC' "$LOG") $(grep -ac '^:' "$LOG")" "0 0 1"
	KEYS=/dev/null
else
	skip "less is the default" "no less"
fi

# --- --top ---
run "$TAP_TMP/json" "$BIN/spantoprof" --top 3
like "spantoprof --top: prints what is left out" "$(tail -n 2 "$OUT" | head -n 1)" '^left out: [0-9]+ processes, [0-9.]+ ms of CPU$'
is "spantoprof --top 3: three processes" "$(grep -c ' of CPU, ' "$OUT")" 3
is "spantoprof --top 3: three kinds of each class" "$(sed -n '2,/left out/p' "$OUT" | awk '/^ .*wait_/ { w++ } /PC=/ { s++ } { n++ } END { print n - 2 - w - s, w, s }')" "3 3 3"
is "spantoprof --top 3: the first process and its first kinds" "$(sed -n '2,5p' "$OUT")" "$("$BIN/spantoprof" "$TAP_TMP/json" | sed -n '2,5p')"
# us: the sum of times at the ends of lines or before "of CPU", in microseconds
us() { awk '{ for (i = 2; i <= NF; i++) if ($i ~ /^(ns|us|ms|s)[,;]?$/) { u = substr($i, 1, 1); sum += $(i - 1) * (u == "n" ? 1e-3 : u == "u" ? 1 : u == "m" ? 1e3 : 1e6); break } } END { printf "%.0f", sum }'; }
all=$("$BIN/spantoprof" "$TAP_TMP/json" | grep ' of CPU, ' | grep -v '^-idle-' | us)
got=$({ grep ' of CPU, ' "$OUT"; grep '^left out: [0-9]* processes' "$OUT"; } | us)
# the time of each line is rounded to a microsecond
between "spantoprof --top: the sums are those of all processes" $((got - all)) -20 20
run "$TAP_TMP/json" "$BIN/spantoprof" --top 1000
is "spantoprof --top with more rows than there are: all" "$(cmp "$OUT" <("$BIN/spantoprof" "$TAP_TMP/json") 2>&1)" ""
run /dev/null "$BIN/spandiff" --top 2 "$TAP_TMP/json" "$TAP_TMP/other"
is "spandiff --top 2: two marks, two processes, two kinds of each" \
	"$(grep -c '^mark_' "$OUT") $(sed -n '/^by process/,$p' "$OUT" | grep -c '^[^ l].*: ') $(sed -n '/^mark/,/^  left/p' "$OUT" | sed -n '1,/left/p' | grep -c '^  [^l]')" "2 2 2"
like "spandiff --top: prints what is left out" "$(cat "$OUT")" '^left out: 18 marks, [-+][0-9.]+ ms in all$'
like "spandiff --top: kinds that are left out" "$(cat "$OUT")" '^  left out: [0-9]+ kinds, \+[0-9.]+ ms in all$'
for bad in 0 -1 x 1.5 ''; do
	run "$TAP_TMP/json" "$BIN/spantoprof" --top "$bad"
	expect "--top \"$bad\"" 2 "^spantoprof: --top needs a number of rows"
done
for other in --json --folded --folded-pc; do
	run "$TAP_TMP/json" "$BIN/spantoprof" --top 3 $other
	expect "--top and $other" 2 "^spantoprof: --top cannot be used with $other"
done
tap_end
