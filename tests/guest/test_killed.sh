#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1200
# takes: 85
# needs: patched
# ci
#
# A control tool that is killed by SIGKILL at a random moment leaves no recording and no session,
# and the next start works. If run has just forked its child, the next start may have to wait until
# the child executes its program. The tool is killed 42 times, during seven operations.
#
# If a dump fails because the disk is full, the recording remains, the tool reports this, and the
# dump can be repeated to another place, in the main session and in a session that run created. The
# stock kernel has 2 CPUs, the patched kernel 4. KUTRACE_FULL also tests 4 and 2, with 200 kills
# each.
. tests/guest/lib.sh
guest_begin killed
top=$OUT

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
must insmod /lib/kutrace.ko mb=2
(while [ ! -f /tmp/enough ]; do workload --quiet; usleep 300000; done) >/dev/null 2>&1 &
i=0
seed=$2
late=0
while [ $i -lt $1 ]; do
	i=$((i + 1))
	seed=$(((seed * 1103515245 + 12345) % 2147483648))
	case $((i % 7)) in
	0) kutrace_control run -o /tmp/x.trace -- usleep 30000 & ;;
	1) kutrace_control run --size 1 --mask syscall,mark -o /tmp/x.trace -- usleep 30000 & ;;
	2) kutrace_control start --wrap & ;;
	3) kutrace_control run --trigger mark:abc --snapshot -o /tmp/x.trace -- usleep 30000 & ;;
	4) printf 'go\nstop /tmp/x.trace\n' | kutrace_control & ;;
	5) kutrace_control --session mine start --size 1 & ;;
	6) kutrace_control --session mine run --size 1 -o /tmp/x.trace -- usleep 30000 & ;;
	esac
	pid=$!
	usleep $((seed / 65536 % 250000))
	if kill -KILL $pid 2>/dev/null; then
		echo killed >>/out/killed
	fi
	wait $pid
	status=$?
	# End the effect of an operation that had reported success before the kill.
	case $((i % 7)) in
	4) kutrace_control off ;;	# go may have succeeded before the kill
	2) if [ $status = 0 ]; then
			kutrace_control off
		elif kutrace_control test | grep -q ', recording'; then
			late=$((late + 1))
			kutrace_control off
		fi ;;
	5) if [ $status = 0 ]; then
			must kutrace_control session destroy mine
		elif kutrace_control session list | grep -q '^mine '; then
			# The tool was killed after its call of the module, before its exit.
			late=$((late + 1))
			kutrace_control session destroy mine
		fi ;;
	esac
	sessions clean >/out/clean 2>&1 && sed -n 's/^count waited_ms //p' /out/clean >>/out/waited || {
		echo "round $i, kind $((i % 7)): $(cat /out/clean)" >>/out/stuck
		kutrace_control off
		kutrace_control session destroy mine
	}
	[ $((i % 20)) != 0 ] || echo "round $i" >/dev/console
done >/dev/null 2>&1
touch /tmp/enough
wait
echo $late >/out/late
echo $i >/out/rounds
rm -f /tmp/x.trace /tmp/.x.trace*
ls -a /tmp >/out/tmp

# a full disk
mkdir /full
mount -t tmpfs -o size=64k tmpfs /full
kutrace_control run -o /full/x.trace -- workload >/out/full.witness 2>/out/full.err
echo $? >/out/full.status
ls -A /full >/out/full.left
must_fail kutrace_control dump /full/again.trace 2>/out/again.err
must kutrace_control dump /out/full.trace >/dev/null
kutrace_control run --size 2 -o /full/x.trace -- workload >/out/own.witness 2>/out/own.err
echo $? >/out/own.status
session=$(sed -n 's/.*the recording is kept in session \([^:]*\):.*/\1/p' /out/own.err)
kutrace_control session list >/out/own.list
must kutrace_control --session "$session" dump /out/own.trace >/dev/null
must kutrace_control session destroy "$session"
must kutrace_control start
workload --quiet
must_fail kutrace_control snapshot -o /full/snap.trace 2>/out/snap.err
kutrace_control test >/out/snap.test
must kutrace_control snapshot -o /out/snap.trace >/dev/null
kutrace_control off
must rmmod kutrace
SCRIPT

run_on()	# LABEL CPUS ROUNDS SEED
{
	OUT=$top/$1-$2
	mkdir -p "$OUT"
	guest_run "$TAP_TMP/script" --cpus "$2" --timeout 560 \
		--file "$GUEST_BIN/sessions" -- "$3" "$4" || return
	is "$1: rounds" "$(cat "$OUT/rounds")" "$3"
	between "$1: killed before their end" "$(wc -l <"$OUT/killed")" $(($3 / 4)) "$3"
	is "$1: the next start always works, and no session is left" "$(cat "$OUT/stuck" 2>/dev/null)" ""
	# A kill between the start of the recording and the exit is rare, because that time is short.
	between "$1: killed at the very end of a start" "$(cat "$OUT/late")" 0 $(($3 / 50 + 1))
	diag "$1: $(wc -l <"$OUT/killed") of $3 killed, $(cat "$OUT/late") at the very end," \
		"$(grep -vcx 0 "$OUT/waited") between fork and program," \
		"longest of them $(sort -n "$OUT/waited" | tail -1) ms"

	is "$1: full disk: status" "$(cat "$OUT/full.status")" 125
	like "$1: full disk: error and remedy" "$(cat "$OUT/full.err")" \
		'run: /full/x\.trace: no space left on the disk, .*the recording is kept'
	is "$1: full disk: nothing is left there" "$(cat "$OUT/full.left")" ""
	like "$1: full disk: a dump fails again" "$(cat "$OUT/again.err")" 'dump: /full/again\.trace: no space'
	for t in full own; do
		trace_ok "$1: $t: dumped to another place" "$OUT/$t.trace"
		ok "$1: $t: the filters read it" trace_text "$OUT/$t.trace"
		is_count "$1: $t: the trace has all calls" "$(count_between "$OUT/$t.trace.events" \
			a=burst a=/burst "$(witness "$OUT/$t.witness" main main)" "$(syscall_event getpid)")" \
			"$(witness "$OUT/$t.witness" burst getpid)"
	done
	is "$1: own session: status" "$(cat "$OUT/own.status")" 125
	like "$1: own session: its name, and the command that writes it" "$(cat "$OUT/own.err")" \
		'kept in session run-[0-9]+: "kutrace_control --session run-[0-9]+ dump FILE" writes it'
	like "$1: own session: the session exists" "$(cat "$OUT/own.list")" '^run-[0-9]+ '
	like "$1: snapshot: error" "$(cat "$OUT/snap.err")" 'snapshot: /full/snap\.trace: no space'
	like "$1: snapshot: recording goes on" "$(cat "$OUT/snap.test")" ', recording$'
	ok "$1: snapshot: to another place" "$BUILD/bin/checktrace" "$OUT/snap.trace"
}

on_both_kernels "2 $(effort 42 42 200) 4711" "4 $(effort 42 42 200) 17" \
	"4 200 23" "2 200 29"
tap_end
