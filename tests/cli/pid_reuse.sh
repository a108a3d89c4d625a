#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests that each filter distinguishes threads that have the same pid, one after the other.
# pid-reuse.events is written by hand, with known times. In pid-reuse.trace (Linux 7.2), three
# processes get pid 30000 one after the other, each with about 12 ms on CPU and a sleep of 3 ms.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

sort -n "$DATA/pid-reuse.events" | "$BIN/eventtospan" x 2>/dev/null | LC_ALL=C sort >"$TAP_TMP/hand"
xz -dc "$DATA/pid-reuse.trace.xz" >"$TAP_TMP/trace"
"$BIN/rawtohtml" --json "$TAP_TMP/trace" >"$TAP_TMP/real" 2>/dev/null

# --- spans ---

# rows_of FILE FROM TO: counts rows in which pid 30000 runs, waits or has work, between these times in s. Ignores PC
# samples, whose rows reach back to the previous sample.
rows_of()
{
	tr -d ' ' <"$1" | awk -F'[[,]' -v from="$2" -v to="$3" '/^\[/ && $5 == 30000 && $7 != 526 && $7 != 640 && $2 + $3 > from && $2 < to' | wc -l
}
is "by hand: no row of the number while no thread has it" "$(rows_of "$TAP_TMP/hand" 0.00102 0.05102)" 0
is "recorded trace: no row of pid 30000 in the two intervals without a thread" "$(rows_of "$TAP_TMP/real" 26.95 26.994) $(rows_of "$TAP_TMP/real" 27.01 27.0512)" "0 0"
is "by hand: each row has its owner's name" "$(tr -d ' ' <"$TAP_TMP/hand" |
	awk -F'[[,]' '$7 == 95536 { printf "%s %s ", $2, $11 }')" '0.00003000 "first.30000"] 0.05103000 "second.30000"] '

# Gives the second thread the name of the first.
sed 's/second/first/' "$DATA/pid-reuse.events" | sort -n | "$BIN/eventtospan" x 2>/dev/null | LC_ALL=C sort >"$TAP_TMP/same"
is "the same name: no row of the number while no thread has it" "$(rows_of "$TAP_TMP/same" 0.00102 0.05102)" 0
is "the same name: each thread has its rows" "$(tr -d ' ' <"$TAP_TMP/same" |
	awk -F'[[,]' '$7 == 95536 { printf "%s %s ", $2, $11 }')" '0.00003000 "first.30000"] 0.05103000 "first.30000"] '

# An RPC ends with its thread, also in a trace that was converted to CTF and back.
built "$BUILD/tests/make_shapes"
"$BUILD/tests/make_shapes" rpc_exits 2000 "$TAP_TMP/exits.raw"
"$BIN/rawtoctf" "$TAP_TMP/exits.raw" -o "$TAP_TMP/exits.ctf" 2>/dev/null
# rpcs: prints the event, thread and RPC of each line of event text.
rpcs()
{
	awk '!/^#/ && $3 >= 512 { print $3, $5, $6 }'
}
is "RPCs of threads that exit, through CTF" "$("$BIN/ctftoevent" "$TAP_TMP/exits.ctf" 2>/dev/null | sort -n | rpcs | cksum)" \
	"$("$BIN/rawtoevent" "$TAP_TMP/exits.raw" 2>/dev/null | sort -n | rpcs | cksum)"

# --- spantoprof ---

# profile FILE: prints for each thread with number 30000 the name, the time on CPU in ms, and the number of complete
# exit_group calls.
profile()
{
	"$BIN/spantoprof" <"$1" 2>/dev/null | awk '
	/^[^ ].*: .* of CPU, / {
		name = ""
		if ($1 !~ /\.30000:$/)
			next
		name = $1
		time = $2 * ($3 == "us" ? 0.001 : 1)
	}
	name && / exit_group / { printf "%s %.2f %d\n", name, time, $3 }'
}
is "by hand: two threads in spantoprof, no whole call of exit_group" "$(profile "$TAP_TMP/hand")" "first.30000: 0.99 0
second.30000: 0.99 0"
sort -n >"$TAP_TMP/rpc.events" <<'END'
4000 1 513 1 300 5 5 0 0 meth.5
100000 0 2279 1 300 5 0 0 0 exit_group
101000 1 531 1 300 0 300 0 0 task_exit.300
101200 0 512 1 0 0 0 0 0 -idle-.0
END
"$BIN/eventtospan" x <"$TAP_TMP/rpc.events" 2>/dev/null | LC_ALL=C sort >"$TAP_TMP/rpc"
is "an exit with an open RPC: the RPC ends, exit_group goes on and is never whole" \
	"$(tr -d ' ' <"$TAP_TMP/rpc" | awk -F'[[,]' '$7 == 515 || $7 == 2279 { printf "%s %s %s ", $2, $3, $7 }')$(
	"$BIN/spantoprof" <"$TAP_TMP/rpc" 2>/dev/null | sed -n 's/^ *12.00 us  *\([0-9]*\) .* exit_group/\1/p')" \
	"0.00004000 0.00097000 515 0.00100000 0.00001200 2279 0 (+1 cut off)"
# lives_of: counts the threads that had pid 300, in event text.
lives_of()
{
	sort -n | "$BIN/eventtospan" x 2>/dev/null | LC_ALL=C sort >"$TAP_TMP/paused"
	"$BIN/spantoprof" --json <"$TAP_TMP/paused" 2>/dev/null | grep -c '{"pid": 300, "name"'
}
begins="4000 0 512 1 300 0 300 0 0 first.300
100000 0 2279 1 300 0 0 0 0 exit_group
101000 1 531 1 300 0 300 0 0 task_exit.300"
faults_at()	# TIME...: prints a page fault of pid 300, after which CPU 1 is idle from 5 us on
{
	local time
	for time; do
		echo "$time 100 1038 1 300 0 0 0 0 page_fault"
		echo "$((time + 500)) 0 512 1 0 0 0 0 0 -idle-.0"
	done
}
is "a pause while a thread exits, and two of them: one thread" "$({
	echo "-1 1 287 0 pause=110000:120000"
	echo "$begins"
	faults_at 120000
} | lives_of) $({
	echo "-1 1 287 0 pause=110000:120000"
	echo "-1 1 287 0 pause=120300:130000"
	echo "$begins"
	echo "120000 100 1038 1 300 0 0 0 0 page_fault"
	faults_at 130000
} | lives_of)" "1 1"
is "the first event of the CPU comes after the pause: still one" "$({
	echo "-1 1 287 0 pause=110000:120000"
	echo "$begins"
	echo "120100 100 1038 0 50 0 0 0 0 page_fault"
	faults_at 125000
} | lives_of)" 1
is "a thread that is gone before the pause, or for a time after it: another has its number" "$({
	echo "-1 1 287 0 pause=110000:120000"
	echo "$begins"
	echo "105000 0 512 1 0 0 0 0 0 -idle-.0"
	faults_at 120000
} | lives_of) $({
	echo "-1 1 287 0 pause=110000:120000"
	echo "$begins"
	echo "120000 0 512 1 0 0 0 0 0 -idle-.0"
	echo "149000 0 512 1 300 0 300 0 0 second.300"
	faults_at 150000
} | lives_of)" "2 2"
# A worker wakes the thread while it goes to sleep in its exit. Later it runs on, and leaves for good.
is "a wakeup while the thread goes to sleep in its exit: one thread" "$({
	echo "$begins"
	echo "104000 1 518 0 50 0 300 0 0 runnable.300"
	echo "106500 0 512 1 0 0 0 0 0 -idle-.0"
	echo "118000 0 512 1 300 0 300 0 0 first.300"
	echo "119000 0 512 1 0 0 0 0 0 -idle-.0"
} | lives_of)" 1
# Before all events are there, a preempted thread has no row of a wait.
preempted()
{
	echo "-1 1 287 0 partial=0:$1"
	echo "$begins"
	echo "105000 0 512 1 60 0 60 0 0 other.60"
	echo "112000 0 512 1 300 0 300 0 0 first.300"
	echo "113000 0 512 1 0 0 0 0 0 -idle-.0"
}
is "preempted in its exit, where events of other CPUs are missing: one thread" "$(preempted 150000 | lives_of) $(preempted 108000 | lives_of)" "1 1"
is "real: three threads of some 12 ms" "$(profile "$TAP_TMP/real" | awk '{ print $1, ($2 > 10 && $2 < 14), $3 }' | sort)" \
	"reuse_0.30000: 1 0
reuse_1.30000: 1 0
reuse_2.30000: 1 0"

# --- spantowhy ---

# totals FILE: prints the line of each thread with number 30000.
totals()
{
	"$BIN/spantowhy" <"$1" 2>/dev/null | grep '\.30000: [0-9]* run' | sed 's/; .*//' | sort
}
is "by hand: two threads in spantowhy" "$(totals "$TAP_TMP/hand")" "first.30000: 1 runs, 990.00 us
second.30000: 1 runs, 990.00 us"
like "real: three threads in spantowhy" "$(totals "$TAP_TMP/real" | tr '\n' ' ')" \
	'^reuse_0.30000: 2 runs, 13\.[0-9]+ ms reuse_1.30000: 2 runs, 11\.[0-9]+ ms reuse_2.30000: 2 runs, 12\.[0-9]+ ms $'
is "real: the last one was new, and waited once, for its sleep" "$("$BIN/spantowhy" --pid 30000 <"$TAP_TMP/real" 2>/dev/null |
	sed -n '1,/^gaps/d; s/^[0-9. ]*ms  \(new\|.*waited [0-9.]* ms for [a-z]*\).*/\1/p' | sed 's/[0-9.]* ms/T/; s/.*waited/waited/' | tr '\n' ' ')" "new waited T for time "

# --- spandiff: in the other trace the two threads have other names ---

sed 's/first/one/; s/second/two/' "$TAP_TMP/hand" >"$TAP_TMP/other"
said=$("$BIN/spandiff" "$TAP_TMP/hand" "$TAP_TMP/other" 2>/dev/null)
for name in first second one two; do
	like "spandiff has $name" "$said" "^$name: "
done

# --- spantospeedscope ---

is "speedscope: a frame for each" "$("$BIN/spantospeedscope" <"$TAP_TMP/hand" 2>/dev/null |
	grep -c '"name":"\(first\|second\)\.30000"')" 2

# --- tables ---

if [ -x "$BIN/rawtosqlite" ] && command -v sqlite3 >/dev/null; then
	ok "rawtosqlite" "$BIN/rawtosqlite" -o "$TAP_TMP/db" "$TAP_TMP/trace"
	is "table thread: each owner with its name and its time" "$(sqlite3 "$TAP_TMP/db" "select life, name, on_cpu_ns between 10000000 and 14000000
		from thread where tid = 30000 order by life")" "0|reuse_0|1
1|reuse_1|1
2|reuse_2|1"
	is "table process: one row per process" "$(sqlite3 "$TAP_TMP/db" "select count(*) from process where pid = 30000")" 3
	is "table thread_name: as of each owner" "$(sqlite3 "$TAP_TMP/db" "select group_concat(life || name, ' ')
		from (select life, name from thread_name where tid = 30000 order by start_ns)")" "0fw 0reuse_0 1fw 1reuse_1 2fw 2reuse_2"
	is "table thread_state: no wait of 5 ms, as between two owners" "$(sqlite3 "$TAP_TMP/db" "select max(dur_ns) < 5000000
		from thread_state where tid = 30000 and state <> 'running'")" 1
	is "table thread_state: one thread has no gap" "$(sqlite3 "$TAP_TMP/db" "select tid, life, start_ns from (
		select tid, life, start_ns, start_ns - lag(start_ns + dur_ns) over (partition by tid, life order by start_ns) as gap
		from thread_state) where gap >= 100")" ""
	is "table wakeup: each owner was woken to run first" "$(sqlite3 "$TAP_TMP/db" "select group_concat(distinct woken_life)
		from wakeup where woken_tid = 30000 and call = 'clone'")" "0,1,2"
	is "table call: exit_group is never whole" "$(sqlite3 "$TAP_TMP/db" "select count(*), sum(cut_end) from call where name = 'exit_group' and tid = 30000")" "3|3"
	is "the tables join by tid and life: all time of CPUs is some thread's" "$(sqlite3 "$TAP_TMP/db" "select sum(s.dur_ns) - (select sum(dur_ns) from sched_slice)
		from sched_slice s join thread t on t.tid = s.tid and t.life = s.life")" 0
else
	skip "tables" "no rawtosqlite, or no sqlite3"
fi

# --- rawtoperfetto ---

if command -v protoc >/dev/null; then
	. tests/cli/perfetto.inc
	"$BIN/rawtoperfetto" "$TAP_TMP/trace" 2>/dev/null | perfetto_text >"$TAP_TMP/text"
	awk -f tests/cli/perfetto_flat.awk "$TAP_TMP/text" >"$TAP_TMP/flat"
	is "Perfetto: the first thread ends, pid 126 makes the second, and so on" \
		"$(awk '$1 ~ /^(new|exit|free)$/ && $3 == 30000 { print $2, $1, $4 }' "$TAP_TMP/flat" | sort -n | cut -d' ' -f2- | tr '\n' ' ')" \
		"exit  free  new 126 exit  free  new 126 exit  free  "
	is "Perfetto: a thread is freed when it leaves its CPU, as dead" "$(awk '$1 == "free" { print $2, $3 }' "$TAP_TMP/flat" | sort)" \
		"$(awk '$1 == "switch" && $5 == 16 { print $2, $4 }' "$TAP_TMP/flat" | sort)"
	is "Perfetto: each thread has tracks of its own" "$(grep -c '^track t30000 thread 30000' "$TAP_TMP/flat")" 3
else
	skip "Perfetto" "no protoc"
fi

# --- rawtoctf ---

"$BIN/rawtoctf" --into "$TAP_TMP/ctf" "$TAP_TMP/trace" 2>/dev/null
if command -v babeltrace2 >/dev/null; then
	babeltrace2 "$TAP_TMP/ctf" >"$TAP_TMP/text" 2>/dev/null
	is "CTF: a number is freed, and forked by pid 126, before it is used again" \
		"$(grep 'sched_process_.*tid = 30000' "$TAP_TMP/text" | sed 's/.*sched_process_\([a-z]*\).*/\1/' | tr '\n' ' ')" \
		"exit free fork exit free fork exit "
	is "CTF: the parent" "$(grep 'sched_process_fork' "$TAP_TMP/text" | grep -o 'parent_tid = [0-9]*' | sort -u)" "parent_tid = 126"
	is "CTF: a child's name is no renaming of the dead" "$(grep 'task_rename' "$TAP_TMP/text" | grep -c 'tid = 30000, oldcomm = "reuse')" 0
	is "CTF: each leaves its CPU asleep, and then dead" "$(grep -o 'prev_tid = 30000, prev_prio = 20, prev_state = [0-9]*' "$TAP_TMP/text" |
		awk '{ printf "%s ", $NF }')" "1 16 1 16 1 16 "
else
	skip "CTF" "no babeltrace2"
fi

# --- traces of other tools without exits: the state of a thread that leaves its CPU shows its end ---

# lives FILE: for pid 300 in event text, prints the number of lives by spantoprof, the number of threads by spantowhy, and
# the waits in ms.
lives()
{
	"$BIN/eventtospan" x <"$1" 2>/dev/null | LC_ALL=C sort >"$TAP_TMP/spans"
	echo "$("$BIN/spantoprof" --json <"$TAP_TMP/spans" 2>/dev/null | grep -c '{"pid": 300, "name"')" \
		"$("$BIN/spantowhy" <"$TAP_TMP/spans" 2>/dev/null | grep -c '\.300: [0-9]* run')" \
		"$(tr -d ' ' <"$TAP_TMP/spans" | awk -F'[[,]' '/"wait_/ && $5 == 300 { printf "%.0f ", $3 * 1000 }')"
}
TWO="2 2 "	# result for two threads without a wait between them
ONE="1 1 50 "
if command -v protoc >/dev/null; then
	. tests/cli/perfetto.inc
	# These functions print parts of a Perfetto trace: facts RELEASE; runs TIME PID COMM and leaves TIME STATE, in ms, as
	# events; columns STATE, the same in compact columns.
	facts() { printf 'packet { system_info { utsname { release: "%s" } } }\n' "$1"; }
	runs() { printf 'event { timestamp: %s000000 pid: 0 sched_switch { prev_comm: "swapper/0" next_comm: "%s" next_pid: %s } }\n' "$1" "$3" "$2"; }
	leaves() { printf 'event { timestamp: %s000000 pid: 300 sched_switch { prev_comm: "work" prev_pid: 300 prev_state: %s next_comm: "swapper/0" } }\n' "$1" "$2"; }
	bundle() { echo 'packet { ftrace_events { cpu: 0 '"$1"; cat; echo '} }'; }
	columns()	# STATE
	{
		printf 'compact_sched { intern_table: "work" intern_table: "swapper/0"
			switch_timestamp: [1000000000, 1000000, 50000000, 1000000] switch_prev_state: [0, %s, 0, 1]
			switch_next_pid: [300, 0, 300, 0] switch_next_prio: [120, 120, 120, 120] switch_next_comm_index: [0, 1, 0, 1] }\n' "$1"
	}
	perfetto()	# prints the lives in the text on stdin
	{
		perfetto_bytes >"$TAP_TMP/pf"
		"$BIN/perfettotoevent" "$TAP_TMP/pf" >"$TAP_TMP/events" 2>/dev/null
		lives "$TAP_TMP/events"
	}
	for how in 6.1.0:16:TWO 6.1.0:32:TWO 6.1.0:64:ONE 6.1.0:128:ONE 6.1.0:256:ONE 4.14.0:64:ONE 4.13.9:64:TWO \
		   3.10.0-1160:64:TWO 3.10.0-1160:16:TWO 3.10.0-1160:130:ONE; do
		IFS=: read -r release state want <<<"$how"
		is "Perfetto, Linux $release: a thread leaves in state $state" "$({
			facts "$release"
			{ runs 1000 300 work; leaves 1001 "$state"; runs 1051 300 work; leaves 1052 1; } | bundle
		} | perfetto)" "${!want}"
		is "Perfetto, Linux $release: in columns" "$({ facts "$release"; columns "$state" | bundle; } | perfetto)" "${!want}"
	done
	is "Perfetto: there is one exit, before the switch" "$({ facts 6.1.0; columns 32 | bundle; } | perfetto >/dev/null
		awk '/^[0-9].*)$/ { print $1, $3, $7 }' "$TAP_TMP/events" | tr '\n' ' ')" "100000000 512 300 100099999 531 300 100100000 512 0 105100000 512 300 105200000 512 0 "
	is "Perfetto: columns after missing events do not show which thread left" "$({
		facts 6.1.0
		runs 1000 300 work | bundle
		columns 32 | sed 's/1000000000, 1000000, 50000000, 1000000/1001000000, 50000000/; s/\[0, 32, 0, 1\]/[32, 0]/
			s/\[300, 0, 300, 0\]/[0, 300]/; s/\[120, 120, 120, 120\]/[120, 120]/; s/\[0, 1, 0, 1\]/[1, 0]/' | bundle 'lost_events: true'
		{ leaves 1052 1; runs 1060 1 init; } | bundle
	} | perfetto)" "$ONE"
	is "Perfetto: a recorded exit, and no birth" "$({ facts 6.1.0; {
		runs 1000 300 work
		echo 'event { timestamp: 1000500000 pid: 300 sched_process_exit { comm: "work" pid: 300 } }'
		leaves 1001 16; runs 1051 300 work; leaves 1052 1; } | bundle; } | perfetto) $(grep -c ' 531 ' "$TAP_TMP/events")" "$TWO 1"
	is "Perfetto: the exiting thread sleeps before its end" "$({ facts 6.1.0; {
		runs 1000 300 work
		echo 'event { timestamp: 1000500000 pid: 300 sched_process_exit { comm: "work" pid: 300 } }'
		leaves 1001 2; runs 1051 300 work; leaves 1052 16; runs 1100 300 work; leaves 1101 1; } | bundle; } | perfetto)" "2 2 50 "
	for birth in 'sched_waking { comm: "work" pid: 300 }' 'sched_wakeup_new { comm: "work" pid: 300 }'; do
		is "Perfetto: the next thread is woken 10 ms before it runs: ${birth%% *}" "$({ facts 6.1.0; {
			runs 1000 300 work; leaves 1001 32
			echo "event { timestamp: 1041000000 pid: 0 $birth }"
			runs 1051 300 work; leaves 1052 1; } | bundle; } | perfetto)" "2 2 10 "
	done
	is "Perfetto: a recorded birth of the next thread" "$({ facts 6.1.0; {
		runs 1000 300 work; leaves 1001 32
		echo 'event { timestamp: 1041000000 pid: 0 task_newtask { pid: 300 comm: "work" } }'
		runs 1051 300 work; leaves 1052 1; } | bundle; } | perfetto)" "$TWO"
	generic()	# TIME FIELDS
	{
		echo "packet { timestamp: $1000000 generic_kernel_task_state_event { tid: 300 $2 } }"
	}
	for how in 'CREATED:work' 'RUNNABLE:work' 'RUNNING:other' 'RUNNING:'; do
		is "generic kernel events: dead, and then $how" "$({
			generic 1000 'cpu: 1 comm: "work" state: TASK_STATE_RUNNING'
			generic 1001 'state: TASK_STATE_DEAD'
			generic 1051 "cpu: 1 comm: \"${how#*:}\" state: TASK_STATE_${how%:*}"
			generic 1051 'cpu: 1 comm: "" state: TASK_STATE_RUNNING'
			generic 1052 'state: TASK_STATE_INTERRUPTIBLE_SLEEP'
		} | perfetto) $(awk '$3 == 531 { print $4 }' "$TAP_TMP/events")" "$TWO 1"
	done
	is "generic kernel events: dead, and then destroyed: one exit" "$({
		generic 1000 'cpu: 1 comm: "work" state: TASK_STATE_RUNNING'
		generic 1001 'state: TASK_STATE_DEAD'
		generic 1002 'state: TASK_STATE_DESTROYED'
	} | perfetto) $(grep -c ' 531 ' "$TAP_TMP/events")" "1 1  1"
else
	skip "Perfetto without exits" "no protoc"
fi
built "$BUILD/tests/make_lttng"
for how in "" "be" "perf"; do
	rm -rf "$TAP_TMP/lttng"
	# shellcheck disable=SC2086 # several words, or none
	"$BUILD/tests/make_lttng" "$TAP_TMP/lttng" $how dead >"$TAP_TMP/want"
	"$BIN/ctftoevent" "$TAP_TMP/lttng" 2>"$ERR" >"$TAP_TMP/events"
	ok "CTF${how:+, $how}: the exit, and the next thread, at their times" diff "$TAP_TMP/want" <(grep '^[0-9].* ([0-9a-f]*)$' "$TAP_TMP/events")
	is "CTF${how:+, $how}: five threads, without a wait between them" "$(lives "$TAP_TMP/events")" "5 5 20 20 "
	like "CTF${how:+, $how}: a switch to a task with a negative number is counted" "$(cat "$ERR" "$TAP_TMP/events")" \
		'^  1 events of tasks with numbers below 0 or above 2147483647 are left out'
done
rm -rf "$TAP_TMP/lttng"
"$BUILD/tests/make_lttng" "$TAP_TMP/lttng" old dead >"$TAP_TMP/want"
"$BIN/ctftoevent" "$TAP_TMP/lttng" 2>/dev/null >"$TAP_TMP/events"
is "CTF of Linux 3.10: one more, which left in state 64" "$(lives "$TAP_TMP/events")" "6 6 20 "

# --- a pid that gets its next thread before the old one has left its CPU ---

# ctf [wide]: makes a CTF trace of the lines on stdin, which may be in any order (see make_lttng.c), and event text of it.
ctf()
{
	rm -rf "$TAP_TMP/lttng"
	sort -n | "$BUILD/tests/make_lttng" "$TAP_TMP/lttng" $1 script || exit 1
	"$BIN/ctftoevent" "$TAP_TMP/lttng" 2>"$ERR" >"$TAP_TMP/events"
}
exits() { awk '$3 == 531 { printf "%s ", $1 }' "$TAP_TMP/events"; }	# prints the exit times
# These functions print lines about thread 300 for ctf, with times in units of 100 us.
# gets TIME CPU COMM: the thread gets the CPU from idle
gets() { echo "${1}00 $2 sched_switch swapper 0 0 $3 300"; }
# quits TIME CPU COMM STATE: the thread leaves the CPU
quits() { echo "${1}00 $2 sched_switch $3 300 $4 swapper 0"; }
# birth CPU COMM: the thread is created
birth() { echo "1000600 $1 sched_process_fork init 1 $2 300"; echo "1000700 $1 sched_wakeup_new $2 300"; }
for name in work other; do
	for recorded in birth no-birth; do
		# the next thread sleeps for 8.1 ms until 1009 ms
		{ gets 10000 0 work; echo "1000500 0 sched_process_exit work 300"; [ $recorded = no-birth ] || birth 1 $name; gets 10008 1 $name
		  quits 10009 1 $name 1; quits 10010 0 work 16; echo "1009000 1 sched_waking $name 300"; gets 10100 1 $name
		  quits 10120 1 $name 1; } | ctf
		is "$name has the number and sleeps when the old thread leaves, $recorded: one exit" "$(exits)" "100050000 "
		is "$name has the number and sleeps, $recorded: the sleep" "$(lives "$TAP_TMP/events" | grep -c ' 8 1 $')" 1
	done
	# the next thread runs after the exit
	{ gets 10000 0 work; echo "1000500 0 sched_process_exit work 300"; gets 10008 1 $name; quits 10010 0 work 16
	  quits 10020 1 $name 1; echo "1009000 1 sched_waking $name 300"; gets 10100 1 $name; quits 10120 1 $name 1; } | ctf
	is "$name has the number and runs when the old thread leaves: one exit, and its waits" \
		"$(exits)$(lives "$TAP_TMP/events" | cut -d' ' -f3-)" "100050000 7 1 "
	# the next thread runs later
	for how in exit,fork,wakeup_new exit,fork exit,wakeup_new fork,wakeup_new wakeup_new; do
		{ gets 10000 0 work; echo "1000500 0 sched_process_exit work 300"; birth 1 $name; quits 10010 0 work 16
		  gets 10100 1 $name; quits 10120 1 $name 1; gets 10220 1 $name; quits 10230 1 $name 16; } |
			grep -E " sched_(switch|process_(${how//,/|})|${how##*,}) " | ctf
		case $how in
		exit,*) want=100050000 ;;
		fork,*) want=100059999 ;;
		*) want=100069999 ;;
		esac
		# with an event of the wakeup, the next thread waits for its CPU for 9 ms first
		waits=10
		[ "${how%wakeup_new}" = "$how" ] || waits='9 10'
		is "$name has the number and did not run yet ($how): two threads and exits, and waits of $waits ms" \
			"$(exits)$(lives "$TAP_TMP/events")" "$want 102299999 2 2 $waits "
		is "$name has the number and did not run yet ($how): the names" "$("$BIN/spantoprof" --json <"$TAP_TMP/spans" 2>/dev/null |
			grep -o '{"pid": 300, "name": "[^"]*"' | sed 's/.*: "//' | sort | tr '\n' ' ')" "$(printf '%s\n' $name.300 work.300 | sort | sed 's/$/"/' | tr '\n' ' ')"
	done
done
# the old thread's CPU has no event before its last switch
{ birth 1 work; quits 10010 0 work 16; gets 10100 1 work; quits 10120 1 work 1; } | ctf
is "the old thread runs since the beginning of the trace: no exit" "$(exits)" ""

# --- numbers out of range ---

LEFT_OUT=' events of tasks with numbers below 0 or above 2147483647 are left out'
{ gets 10000 0 work; echo "1001000 0 sched_switch work 300 16 x -7"; echo "1002000 0 sched_switch x -7 1 swapper 0"
  gets 10510 0 work; quits 10520 0 work 1; } | ctf
is "a thread leaves as dead, to a negative number: its exit, and the next thread" "$(exits)$(lives "$TAP_TMP/events")" "100099999 2 2 "
is "the switch is left out" "$(grep -o "[0-9]*$LEFT_OUT" "$ERR")" "1$LEFT_OUT"
for state in 1 16; do
	{ echo "1000000 0 sched_switch x -7 $state work 300"; quits 10010 0 work 1; } | ctf
	is "a switch from a negative number in state $state is not left out" "$(grep -c ' 0 512 0 .*work.300' "$TAP_TMP/events") $(
		grep -c "$LEFT_OUT" "$ERR")" "1 0"
done
for number in -9223372036854775808 9223372036854775807 -7; do
	{ gets 10000 0 work; echo "1000500 0 sched_waking work $number"; quits 10010 0 work 1; } | ctf wide
	is "number $number is counted" "$(grep -o "[0-9]*$LEFT_OUT" "$ERR")" "1$LEFT_OUT"
done
if command -v protoc >/dev/null; then
	is "Perfetto: columns with a negative number that leaves as dead: no exit of the thread before it" "$({
		facts 6.1.0
		echo 'compact_sched { intern_table: "work" intern_table: "swapper/0"
			switch_timestamp: [1000000000, 1000000, 1000000, 50000000, 1000000] switch_prev_state: [0, 1, 16, 0, 1]
			switch_next_pid: [300, -7, 0, 300, 0] switch_next_prio: [120, 120, 120, 120, 120]
			switch_next_comm_index: [0, 1, 1, 0, 1] }' | bundle
	} | perfetto) $(exits)" "$ONE "
else
	skip "Perfetto: columns with a negative number" "no protoc"
fi

# --- merged spans: a thread whose spans are too short for rows still exists ---

# reused FILE: counts the pairs (pid, life) of pids with more than one life.
reused()
{
	"$BIN/spantoprof" --json <"$1" 2>/dev/null | grep -o '{"pid": [1-9][0-9]*, "name"' | sort | uniq -D | wc -l
}
for golden in tests/golden/*.json.xz; do
	xz -dc "$golden" >"$TAP_TMP/full"
	xz -dc "${golden%.json.xz}.trace.xz" >"$TAP_TMP/golden.trace"
	got=
	for usec in 20 200 1000; do
		"$BIN/spantospan" $usec <"$TAP_TMP/full" >"$TAP_TMP/coarse" 2>/dev/null
		got+="$(reused "$TAP_TMP/coarse") "
	done
	"$BIN/rawtohtml" --json --spans 3000 "$TAP_TMP/golden.trace" >"$TAP_TMP/coarse" 2>/dev/null
	full=$(reused "$TAP_TMP/full")
	is "$(basename "$golden" .json.xz): as many lives with spans of 20, 200, 1000 us and with 3000 spans" \
		"$got$(reused "$TAP_TMP/coarse")" "$full $full $full $full"
done
"$BIN/spantospan" 1000 <"$TAP_TMP/real" >"$TAP_TMP/coarse" 2>/dev/null
is "three threads are three with spans of 1 ms" "$(reused "$TAP_TMP/real") $(reused "$TAP_TMP/coarse")" "3 3"

# --- the next owner runs while the first one has not left its CPU ---

sort -n >"$TAP_TMP/both.events" <<'END'
-1 1 34 300 first
-1 1 34 50 parent
4000 0 512 0 50 0 50 0 0 parent.50
4000 0 512 1 300 0 300 0 0 first.300
100000 0 2279 1 300 0 0 0 0 exit_group
101000 1 531 1 300 0 300 0 0 task_exit.300
101100 0 2104 0 50 0 0 0 0 clone
101200 1 34 300 second
101300 1 518 0 50 0 300 0 0 runnable.300
101400 0 2616 0 50 0 0 300 0 /clone
101500 0 512 0 300 0 300 0 0 second.300
101600 0 2616 0 300 0 0 0 0 /clone
102000 5 2087 0 300 0 0 30 0 getpid
102500 0 1516 1 300 0 0 0 0 local_timer
102600 0 2028 1 300 0 0 0 0 /local_timer
103000 0 512 1 0 0 0 0 0 -idle-.0
104000 5 2087 0 300 0 0 30 0 getpid
190000 0 512 0 0 0 0 0 0 -idle-.0
END
for second in second first; do
	sed "s/second/$second/" "$TAP_TMP/both.events" | "$BIN/eventtospan" x 2>/dev/null | LC_ALL=C sort >"$TAP_TMP/both"
	is "two at once, first and $second: each has its time on CPU" "$("$BIN/spantoprof" <"$TAP_TMP/both" 2>/dev/null |
		sed -n 's/^\([a-z]*\.300: [0-9.]* us\) of CPU.*/\1/p' | LC_ALL=C sort | cut -d. -f2- | LC_ALL=C sort -r | tr '\n' ' ')" "300: 990.00 us 300: 885.00 us "
	is "two at once, first and $second: spantowhy" "$("$BIN/spantowhy" <"$TAP_TMP/both" 2>/dev/null |
		sed -n 's/^[a-z]*\.\(300: [0-9]* run[^;]*\);.*/\1/p' | LC_ALL=C sort -r | tr '\n' ' ')" "300: 1 runs, 990.00 us 300: 1 runs, 885.00 us "
	is "two at once, first and $second: the call of exit is the first one's, and incomplete" "$("$BIN/spantoprof" <"$TAP_TMP/both" 2>/dev/null |
		awk '/^[^ ]/ { name = $1 " " $2 } / exit_group / { print name, $3, $0 ~ /cut off/ }')" "first.300: 990.00 0 1"
done

# --- converted to another format and back ---

"$BIN/rawtohtml" --json "$TAP_TMP/trace" 2>/dev/null | "$BIN/spantoprof" 2>/dev/null | grep '\.30000: ' | sed 's/, .*//' | sort >"$TAP_TMP/want"
back()	# NAME FILTER FILE
{
	"$BIN/$2" "$3" 2>/dev/null | "$BIN/eventtospan" x 2>/dev/null | LC_ALL=C sort | "$BIN/spantoprof" 2>/dev/null |
		grep '\.30000: ' | sed 's/, .*//' | sort >"$TAP_TMP/got"
	ok "through $1 and back: three threads, each with its name and time" diff "$TAP_TMP/want" "$TAP_TMP/got"
}
back CTF ctftoevent "$TAP_TMP/ctf"
"$BIN/rawtoperfetto" "$TAP_TMP/trace" >"$TAP_TMP/pf" 2>/dev/null
back Perfetto perfettotoevent "$TAP_TMP/pf"

# Three threads have one name, each 5 ms after the previous one. The name is defined again for each.
make_traces >&2 || exit 1
"$BIN/rawtohtml" --json "$TRACES/reused-at-once.trace" >"$TAP_TMP/spans" 2>/dev/null
at_once() { "$BIN/spantoprof" <"$1" 2>/dev/null | sed -n 's/^job\.300: \([0-9.]* ms\) of CPU.*/\1/p' | tr '\n' ' '; }
is "at once: both threads have their time on CPU" "$(at_once "$TAP_TMP/spans")" "5.020 ms 2.030 ms "
rm -rf "$TAP_TMP/ctf"
"$BIN/rawtoctf" --into "$TAP_TMP/ctf" "$TRACES/reused-at-once.trace" 2>/dev/null
"$BIN/ctftoevent" "$TAP_TMP/ctf" 2>/dev/null | "$BIN/eventtospan" x 2>/dev/null | LC_ALL=C sort >"$TAP_TMP/got"
ok "at once: through CTF and back, the same spans" diff <(grep '^\[' "$TAP_TMP/spans") <(grep '^\[' "$TAP_TMP/got")
"$BIN/rawtoperfetto" "$TRACES/reused-at-once.trace" 2>/dev/null >"$TAP_TMP/pf"
"$BIN/perfettotoevent" "$TAP_TMP/pf" 2>/dev/null | "$BIN/eventtospan" x 2>/dev/null | LC_ALL=C sort >"$TAP_TMP/got"
is "at once: through Perfetto and back" "$(at_once "$TAP_TMP/got")" "5.020 ms 2.030 ms "
if [ -x "$BIN/rawtosqlite" ] && command -v sqlite3 >/dev/null; then
	rm -f "$TAP_TMP/db"
	"$BIN/rawtosqlite" -o "$TAP_TMP/db" "$TRACES/reused-at-once.trace" 2>/dev/null
	is "at once: tables thread and thread_state" "$(sqlite3 "$TAP_TMP/db" "select group_concat(life || ' ' || on_cpu_ns, ', ')
		from (select life, on_cpu_ns from thread where tid = 300 order by life);
		select group_concat(life || ' ' || state, ', ') from (select life, state from thread_state where tid = 300 order by start_ns)")" \
		"0 2030000, 1 5020000
0 running, 1 runnable, 1 running"
else
	skip "at once: table thread" "no rawtosqlite, or no sqlite3"
fi
for name in reused reused-woken; do
	"$BIN/rawtoevent" "$TRACES/$name.trace" 2>/dev/null >"$TAP_TMP/direct"
	is "$name: three threads" "$(lives "$TAP_TMP/direct" | sed 's/ 0//g')" "3 3 "
	grep -v '"randomid"' "$TAP_TMP/spans" >"$TAP_TMP/want"
	rm -rf "$TAP_TMP/ctf"
	"$BIN/rawtoctf" --into "$TAP_TMP/ctf" "$TRACES/$name.trace" 2>/dev/null
	"$BIN/ctftoevent" "$TAP_TMP/ctf" 2>/dev/null >"$TAP_TMP/events"
	is "$name: through CTF and back" "$(lives "$TAP_TMP/events" | sed 's/ 0//g')" "3 3 "
	ok "$name: with the same spans" diff "$TAP_TMP/want" <(grep -v '"randomid"' "$TAP_TMP/spans")
	if command -v babeltrace2 >/dev/null; then
		is "$name: the number is freed before it is used again" "$(babeltrace2 "$TAP_TMP/ctf" 2>/dev/null |
			grep 'sched_process_.*tid = 300,' | sed 's/.*sched_process_\([a-z]*\).*/\1/' | tr '\n' ' ')" \
			"exit free $([ $name = reused ] || echo 'fork ')exit free $([ $name = reused ] || echo 'fork ')exit "
	else
		skip "$name: the number is freed" "no babeltrace2"
	fi
	"$BIN/rawtoperfetto" "$TRACES/$name.trace" 2>/dev/null >"$TAP_TMP/pf"
	"$BIN/perfettotoevent" "$TAP_TMP/pf" 2>/dev/null >"$TAP_TMP/events"
	is "$name: through Perfetto and back" "$(lives "$TAP_TMP/events" | sed 's/ 0//g')" "3 3 "
	if [ -x "$BIN/rawtosqlite" ] && command -v sqlite3 >/dev/null; then
		rm -f "$TAP_TMP/db"
		"$BIN/rawtosqlite" -o "$TAP_TMP/db" "$TRACES/$name.trace" 2>/dev/null
		is "$name: table thread" "$(sqlite3 "$TAP_TMP/db" "select group_concat(life || name, ' ')
			from (select life, name from thread where tid = 300 order by life)")" "0job 1job 2job"
	else
		skip "$name: table thread" "no rawtosqlite, or no sqlite3"
	fi
done

# The next thread is named before the exited thread has left its CPU.
for name in reused-early reused-early-other reused-early-both; do
	second=next at='exit free fork ' # the pid is free when the exited thread leaves its CPU ...
	[ $name = reused-early ] && second=job
	[ $name = reused-early-both ] && at='exit fork ' # ... unless the next thread runs already
	"$BIN/rawtohtml" --json "$TRACES/$name.trace" 2>/dev/null | grep '^\[' >"$TAP_TMP/want"
	rm -rf "$TAP_TMP/ctf"
	"$BIN/rawtoctf" --into "$TAP_TMP/ctf" "$TRACES/$name.trace" 2>/dev/null
	"$BIN/ctftoevent" "$TAP_TMP/ctf" 2>/dev/null | "$BIN/eventtospan" x 2>/dev/null | LC_ALL=C sort >"$TAP_TMP/got"
	ok "$name: through CTF and back, the same spans" diff "$TAP_TMP/want" <(grep '^\[' "$TAP_TMP/got")
	is "$name: two threads" "$("$BIN/spantoprof" <"$TAP_TMP/got" 2>/dev/null | grep -o '^[a-z]*\.300: ' | sort | tr -d '\n')" \
		"$(printf '%s.300: ' job $second)"
	if command -v babeltrace2 >/dev/null; then
		babeltrace2 "$TAP_TMP/ctf" >"$TAP_TMP/text" 2>/dev/null
		is "$name: the end of the first thread and the beginning of the next" \
			"$(grep 'sched_process_.*tid = 300,' "$TAP_TMP/text" | sed 's/.*sched_process_\([a-z]*\).*/\1/' | tr '\n' ' ')" "$at"
		is "$name: only the first thread leaves its CPU as dead, each with its name" "$(sed -n \
			's/.*prev_comm = "\([a-z]*\)", prev_tid = 300, .*prev_state = \([0-9]*\),.*/\1 \2/p' "$TAP_TMP/text" | sort -k2,2nr | tr '\n' ' ')" \
			"job 16 $second 1 "
		is "$name: no thread is renamed" "$(grep -c task_rename "$TAP_TMP/text")" 0
	else
		skip "$name: CTF" "no babeltrace2"
	fi
	"$BIN/rawtoperfetto" "$TRACES/$name.trace" 2>/dev/null >"$TAP_TMP/pf"
	"$BIN/perfettotoevent" "$TAP_TMP/pf" 2>/dev/null | "$BIN/eventtospan" x 2>/dev/null | LC_ALL=C sort >"$TAP_TMP/got"
	is "$name: through Perfetto and back, two threads" \
		"$("$BIN/spantoprof" <"$TAP_TMP/got" 2>/dev/null | sed -n 's/^\([a-z]*\.300: [0-9.]* us\) of CPU.*/\1/p' | sort | tr '\n' ' ')" \
		"$("$BIN/rawtohtml" --json "$TRACES/$name.trace" 2>/dev/null | "$BIN/spantoprof" 2>/dev/null | sed -n 's/^\([a-z]*\.300: [0-9.]* us\) of CPU.*/\1/p' | sort | tr '\n' ' ')"
	is "$name: spantospeedscope has a frame for each thread" \
		"$("$BIN/rawtohtml" --json "$TRACES/$name.trace" 2>/dev/null | "$BIN/spantospeedscope" 2>/dev/null | grep -o '"name":"[a-z]*\.300"' | sort | tr '\n' ' ')" \
		"$(printf '"name":"%s.300" ' job $second)"
done
tap_end
