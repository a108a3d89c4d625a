#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 600
# takes: 15
# needs: patched
#
# Each command of kutrace_control does what it documents, under load. The test runs the commands of
# the KUtrace User Guide at the prompt, in its order, and all commands as arguments. Marks in the
# traces show the effects. A refused command leaves nothing behind. The test fails if it omits a
# command. The stock kernel has 2 CPUs, the patched kernel 4; KUTRACE_FULL also tests 4 and 2.
. tests/guest/lib.sh
guest_begin commands
top=$OUT

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
# by NAME COMMAND...: runs the command; its output, errors and status go to /out/NAME.*
by()
{
	name=$1
	shift
	case $1 in --session) echo "$3" ;; *) echo "$1" ;; esac >>/out/done
	kutrace_control "$@" >/out/$name.out 2>/out/$name.err
	echo $? >/out/$name.status
}
# typed NAME: runs the commands on standard input at the prompt, with files as for by()
typed()
{
	tee /tmp/typed | kutrace_control >/out/$1.out 2>/out/$1.err
	echo $? >/out/$1.status
	cut -d' ' -f1 /tmp/typed >>/out/done
}
# until_it_is "recording" or "not recording": waits for that state
until_it_is()
{
	until kutrace_control test | grep -q "^module version [0-9]*, $1\$"; do usleep 20000; done
}
must insmod /lib/kutrace.ko mb=16
(while [ ! -f /tmp/enough ]; do ls -lR /proc/1 | wc -c; usleep 20000; done) >/dev/null 2>&1 &
cd /tmp

# the commands of the guide, one by one
{
	printf 'test\nreset\ninit\non\n'
	until_it_is recording
	marker single 3
	printf 'test\n\nstat\noff\nflush\n'
	printf 'dump /out/single.trace\ntest\ndump /out/twice.trace\n'
} | typed single
{
	echo go
	until_it_is recording
	marker go 5
	echo status
	echo 'stop /out/go.trace'
} | typed go
{
	echo gowrap
	until_it_is recording
	marker wrap 7
	echo status
	echo 'stop /out/gowrap.trace'
} | typed gowrap
printf 'reset wrap\non\nstatus\noff\ndump /out/resetwrap.trace\n' | typed resetwrap
printf 'goipc\ntest\n' | typed goipc
printf 'goipcwrap\ntest\n' | typed goipcwrap
# quit and exit end the recording and the prompt
for word in quit exit; do
	printf "go\ntest\n$word\ngo\n" | typed $word
	by $word.test test
done
printf 'go\n' | typed left
by left.test test
by quit-alone quit
printf 'help\nwat\nstat\n' | typed wrong
# without a file name: the name is made as the guide describes
mkdir /out/named
cd /out/named
by named-go go
marker named 11
by named-stop stop
cd /tmp
# the arguments 1 and 0
by one-reset reset
by one 1
marker one 13
by zero 0
by one-init init
by one-flush flush
by one-dump dump /out/one.trace

# the other commands
by run run -o /out/run.trace -- marker run 17
# until a signal, and until the time is over
kutrace_control record -o /out/record.trace 2>/out/record.err &
record=$!
until grep -q 'recording' /out/record.err; do usleep 20000; done
marker record 31
kill -TERM $record
wait $record
echo $? >/out/record.status
echo record >>/out/done
by record-for record -o /out/record-for.trace --for 1 --size 4
by start start --wrap --size 4 --mask syscall,mark
by start-session --session s start --size 4 --mask syscall,mark
by list session list
s='--session s'
marker before 19
by snapshot $s snapshot -o /out/snapshot.trace
marker after 23
by mask $s mask +softirq
by tracepoint $s tracepoint syscall64 off
by tracepoints $s tracepoints
by tracepoints-json $s tracepoints --json
by show $s show -n 3
by status $s status
by status-json $s status --json
by doctor doctor
by doctor-json doctor --json
kutrace_control $s stream -o /out/stream.trace 2>/out/stream.err &
stream=$!
mkdir /out/in
kutrace_control $s stream --through 'kutrace_control receive /out/in' 2>/out/receive.err &
receive=$!
marker stream 29
usleep 300000
by off $s off
wait $stream
echo $? >/out/stream.status
echo stream >>/out/done
wait $receive
echo $? >/out/receive.status
mv /out/in/*.trace /out/receive.trace && rmdir /out/in
echo receive >>/out/done
by on $s on
by flush-on $s flush
by dump-on $s dump /out/never.trace
by stop-session $s stop /out/session.trace
by filter $s filter --cpus 0
by filter-none $s filter none
by gowrap-session $s gowrap
by go-busy $s go
by selftest selftest
by off-session $s off
by destroy session destroy s
by gone --session s stat
kutrace_control --session w watch --into /out --pause 0 --size 2 --trigger mark:abc --after 0 \
	2>/out/watch.err &
watch=$!
until grep -q 'records in session w' /out/watch.err; do usleep 20000; done
marker abc 1
until [ -e /out/w-*.trace ]; do usleep 20000; done
kutrace_control session destroy w
wait $watch
echo $? >/out/watch.status
mv /out/w-*.trace /out/watch.trace
echo watch >>/out/done
by trigger start --trigger mark:abc --after 10
(usleep 300000; marker abc 1) &
by wait wait --timeout 60 -o /out/wait.trace
by test test
by stat stat
touch /tmp/enough
wait
must rmmod kutrace
SCRIPT

status_of()
{
	cat "$OUT/$1.status"
}

# Prints how often a mark is in a trace.
marks()
{
	"$BUILD/bin/rawtoevent" "$OUT/$1.trace" 2>/dev/null |
		awk -v mark="mark_c=$2" '!/^#/ && $10 == mark { n++ } END { print n + 0 }'
}

# went LABEL NAME...: checks that these commands ended with status 0 and printed no error
went()
{
	_label=$1
	shift
	for _name; do
		is "$_label: $_name: status, errors" "$(status_of "$_name") $(cat "$OUT/$_name.err")" \
			"0 "
	done
}

# refused LABEL NAME REGEX: checks for status 1 and an error of one line with the reason
refused()
{
	is "$1: $2: status" "$(status_of "$2")" 1
	is "$1: $2: one line" "$(grep -c . "$OUT/$2.err")" 1
	like "$1: $2: prints the reason" "$(cat "$OUT/$2.err")" "^kutrace_control: $3"
}

used='[1-9][0-9]* of 256 blocks used \([0-9]* of 16384 KB\), 0 lost'
command_checks()	# LABEL
{
	for _word in $(sed -n 's/^\t{.name = "\([a-z]*\)".*/\1/p' control/cli/command/table.c) 0 1; do
		ok "$1: $_word was tried" grep -qx -- "$_word" "$OUT/done"
	done
	went "$1" single go gowrap resetwrap quit exit quit-alone named-go named-stop one-reset one \
		zero one-init one-flush one-dump start-session list snapshot mask tracepoint \
		tracepoints tracepoints-json show status status-json doctor doctor-json off on stop-session filter \
		filter-none destroy test stat
	like "$1: output of the single steps" "$(tr '\n' '|' <"$OUT/single.out")" "^module version 4, not recording\\|module version 4, recording\\|recording, $used\\|recording, $used\\|/out/single.trace: [0-9.]+ s in [^|]*\\|module version 4, not recording\\|/out/twice.trace: [^|]*\\|\$"
	# Linux can measure the frequency of the TSC anew between the dumps, in the first seconds after its boot.
	for _name in single twice; do
		LC_ALL=C sed 's/clock_khz=[0-9]*/clock_khz=/g' "$OUT/$_name.trace" >"$TAP_TMP/$_name"
	done
	ok "$1: a second dump is the same" cmp "$TAP_TMP/single" "$TAP_TMP/twice"
	for _mark in single:single:3 go:go:5 gowrap:wrap:7 one:one:13 run:run:17 record:record:31 \
		snapshot:before:19 snapshot:after:0 stream:before:19 stream:after:23 \
		stream:stream:29 receive:stream:29 session:before:19 session:stream:29 wait:abc:1 watch:abc:1; do
		_file=${_mark%%:*}
		_mark=${_mark#*:}
		is "$1: $_file.trace: marks ${_mark%:*}" "$(marks "$_file" "${_mark%:*}")" \
			"${_mark#*:}"
	done
	for _file in single go gowrap resetwrap one run record record-for snapshot stream receive session wait watch; do
		trace_ok "$1: $_file" "$OUT/$_file.trace"
	done
	for _word in "gowrap wrap" "resetwrap wrap" \
		"go stop when full"; do
		like "$1: ${_word%% *}: ${_word#* }" "$(cat "$OUT/${_word%% *}.out")" \
			"^buffer .*, ${_word#* }\$"
	done
	for _word in goipc goipcwrap; do
		refused "$1" $_word "$_word: no hardware counters are available"
		is "$1: $_word: nothing records" "$(cat "$OUT/$_word.out")" \
			"module version 4, not recording"
	done
	for _word in quit exit; do
		is "$1: $_word: the module recorded before" "$(cat "$OUT/$_word.out")" \
			"module version 4, recording"
		is "$1: $_word: the recording has ended" "$(cat "$OUT/$_word.test.out")" \
			"module version 4, not recording"
	done
	like "$1: at the end of the input, the recording continues, with a message" "$(cat "$OUT/left.err")" \
		'^kutrace_control: still recording: "kutrace_control stop"'
	is "$1: after the end of the input, the module records" "$(cat "$OUT/left.test.out")" "module version 4, recording"
	is "$1: an unknown command: status" "$(status_of wrong)" 2
	is "$1: an unknown command: the others are done" "$(grep -c 'go gowrap goipc\|^off, ' \
		"$OUT/wrong.out")" 2
	like "$1: a trace without a name gets the name of the guide" "$(cd "$OUT/named" && echo *)" \
		'^kutrace_[0-9]{8}_[0-9]{6}_[^ ]*_[0-9]+\.trace$'
	is "$1: run: status" "$(status_of run)" 0
	is "$1: record: status" "$(status_of record)" 0
	like "$1: record --for: status and duration" "$(status_of record-for) $(grep trace: "$OUT/record-for.err")" '^0 /out/record-for\.trace: 1\.[0-9]+ s in '
	like "$1: record: the next command" "$(cat "$OUT/record.err")" '^next: rawtohtml /out/record\.trace -o /out/record\.html$'
	refused "$1" start 'start: '
	like "$1: session list" "$(cat "$OUT/list.out")" '^s +recording +4 MB'
	is "$1: show -n 3" "$(wc -l <"$OUT/show.out")" 3
	like "$1: status" "$(cat "$OUT/status.out")" '^session +s'
	like "$1: status --json" "$(cat "$OUT/status-json.out")" '"session": "s"'
	like "$1: doctor: the module" "$(cat "$OUT/doctor.out")" '^good +module +loaded, version 4, with the '
	like "$1: doctor: ready to record" "$(tail -n 1 "$OUT/doctor.out")" '^ready to record'
	is "$1: doctor --json: the same verdicts" \
		"$(sed 's/.*"name": "\([a-z]*\)", "verdict": "\([a-z]*\)".*/\2 \1/; t; d' "$OUT/doctor-json.out")" \
		"$(awk 'NF > 2 && $1 ~ /^(good|limit|wrong)$/ { print $1, $2 }' "$OUT/doctor.out")"
	like "$1: tracepoint ... off" "$(cat "$OUT/tracepoints.out")" '^syscall64 +syscall +off '
	like "$1: mask +softirq" "$(cat "$OUT/tracepoints.out")" '^softirq +softirq +on '
	is "$1: stream ends with the recording" "$(status_of stream)" 0
	is "$1: the stream to a receiver ends with the recording" "$(status_of receive)" 0
	refused "$1" flush-on 'flush: .*stop it first$'
	refused "$1" dump-on 'dump: .*stop it first$'
	refused "$1" go-busy 'go: already recording, started by kutrace_control'
	refused "$1" selftest 'selftest: session s is recording: .*end that recording first$'
	refused "$1" gone 'stat: session s: '
	like "$1: wait: the trigger that fired" "$(cat "$OUT/wait.err")" 'fired: mark:abc: abc, marker'
	like "$1: watch: the trigger that fired" "$(cat "$OUT/watch.err")" 'fired: mark:abc: abc, marker'
	is "$1: watch ends with its session" "$(status_of watch) $(tail -n 1 "$OUT/watch.err")" \
		"0 kutrace_control: watch: session w was destroyed: nothing to watch"
	ok "$1: no refused command left a file" test ! -e "$OUT/never.trace"
}

run_on()	# LABEL CPUS
{
	OUT=$top/$1-$2
	mkdir -p "$OUT"
	guest_run "$TAP_TMP/script" --cpus "$2" --timeout 200 \
		--file "$GUEST_BIN/marker" || return
	command_checks "$1, $2 CPUs"
}

on_both_kernels 2 4 4 2
tap_end
