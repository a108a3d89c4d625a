#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1300
# takes: 75
# needs: patched
#
# Four sessions with different masks record at the same time. Each has exactly the events of its
# mask, as many as the workload and the kernel's counters count. Then a hundred starts and stops,
# and forty created and destroyed sessions, leave nothing behind while another session records. The
# stock kernel has 2 CPUs, the patched kernel 4. KUTRACE_FULL also tests 4 and 2, with a thousand
# starts and two hundred sessions each.
. tests/guest/lib.sh
guest_begin sessions
. tests/guest/record_checks.sh
top=$OUT

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
must insmod /lib/kutrace.ko mb=8
must kutrace_control --session calls start --size 16 --mask syscall,trap,context_switch,mark
must kutrace_control --session tasks start --size 8 --mask sched,wakeup,mark
must kutrace_control --session irqs start --size 8 --mask irq,softirq,ipi,mark
must kutrace_control session create marks --size 1
must kutrace_control --session marks mask mark
must kutrace_control --session marks go 2>/out/marks.said
must kutrace_control session list --json >/out/list.json
must counters sh -c "workload --disk /dev/vdb >/out/witness" >/out/counters
for s in calls tasks irqs marks; do
	must kutrace_control --session $s status --json >/out/$s.json
	must kutrace_control --session $s stop /out/$s.trace >/out/$s.out
	must kutrace_control session destroy $s
done
kutrace_control test >/out/main.test
uname -r >/out/uname

# Start, stop, create and destroy sessions while the session "standing" records all the time.
(while [ ! -f /tmp/enough ]; do workload --quiet --repeat 3; done) >/dev/null 2>&1 &
must kutrace_control --session standing start --size 2 --wrap
mkdir /out/gostop
must sessions gostop $1 /out/gostop >/out/gostop.count
must sessions churn $2 >/out/churn.count
must kutrace_control session list >/out/list
must kutrace_control --session standing stop /out/standing.trace
must kutrace_control session destroy standing
touch /tmp/enough
wait
must rmmod kutrace
SCRIPT

# Prints the number of events that are not in the categories $3, without names and heads of blocks.
others()
{
	event_awk -v wanted="$3" '
	FILENAME == ARGV[1] { kind[$1] = $3; next }
	/^#/ || $3 < EV_FIRST || $2 == 1 && $3 == EV_USERPID { next }
	index(" " wanted " ", " " kind[$3] " ") == 0 { n++; print > "/dev/stderr" }
	END { print n + 0 }' "$TAP_TMP/kinds" "$2" 2>"$TAP_TMP/others"
	head -n 3 "$TAP_TMP/others" | sed "s/^/# $1: /" >&2
}

session_checks()
{
	for s in calls tasks irqs marks; do
		trace_ok "$1: $s" "$OUT/$s.trace"
		ok "$1: $s: the filters read it" trace_text "$OUT/$s.trace"
		like "$1: $s: the trace has its session" "$(cat "$OUT/$s.trace.events")" "session=$s"
		like "$1: $s: the trace has its mask of kinds" \
			"$(cat "$OUT/$s.trace.events")" ' kinds=0x'
		like "$1: $s: the status has the session" "$(cat "$OUT/$s.json")" "\"session\": \"$s\""
	done
	like "$1: go reports that not all kinds are recorded" "$(cat "$OUT/marks.said")" \
		'records only some kinds of events'
	is "$1: four sessions besides main record at the same time" \
		"$(grep -c '"recording": true' "$OUT/list.json")" 4
	like "$1: the main session does not record" "$(cat "$OUT/main.test")" 'not recording'
	_marks='mark_a mark_b mark_c mark_d'
	is "$1: calls: no other kinds" "$(others calls "$OUT/calls.trace.events" \
		"syscall64 syscall32 syscall_other trap context_switch $_marks")" 0
	is "$1: tasks: no other kinds" "$(others tasks "$OUT/tasks.trace.events" \
		"context_switch scheduler runnable $_marks")" 0
	is "$1: irqs: no other kinds" "$(others irqs "$OUT/irqs.trace.events" \
		"interrupt softirq sendipi ipi_taken $_marks")" 0
	is "$1: marks: no other kinds" "$(others marks "$OUT/marks.trace.events" "$_marks")" 0

	main=$(witness "$OUT/witness" main main)
	ev=$OUT/calls.trace.events
	same_calls "$1: calls" burst getpid getpid "$main"
	same_calls "$1: calls" file write write "$main"
	same_calls "$1: calls" file read read "$main"
	same_calls "$1: calls" disk pwrite64 pwrite64 "$main"
	same_calls "$1: calls" pipe write write "$main"
	same_calls "$1: calls" tcp sendto sendto "$main"
	same_calls "$1: calls" spawn wait4 wait4 "$main"
	_minflt=$(witness "$OUT/witness" fault minflt)
	between "$1: calls: page faults" "$(count_between "$ev" a=fault a=/fault "$main" $EV_PAGE_FAULT)" \
		"$(witness "$OUT/witness" fault pages)" $((_minflt + 16))
	ev=$OUT/tasks.trace.events
	within_edges "$1: tasks" ctxt $EV_USERPID - "$2"
	between "$1: tasks: wakeups" "$(event_awk '!/^#/ && $3 == EV_RUNNABLE { n++ } END { print n + 0 }' "$ev")" \
		200 1000000
	ev=$OUT/irqs.trace.events
	within_edges "$1: irqs" LOC $EV_LOCAL_TIMER - "$2"
	within_edges "$1: irqs" RES $EV_RESCHEDULE - "$2"
	for _soft in 1 3 7 9; do
		within_edges "$1: irqs" softirq.$_soft $EV_BH $_soft "$2"
	done
	for s in calls tasks irqs marks; do
		is "$1: $s: as many marks as the others" \
			"$(event_awk '!/^#/ && $3 >= EV_MARKA && $3 <= EV_MARKD { n++ } END { print n + 0 }' \
			"$OUT/$s.trace.events")" \
			"$(event_awk '!/^#/ && $3 >= EV_MARKA && $3 <= EV_MARKD { n++ } END { print n + 0 }' \
			"$OUT/marks.trace.events")"
	done
}

"$BUILD/guest/bin/sessions" kinds >"$TAP_TMP/kinds"
run_on()	# LABEL CPUS GOSTOP CHURN
{
	OUT=$top/$1-$2
	mkdir -p "$OUT"
	guest_run "$TAP_TMP/script" --cpus "$2" --disk 16 --mem 1024 --timeout 600 \
		--file "$GUEST_BIN/sessions" -- "$3" "$4" || return
	session_checks "$1, $2 CPUs" "$2"
	like "$1: go and stop, $3 times" "$(cat "$OUT/gostop.count")" "^count gostop $3\$"
	_bad=0
	_n=0
	for t in "$OUT"/gostop/*.trace; do
		_n=$((_n + 1))
		"$BUILD/bin/checktrace" "$t" >/dev/null 2>&1 || _bad=$((_bad + 1))
	done
	is "$1: a trace every hundredth time" "$_n" $(($3 / 100))
	is "$1: all these traces are sound" "$_bad" 0
	like "$1: $4 sessions made and destroyed" "$(cat "$OUT/churn.count")" "^count churn $4\$"
	between "$1: most of them recorded something" \
		"$(awk '$2 == "used" { print $3 }' "$OUT/churn.count")" $(($4 / 2)) "$4"
	is "$1: only main and the standing session are left" \
		"$(awk '{ printf "%s ", $1 }' "$OUT/list")" "main standing "
	ok "$1: the standing recorder's trace is sound" "$BUILD/bin/checktrace" \
		"$OUT/standing.trace"
}

all="1000 200"
on_both_kernels "2 $(effort "100 20" "100 40" "$all")" "4 $(effort "100 20" "100 40" "$all")" \
	"4 $all" "2 $all"
tap_end
