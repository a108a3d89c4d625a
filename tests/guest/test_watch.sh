#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 300
# takes: 15
#
# kutrace_control watch writes a trace each time a trigger fires, within the limits of folder and
# disk. A trigger may fire while no watch runs, and a watch may be killed. Runs on a stock kernel.
# Each step waits for a message or a file of the previous step, not for a time.
. tests/guest/lib.sh
guest_begin watch

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
must insmod /lib/kutrace.ko mb=1
mkdir /tmp/traces /tmp/small /out/traces
must mount -t tmpfs -o size=3m tmpfs /tmp/small

# watches FOLDER NAME [OPTION]...: runs watch in the background, with its messages in /out/NAME.err
watches()
{
	folder=$1
	name=$2
	shift 2
	kutrace_control --session rec watch --into $folder --size 2 --after 0 --pause 0 \
		--trigger mark:abc "$@" 2>/out/$name.err &
	watch=$!
}

# until_ WHAT NAME: waits until WHAT is true, as long as the watch runs or has just ended
until_()
{
	tries=0
	until eval "$1"; do
		tries=$((tries + 1))
		[ $tries -lt 500 ] || { cat /out/*.err >&2; die "never: $1"; }
		usleep 20000
	done
}
count() { ls $1/rec-*.trace 2>/dev/null | wc -l; }

# one trace for each trigger
watches /tmp/traces first
until_ 'grep -q "records in session" /out/first.err'
marker abc 1
until_ '[ $(count /tmp/traces) = 1 ]'
until_ 'grep -q "0001.trace" /out/first.err'
marker abc 1
until_ '[ $(count /tmp/traces) = 2 ]'

# the watch is killed; the next watch writes the trace of a trigger in between
kill -KILL $watch
wait $watch
kutrace_control --session rec test >/out/killed.test
marker abc 1
watches /tmp/traces second
until_ '[ $(count /tmp/traces) = 3 ]'
until_ 'grep -q "0003.trace" /out/second.err'
ls /tmp/traces | sort >/out/three
cp /tmp/traces/* /out/traces/
kill -TERM $watch
wait $watch
echo $? >/out/second.status
kutrace_control --session rec test >/out/ended.test

# the folder's limit: the oldest trace is removed, and no other file
: >/tmp/traces/rec-notes.txt
watches /tmp/traces third --keep 5
until_ 'grep -q "is already recording" /out/third.err'
marker abc 1
until_ '[ -e /tmp/traces/rec-*.0004.trace ]'
kill -TERM $watch
wait $watch
ls /tmp/traces | sort >/out/kept

# the disk is full: an error, and the watch continues
head -c 2700000 /dev/zero >/tmp/small/other
watches /tmp/small full
until_ 'grep -q "is already recording" /out/full.err'
marker abc 1
until_ 'grep -q "not written" /out/full.err'
kill -0 $watch && echo on >/out/full.on
ls /tmp/small >/out/full.files

# the watch ends with its session
must kutrace_control session destroy rec
wait $watch
echo $? >/out/full.status

# refused commands
kutrace_control watch --into /tmp/traces 2>/out/nosession.err
echo $? >/out/nosession.status
kutrace_control --session rec watch --into /tmp/nowhere 2>/out/nowhere.err
echo $? >/out/nowhere.status
kutrace_control --session rec watch --into /tmp/traces --size 8 --keep 4 2>/out/tight.err
echo $? >/out/tight.status
kutrace_control session list >/out/sessions
must rmmod kutrace
SCRIPT

marks()	# TRACE: prints the number of marks abc
{
	"$BUILD/bin/rawtoevent" "$1" 2>/dev/null |
		awk '!/^#/ && $10 == "mark_c=abc" { n++ } END { print n + 0 }'
}

numbers()	# FILE: prints the numbers of the listed traces
{
	sed -n 's/^rec-.*\.\([0-9]*\)\.trace$/\1/p' "$1" | sort | tr '\n' ' '
}

if guest_run "$TAP_TMP/script" --cpus 2 --file "$GUEST_BIN/marker"; then
	is "a trace for each trigger, and one for a trigger after the watch was killed" \
		"$(numbers "$OUT/three")" "0001 0002 0003 "
	for number in 1 2 3; do
		trace=$(echo "$OUT"/traces/rec-*.000$number.trace)
		trace_ok "trace $number" "$trace"
		is "trace $number has all marks up to then" "$(marks "$trace")" "$number"
		like "trace $number: the trigger is reported" "$(cat "$OUT"/first.err "$OUT"/second.err)" \
			"fired: mark:abc: abc, marker"
	done
	like "killed: recording continues" "$(cat "$OUT/killed.test")" ', recording$'
	like "the next watch uses the running recording" "$(cat "$OUT/second.err")" 'session rec is already recording'
	is "SIGTERM: status" "$(cat "$OUT/second.status")" 0
	like "SIGTERM: the message reports the running recording" "$(cat "$OUT/second.err")" 'interrupted; session rec continues to record'
	like "SIGTERM: recording continues" "$(cat "$OUT/ended.test")" ', recording$'
	like "over --keep: the oldest is removed, with a message" "$(cat "$OUT/third.err")" \
		'0001.trace removed: more than 5 MB'
	like "over --keep: the newest is there" "$(numbers "$OUT/kept")" '0004 $'
	unlike "over --keep: the oldest is gone" "$(numbers "$OUT/kept")" '0001'
	like "over --keep: other files stay" "$(cat "$OUT/kept")" 'rec-notes.txt'
	like "a full disk: error" "$(cat "$OUT/full.err")" 'no room on the disk of /tmp/small: not written'
	is "a full disk: nothing is written or removed" "$(cat "$OUT/full.files")" other
	is "a full disk: the watch continues" "$(cat "$OUT/full.on")" on
	like "the session is destroyed: message" "$(cat "$OUT/full.err")" 'session rec was destroyed: nothing to watch'
	is "the session is destroyed: status" "$(cat "$OUT/full.status")" 0
	is "without a session: status" "$(cat "$OUT/nosession.status")" 2
	like "without a session" "$(cat "$OUT/nosession.err")" 'needs its own session'
	is "no such folder: status" "$(cat "$OUT/nowhere.status")" 1
	like "no such folder" "$(cat "$OUT/nowhere.err")" 'no such directory'
	is "a session larger than --keep: status" "$(cat "$OUT/tight.status")" 1
	like "a session larger than --keep" "$(cat "$OUT/tight.err")" 'a trace of this session can have'
	unlike "no session is left of refused commands" "$(cat "$OUT/sessions")" 'rec'
fi
tap_end
