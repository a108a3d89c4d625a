#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# fast
# takes: 10
#
# Tests what people type without reading: each line gives the answer, or the command that gives it. The module is
# not loaded.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc
built "$BIN/kutrace" "$BIN/kutrace_control" "$BIN/makeself" "$BIN/unmakeself" "$BIN/rawtohtml" "$BIN/rawtoevent" "$BIN/eventtospan" \
	"$BIN/spantowhy" "$BIN/spantoprof" "$BIN/spandiff" "$BIN/checktrace"
if [ -e /dev/kutrace/control ]; then
	skip "habits" "the module is loaded"
	tap_end
fi
# Copies the programs, with a template of the page that needs no build.
mkdir -p "$TAP_TMP/bin" "$TAP_TMP/templates" "$TAP_TMP/here/folder"
for program in "$BIN"/*; do
	[ -d "$program" ] || cp -P "$program" "$TAP_TMP/bin/"
done
cp tests/data/template.html "$TAP_TMP/templates/show_cpu.html"
cp tests/data/service.trace.xz "$TAP_TMP/here/"
xz -dc tests/golden/stock.trace.xz >"$TAP_TMP/here/x.trace"
cp tests/data/good.json "$TAP_TMP/here/x.json"
cp tests/data/good.events "$TAP_TMP/here/x.events"
cd "$TAP_TMP/here" || exit 1
gzip -k x.trace
xz -k x.trace
: >empty
cp x.json y.json
printf '#!/bin/sh\n' >server
chmod +x server
PATH=$TAP_TMP/bin:/usr/bin:/bin
export PATH MANPAGER=cat
unset BROWSER DISPLAY WAYLAND_DISPLAY
makeself -o x.html x.json 2>/dev/null

# Each line has the typed command, its exit status, and a regular expression for its output. With "tty" before the
# command, it runs at a terminal. Its input is empty.
while IFS= read -r line; do
	[ -n "$line" ] && [[ $line != '#'* ]] || continue
	typed=${line%% => *} want=${line##* => }
	typed=${typed%"${typed##*[! ]}"}
	program=${typed#tty } status=0
	[ -e "$TAP_TMP/bin/${program%% *}" ] || { skip "$typed" "not built here"; continue; }
	case $typed in
	tty\ *) [ -n "$(command -v script)" ] || { skip "$typed" "no script(1)"; continue; }
		timeout 60 script -qec "${typed#tty }" /dev/null </dev/null >"$TAP_TMP/out" 2>&1 || status=$? ;;
	*) timeout 60 bash -c "$typed" </dev/null >"$TAP_TMP/out" 2>&1 || status=$? ;;
	esac
	if [ "$status" = "${want%% *}" ] && tr -d '\0\r' <"$TAP_TMP/out" | grep -Eq -e "${want#* }"; then
		pass "$typed"
	else
		fail "$typed" "status $status, not '$want': $(head -c 600 "$TAP_TMP/out" | tr -d '\0')"
	fi
	# a message about a binary file would be unreadable
	unlike "$typed: nothing unreadable on a terminal" "$typed $(tr -d '\t\n\r -~\200-\377' <"$TAP_TMP/out" | tr '\0-\37' '#')" '^tty .*#'
done <<'TABLE'
# kutrace, with words that are no commands of it
kutrace                                    => 2 kutrace run -- ls
kutrace help                               => 0 usage: kutrace|KUTRACE\(1\)
kutrace help why                           => 0 usage: kutrace why|KUTRACE-WHY
kutrace why --help                         => 0 ^usage: kutrace why
kutrace why -h                             => 0 ^usage: kutrace why
kutrace --version                          => 0 ^kutrace [0-9.]+$
kutrace -V                                 => 0 ^kutrace [0-9.]+$
rawtohtml -V                               => 0 ^rawtohtml .*[0-9.]+$
kutrace_control -V                         => 0 ^kutrace_control [0-9.]+$
kutrace recrod                             => 2 did you mean record\?
kutrace runn ls                            => 2 did you mean run\?
kutrace report x.trace                     => 2 try "kutrace top"
kutrace stop                               => 2 try "kutrace_control stop"
kutrace_control page x.trace               => 2 try "kutrace page"
kutrace_control recrod                     => 2 did you mean record\?
kutrace_control list                       => 2 try "kutrace_control session list"
kutrace_control help run                   => 0 ^usage: kutrace_control .* run
kutrace rawtohtml x.trace                  => 2 "kutrace page" runs this program
kutrace ls                                 => 2 try "kutrace run -- ls"
kutrace ./server                           => 2 try "kutrace run -- \./server"
kutrace server                             => 2 try "kutrace run -- \./server"
kutrace x.trace                            => 2 try "kutrace page x\.trace" or "kutrace why x\.trace"
kutrace x.html                             => 2 open it in a browser
kutrace x.json                             => 2 try "kutrace top x\.json"
kutrace folder                             => 2 folder.*try "kutrace page FILE"
kutrace none.trace                         => 2 none\.trace: no such file
# without the module
kutrace run ls                             => 125 (module not loaded: .*modprobe kutrace|boot Linux)
kutrace run -- ls -l                       => 125 (module not loaded: .*modprobe kutrace|boot Linux)
kutrace run -o /nodir/x -- touch ran       => 125 kutrace run: /nodir/x: no such folder
kutrace run -o /tmp -- touch ran           => 125 kutrace run: /tmp: is a directory
kutrace record -o /nodir/x                 => 1 kutrace record: /nodir/x: no such folder
kutrace record -o /tmp                     => 1 kutrace record: /tmp: is a directory
kutrace record --fro 1                     => 2 try 'kutrace record --help'
kutrace record --help                      => 0 ^usage: kutrace record \.\.\.
kutrace_control record --help              => 0 ^usage: kutrace_control \[--session NAME\] record
kutrace snapshot -o /nodir/x               => 1 ^kutrace snapshot: 
kutrace selftest --nothing                 => 2 try 'kutrace selftest --help'
kutrace doctor --nothing                   => 2 try 'kutrace doctor --help'
kutrace run                                => 125 kutrace run -- PROGRAM
kutrace record                             => 1 (module not loaded: .*modprobe kutrace|boot Linux)
kutrace record ls                          => 2 try "kutrace run -- ls"
kutrace snapshot                           => 1 (module not loaded: .*modprobe kutrace|boot Linux)
kutrace run --trigger syscall:futex>10ms ls    => 125 quote the trigger
kutrace_control start --trigger=runq>5ms    => 2 quote the trigger
# files in any format
rawtohtml x.trace.xz                       => 0 <html>
rawtohtml x.trace.gz                       => 0 <html>
kutrace top x.trace.gz                     => 0 workload\.105
spantowhy x.trace                          => 0 critical path
spantowhy service.trace.xz                 => 0 critical path
kutrace why --pid flock service.trace.xz   => 0 flock\.4715
kutrace why x.html                         => 0 critical path
makeself x.json                            => 0 <html>
makeself x.trace                           => 0 <html>
kutrace page y.json                        => 0 <html>
tty kutrace page service.trace.xz          => 0 to see the page, open file://.*/service\.html
tty kutrace page x.html                    => 2 this is a page already
eventtospan x.trace                        => 1 type: eventtospan TITLE x\.trace
kutrace check x.json                       => 1 no raw trace, but JSON; .*try "kutrace page"
kutrace spans x.json                       => 1 no raw trace, but JSON; .*try "kutrace page"
kutrace spans x.html                       => 1 no raw trace, but a page.*try "kutrace why"
kutrace check x.events                     => 1 no raw trace, but event text; try "kutrace page"
rawtohtml x.json                           => 1 try makeself
kutrace page x.events                      => 0 <html>
kutrace page x.trace y.json                => 2 more than one file
kutrace page x.json y.json                 => 2 more than one file
kutrace page x.json x.trace                => 2 more than one file
kutrace diff x.trace                       => 2 two traces are needed
unmakeself x.trace                         => 1 try rawtohtml
# no file, an empty file, a folder
kutrace why none.trace                     => 1 none\.trace: No such file
kutrace page none.trace                    => 1 none\.trace: No such file
kutrace why empty                          => 1 empty is empty
kutrace page empty                         => 1 empty, not a trace
kutrace page folder                        => 1 it is a directory, give a file
kutrace why folder                         => 1 it is a directory, give a file
kutrace top                                => 1 standard input is empty
rawtohtml -o                               => 2 -o needs the name of a file
kutrace page x.trace y.trace               => 2 more than one file
# binary output to a terminal
tty rawtosqlite x.trace                    => 2 name a file with -o FILE
tty makeself x.json                        => 2 name a file with -o FILE
tty rawtohtml x.trace                      => 2 name a file with -o FILE
tty rawtoperfetto x.trace                  => 2 name a file with -o FILE
TABLE

# --- pipes that nobody reads to the end ---
for typed in 'kutrace events x.trace' 'kutrace spans x.trace' 'kutrace top x.trace' 'kutrace why x.trace' 'rawtohtml x.trace' 'kutrace --help' \
	'kutrace why --help' 'kutrace_control --help' 'kutrace help'; do
	# the reader ends before the program begins
	{ sleep 0.2; bash -c "$typed" 2>"$TAP_TMP/err"; echo $? >"$TAP_TMP/status"; } | true
	is "$typed | true: no message" "$(cat "$TAP_TMP/status") $(grep -v 'reading it through\|events, \|events lost' "$TAP_TMP/err")" "141 "
done

# --- ^C in a loop of a shell ---
for typed in 'kutrace why' rawtoevent 'kutrace_control wait 60'; do
	mkfifo "$TAP_TMP/input"
	exec 9<>"$TAP_TMP/input"
	env --default-signal=INT setsid bash -c "for i in 1 2 3; do $typed; echo after \$i; done" <&9 >"$TAP_TMP/out" 2>/dev/null &
	loop=$!
	for ((i = 0; i < 500; i++)); do
		child=$(pgrep -P $loop)
		[ -n "$child" ] && grep -q '^State:.S' "/proc/$child/status" && grep -q '^SigCgt:.*[1-9a-f]' "/proc/$child/status" &&
			[ "/proc/$child/exe" -ef "$TAP_TMP/bin/$([ "$typed" = 'kutrace why' ] && echo spantowhy || echo "${typed%% *}")" ] && break
		sleep 0.02
	done 2>/dev/null
	kill -INT -- -$loop
	exec 9>&-
	status=0
	wait $loop 2>/dev/null || status=$?
	is "for ...; do $typed; done, ^C: the loop ends" "$status $(cat "$TAP_TMP/out")" "130 "
	rm "$TAP_TMP/input"
done
is "no half file is left" "$(ls -A | grep '\.part$')" ""
tap_end
