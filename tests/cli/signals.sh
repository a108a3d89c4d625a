#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# takes: 40
# timeout: 600
#
# Tests how programs end by signals and closed pipes. SIGINT, SIGTERM, SIGHUP and SIGQUIT end a program within a second,
# also while it waits for input or for room in a pipe, and its status shows the signal. A program that writes into a
# closed pipe dies of SIGPIPE without a message. At a terminal one ^D ends the input. The umask sets the mode of output.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc
built "$BUILD/tests/make_crash" "$BIN/kutrace_crash" "$BIN/kutrace_control"
make_traces >&2 || exit 1
TEMPLATE=$DATA/template.html
LIMIT_MS=1000
unset KUTRACE_PROGRESS

mkdir "$TAP_TMP/in"
IN=$TAP_TMP/in
xz -dc tests/golden/stock.trace.xz >"$IN/trace"
cp "$DATA/good.json" "$IN/json"
cp "$DATA/good.events" "$IN/events"
"$BIN/makeself" "$TEMPLATE" <"$IN/json" >"$IN/page" 2>/dev/null
"$BIN/rawtoctf" "$IN/trace" >"$IN/ctf" 2>/dev/null
"$BIN/rawtoperfetto" "$IN/trace" >"$IN/perfetto" 2>/dev/null
"$BUILD/tests/make_crash" elf "$IN/elf"

# A line is the kind of input, a program and its arguments. Some programs need a library and may be missing.
FILTERS="trace checktrace
ctf ctftoevent
events eventtospan
trace kuod
trace kuod --block 0-1000000
json makeself $TEMPLATE
perfetto perfettotoevent
trace rawtoctf
trace rawtoevent
trace rawtoevent --maxblock 1000000
trace rawtoevent -f
trace rawtohtml --template $TEMPLATE
trace rawtohtml --json
trace rawtoparquet
trace rawtoperfetto
trace rawtosqlite
json samptoname
json spandiff - $IN/json
json spantoprof
json spantospan 10
json spantospeedscope
json spantotrim 0
json spantotrim -- -5
json spantowhy
json spantowhy --from 0 --to 1000
page unmakeself"
for source in postprocess/tools/*.c; do
	name=$(basename "$source" .c)
	like "$name is in the table" "$FILTERS" "^[a-z]+ $name( |\$)"
done
number_of() { echo $((128 + $(kill -l "$1"))); }
# asleep PID PROGRAM: whether the process has become PROGRAM and waits.
asleep() { [ "/proc/$1/exe" -ef "$2" ] && grep -q '^State:.S' "/proc/$1/status"; } 2>/dev/null
catches() { asleep "$1" "$2" && grep -q '^SigCgt:.*[1-9a-f]' "/proc/$1/status"; } 2>/dev/null

# stops SIGNAL READY PROGRAM ARG...: sends the signal when READY holds, with input from descriptor 9 and the caller's output.
# Sets STATUS and MS, the time until the program ends: the least of at most three tries, as the machine may be busy.
stops()
{
	local signal=$1 ready=$2 pid i try before ms
	shift 2
	MS=$LIMIT_MS
	for ((try = 0; try < 3 && MS >= LIMIT_MS; try++)); do
		$DEFAULTS "$@" 2>"$ERR" <&9 &
		pid=$!
		for ((i = 0; i < 3000; i++)); do
			"$ready" $pid "$1" && break
			sleep 0.01
		done
		before=${EPOCHREALTIME/[.,]/}
		kill -"$signal" $pid
		STATUS=0
		{	# the shell's messages about the signal are dropped
			for ((i = 0; i < 2000; i++)); do
				[ "/proc/$pid/exe" -ef "$1" ] || break
				sleep 0.01
			done
			ms=$(((${EPOCHREALTIME/[.,]/} - before) / 1000))
			kill -KILL $pid
			wait $pid || STATUS=$?
		} 2>/dev/null
		MS=$((ms < MS ? ms : MS))
	done
}

in_time() { [ "$MS" -lt $LIMIT_MS ] && echo in time || echo "$MS ms"; }
# full_pipe: descriptor 8 becomes a full pipe of 1 MiB, the size to which filters enlarge a pipe.
full_pipe()
{
	rm -f "$TAP_TMP/full"
	mkfifo "$TAP_TMP/full"
	exec 8<>"$TAP_TMP/full"
	perl -e 'use Fcntl; fcntl(STDOUT, 1031, 1 << 20); fcntl(STDOUT, F_SETFL, O_WRONLY | O_NONBLOCK);
		while (syswrite STDOUT, "x" x 65536) {} while (syswrite STDOUT, "x") {} fcntl(STDOUT, F_SETFL, O_WRONLY);' >&8
}
# unread_pipe: descriptor 7 becomes a pipe without a reader.
unread_pipe()
{
	rm -f "$TAP_TMP/unread"
	mkfifo "$TAP_TMP/unread"
	exec 7>&- 8<>"$TAP_TMP/unread" 7>"$TAP_TMP/unread" 8>&-
}

# --- a program waits for input ---
mkfifo "$TAP_TMP/empty"
exec 9<>"$TAP_TMP/empty"
while read -r kind name arguments; do
	[ -x "$BIN/$name" ] || continue
	for part in 0 3000 100000; do
		got= want=
		for signal in INT TERM HUP QUIT; do
			[ $part = 0 ] || [ $signal = TERM ] || continue
			rm -f "$TAP_TMP/waits"
			mkfifo "$TAP_TMP/waits"
			exec 9>&- 9<>"$TAP_TMP/waits"
			head -c $part "$IN/$kind" | head -c -1 >&9 &	# the pipe may be too small
			writer=$!
			stops $signal catches "$BIN/$name" $arguments >/dev/null
			{ kill $writer; wait $writer; } 2>/dev/null
			got="$got $signal $STATUS $(in_time)" want="$want $signal $(number_of $signal) in time"
		done
		is "$name $arguments: after $part bytes of input" "$got" "$want"
	done
done <<<"$FILTERS"
# one message, which is about the file of -o; -f continues until the signal, which ends only its input
while read -r kind name arguments; do
	[ -x "$BIN/$name" ] && [ "$arguments" != -f ] || continue
	rm -f "$TAP_TMP/waits"
	mkfifo "$TAP_TMP/waits"
	exec 9>&- 9<>"$TAP_TMP/waits"
	stops INT catches "$BIN/$name" $arguments >/dev/null
	is "$name $arguments: one message" "$(grep -v 'reading from' "$ERR")" "$name: interrupted; the output is incomplete"
	stops INT catches "$BIN/$name" -o "$TAP_TMP/none" $arguments
	is "$name -o FILE $arguments: one message" "$(cat "$ERR")" "$name: interrupted; no file was written"
	export KUTRACE_CONVERTED_INPUT=x
	stops INT catches "$BIN/$name" $arguments >/dev/null
	is "$name $arguments, for another filter: no message" "$STATUS $(cat "$ERR")" "130 "
	unset KUTRACE_CONVERTED_INPUT
done <<<"$FILTERS"
exec 9>&-

# --- a program waits for room in a pipe ---
full_pipe
while read -r kind name arguments; do
	[ -x "$BIN/$name" ] || continue
	exec 9<"$IN/$kind"
	stops TERM catches "$BIN/$name" $arguments >&8
	is "$name $arguments: a full pipe" "$STATUS $(in_time)" "143 in time"
done <<<"$FILTERS"
exec 9</dev/null
stops TERM asleep "$BIN/kutrace_crash" "$IN/elf" >&8
is "kutrace_crash: a full pipe" "$STATUS $(in_time)" "143 in time"
stops INT catches "$BIN/kutrace_crash" -o "$TAP_TMP/full" "$IN/elf" >/dev/null
is "kutrace_crash -o: a full pipe" "$STATUS $(in_time)" "130 in time"
exec 8>&-

# --- output without a reader ---
unread_pipe
while read -r kind name arguments; do
	[ -x "$BIN/$name" ] || continue
	STATUS=0
	timeout 60 $DEFAULTS "$BIN/$name" $arguments <"$IN/$kind" >&7 2>"$ERR" || STATUS=$?
	is "$name $arguments: nobody reads" "$STATUS $(cat "$ERR")" "141 "
done <<<"$FILTERS"
# A trace that is written to a file is complete, although the report has no reader.
for arguments in "$IN/elf" "--list $IN/elf" "--help" "--json -o $TAP_TMP/x.trace $IN/elf"; do
	STATUS=0
	timeout 60 $DEFAULTS "$BIN/kutrace_crash" $arguments >&7 2>"$ERR" || STATUS=$?
	is "kutrace_crash $arguments: nobody reads" "$STATUS $(grep -v ': main: 6 blocks' "$ERR")" "141 "
done
ok "kutrace_crash -o: the trace is complete" "$BIN/checktrace" "$TAP_TMP/x.trace"
for arguments in --help --version "tracepoint --help"; do
	STATUS=0
	timeout 60 $DEFAULTS "$BIN/kutrace_control" $arguments >&7 2>"$ERR" || STATUS=$?
	is "kutrace_control $arguments: nobody reads" "$STATUS $(cat "$ERR")" "141 "
	STATUS=0
	timeout 60 env --ignore-signal=PIPE "$BIN/kutrace_control" $arguments >&7 2>"$ERR" || STATUS=$?
	expect "kutrace_control $arguments: nobody reads, SIGPIPE is ignored" 1 '^kutrace_control: standard output: Broken pipe'
done
exec 7>&-

# --- kutrace_control ---
for signal in INT TERM HUP QUIT; do
	stops $signal catches "$BIN/kutrace_control" wait 60 >/dev/null
	is "kutrace_control wait: SIG$signal" "$STATUS $(in_time) $(cat "$ERR")" \
		"$(number_of $signal) in time kutrace_control: wait: interrupted"
done
# at the prompt, a signal ends only the command
printf 'wait 60\nhelp\n' >"$TAP_TMP/typed"
LIMIT_MS=10000
exec 9<"$TAP_TMP/typed"
stops INT catches "$BIN/kutrace_control" >"$OUT"
is "kutrace_control, two commands: status" "$STATUS" 1
like "kutrace_control, two commands: the second is executed" "$(cat "$OUT")" 'go gowrap'
exec 9<&-

# --- a loop of a shell ends with its program ---
mkfifo "$TAP_TMP/loop"
exec 9<>"$TAP_TMP/loop"
$DEFAULTS setsid bash -c 'for i in 1 2; do "$1"; echo "after $i"; done' bash "$BIN/eventtospan" <&9 >"$OUT" 2>"$ERR" &
loop=$!
for ((i = 0; i < 3000; i++)); do
	filter=$(pgrep -P $loop) && catches "$filter" "$BIN/eventtospan" && break
	sleep 0.01
done
kill -INT -- -$loop
exec 9>&-
STATUS=0
wait $loop 2>/dev/null || STATUS=$?
is "a loop ends at ^C" "$STATUS $(cat "$OUT")" "130 "

# --- ^D at a terminal ---
if command -v script >/dev/null; then
	mkfifo "$TAP_TMP/typing"
	exec 9<>"$TAP_TMP/typing"
	while read -r kind name arguments; do
		[ -x "$BIN/$name" ] || continue
		for text in '' '# a line\n' '{"events" : [\n'; do
			printf "$text\4" >&9
			STATUS=0
			timeout -k 5 20 script -qec "$BIN/$name $arguments >/dev/null" /dev/null <&9 >"$OUT" 2>&1 || STATUS=$?
			is "$name $arguments: one ^D after '$text' ends it" "$STATUS" 1
		done
	done <<<"$FILTERS"
	exec 9>&-
else
	skip "^D" "no script(1)"
fi

# --- modes of new files ---
for mask in 022 027 077; do
	umask $mask
	file=$(printf %o $((0666 & ~mask))) folder=$(printf %o $((0777 & ~mask)))
	while read -r kind name arguments; do
		[ -x "$BIN/$name" ] || continue
		rm -f "$TAP_TMP/new.tar"
		[ "$arguments" != -f ] || continue
		"$BIN/$name" -o "$TAP_TMP/new.tar" $arguments <"$IN/$kind" 2>/dev/null
		is "$name $arguments: umask $mask" "$(stat -c %a "$TAP_TMP/new.tar")" "$file"
	done <<<"$FILTERS"
	for name in rawtoctf rawtoparquet; do
		rm -rf "$TAP_TMP/folder"
		"$BIN/$name" -o "$TAP_TMP/folder" "$IN/trace" 2>/dev/null
		is "$name, a folder: umask $mask" "$(stat -c %a "$TAP_TMP/folder" "$TAP_TMP/folder"/* | sort -ru | paste -sd' ')" "$folder $file"
	done
	rm -f "$TAP_TMP/x.trace"
	"$BIN/kutrace_crash" -o "$TAP_TMP/x.trace" "$IN/elf" 2>/dev/null
	is "a raw trace: umask $mask" "$(stat -c %a "$TAP_TMP/x.trace")" 600
done
tap_end
