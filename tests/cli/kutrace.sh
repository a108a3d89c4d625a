#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# fast
# takes: 10
#
# Tests kutrace: each command starts the right program with the right arguments, each has
# help, a manual page and completion, and wrong words get a proposal. A script replaces kutrace_control in the
# tests of kutrace run: it writes a recorded trace. tests/guest/test_front.sh records for real.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc
built "$BIN/kutrace" "$BIN/kutrace_control" "$BIN/rawtohtml" "$BIN/spantowhy" "$BIN/spantoprof" "$BIN/rawtoevent" "$BIN/checktrace" \
	"$BIN/spandiff" "$BIN/makeself" "$BUILD/bench/gen_trace"
bin=$(realpath "$BIN")
gen=$(realpath "$BUILD/bench/gen_trace")
top=$PWD
unset BROWSER DISPLAY WAYLAND_DISPLAY SSH_CONNECTION SUDO_USER SUDO_UID SUDO_GID
export USER=carol

run()	# CMD...: sets out, err and status
{
	status=0
	"$@" >"$TAP_TMP/out" 2>"$TAP_TMP/err" </dev/null || status=$?
	out=$(cat "$TAP_TMP/out") err=$(cat "$TAP_TMP/err")
}

commands=$(sed -n 's/^\t{"\([a-z]*\)", .*/\1/p' control/front/table.c)
is "the table of commands is read" "$(wc -w <<<"$commands")" 14
wanted="run record snapshot page why top diff events spans check doctor selftest guest help"
is "all commands exist" "$(echo $commands)" "$wanted"

# --- overview, help, version, manual pages, completion ---
run "$bin/kutrace"
is "alone: exit status" "$status$err" 2
like "alone: the first command to try" "$out" '^    kutrace run -- ls'
overview=$out
for option in --help -h; do
	run "$bin/kutrace" $option
	is "$option: the overview" "$status$out" "0$overview"
done
for option in --version -V; do
	run "$bin/kutrace" $option
	like "$option" "$status $out" '^0 kutrace [0-9]+\.[0-9]+\.[0-9]+$'
done
completes() { bash -c '. control/dist/completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _kutrace "$1"
	printf "%s\n" "${COMPREPLY[@]}"' - "$bin/kutrace" "$@"; }
for command in $commands; do
	like "$command: in the overview" "$overview" "^  $command +[a-z]"
	ok "$command: manual page" test -s "docs/reference/man/kutrace-$command.1"
	like "$command: in kutrace(1)" "$(cat docs/reference/man/kutrace.1)" "^\\.BR kutrace.-$command \\(1\\)"
	is "$command: bash completes it" "$(completes "$command" | grep -x "$command")" "$command"
	[ "$command" != selftest ] || grep -q '"selftest"' control/cli/command/table.c || continue
	run "$bin/kutrace" "$command" --help
	like "$command --help" "$status $out" '^0 usage: kutrace(_control)? '
	# without man, and with it
	man_help=$out
	run env PATH=/nonexistent "$bin/kutrace" help "$command"
	is "help $command without man" "$status$out" "0$man_help"
done
mkdir "$TAP_TMP/man"
printf '#!/bin/sh\necho "man $*"\n' >"$TAP_TMP/man/man"
chmod +x "$TAP_TMP/man/man"
run env PATH=$TAP_TMP/man:$PATH "$bin/kutrace" help why
like "help why opens the manual page" "$out" '^man .*/docs/reference/man/kutrace-why\.1$'
printf '#!/bin/sh\necho no page >&2; exit 16\n' >"$TAP_TMP/man/man"
run env PATH=$TAP_TMP/man:$PATH "$bin/kutrace" help why
like "help why, man fails: the help" "$status$err$out" '^0usage: kutrace why '
run "$bin/kutrace" help nonsense
like "help of an unknown command" "$status $err" '^2 kutrace help: nonsense: no such command'
is "bash completes options of run" "$(completes run --tri)" --trigger
is "bash completes options of a filter" "$(completes why --js)" --json
is "bash completes the program to record" "$(completes run -- busybo | sort -u)" "$(compgen -c busybo | sort -u)"
is "bash completes files" "$(completes page control/dist/completion.b)" control/dist/completion.bash
# the recording options of kutrace_control run are options of kutrace run
for option in $("$bin/kutrace_control" help run | grep -o -e '--[a-z][a-z-]*' | sort -u | grep -vx -e --open -e --no-next); do
	like "run has $option" "$("$bin/kutrace" run --help)" "(^| )$option([, ]|\$)"
	run "$bin/kutrace" run "$option"
	unlike "run accepts $option" "$err" 'no such option'
done

# --- words that are no commands ---
controls=$(sed -n 's/^\t{.name = "\([a-z]*\)".*/\1/p' control/cli/command/table.c)
between "the commands of kutrace_control are read" "$(wc -w <<<"$controls")" 30 60
for command in $controls; do
	[[ " $(echo $commands) " != *" $command "* ]] || continue
	run "$bin/kutrace" "$command"
	is "$command is a command of kutrace_control" "$status $(head -n 1 <<<"$err")" \
		"2 kutrace: $command: no such command: it is a command of kutrace_control; try \"kutrace_control $command\""
done
for command in $commands; do
	[[ " $(echo $controls) " != *" $command "* ]] || continue
	run "$bin/kutrace_control" "$command"
	is "$command is a command of kutrace" "$status $(head -n 1 <<<"$err")" \
		"2 kutrace_control: $command: no such command: it is a command of kutrace; try \"kutrace $command\""
done
# TOOL WORD PROPOSAL
while read -r tool word proposal; do
	run "$bin/$tool" "$word"
	is "$tool $word" "$status $(head -n 1 <<<"$err")" "2 $tool: $word: no such command; ${proposal:+$proposal}"
done <<'TABLE'
kutrace recrod did you mean record?
kutrace recordd did you mean record?
kutrace chekc did you mean check?
kutrace doc did you mean doctor?
kutrace s did you mean snapshot, spans or selftest?
kutrace rnu did you mean run?
kutrace evnts did you mean events?
kutrace report try "kutrace top"
kutrace list try "kutrace_control session list"
kutrace snpshot did you mean snapshot?
kutrace_control recrod did you mean record?
kutrace_control runn did you mean run?
kutrace_control strat did you mean start?
kutrace_control st did you mean start, stop, stat or status?
kutrace_control trcaepoints did you mean tracepoints?
kutrace_control list try "kutrace_control session list"
kutrace_control report try "kutrace top"
TABLE
for word in qqq foo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx ''; do
	run "$bin/kutrace" "$word"
	is "no command is similar to '$word'" "$status $(head -n 1 <<<"$err")" "2 kutrace: $word: no such command"
done

# --- the programs that the commands start ---
xz -dc tests/golden/stock.trace.xz >"$TAP_TMP/x.trace"
cd "$TAP_TMP" || exit 1
while read -r command program arguments; do
	run "$bin/kutrace" $command $arguments
	is "$command is $program: exit status" "$status" 0
	[ "$program" != rawtohtml--json ] || program="rawtohtml --json"
	is "$command is $program: the output" "$(cksum <"$TAP_TMP/out")" "$("$bin/"$program $arguments 2>/dev/null | cksum)"
done <<'TABLE'
why spantowhy x.trace
why spantowhy --pid workload x.trace
top spantoprof x.trace
diff spandiff x.trace x.trace
events rawtoevent x.trace
spans rawtohtml--json x.trace
check checktrace x.trace
TABLE
run "$bin/kutrace" why --wat
is "messages have the command's name" "$status $err" "2 kutrace why: unknown option --wat
try 'kutrace why --help'"
run "$bin/kutrace" why x.trace
like "a program that this program starts has its own name" "$err" '^rawtohtml: .* spans'

# Copies of the programs in the folders of a package.
mkdir -p usr/bin usr/lib/kutrace/bin usr/lib/kutrace/templates
cp "$bin/kutrace" usr/bin/
cp "$bin"/{rawtohtml,makeself,spantowhy,spantoprof} usr/lib/kutrace/bin/
cp "$top/tests/data/template.html" usr/lib/kutrace/templates/show_cpu.html
run env PATH=/usr/bin:/bin usr/bin/kutrace top x.trace
is "a program in ../lib/kutrace/bin is found" "$status" 0
run env PATH=/usr/bin:/bin usr/bin/kutrace check x.trace
like "a program that is missing" "$status $err" '^127 kutrace check: cannot find checktrace, .*try '
mkdir path
cp "$bin/checktrace" path/
run env PATH=$PWD/path:/usr/bin:/bin usr/bin/kutrace check x.trace
is "a program in the PATH is found" "$status" 0
cp "$bin/kutrace_control" usr/bin/
like "kutrace_control finds rawtohtml there too" "$(PATH=/usr/bin:/bin usr/bin/kutrace_control doctor 2>/dev/null)" \
	'^good +page +made by .*/lib/kutrace/bin/rawtohtml'

# --- run, with a kutrace_control that writes a recorded trace ---
cat >usr/bin/kutrace_control <<'SCRIPT'
#!/bin/sh
printf '%s\n' "$@" >"$CALLED"
[ -z "$FAILS" ] || exit 125
while [ "$1" != -- ]; do
	[ "$1" != -o ] || file=$2
	shift
done
shift
"$@"
status=$?
cp "$TRACE" "$file.part" && mv "$file.part" "$file"
exit $status
SCRIPT
export CALLED=$PWD/called TRACE=$PWD/x.trace FAILS=''
printf '#!/bin/sh\necho "$0 $*"\nexit 3\n' >workload
chmod +x workload usr/bin/kutrace_control
kutrace=$PWD/usr/bin/kutrace
mkdir here
cd here || exit 1
run "$kutrace" run ../workload a 'b c'
is "run: exit status and output of the program" "$status $out" "3 ../workload a b c"
is "run: the files" "$(echo *)" "workload.html workload.trace"
is "run: the arguments of kutrace_control" "$(paste -sd' ' "$CALLED")" "run --no-next --no-findings -o workload.trace -- ../workload a b c"
like "run: the names of the files" "$err" '^wrote workload\.trace and its page workload\.html$'
like "run: the page has the title" "$(cat workload.html)" 'workload'
# the figures of spantowhy and spantoprof
life=$("$bin/spantowhy" --json --pid workload "$TRACE" 2>/dev/null | awk -F'[:,{}]+' '/"runs"/ { for (i = 1; i < NF; i++)
	if ($i ~ /"(run|runnable|unknown|disk|net|pipe|time|unk)"/) s += $(i + 1) } END { printf "%.1f", s * 1000 }')
like "run: how long the program lasted" "$(sed -n 's/^workload\.105 lasted \([0-9]*\.[0-9]\)[0-9]* ms:$/\1/p' <<<"$err")" "^$life\$"
ran=$("$bin/spantoprof" --json "$TRACE" 2>/dev/null | awk '/"pid": 105,/ { own = 1; next } /"pid"/ { own = 0 }
	own && /"kind": "user"/ { sub(/.*"time": /, ""); printf "%.3f", $0 * 1000 }')
like "run: time of its own code" "$err" "on a CPU: $ran ms its own code, "
longest=$("$bin/spantowhy" --json --pid workload "$TRACE" 2>/dev/null | sed -n '/"gaps": \[/,/"path"/s/.*"waited": \([0-9.]*\).*/\1/p' |
	sort -rn | head -n 3 | awk '{ printf "%.3f\n", $1 * 1000 }')
is "run: the longest waits" "$(sed -n '/^longest/,$s/^ *\([0-9.]*\) ms  at .* in .*, until .* woke it in .*/\1/p' <<<"$err")" "$longest"
between "run: lines of the answer" "$(sed -n '/lasted/,/to see/p' <<<"$err" | wc -l)" 6 12
is "run: the known faults" "$(grep 'known fault' <<<"$err")" \
	'no known fault was found in any thread (the trace does not show which threads belong to workload.105)'
like "run: how to open the page" "$err" "^to see the page, open file://.*/here/workload\\.html in a browser;\$"
like "run: from another machine" "$err" 'scp carol@.*:.*/here/workload\.html \.$'
SSH_CONNECTION='192.0.2.1 1000 192.0.2.7 22' run "$kutrace" run -f ../workload
like "run: over ssh" "$err" 'scp carol@192\.0\.2\.7:'
is "run -f: replaces the files" "$(echo *)" "workload.html workload.trace"
run "$kutrace" run -- ../workload
is "run: existing files remain" "$(echo *)" "workload-2.html workload-2.trace workload.html workload.trace"
rm -f workload*
: >workload.html
run "$kutrace" run -- ../workload
is "run: a page without a trace remains" "$(echo *) $(stat -c %s workload.html)" "workload-2.html workload-2.trace workload.html 0"
rm -f workload*
ln -s /nonexistent workload.trace
run "$kutrace" run -- ../workload
is "run: a dangling link is no free name" "$(ls)" "workload-2.html
workload-2.trace
workload.trace"
rm -f workload*
# two at a time: the first one still runs when the second one begins
printf '#!/bin/sh\ntouch begun; while [ ! -e go ]; do sleep 0.05; done\n' >../slow
chmod +x ../slow
"$kutrace" run ../slow 2>/dev/null &
first=$!
until [ -e begun ]; do sleep 0.05; done
"$kutrace" run ../slow 2>/dev/null &
second=$!
for ((i = 0; i < 200; i++)); do [ ! -e slow-2.trace ] || break; sleep 0.05; done
touch go
wait $first $second
is "run: two at a time take two names" "$(echo slow*)" "slow-2.html slow-2.trace slow.html slow.trace"
rm -f -- *
run "$kutrace" run -o y.trace --size 8 --wrap --trigger='runq>5ms' --user root -- ../workload
is "run -o: the files" "$(echo *)" "y.html y.trace"
is "run: options of kutrace_control" "$(paste -sd' ' "$CALLED")" \
	"run --no-next --no-findings -o y.trace --size=8 --wrap --trigger=runq>5ms --user=root -- ../workload"
FAILS=1 run "$kutrace" run ../workload
is "run: kutrace_control fails: status, no files" "$status $(echo *)" "125 y.html y.trace"
FAILS=1 run "$kutrace" run -o y.trace ../workload
unlike "run: kutrace_control fails: no answer about an old trace" "$err" 'wrote|lasted'
run "$kutrace" run sh -c 'kill -TERM $$'
is "run: a signal ended the program" "$status" 143
run "$kutrace" run
like "run without a program" "$status $err" '^125 kutrace run: needs a program to run: kutrace run -- PROGRAM'
for wrong in --for:'try "kutrace record --for 1"' --forc:'did you mean --force\?' --no:'did you mean --no-open\?' --siz=8:'did you mean --size\?' --x:'no such option'; do
	run "$kutrace" run "${wrong%%:*}" 1 -- ls
	like "run ${wrong%%:*}" "$status $err" "^125 kutrace run: ${wrong%%[:=]*}: .*(${wrong#*:}|no such option)"
	like "run ${wrong%%:*}: the remedy" "$err" "${wrong#*:}"
	like "run ${wrong%%:*}: the help" "$err" "^try 'kutrace run --help'\$"
done
for file in - x.html; do
	run "$kutrace" run -o $file -- touch ran
	like "run -o $file" "$status $err" "^125 kutrace run: -o $file: .*; try "
	is "run -o $file: the program is not run" "$(ls ran x.html.html 2>/dev/null)" ""
done
# a longer trace, which repeats the recorded workload, has known faults
"$gen" ../x.trace 12 ../faults.trace
TRACE=$PWD/../faults.trace run "$kutrace" run -f ../workload
is "run: the worst known faults, after the waits, as spantowhy prints them" "$(sed -n '/^known faults/,/^to see/p' <<<"$err" | sed '$d')" \
	"$("$bin/spantowhy" --worst 3 --pid 105 ../faults.trace 2>/dev/null)"
like "run: how long, and known faults" "$err" '^workload\.105 lasted .*:$'
like "run: time on a CPU, and known faults" "$err" '^ *[0-9.]* s  on a CPU: '
like "run: a known fault" "$err" '^   Try: '
TRACE=$PWD/../faults.trace run "$kutrace" run --no-findings -f ../workload
is "run --no-findings: prints no known faults" "$status $(grep -c -e 'known fault' -e Try: <<<"$err")" "3 0"
rm -f workload*
# the pid of the program in the trace: 105, which is workload
perl -0777 -pe 's/wrapped=0\0\0/run=105\0\0\0\0/ or die' ../x.trace >../pid.trace
for program in other locker; do
	cp ../workload ../$program
	TRACE=$PWD/../pid.trace run "$kutrace" run ../$program
	like "run: the thread has the program's pid, not the name $program" "$err" '^workload\.105 lasted '
done
perl -0777 -pe 's/wrapped=0\0\0/run=999\0\0\0\0/ or die' ../x.trace >../pid.trace
TRACE=$PWD/../pid.trace run "$kutrace" run --mask=-syscall --pid 999 ../workload
like "run: no thread has the pid: the filter" "$err" \
	'^the trace has no thread with the pid 999, which workload had; --pid can be the cause: .*"kutrace top '
rm -f other* locker* workload-*
run "$kutrace" run ../other
like "run: no thread has the program's name" "$status $err" 'the trace has no thread with the name other; "kutrace top other\.trace" lists all'
if [ "$(id -u)" != 0 ]; then
	chmod 555 .
	run "$kutrace" run ../workload
	like "run: a folder without write permission" "$status $err" '^125 kutrace run: cannot write workload\.trace: .*-o /tmp/'
	chmod 755 .
fi
# a desktop
mkdir ../desk
printf '#!/bin/sh\necho "$@" >"%s/opened.new"; mv "%s/opened.new" "%s/opened"\n' "$PWD" "$PWD" "$PWD" >../desk/xdg-open
chmod +x ../desk/xdg-open
run env PATH=$PWD/../desk:$PATH DISPLAY=:9 "$kutrace" run --no-open -f ../workload
unlike "run --no-open: opens nothing" "$err" 'opened by'
run env PATH=$PWD/../desk:$PATH DISPLAY=:9 "$kutrace" run -f ../workload
like "run: opens the page on a desktop" "$err" '^workload\.html: opened by .*/xdg-open$'
for ((i = 0; i < 200; i++)); do [ ! -e opened ] || break; sleep 0.05; done
is "run: the browser gets the page" "$(cat opened)" "$PWD/workload.html"

# --- signals ---
printf '#!/bin/bash\ntrap "exit 9" TERM\ntouch up; for ((;;)); do sleep 0.05; done\n' >../waits
sed -i 's/^"$@"$/trap "" INT; "$@" \& pid=$!; trap "kill -TERM $pid" TERM; wait $pid; wait $pid/' ../usr/bin/kutrace_control
chmod +x ../waits
"$kutrace" run ../waits 2>/dev/null &
pid=$!
until [ -e up ]; do sleep 0.05; done
kill -INT $pid
kill -TERM $pid
status=0
wait $pid || status=$?
is "run: SIGTERM goes to the program, SIGINT does not end kutrace" "$status $(ls waits.trace)" "9 waits.trace"

# --- page at a terminal ---
if command -v script >/dev/null; then
	cp ../x.trace .
	typed() { script -qec "$*" /dev/null </dev/null 2>&1 | tr -d '\r'; }
	like "page at a terminal" "$(typed "$kutrace" page x.trace)" '^to see the page, open file://.*/x\.html in a browser'
	ok "page at a terminal: the page is beside the trace" test -s x.html
	like "page at a terminal: an existing page remains" "$(typed "$kutrace" page x.trace)" \
		'kutrace page: x\.html exists; try "kutrace page x\.trace -o x\.html"'
	"$bin/rawtohtml" --json x.trace >j.json 2>/dev/null
	xz -k x.trace
	mv x.trace.xz z.trace.xz
	cp j.json k.html
	for pair in z.trace.xz:z.html j.json:j.html k.html:k.html.html; do
		like "page ${pair%:*} at a terminal" "$(typed "$kutrace" page ${pair%:*})" "^to see the page, open file://.*/${pair#*:} in a browser"
		ok "page ${pair%:*} at a terminal: the page" grep -q '<html>' "${pair#*:}"
	done
else
	skip "page at a terminal" "no script(1)"
fi
run "$kutrace" page x.trace
like "page without a terminal: to standard output" "$status $out" '^0 '
cd "$top" || exit 1

# --- guest ---
mkdir -p "$TAP_TMP/make"
printf '#!/bin/sh\nprintf "%%s|" "$@"\n' >"$TAP_TMP/make/make"
chmod +x "$TAP_TMP/make/make"
(cd tests/guest/prog && run env PATH=$TAP_TMP/make:$PATH "$TAP_TMP/usr/bin/kutrace" guest "CMD=ls -l" CPUS=4 &&
	printf '%s' "$out" >"$TAP_TMP/guest")
is "guest: make guest in the checkout" "$(cat "$TAP_TMP/guest")" "--no-print-directory|-C|$top|guest|CMD=ls -l|CPUS=4|"
(cd / && run env PATH=$TAP_TMP/make:$PATH "$bin/kutrace" guest && printf '%s' "$out" >"$TAP_TMP/guest")
case $bin in
"$top"/*) is "guest: the checkout of the program" "$(cat "$TAP_TMP/guest")" "--no-print-directory|-C|$top|guest|" ;;
*) skip "guest: the checkout of the program" "it was built elsewhere" ;;
esac
(cd / && run "$TAP_TMP/usr/bin/kutrace" guest && printf '%s' "$status $err" >"$TAP_TMP/guest")
like "guest without a checkout" "$(cat "$TAP_TMP/guest")" '^1 kutrace guest: needs the source of KUtrace, .*git clone'
run "$bin/kutrace" guest ls
like "guest with a word" "$status $err" "^2 kutrace guest: ls: needs NAME=VALUE"
tap_end
