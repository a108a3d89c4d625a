#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests kutrace_control and libkutrace after installation, without the module: usage, errors with
# their remedies, exit status, and the guide's hello_world. Guest tests cover the parts that need
# the module.
. tests/tap.sh

build=${BUILD:-build}
control=$build/bin/kutrace_control
tap_begin

run()	# CMD...: runs the command, and sets out, err and status
{
	status=0
	"$@" >"$TAP_TMP/out" 2>"$TAP_TMP/err" </dev/null || status=$?
	out=$(cat "$TAP_TMP/out")
	err=$(cat "$TAP_TMP/err")
}

typed()	# TEXT: types TEXT at the prompt
{
	status=0
	printf "$1" | $control >"$TAP_TMP/out" 2>"$TAP_TMP/err" || status=$?
	out=$(cat "$TAP_TMP/out")
	err=$(cat "$TAP_TMP/err")
}

lines()
{
	printf '%s' "$1" | grep -c ''
}

# --- help, version, usage ----------------------------------------------------

run $control --help
is "--help exits 0" "$status" 0
is "--help is not an error" "$err" ""
for word in go goipc gowrap goipcwrap stop dump flush init off on quit exit reset \
	stat test help run status start snapshot stream --rotate --wrap --json --version wait \
	show tracepoints tracepoint mask filter session --session --size --mask --pid --group \
	--cgroup --cpus --trigger --after --snapshot --timeout --next --user doctor selftest --quick --open; do
	like "--help lists $word" "$out" "(^|[ ,[])$word([] ,]|\$)"
done
run $control -h
like "-h is --help" "$out" '^usage: kutrace_control '
run $control --version
is "--version exits 0" "$status" 0
is "-V is --version" "$($control -V)" "$out"
run $control help run
like "help COMMAND" "$out" "^usage: kutrace_control .*run"
run $control help watch
is "watch --findings: help and manual have the same default" "$(printf '%s\n' "$out" | sed -n 's/^.*known faults (\([0-9]*\); 0: none)$/\1/p')" \
	"$(sed -n '/^\.BI .*findings " MB"$/,/^\.TP/s/^The default is \([0-9]*\),.*/\1/p' docs/reference/man/kutrace_control.1)"
run $control help recrod
like "help of an unknown command" "$status $err" "^2 kutrace_control: recrod: no such command; did you mean record"
run $control --version
like "--version prints the version" "$out" '^kutrace_control [0-9]+\.[0-9]+\.[0-9]+$'

# --- completion ---------------------------------------------------------------

completes()	# WORD...: prints what bash offers for the last word
{
	bash -c '. control/dist/completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
		_kutrace_control; printf "%s " "${COMPREPLY[@]}"' - kutrace_control "$@" |
		sed 's/ *$//'
}
is "bash completes a command" "$(completes gow)" "gowrap"
is "bash completes a part of selftest" "$(completes selftest cos)" "costs"
is "bash completes the file of selftest" "$(completes selftest --json control/dist/completion.b)" "control/dist/completion.bash"
is "bash completes an option" "$(completes status --)" "--json"
is "bash completes a program" "$(completes run -- busybo)" "$(bash -c 'compgen -c busybo' | tr '\n' ' ' | sed 's/ *$//')"
is "bash completes a file" "$(completes run -o control/dist/completion.b)" "control/dist/completion.bash"
is "bash completes a command after --session NAME" "$(completes --session x statu)" "status"
is "bash completes the subcommands of session" "$(completes session l)" "list"
is "bash completes on and off" "$(completes tracepoint x o)" "on off"
is "bash completes options of run" "$(completes run --tri)" "--trigger"
is "bash completes users" "$(completes run --user roo)" "root"
is "bash completes kinds of triggers" "$(completes run --trigger so)" "softirq"
is "bash completes arguments after --session NAME run" "$(completes --session x run -o control/dist/completion.b)" \
	"control/dist/completion.bash"
for word in $(sed -n 's/^\t{.name = "\([a-z]*\)".*/\1/p' control/cli/command/table.c); do
	is "bash completes the command $word" "$(completes "$word" | tr ' ' '\n' | grep -x "$word")" "$word"
done

usage()	# NAME REGEX CMD...: expects status 2, or 125 from the command run, whose program may also exit with 2
{
	name=$1
	regex=$2
	shift 2
	want=2
	case " $* " in *" run "*) want=125 ;; esac
	run "$@"
	is "$name: exit status" "$status" $want
	is "$name: nothing on stdout" "$out" ""
	like "$name: the message names the error" "$err" "^kutrace_control: $regex"
	like "$name: points to help" "$err" "^try 'kutrace_control --help'\$"
}

usage "unknown option" "--wat: no such option" $control --wat
usage "unknown command" "wat: no such command; did you mean watch" $control wat
usage "--session without a name" "--session: needs a name" $control --session
usage "--session with an empty name" "--session: : needs a name of up to 31" $control --session "" go
usage "selftest with an unknown part" "selftest: x: takes the parts counts, order, costs and rate" $control selftest counts x
usage "selftest without a file" "selftest: --json: needs a file name" $control selftest --json
usage "doctor with an unknown argument" "doctor: x: takes --json or nothing" $control doctor x
usage "session without a subcommand" "session: needs create NAME, list or destroy NAME" $control session
usage "session wat" "session: needs create NAME" $control session wat
usage "session create without a name" "session create: needs a name" $control session create
usage "session create two" "session create: b: takes one name" $control session create a b
usage "session size" "session create: --size: 0: needs megabytes" $control session create a --size 0
usage "session size, letters" "session create: --size: 5x: needs megabytes" \
	$control session create a --size 5x
usage "session list with an unknown argument" "session list: x: takes --json or nothing" $control session list x
usage "session destroy without a name" "session destroy: needs one name" $control session destroy
usage "mask with an unknown kind" "mask: wat: no such category or kind" $control mask irq,wat
usage "mask, two" "mask: b: takes one list" $control mask irq b
usage "filter without anything" "filter: needs --pid" $control filter
usage "filter, option" "filter: --wat: no such option" $control filter --wat
usage "filter, pid" "filter: --pid: 5x: needs numbers" $control filter --pid 5x
usage "filter, pid 0" "filter: --pid: 0: needs numbers" $control filter --pid 0
usage "filter, comma" "filter: --pid: 5,: needs numbers" $control filter --pid 5,
usage "filter with too many groups" "filter: --group: .*: no more than 8" \
	$control filter --group 1,2,3,4,5,6,7,8,9
usage "filter, CPUs" "filter: --cpus: 3-1: needs CPUs from 0 to 4095 \(example: 0-3,7\)" $control filter --cpus 3-1
usage "filter, CPU" "filter: --cpus: 4096: needs CPUs" $control filter --cpus 4096
possible=$(cat /sys/devices/system/cpu/possible 2>/dev/null)
if [ -z "$possible" ]; then
	skip "a CPU that does not exist" "there is no /sys here"
elif [ "$possible" != 0-4095 ]; then
	for command in filter start 'run -o x'; do
		# shellcheck disable=SC2086 # several words
		run $control $command --cpus 4095 -- true
		want=2
		[ "${command%% *}" = run ] && want=125
		is "$command, a CPU that does not exist" "$status $err" \
			"$want kutrace_control: ${command%% *}: --cpus: 4095: no CPU 4095; this machine has CPUs $possible"
	done
else
	skip "a CPU that does not exist" "this machine can have all"
fi
usage "filter, value" "filter: --cpus: needs a value" $control filter --cpus
usage "tracepoint without on or off" "tracepoint: needs a name or pattern, and on or off" \
	$control tracepoint syscall
usage "tracepoint with neither on nor off" "tracepoint: needs a name or pattern" $control tracepoint syscall maybe
usage "tracepoints, two" "tracepoints: b: takes --json and one pattern" $control tracepoints a b
usage "show, option" "show: -x: takes -f and -n N" $control show -x
usage "show -n 0" "show: -n: 0: needs a number" $control show -n 0
usage "wait, option" "wait: -x: no such option" $control wait -x
usage "wait, time" "wait: --timeout: 5m: needs seconds" $control wait --timeout 5m
for word in 0.5 .5 1s 1e9 -1 1000000001; do
	usage "wait $word" "wait: $word: needs whole seconds, 0 to 1000000000" $control wait "$word"
done
usage "wait +1" "wait: [+]1: needs whole seconds, 0 to 1000000000" $control wait +1
usage "wait, two numbers" "wait: 2: too many arguments" $control wait 1 2
usage "wait, seconds and an option" "wait: 5: takes no option beside the seconds; try --timeout 5" $control wait --next 5
usage "wait, another word" "wait: x: no such option" $control wait x
run $control --session foo wait 0
is "wait 0 needs no session and no module" "$status:$out$err" "0:"
run timeout -s INT 1 $control wait 60
is "wait, interrupted: nothing about a recording" "$err" "kutrace_control: wait: interrupted"
usage "trigger of an unknown kind" "run: --trigger: wat: no such kind of trigger: needs syscall" \
	$control run --trigger wat -- true
usage "trigger without a time" "start: --trigger: runq>5: invalid time \(example: 10ms\): needs runq>TIME" \
	$control start --trigger 'runq>5'
usage "--after without a trigger" "run: --after: needs --trigger" $control run --after 5 -- true
usage "--snapshot without a trigger" "start: --snapshot: needs --trigger" \
	$control start --snapshot
usage "--mask of run" "run: --mask: wat: no such category or kind" $control run --mask wat -- true
usage "--size of start" "start: --size: 0: needs megabytes" $control start --size 0
usage "run at the prompt's place" "start: -o: no such option|start: x: no such option" $control start -o x
usage "empty command" ": no such command" $control ""
usage "stream: option" "stream: --wat: no such option" $control stream --wat
usage "stream: two ways" "stream: -o, --connect, --listen, --through: use only one" \
	$control stream -o x --listen 7777
usage "stream: --rotate without -o" "stream: --rotate: needs -o" $control stream --rotate 5
usage "stream: --acknowledged without --connect" "stream: --acknowledged: needs --connect" \
	$control stream --acknowledged -o x
usage "stream: --patience without --through or --acknowledged" "stream: --patience: needs --through or --acknowledged" \
	$control stream --patience 5 -o x
for seconds in 0 86401; do
	usage "stream: --patience of $seconds" "stream: --patience: $seconds: needs seconds, 1 to 86400\$" \
		$control stream --through cat --patience $seconds
done
usage "stream: acknowledged, no port" "stream: nowhere: needs HOST:PORT" \
	$control stream --acknowledged --connect nowhere
usage "receive: one folder" "receive: b: takes one folder" $control receive a b
usage "stream: --rotate with an unknown unit" "stream: --rotate: 5x: needs megabytes, 1 to 1000000, or a time" \
	$control stream -o x --rotate 5x
usage "stream: port" "stream: 1.2.3.4:0: needs HOST:PORT, with a port from 1 to 65535" $control stream --connect 1.2.3.4:0
usage "stream: no port" "stream: nowhere: needs HOST:PORT" $control stream --connect nowhere
ok "a static program is built" make -s BUILD="$build" "$build/bin/static/kutrace_control"
usage "stream: a static program looks no names up" \
	"stream: nowhere:1: this program is static and cannot look names up: needs ADDRESS:PORT" \
	$build/bin/static/kutrace_control stream --connect nowhere:1
run $build/bin/static/kutrace_control stream --connect 127.0.0.1:1
like "stream: a static program takes addresses" "$err" '127.0.0.1:1: no program listens there: '
run env RES_OPTIONS='timeout:1 attempts:1' $control stream --connect no.such.host.invalid:1
is "stream: no such host: exit status" "$status" 1
like "stream: no such host" "$err" 'stream: no.such.host.invalid:1: no such host: give its address'
for host in 127.0.0.1 '[::1]' localhost ''; do
	run $control stream --connect "$host:1"
	like "stream: to '$host', where no program listens" "$err" \
		':1: (no program listens there|.*[Nn]etwork is unreachable|.*[Cc]annot assign)'
done
name=$(hostname)
if getent hosts "$name" >/dev/null; then
	run $control stream --connect "$name:1"
	like "stream: by name" "$err" "stream: $name:1: no program listens there: "
else
	skip "stream: by name" "this machine's own name is not known"
fi
usage "snapshot: option" "snapshot: --wat: no such option" $control snapshot --wat
run $control stream --connect 127.0.0.1:1
is "stream: no program listens: exit status" "$status" 1
like "stream: no program listens" "$err" '127.0.0.1:1: no program listens there: start the reader first$'
usage "too many arguments" "stop: too many arguments" $control stop a b
usage "an argument for a command without arguments" "go: takes no argument" $control go now
usage "0 with an argument" "0: takes no argument" $control 0 x
usage "unknown reset" "reset: x: takes wrap, ipc or nothing" $control reset x
usage "run without a program" "run: needs a program to run" $control run
usage "run -- without a program" "run: needs a program to run" $control run --
usage "run -o without a file" "run: -o: needs a file name" $control run -o
usage "run with an unknown option" "run: --x: no such option" $control run --x -- true
usage "run --user without a user" "run: --user: needs the name of a user" $control run --user
usage "run in a session of no name" "--session: : needs a name" $control --session "" run -- true
run $control run --user no-such-user -- true
is "run as an unknown user: exit status" "$status" 125
is "run as an unknown user: message" "$err" "kutrace_control: run: --user: no-such-user: there is no such user"
usage "status with an argument" "status: x: takes --json or nothing" $control status x
usage "a value for an option without a value" "status: --json: takes no value" $control status --json=yes
usage "a bad value after =" "wait: --timeout: 5m: needs seconds" $control wait --timeout=5m
usage "a bad value after an option letter" "show: -n: 0: needs a number" $control show -n0
usage "letters together" "show: -x: takes -f and -n N" $control show -fx
usage "a value that is empty" "stream: --state: needs a file name" $control stream --state=
usage "no option of a command of the guide" "stop: -x: no such option" $control stop -x
usage "-- ends options" "wait: --next: no such option" $control wait -- --next
usage "--session=" "session of what|session: needs create NAME" $control --session=x session
for word in $(sed -n 's/^\t{.name = "\([a-z]*\)".*/\1/p' control/cli/command/table.c) 0 1; do
	run $control "$word" --help
	is "$word --help exits 0" "$status" 0
	like "$word --help is about it" "$out" "^usage: kutrace_control \[--session NAME\] $word "
	run $control "$word" --version
	like "$word --version" "$out" '^kutrace_control [0-9.]+$'
done
for word in create list destroy; do
	run $control session "$word" --help
	like "session $word --help" "$out" "^usage: kutrace_control \[--session NAME\] session $word "
done

for word in filter run start; do
	run $control "$word" --help
	like "$word --help: which pids are meant" "$(echo "$out" | tr -s ' \n' ' ')" 'initial pid namespace'
done
run sh -c "$control run --help >/dev/full"
is "run --help to a full one fails, as no program does" "$status" 125
run sh -c "$control --help >/dev/full"
is "help into a full disk fails" "$status" 1
like "help into a full disk: message" "$err" \
	'^kutrace_control: standard output: No space left on device'

# --- descriptors 0 to 2 --------------------------------------------------------

# Closed descriptors: a file that the program opens (the device, a trace) must not become descriptor 0, 1 or 2.
mkfifo "$TAP_TMP/typed"
$control <"$TAP_TMP/typed" >&- 2>&- &
pid=$!
exec 9>"$TAP_TMP/typed"
i=0
while [ "$(readlink "/proc/$pid/exe")" != "$(realpath $control)" ] ||
	! grep -q '^SigIgn:.*[13579bdf]...$' "/proc/$pid/status"; do	# SIGPIPE is ignored after the descriptors are set up
	i=$((i + 1))
	[ $i -lt 600 ] || break
	sleep 0.1
done
for fd in 0 1 2; do
	ok "descriptor $fd is open" test -e "/proc/$pid/fd/$fd"
done
exec 9>&-
wait $pid 2>/dev/null
run sh -c "$control --help >&-"
is "--help to a closed output fails" "$status" 1
like "--help to a closed output: message" "$err" \
	'^kutrace_control: standard output: Bad file descriptor'
run sh -c "$control --help <&- >/dev/null"
is "a closed input harms no help" "$status" 0
run sh -c "$control <&-"
is "no commands can be read from a closed input" "$status" 1
like "commands from a closed input: message" "$err" \
	'^kutrace_control: standard input: Bad file descriptor'

typed 'help\n  help  \nhelp\n'
is "prompt: help works" "$status" 0
unlike "no prompt without a terminal" "$out" '> '
like "prompt: help lists commands" "$out" 'go gowrap goipc goipcwrap stop'
typed 'wat\nhelp me\nhelp\n'
is "prompt: usage errors in a script" "$status" 2
is "prompt: the commands after an error run" "$(lines "$out")" 4
like "prompt: names the word" "$err" '^kutrace_control: wat: no such command; did you mean watch\?$'
like "prompt: names the argument" "$err" '^kutrace_control: help: takes no argument$'
long=$(printf 'x%.0s' $(seq 5000))
typed "$long\nhelp\n"
like "prompt: a line that is too long is reported" "$err" '^kutrace_control: line too long$'
is "prompt: the commands after a line that is too long run" "$(lines "$out")" 4
typed 'hel\001p\n'
like "prompt: control characters are not echoed" "$err" '^kutrace_control: hel\?p: no such'

# --- without the module ------------------------------------------------------

missing='module not loaded: run "sudo modprobe kutrace" or "sudo make load"; if that fails, "kutrace_control doctor" names the cause$'
case $(uname -r) in
[1-5].* | 6.0*) missing='kernel .* is not supported: boot Linux 6.1 or later$' ;;
esac

if [ -e /dev/kutrace/control ]; then
	skip "errors of a missing module" "the module is loaded here"
else
	for command in go gowrap goipc goipcwrap gowrapipc "-force go" stop dump flush init off on reset \
		stat test 0 1 status mask tracepoints show wait "session list" \
		"session destroy x" "session create x" "filter none" "tracepoint x on"; do
		word=${command%% *}
		[ "$command" = 0 ] && word=off
		[ "$command" = 1 ] && word=on
		[ "$command" = gowrapipc ] && word=goipcwrap
		[ "$command" = "-force go" ] && word=go
		case $command in session*) word="session [a-z]*(: session x)?" ;; esac
		run $control $command
		is "no module: $command exits 1" "$status" 1
		is "no module: $command prints nothing" "$out" ""
		is "no module: $command takes one line" "$(lines "$err")" 1
		like "no module: $command names the remedy" "$err" \
			"^kutrace_control: $word: $missing"
	done
	run $control -force
	is "no module: -force alone reads no commands" "$status $out" "1 "
	like "no module: -force alone names the remedy" "$err" "^kutrace_control: -force: $missing"
	for command in "-force help" "-force --version" "--session x -force --help"; do
		run $control $command
		is "no module: $command needs none" "$status $err" "0 "
	done
	usage "no module: -force of an unknown command" "nonsense: no such command" \
		$control -force nonsense
	usage "no module: -force before a command with an unknown option" "start: --rap: no such option" \
		$control --session x -force start --rap
	run $control stop "$TAP_TMP/x.trace"
	ok "no module: no file" test ! -e "$TAP_TMP/x.trace"
	run $control status --json
	is "no module: status --json exits 1" "$status" 1
	run $control quit
	is "no module: quit has nothing to end" "$status" 0
	run $control run -o "$TAP_TMP/x.trace" -- touch "$TAP_TMP/ran"
	is "no module: run exits 125" "$status" 125
	like "no module: run names the remedy" "$err" "^kutrace_control: run: $missing"
	ok "no module: run does not run it" test ! -e "$TAP_TMP/ran"
	ok "no module: run leaves no file" test ! -e "$TAP_TMP/x.trace"
	typed 'go\n\nstop\n'
	is "no module: a script fails" "$status" 1
	is "no module: each command of the script reports it" "$(lines "$err")" 3
	like "no module: Enter is stat" "$err" "^kutrace_control: stat: $missing"
	typed 'go\nquit\ngo\n'
	is "no module: quit ends a script" "$(lines "$err")" 1
fi

# selftest --json opens its file before it needs the module. test_selftest.sh tests its output.
run $control selftest --json "$TAP_TMP/nodir/x"
like "selftest --json: a missing folder is reported first" "$err" "^kutrace_control: selftest: --json: .*/nodir/x: No such file or directory\$"
is "selftest --json: a missing folder: exit status" "$status" 1
run $control selftest --json "$TAP_TMP"
like "selftest --json: a folder" "$err" "selftest: --json: .*: Is a directory\$"

# doctor counts the checks that prevent recording, and its last line has this number.
run $control doctor
wrong=$(printf '%s\n' "$out" | grep -c '^wrong ')
case $wrong in
0) want='^ready to record' ;;
1) want='^1 check prevents recording: fix it first$' ;;
*) want="^$wrong checks prevent recording: fix the first one first\$" ;;
esac
like "doctor: the last line" "$(printf '%s\n' "$out" | tail -n 1)" "$want"

# --- the library in programs -----------------------------------------

top=$TAP_TMP/root
ok "install-control installs" make -s install-control BUILD="$build" \
	DESTDIR="$top" PREFIX=/usr
inc=$top/usr/include
lib=$top/usr/lib
for file in include/libkutrace.h include/kutrace_lib.h include/kutrace_events.def \
	lib/libkutrace.a lib/libkutrace.so lib/libkutrace.so.1 \
	lib/pkgconfig/libkutrace.pc share/man/man1/kutrace_control.1 \
	share/man/man3/libkutrace.3 share/man/man4/kutrace.4; do
	ok "installed: $file" test -s "$top/usr/$file"
done
for file in lib/udev/rules.d/60-kutrace.rules lib/sysusers.d/kutrace.conf \
	lib/systemd/system/kutrace-recorder.service lib/systemd/system/kutrace-receive.socket \
	lib/systemd/system/kutrace-receive@.service \
	share/bash-completion/completions/kutrace_control; do
	ok "installed: $file" test -s "$top/usr/$file"
done
like "the unit starts the installed program" \
	"$(cat "$top/usr/lib/systemd/system/kutrace-recorder.service")" \
	'^ExecStart=/usr/bin/kutrace_control --session recorder watch --into \$\{STATE_DIRECTORY\} \$RECORDER_ARGS$'
if command -v systemd-analyze >/dev/null 2>&1; then
	# ignore the message that the program of the unit is not installed
	unlike "systemd understands the unit" "$(systemd-analyze verify --man=no \
		"$top/usr/lib/systemd/system/kutrace-recorder.service" 2>&1 |
		grep kutrace-recorder | grep -v 'is not executable')" 'kutrace-recorder'
	unlike "systemd accepts the units of the receiver" "$(systemd-analyze verify --man=no \
		"$top/usr/lib/systemd/system/kutrace-receive.socket" \
		"$top/usr/lib/systemd/system/kutrace-receive@.service" 2>&1 |
		grep kutrace-receive | grep -v 'is not executable')" 'kutrace-receive'
fi
like "libkutrace.pc names the prefix" "$(cat "$lib/pkgconfig/libkutrace.pc")" '^prefix=/usr$'

cat >"$TAP_TMP/hello.cc" <<'END'
#include "kutrace_lib.h"
int main (int argc, const char** argv) {
   kutrace::mark_a("hello");
   fprintf(stdout, "hello world\n");
   kutrace::mark_a("/hello");
   return 0;
}
END
cxx=${CXX:-g++}
cc=${CC:-gcc}
ok "the guide's hello_world compiles" $cxx -Wall -Werror -I"$inc" "$TAP_TMP/hello.cc" \
	-L"$lib" -lkutrace -o "$TAP_TMP/hello"
for how in "" -static; do
	ok "-lkutrace_lib links the library too${how:+, $how}" $cxx -I"$inc" "$TAP_TMP/hello.cc" $how \
		-L"$lib" -lkutrace_lib -o "$TAP_TMP/hello_lib"
	is "the program with -lkutrace_lib runs${how:+, $how}" "$(LD_LIBRARY_PATH=$lib "$TAP_TMP/hello_lib")" "hello world"
done
run env LD_LIBRARY_PATH="$lib" "$TAP_TMP/hello"
is "the guide's program prints its text" "$out" "hello world"
is "the guide's program exits 0" "$status" 0
ok "the guide's program can be linked statically" $cxx -static -I"$inc" "$TAP_TMP/hello.cc" -L"$lib" -lkutrace \
	-o "$TAP_TMP/hello.static"
run "$TAP_TMP/hello.static"
is "the static program prints its text" "$out" "hello world"

# a program that uses every name of the guide, with the signature in the guide
cat >"$TAP_TMP/all.cc" <<'END'
#include "kutrace_lib.h"
using kutrace::u64;
using kutrace::int64;
int main()
{
	void (*dump)(const char *) = kutrace::DoDump, (*init)(const char *) = kutrace::DoInit;
	void (*flush)() = kutrace::DoFlush, (*quit)() = kutrace::DoQuit;
	bool (*off)() = kutrace::DoOff, (*on)() = kutrace::DoOn, (*dotest)() = kutrace::DoTest;
	void (*reset)(u64) = kutrace::DoReset, (*stat)(u64) = kutrace::DoStat;
	u64 (*add)(u64, u64) = kutrace::addevent, (*event)(u64, u64) = kutrace::DoEvent;
	void (*name)(u64, u64, const char *) = kutrace::addname;
	void (*mark)(u64, u64) = kutrace::DoMark;
	const char *(*tochar)(u64, char *) = kutrace::Base40ToChar;
	u64 (*tobase)(const char *) = kutrace::CharToBase40;
	u64 (*control)(u64, u64) = kutrace::DoControl;
	static kutrace::Lock lock = KUTRACE_LOCK_HERE;
	kutrace::name_queue(1, "queue");
	kutrace::name_resource(1, "resource");
	kutrace::rpc_request(1, "method"), kutrace::rpc_middle(1, 0);
	kutrace::lock_try(&lock), kutrace::lock_acquired(&lock);
	kutrace::lock_released(&lock, 1);
	kutrace::enqueue(1), kutrace::dequeue(1), kutrace::resource(1);
	kutrace::rpc_response(1, "method"), kutrace::rpc_end();
	void (*names)(const kutrace::NumNamePair *, u64) = kutrace::EmitNames;
	void (*go[4])(const char *) = {kutrace::go, kutrace::goipc, kutrace::goipcwrap,
				       kutrace::gowrap};
	const char *(*file)(const char *, char *) = kutrace::MakeTraceFileName;
	void (*marks[3])(const char *) = {kutrace::mark_a, kutrace::mark_b, kutrace::mark_c};
	void (*number)(u64) = kutrace::mark_d, (*stop)(const char *) = kutrace::stop;
	void (*sleep)(int) = kutrace::msleep;
	int64 (*usec)() = kutrace::GetUsec, (*time)() = kutrace::readtime;
	bool (*test)() = kutrace::test, (*module)() = kutrace::TestModule;
	u64 (*version)() = kutrace::VersionModule;
	char text[8];

	(void)dump, (void)init, (void)flush, (void)quit, (void)off, (void)on, (void)reset;
	(void)name, (void)stat, (void)control, (void)names, (void)go, (void)file, (void)stop, (void)dotest;
	add(0x20A, 1), event(0x20A, 1), mark(0x20A, 1), marks[0]("a"), number(1), sleep(1);
	printf("%llu %s %d %d %d %d\n", (unsigned long long)tobase("ab"), tochar(81, text),
	       usec() > 0, time() > 0, test() == module(), (version() == ~0ULL) == !module());
	return 0;
}
END
ok "all of the guide's names have its signatures" $cxx -Wall -Werror -I"$inc" \
	"$TAP_TMP/all.cc" -L"$lib" -lkutrace -o "$TAP_TMP/all"
run env LD_LIBRARY_PATH="$lib" "$TAP_TMP/all"
is "the guide's calls return the right values" "$out" "81 ab 1 1 1 1"
[ -e /dev/kutrace/control ] ||
	is "TestModule prints a line without a module" "$(printf "%s\n" "$err" | sort -u)" "KUtrace module/code not loaded; try: kutrace_control doctor"

# Programs written for the original's header: its types, numbers, lists and return values.
cat >"$TAP_TMP/book.cc" <<'END'
#include <string.h>
/* the program's own types */
typedef unsigned long long uint64;
typedef long long int64;
typedef unsigned int uint32;
#include "kutrace_lib.h"
typedef uint64 u64;
typedef uint32 u32;
typedef int64 s64;
static const NumNamePair methods[] = {{1, "get"}, {0x7FFFFFFF, "put"}, {-1, NULL}};
static const kutrace::NumNamePair locks[] = {{0x9ABCDEF0U, "lock"}, {-1, NULL}};
#define IS(name, number) static_assert(name == number, #name)
IS(KUTRACE_FILENAME, 1); IS(KUTRACE_PIDNAME, 2); IS(KUTRACE_METHODNAME, 3);
IS(KUTRACE_TRAPNAME, 4); IS(KUTRACE_INTERRUPTNAME, 5); IS(KUTRACE_TIMEPAIR, 6);
IS(KUTRACE_LOCKNAME, 7); IS(KUTRACE_SYSCALL64NAME, 8); IS(KUTRACE_SYSCALL32NAME, 0xC);
IS(KUTRACE_ERRNONAME, 0xE); IS(KUTRACE_PACKETNAME, 0x100); IS(KUTRACE_PC_TEMP, 0x101);
IS(KUTRACE_KERNEL_VER, 0x102); IS(KUTRACE_MODEL_NAME, 0x103); IS(KUTRACE_HOST_NAME, 0x104);
IS(KUTRACE_QUEUE_NAME, 0x105); IS(KUTRACE_RES_NAME, 0x106); IS(KUTRACE_NOP, 0);
IS(KUTRACE_VARLENLO, 0x010); IS(KUTRACE_VARLENHI, 0x1FF); IS(KUTRACE_MAX_SPECIAL, 0x27F);
IS(KUTRACE_USERPID, 0x200); IS(KUTRACE_RPCIDREQ, 0x201); IS(KUTRACE_RPCIDRESP, 0x202);
IS(KUTRACE_RPCIDMID, 0x203); IS(KUTRACE_RPCIDRXMSG, 0x204); IS(KUTRACE_RPCIDTXMSG, 0x205);
IS(KUTRACE_RUNNABLE, 0x206); IS(KUTRACE_IPI, 0x207); IS(KUTRACE_MWAIT, 0x208);
IS(KUTRACE_PSTATE, 0x209); IS(KUTRACE_MARKA, 0x20A); IS(KUTRACE_MARKD, 0x20D);
IS(KUTRACE_LEFTMARK, 0x20E); IS(KUTRACE_RIGHTMARK, 0x20F); IS(KUTRACE_LOCKNOACQUIRE, 0x210);
IS(KUTRACE_LOCKACQUIRE, 0x211); IS(KUTRACE_LOCKWAKEUP, 0x212); IS(KUTRACE_RX_PKT, 0x214);
IS(KUTRACE_TX_PKT, 0x215); IS(KUTRACE_RX_USER, 0x216); IS(KUTRACE_TX_USER, 0x217);
IS(KUTRACE_MBIT_SEC, 0x218); IS(KUTRACE_RESOURCE, 0x219); IS(KUTRACE_ENQUEUE, 0x21A);
IS(KUTRACE_DEQUEUE, 0x21B); IS(KUTRACE_PSTATE2, 0x21C); IS(KUTRACE_TSDELTA, 0x21D);
IS(KUTRACE_MONITORSTORE, 0x21E); IS(KUTRACE_MONITOREXIT, 0x21F); IS(KUTRACE_PC_U, 0x280);
IS(KUTRACE_PC_K, 0x281); IS(KUTRACE_LOCK_HELD, 0x282); IS(KUTRACE_LOCK_TRY, 0x283);
IS(KUTRACE_WAITA, 0x300); IS(KUTRACE_WAITZ, 0x319); IS(KUTRACE_TRAP, 0x400);
IS(KUTRACE_IRQ, 0x500); IS(KUTRACE_TRAPRET, 0x600); IS(KUTRACE_IRQRET, 0x700);
IS(KUTRACE_SYSCALL64, 0x800); IS(KUTRACE_SYSRET64, 0xA00); IS(KUTRACE_SYSCALL32, 0xC00);
IS(KUTRACE_SYSRET32, 0xE00); IS(KUTRACE_DNA, 7); IS(KUTRACE_PAGEFAULT, 14);
IS(KUTRACE_LOCAL_TIMER_VECTOR, 0xEC); IS(KUTRACE_BOTTOM_HALF, 255);
IS(KUTRACE_CMD_OFF, 0); IS(KUTRACE_CMD_ON, 1); IS(KUTRACE_CMD_FLUSH, 2);
IS(KUTRACE_CMD_RESET, 3); IS(KUTRACE_CMD_STAT, 4); IS(KUTRACE_CMD_GETCOUNT, 5);
IS(KUTRACE_CMD_GETWORD, 6); IS(KUTRACE_CMD_INSERT1, 7); IS(KUTRACE_CMD_INSERTN, 8);
IS(KUTRACE_CMD_GETIPCWORD, 9); IS(KUTRACE_CMD_TEST, 10); IS(KUTRACE_CMD_VERSION, 11);
IS(KUTRACE_CMD_SET4KB, 12); IS(KUTRACE_CMD_GET4KB, 13); IS(KUTRACE_CMD_GETIPC4KB, 14);
static void add_name(u64 event, u32 number, const char *name)
{
	u64 temp[9];
	u64 length = 1 + (strlen(name) + 7) / 8;
	memset(temp, 0, sizeof(temp));
	temp[0] = (event + (length << 4)) << 32 | number;
	memcpy(&temp[1], name, strlen(name));
	kutrace::DoControl(KUTRACE_CMD_INSERTN, (u64)&temp[0]);
}
int main()
{
	u64 none = 0;
	uint64 *same = &none;
	*same = kutrace::addevent(KUTRACE_RPCIDREQ, 5);
	uint64 words = kutrace::DoEvent(KUTRACE_LOCKNOACQUIRE, 7);
	kutrace::addname(KUTRACE_METHODNAME, 5, "method");
	if (words == 1) add_name(KUTRACE_LOCKNAME, 7, "lock");
	kutrace::EmitNames(methods, KUTRACE_METHODNAME);
	kutrace::EmitNames(locks, KUTRACE_LOCKNAME);
	for (const NumNamePair *pair = methods; pair->name != NULL; ++pair)
		printf("%d=%s ", (int)pair->number, pair->name);
	printf("%d %d\n", (s64)none < 0 || none <= 8, (s64)words < 0 || words <= 8);
	return 0;
}
END
ok "programs for the original's header compile with this one" $cxx -Wall -Werror -I"$inc" \
	"$TAP_TMP/book.cc" -L"$lib" -lkutrace -o "$TAP_TMP/book"
run env LD_LIBRARY_PATH="$lib" "$TAP_TMP/book"
is "programs for the original's header get the right values" "$out" "1=get 2147483647=put 1 1"

# --- kutrace_lib.cc, compiled as in the guide and the book -----------------------

mkdir "$TAP_TMP/guide"
cp "$inc/kutrace_lib.cc" "$TAP_TMP/guide"
cp "$TAP_TMP/hello.cc" "$TAP_TMP/guide/hello_world_trace.c"
cp "$TAP_TMP/all.cc" "$TAP_TMP/guide/schedtest.cc"
sed 's/^int main/int part/' "$TAP_TMP/book.cc" >"$TAP_TMP/guide/dclab_rpc.cc"
printf 'int part();\nint main() { return part(); }\n' >"$TAP_TMP/guide/client4.cc"
in_guide()	# COMMAND...: runs COMMAND in the guide's folder, with the installed headers
{
	(cd "$TAP_TMP/guide" && CPATH=$inc "$@")
}
ok "g++ hello_world_trace.c kutrace_lib.cc" in_guide $cxx -O2 hello_world_trace.c kutrace_lib.cc -o hello_world_trace
run env LD_LIBRARY_PATH="$lib" "$TAP_TMP/guide/hello_world_trace"
is "the program compiled as in the guide runs" "$status $out" "0 hello world"
ok "g++ -pthread schedtest.cc kutrace_lib.cc" in_guide $cxx -O2 -pthread schedtest.cc kutrace_lib.cc -o schedtest
run env LD_LIBRARY_PATH="$lib" "$TAP_TMP/guide/schedtest"
is "all of the guide's names work" "$out" "81 ab 1 1 1 1"
ok "g++ -pthread client4.cc dclab_rpc.cc kutrace_lib.cc" in_guide $cxx -O2 -pthread client4.cc dclab_rpc.cc kutrace_lib.cc -o client4
run env LD_LIBRARY_PATH="$lib" "$TAP_TMP/guide/client4"
is "a program of two sources runs" "$out" "1=get 2147483647=put 1 1"
for std in c++11 c++20; do
	is "$std: no warning" "$(in_guide $cxx -std=$std -Wall -Wextra -Wconversion -Wshadow -pedantic -c kutrace_lib.cc -o none.o 2>&1)" ""
done

# Makes a library that prints the calls that it gets. A program must make the same calls with kutrace_lib.cc as with
# -lkutrace.
mkdir "$TAP_TMP/fake"
cat >"$TAP_TMP/fake/fake.cc" <<'END'
#include "kutrace_lib.h"
typedef unsigned long long ull;
static const uint32_t first = 1, on = 2, off = 0;
extern "C" {
const volatile uint32_t *kutrace_active_word = &first;
#define TEXT(type, name, text, p) \
type name p { printf(#name " %s %u\n", text, *kutrace_active_word); kutrace_active_word = &on; return (type)-7; }
#define NUMBER(type, name, number, p) \
type name p { printf(#name " %llu\n", (ull)(number)); kutrace_active_word = &on; return (type)-7; }
#define STRING(name, number, p) const char *name p { printf(#name " %llu %p\n", (ull)(number), (void *)s); return "string"; }
void kutrace_mark_label_on(int which, const char *s) { printf("label %c %s\n", which, s); kutrace_active_word = &on; }
void kutrace_mark_number_on(uint64_t n) { printf("number %llu\n", (ull)n); }
void kutrace_msleep(int ms) { printf("msleep %d\n", ms); }
NUMBER(int, kutrace_addevent_on, e * 1000 + a, (uint64_t e, uint64_t a))
NUMBER(int, kutrace_addevent_words, e * 1000 + a, (uint64_t e, uint64_t a))
NUMBER(int, kutrace_queue_on, w * 1000 + n, (int w, uint32_t n))
NUMBER(int, kutrace_do_reset, f, (uint64_t f))
NUMBER(int, kutrace_do_on, 0, (void))
NUMBER(int, kutrace_do_flush, 0, (void))
NUMBER(int, kutrace_do_quit, 0, (void))
NUMBER(int64_t, kutrace_do_stat, 0, (void))
NUMBER(int, kutrace_test, 0, (void))
NUMBER(int, kutrace_test_module, 0, (void))
NUMBER(uint64_t, kutrace_version_module, 0, (void))
NUMBER(int64_t, kutrace_get_usec, 0, (void))
NUMBER(int64_t, kutrace_readtime, 0, (void))
NUMBER(uint64_t, kutrace_do_control, c * 1000 + a, (uint64_t c, uint64_t a))
NUMBER(int, kutrace_lock_on, w * 1000 + (int)l->line, (int w, struct kutrace_lock *l))
TEXT(int, kutrace_rpc_on, m ? m : "none", (int w, uint32_t id, const char *m))
TEXT(int, kutrace_name_queue, s, (uint32_t n, const char *s))
TEXT(int, kutrace_name_resource, s, (uint32_t n, const char *s))
TEXT(int, kutrace_go, s, (const char *s))
TEXT(int, kutrace_gowrap, s, (const char *s))
TEXT(int, kutrace_goipc, s, (const char *s))
TEXT(int, kutrace_goipcwrap, s, (const char *s))
TEXT(int, kutrace_stop, s, (const char *s))
TEXT(int, kutrace_do_init, s, (const char *s))
TEXT(int, kutrace_do_dump, s, (const char *s))
TEXT(int, kutrace_addname, s, (uint64_t e, uint64_t n, const char *s))
TEXT(int, kutrace_emit_names, p->name, (const struct kutrace_num_name *p, uint64_t e))
TEXT(uint64_t, kutrace_char_to_base40, s, (const char *s))
STRING(kutrace_base40_to_char, n, (uint64_t n, char *s))
STRING(kutrace_make_trace_file_name, n[0], (const char *n, char *s))
int kutrace_do_off(void) { printf("kutrace_do_off\n"); kutrace_active_word = &off; return 0; }
}
END
cat >"$TAP_TMP/fake/calls.cc" <<'END'
#include "kutrace_lib.h"
using namespace kutrace;
struct Early { Early() { mark_a("early"); } } early;	/* before main() */
int main()
{
	static Lock lock = KUTRACE_LOCK_HERE;
	static const ::NumNamePair names[] = {{1, "name"}, {-1, NULL}};
	mark_a("a"), mark_b("b"), mark_c("c"), mark_d(4);
	printf("%llu %llu\n", addevent(5, 6), DoEvent(7, 8));
	addname(9, 10, "addname"), DoMark(11, 12);
	rpc_request(13, "request"), rpc_response(14, "response"), rpc_middle(15, NULL), rpc_end();
	lock_try(&lock), lock_acquired(&lock), lock_released(&lock, 1);
	enqueue(16), dequeue(17), resource(18), name_queue(19, "queue"), name_resource(20, "resource");
	go("go"), gowrap("gowrap"), goipc("goipc"), goipcwrap("goipcwrap"), stop("stop");
	printf("%d %d\n", LastError(), kutrace::test());
	DoDump("dump"), DoFlush(), DoInit("init"), DoOn(), DoReset(21), DoStat(22), EmitNames(names, 23);
	printf("%llu %s\n", DoControl(24, 25), Base40ToChar(26, NULL));
	printf("%llu %lld %s\n", CharToBase40("base40"), GetUsec(), MakeTraceFileName("file", NULL));
	msleep(27);
	printf("%lld %d %llu\n", readtime(), TestModule(), VersionModule());
	DoOff();
	mark_a("none"), mark_d(28), rpc_end();	/* nothing is recorded: not called */
	DoQuit();
}
END
cp "$TAP_TMP/fake/calls.cc" "$TAP_TMP/guide"
ok "a library that prints its calls" $cxx -Wno-unused-parameter -shared -fPIC -I"$inc" "$TAP_TMP/fake/fake.cc" -Wl,-soname,libkutrace.so.1 \
	-o "$TAP_TMP/fake/libkutrace.so.1"
ok "a program by -lkutrace" $cxx -I"$inc" "$TAP_TMP/fake/calls.cc" "$TAP_TMP/fake/libkutrace.so.1" -o "$TAP_TMP/fake/linked"
LD_LIBRARY_PATH=$TAP_TMP/fake "$TAP_TMP/fake/linked" >"$TAP_TMP/fake/want" 2>&1
is "the program makes all calls" "$(cut -d' ' -f1 "$TAP_TMP/fake/want" | grep -c '^[a-z]')" 45
for how in "" -rdynamic; do
	ok "the same by kutrace_lib.cc${how:+, $how}" in_guide $cxx $how calls.cc kutrace_lib.cc -o calls
	LD_LIBRARY_PATH=$TAP_TMP/fake "$TAP_TMP/guide/calls" >"$TAP_TMP/fake/got" 2>&1
	ok "with the same calls, arguments and results${how:+, $how}" diff "$TAP_TMP/fake/want" "$TAP_TMP/fake/got"
done
# Two threads of a static constructor call the library's functions before the library is loaded. If
# the calls race, ThreadSanitizer reports it although they are 200 ms apart.
cat >"$TAP_TMP/guide/early.cc" <<'END'
#include <pthread.h>
#include <unistd.h>
#include "kutrace_lib.h"
static void *now(void *) { kutrace::test(); return 0; }
static void *late(void *) { usleep(200000); kutrace::test(); return 0; }
struct Start {
	Start()
	{
		pthread_t threads[2];
		pthread_create(&threads[0], 0, late, 0);
		pthread_create(&threads[1], 0, now, 0);
		pthread_join(threads[0], 0);
		pthread_join(threads[1], 0);
	}
};
__attribute__((init_priority(101))) Start start;
int main() { return 0; }
END
if printf 'int main() {}' | $cxx -fsanitize=thread -x c++ - -o "$TAP_TMP/tsan" 2>/dev/null && setarch -R "$TAP_TMP/tsan" 2>/dev/null; then
	ok "threads of a static constructor" in_guide $cxx -fsanitize=thread -g -pthread early.cc kutrace_lib.cc -o early
	run env LD_LIBRARY_PATH="$lib" TSAN_OPTIONS=exitcode=66 setarch -R "$TAP_TMP/guide/early"
	is "early calls do not race" "$status $err" "0 "
else
	skip "threads of a static constructor" "no ThreadSanitizer for this compiler"
fi
if ldconfig -p 2>/dev/null | grep -q 'libkutrace\.so\.1'; then
	skip "without the library" "it is installed here"
else
	ok "without the library it compiles" in_guide $cxx hello_world_trace.c kutrace_lib.cc -o hello_world_trace
	run "$TAP_TMP/guide/hello_world_trace"
	is "without the library, the program does not run" "$status $out" "127 "
	like "without the library, the program prints the cause" "$err" '^kutrace_lib\.cc: cannot load libkutrace\.so\.1: .*; try make install, ldconfig$'
fi

# the library exports only the names that the headers declare
declared_in()	# HEADER
{
	printf '#include "%s"\n' "$1" | $cc -E -P -I"$inc" - | tr -d '\n' |
		tr ';{}' '\n\n\n'
}
{
	declared_in libkutrace.h
	# inline functions of the header are not exported
	declared_in kutrace_point.h | grep '^[a-z]' | grep -v '^static inline'
} | sed -n 's/.*[ *]\(kutrace_[a-z0-9_]*\)(.*/\1/p' | grep -v '^kutrace_maybe_on$' |
	sort -u >"$TAP_TMP/declared"
nm -D --defined-only "$lib/libkutrace.so.1" | sed -n 's/.* [TBD] \([a-z0-9_]*\).*/\1/p' |
	sort -u >"$TAP_TMP/exported"
for name in kutrace_mark_a kutrace_mark_b kutrace_mark_c kutrace_mark_d kutrace_addevent \
	kutrace_do_event kutrace_rpc_request kutrace_rpc_response kutrace_rpc_middle \
	kutrace_rpc_end kutrace_lock_try kutrace_lock_acquired kutrace_lock_released \
	kutrace_enqueue kutrace_dequeue kutrace_resource kutrace_session_bind; do
	ok "$name is inline" sh -c "grep -qx $name '$TAP_TMP/declared' &&
		! grep -qx $name '$TAP_TMP/exported'"
done
missing_names=$(grep -vxE \
	'kutrace_(mark_[abcd]|addevent|do_event|rpc_(request|response|middle|end)|lock_(try|acquired|released)|(en|de)queue|resource|session_bind)' "$TAP_TMP/declared" |
	grep -vxFf "$TAP_TMP/exported" | tr '\n' ' ')
is "every declared function is exported" "$missing_names" ""
extra_names=$(grep -vxFf "$TAP_TMP/declared" "$TAP_TMP/exported" | tr '\n' ' ')
is "no other symbol is exported, except the word of the marks and a function that is a macro now" "$extra_names" \
	"kutrace_active_word kutrace_lost "

# One program was compiled when structs had no length yet, and another one uses the present header.
cat >"$TAP_TMP/before.c" <<'END'
#include <stdio.h>
#include <string.h>
int kutrace_get_info(void *info);
int main(void)
{
	unsigned char info[1000];
	int i, touched = 0;

	memset(info, 0xAA, sizeof(info));
	kutrace_get_info(info);
	for (i = 328; i < 1000; i++)	/* so long it was */
		touched |= info[i] != 0xAA;
	puts(touched ? "written beyond its end" : "as it was");
	return 0;
}
END
cat >"$TAP_TMP/today.c" <<'END'
#include <libkutrace.h>
int main(void)
{
	struct kutrace_info info;

	kutrace_get_info(&info);
	return info.length != sizeof(info);
}
END
for age in before today; do
	ok "a program of $age compiles" $cc -Wall -Werror -I"$inc" "$TAP_TMP/$age.c" -L"$lib" \
		-lkutrace -o "$TAP_TMP/$age"
	run env LD_LIBRARY_PATH="$lib" "$TAP_TMP/$age"
	is "the program runs" "$status" 0
	[ $age = today ] || is "and its struct is" "$out" "as it was"
done
like "an old program uses the functions of its time" "$(nm -D "$TAP_TMP/before")" \
	' U kutrace_get_info@LIBKUTRACE_1$'
like "a new program passes the lengths of its structs" "$(nm -D "$TAP_TMP/today")" \
	' U kutrace_get_info_sized@LIBKUTRACE_2$'

# the library links to no function that prints or exits
is "nothing that prints or exits is used by the library" \
	"$(nm -D --undefined-only "$lib/libkutrace.so.1" | awk '{ print $2 }' | sed 's/@.*//' |
	grep -xE '_?_?_?(v?f?printf|v?dprintf|f?puts|f?putc|putchar|perror|psignal|err|errx|warnx?|exit|_exit|_Exit|quick_exit|abort|assert_fail|stdout|stderr)(_chk)?')" ""

# The library links to no function whose result depends on the locale. test_lib_locale tests "%g".
is "nothing that a locale changes is used by the library" \
	"$(nm -D --undefined-only "$lib/libkutrace.so.1" | awk '{ print $2 }' | sed 's/@.*//' |
	grep -xE '(__)?(strto(d|f|ld)(_internal)?|ato[fil]+|strn?casecmp|strcoll|strxfrm|to(upper|lower)|is(alnum|alpha|digit|xdigit|print|punct|space|upper|lower)|ctype_(b|tolower|toupper)_loc|localeconv|strfmon)')" ""

# without a recording, a program with many marks makes as many system calls as a program with one mark
cat >"$TAP_TMP/marks.c" <<'END'
#include <stdlib.h>
#include "libkutrace.h"
int main(int argc, char **argv)
{
	for (long n = argc > 1 ? atol(argv[1]) : 0; n > 0; n--)
		kutrace_mark_a("label");
	return 0;
}
END
ok "a C program with marks compiles" $cc -O2 -Wall -Wextra -Werror -I"$inc" \
	"$TAP_TMP/marks.c" "$lib/libkutrace.a" -o "$TAP_TMP/marks"
run sh -c "ulimit -t 5; exec '$TAP_TMP/marks' 100000000"
is "without a recording, marks make no system calls" "$status" 0
needed=$(readelf -d "$control" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v '^libc\.')
is "kutrace_control needs nothing but glibc" "$needed" ""

tap_end
