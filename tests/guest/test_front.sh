#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 400
# takes: 60
#
# Tests that kutrace run records a program on a real kernel: the trace, the page and the answer agree with what the program
# did (it sleeps for 0.4 s), the exit status is the program's, and under sudo all files belong to the caller.
# kutrace record ends at a signal or after its time, and its trace is sound.
. tests/guest/lib.sh
guest_begin front
unset KERNEL ARCH CPUS MEMORY ROOT CMD
SHARE=$OUT/share
export SHARE
mkdir -p "$SHARE"

cat >"$TAP_TMP/script" <<'SCRIPT'
echo 'traced:x:1000:1000::/tmp:/bin/sh' >>/etc/passwd
mkdir /tmp/here /tmp/mine
chown 1000:1000 /tmp/mine
cd /tmp/here
# by NAME COMMAND...: output, errors and status go to /share
by()
{
	name=$1
	shift
	"$@" >/share/$name.out 2>/share/$name.err
	echo $? >/share/$name.status
}
by run kutrace run sleep 0.4
by again kutrace run --wrap --size 8 -- sleep 0.4
by status kutrace run -- sh -c 'exit 5'
by killed kutrace run -o killed.trace -- sh -c 'kill -TERM $$'
by missing kutrace run -- /no/such/program
by exec kutrace run -o exec.trace -- env A=1 sleep 0.2
by wrapper kutrace run -o wrapper.trace -- sh -c 'A=1 exec sleep 0.2'
by filter kutrace run -o filter.trace --pid 1 -- sleep 0.2
by folder kutrace run -o /tmp -- touch /share/ran
by nowhere kutrace record -o /nowhere/x --for 1
by record kutrace record -o record.trace --for 1
by signal timeout -s INT 1 kutrace record -o signal.trace
by check kutrace check sleep.trace
by control kutrace_control run -o /tmp/control.trace -- sh -c 'sleep 0.1; exit 6'
by quiet kutrace_control run --no-findings -o /tmp/quiet.trace -- sh -c 'sleep 0.1; exit 6'
by why kutrace why --pid sleep sleep.trace
by top kutrace top sleep.html
ls >/share/files
cd /tmp/mine
export SUDO_UID=1000 SUDO_GID=1000 SUDO_USER=traced
by sudo kutrace run -- id -u
stat -c '%n %u %g %A' * >/share/owners
cp /tmp/here/*.trace /tmp/here/*.html /share/
SCRIPT
status=0
tests/guest/play.sh "$(cat "$TAP_TMP/script")" >"$OUT/out" 2>"$OUT/err" || status=$?
is "the guest's script" "$status" 0
[ $status = 0 ] || { sed 's/^/# /' "$OUT/err"; tap_end; }

status_of() { cat "$SHARE/$1.status"; }
for pair in run:0 again:0 status:5 killed:143 exec:0 wrapper:0 filter:0 folder:125 nowhere:1 missing:127 record:0 signal:0 check:0 why:0 top:0 sudo:0; do
	is "${pair%:*}: exit status" "$(status_of "${pair%:*}")" "${pair#*:}"
done
is "the files" "$(tr '\n' ' ' <"$SHARE/files")" \
	"exec.html exec.trace filter.html filter.trace killed.html killed.trace record.trace sh.html sh.trace signal.trace sleep-2.html sleep-2.trace sleep.html sleep.trace wrapper.html wrapper.trace "
for name in sleep sleep-2 killed exec wrapper record signal; do
	trace_ok "$name" "$SHARE/$name.trace"
done
# the program's own time is the witness: 400 ms in one call
# in_ms TEXT: prints a time such as "4.539 s" in whole milliseconds
in_ms()
{
	echo "$1" | awk '{ print int($1 * ($2 == "s" ? 1000 : $2 == "ms" ? 1 : 0.001)) }'
}
slept=$(sed -n 's/.* waiting: \([0-9.]* [mu]\{0,1\}s\) in \(clock_\)\{0,1\}nanosleep.*/\1/p' "$SHARE/run.err")
lasted=$(sed -n 's/^sleep\.[0-9]* lasted \([0-9.]* [mu]\{0,1\}s\):$/\1/p' "$SHARE/run.err")
# beside other load, the guest's sleep can last many times longer
between "the answer: the time in nanosleep, in ms" "$(in_ms "$slept")" 400 60000
between "the answer: the program lasted longer than this, in ms" "$(in_ms "$lasted")" "$(in_ms "$slept")" 90000
like "the answer: the longest wait" "$(grep -A1 '^longest waits' "$SHARE/run.err")" "^ *$slept  at .* in (clock_)?nanosleep"
like "the answer: known faults of the program and its children" "$(cat "$SHARE/run.err")" \
	'^(no known fault was found that concerns sleep\.[0-9]+, its threads or its children|known faults that concern sleep\.[0-9]+, its threads and its children)'
like "control: known faults, before the next command" "$(sed -n '/known fault/,$p' "$SHARE/control.err")" \
	'^(no known fault was found that concerns|known faults that concern) sh\.[0-9]+, its threads (or|and) its children'
is "control: exit status" "$(cat "$SHARE/control.status")" 6
is "control --no-findings" "$(grep -c 'known fault' "$SHARE/quiet.err")" 0
is "the page is made: no next command" "$(grep -c '^next:' "$SHARE/run.err")" 0
like "the files are named" "$(cat "$SHARE/run.err")" '^wrote sleep\.trace and its page sleep\.html$'
ok "the page has the program" sh -c '"$1" <"$2" | grep -q "\"sleep\."' sh "$BUILD/bin/unmakeself" "$SHARE/sleep.html"
like "top reads the page" "$(cat "$SHARE/top.out")" '^sleep\.[0-9]+: '
like "why explains the sleep" "$(cat "$SHARE/why.out")" 'in (clock_)?nanosleep'
# the thread is found by its pid: its name changes with execve
for name in exec wrapper; do
	like "$name: the program that replaced the first one" "$(cat "$SHARE/$name.err")" '^sleep\.[0-9]+ lasted '
done
like "filter: the program is not in the trace" "$(cat "$SHARE/filter.err")" \
	'^the trace has no thread with the pid [0-9]+, which sleep had; --pid can be the cause: '
like "folder: refused" "$(cat "$SHARE/folder.err")" '^kutrace run: /tmp: is a directory'
ok "folder: the program is not run" test ! -e "$SHARE/ran"
like "record into no folder: refused, without a recording" "$(cat "$SHARE/nowhere.err")" '^kutrace record: /nowhere/x: no such folder'
is "record into no folder: one line" "$(wc -l <"$SHARE/nowhere.err")" 1
like "record --for 1: duration" "$(cat "$SHARE/record.err")" '^record\.trace: 1\.[0-9]+ s in '
is "under sudo: the program's user" "$(cat "$SHARE/sudo.out")" 1000
is "under sudo: owners and modes of the files" "$(tr '\n' '|' <"$SHARE/owners")" "id.html 1000 1000 -rw-r--r--|id.trace 1000 1000 -rw-------|"
tap_end
