#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1500
# takes: 65
# needs: patched
# also: debug_switches KUTRACE_PATCHED_CONFIG=debug timeout: 2400 takes: 150 needs: debug full
#
# Masks and filters change during a recording, under load, and select exactly the right events.
# Every kind of event is switched off and on; marks in the trace show the times. Filters by process,
# group, cgroup and CPU record all events of the selected tasks and no other events. The test uses
# the library and the commands. The stock kernel has 2 CPUs, the patched kernel 4; KUTRACE_FULL also
# tests 4 and 2.
. tests/guest/lib.sh
guest_begin switches${KUTRACE_PATCHED_CONFIG:+-$KUTRACE_PATCHED_CONFIG}
. tests/guest/record_checks.sh
top=$OUT
SLOW=$([ -n "$KUTRACE_PATCHED_CONFIG" ] && echo 4 || echo 1)

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
must insmod /lib/kutrace.ko mb=48
(while [ ! -f /tmp/enough ]; do workload --quiet --repeat 3; done) >/dev/null 2>&1 &

# every kind of event
must kutrace_control start
must sessions switches >/out/switches.count
kutrace_control status --json >/out/switches.json
must kutrace_control stop /out/switches.trace

# the same switches by the commands, also as lines of a script at the prompt
must kutrace_control mask none
kutrace_control mask --json >/out/none.json
printf 'mask +syscall,mark_d\ntracepoint runn* on\ntracepoints syscall64\nmask\n' |
	must kutrace_control >/out/prompt.out 2>/out/prompt.err
kutrace_control mask --json >/out/some.json
must kutrace_control go 2>/dev/null
marker cmd 7
must kutrace_control tracepoint syscall64 off
must kutrace_control tracepoints --json >/out/tracepoints.json
must_fail kutrace_control tracepoints 'nosuch*' 2>/out/nosuch.err
must_fail kutrace_control tracepoint 'nosuch*' on 2>>/out/nosuch.err
must kutrace_control show -n 5 >/out/show
must kutrace_control stop /out/cmd.trace
must kutrace_control mask all
must kutrace_control go 2>/out/go.err
must_fail [ -s /out/go.err ]
# show -f prints everything that the dump has, and ends with the recording.
kutrace_control show -f >/out/follow 2>/out/follow.err &
follower=$!
for what in context_switch runnable sendipi mwait; do
	until grep -q " $what " /out/follow; do usleep 20000; done
done
kutrace_control off
must wait $follower
must kutrace_control dump /out/follow.trace
touch /tmp/enough
wait

# filters
mkdir -p /sys/fs/cgroup && mount -t cgroup2 none /sys/fs/cgroup 2>/dev/null
must kutrace_control session create f --size 8
f='kutrace_control --session f'
other() { while [ ! -f /tmp/stop ]; do workload; done >/out/$1.others 2>/dev/null; }
# filtered NAME SETUP: a shell with a process group of its own sets the filter for itself, and
# executes the workload. Other workloads run meanwhile and report their pids.
filtered()	# NAME SETUP
{
	rm -f /tmp/stop
	other $1 &
	must setsid sh -c "$2; kutrace_control --session f go 2>/out/$1.said || exit 1
		exec workload" >/out/$1.witness
	must $f stop /out/$1.trace
	touch /tmp/stop
	wait
}
filtered pid "$f filter --pid \$\$"
$f status --json >/out/pid.json
filtered none "$f filter none"
filtered group "$f filter --group \$\$"
filtered cpus "$f filter --cpus 1"
if mkdir /sys/fs/cgroup/kt 2>/dev/null; then
	filtered cgroup "echo \$\$ >/sys/fs/cgroup/kt/cgroup.procs; $f filter --cgroup kt"
	echo yes >/out/cgroup.yes
fi
# switch often between two tasks, so that a context switch often takes a new block
$f filter none
must setsid taskset -c 1 sh -c "$f filter --pid \$\$; kutrace_control --session f go 2>/dev/null || exit 1
	exec pingpong $1" >/out/heads.pids
must $f stop /out/heads.trace
must_fail $f filter --cgroup nosuch 2>/out/nocgroup.err
must kutrace_control session destroy f
must rmmod kutrace
SCRIPT

# Prints for every kind "NAME OFF ALL": the number of its events while it was off, and in total.
phases()
{
	event_awk '
	FILENAME == ARGV[1] { kind[$1] = $2; name[$2] = $3; next }
	/^#/ || $3 < EV_FIRST { next }
	# rawtoevent makes events of two kinds from one entry, so both kinds count as one.
	$3 == EV_PC_K { $3 = EV_PC_U }
	$3 == EV_MARKD && $7 >= 1000 && $7 < 1100 { off = $7 - 1000; on = -1; split("", open); next }
	$3 == EV_MARKD && $7 >= 2000 && $7 < 2100 { off = -1; next }
	$3 == EV_MARKD && $7 >= 3000 && $7 < 3100 { on = $7 - 3000; done[on]++; last = on; on = -1
		next }
	# Event text has a PC sample at the beginning of its interrupt, but a patched kernel makes
	# it at the end, and a CPU of a guest can stop for long in between. So count a sample as made
	# while its kind was off only if the next event of this CPU after the interrupt also came
	# while it was off.
	open[$4] == 2 && off >= 0 { n_off[kind[EV_PC_U]]++; open[$4] = 0 }
	$3 == EV_PC_U { n[kind[EV_PC_U]]++; if (off == kind[EV_PC_U]) open[$4] = 1; next }
	($3 == EV_LOCAL_TIMER && $2 || $3 == EV_LOCAL_TIMER_RETURN) && open[$4] == 1 { open[$4] = 2 }
	{ k = kind[$3]; if ($2 == 1 && $3 == EV_USERPID) next
	  if (off >= 0 && k == off) n_off[k]++
	  n[k]++ }
	BEGIN { off = on = -1 }
	END { for (k in name) if (done[k]) print name[k], n_off[k] + 0, n[k] + 0 }' \
		"$TAP_TMP/kinds" "$1" | sort
}

switch_checks()
{
	trace_ok "$1: switches" "$OUT/switches.trace"
	ok "$1: switches: the filters read it" trace_text "$OUT/switches.trace"
	phases "$OUT/switches.trace.events" >"$OUT/phases"
	# ts_delta is always on, and the phases themselves are events of mark_d.
	is "$1: kinds switched off and on" "$(wc -l <"$OUT/phases")" "$(awk '$3 != "ts_delta" && $3 != "mark_d" { print $3 }' "$TAP_TMP/kinds" | sort -u | wc -l)"
	is "$1: no kind is recorded while it is off" \
		"$(awk '$2 { printf "%s=%s ", $1, $2 }' "$OUT/phases")" ""
	for _kind in context_switch runnable sendipi ipi_taken mwait mark_a trap interrupt \
		softirq syscall64; do
		between "$1: $_kind: the kind is recorded while it is on" \
			"$(awk -v k=$_kind '$1 == k { print $3 }' "$OUT/phases")" 1 10000000
	done
	like "$1: mask none: only the necessary kind is on" "$(cat "$OUT/none.json")" \
		'"on": \["ts_delta"\]'
	like "$1: mask +LIST at the prompt" "$(cat "$OUT/some.json")" \
		'"on": \["runnable", "mark_d", "ts_delta", "syscall64", "syscall32", "syscall_other"\]'
	like "$1: tracepoints at the prompt" "$(cat "$OUT/prompt.out")" \
		'^syscall64 +syscall +on +[0-9]+ +0$'
	ok "$1: cmd: the filters read it" trace_text "$OUT/cmd.trace"
	is "$1: cmd: mark_d, no other mark" "$(count_mark_d "$OUT/cmd.trace.events" 7) $(event_awk '
		!/^#/ && $3 >= EV_MARKA && $3 < EV_MARKD { n++ } END { print n + 0 }' \
		"$OUT/cmd.trace.events")" "1 0"
	# The status was read while system calls were off, so it has all of them.
	like "$1: tracepoints shows that the kind is off" "$(grep syscall64 "$OUT/tracepoints.json")" \
		'"category": "syscall", "state": "off", '
	is_count "$1: tracepoints counts as many hits as the dump has" \
		"$(sed -n 's/.*"syscall64".*"hits": \([0-9]*\),.*/\1/p' "$OUT/tracepoints.json")" \
		"$(event_awk '!/^#/ && $3 >= EV_SYSCALL64 && $3 < EV_SYSCALL64_RETURN { n++ } END { print n + 0 }' \
		"$OUT/cmd.trace.events")"
	is "$1: unknown kinds are reported" "$(grep -c 'no such category, kind or tracepoint' \
		"$OUT/nosuch.err")" 2
	is "$1: show -n 5" "$(grep -cE '^[0-9:]{8}\.[0-9]{9} +[0-9]+ +[0-9]+ [^ ]+ +[^ ]' \
		"$OUT/show")" 5
}

# Checks that show -f printed as many events of some kinds as the trace has.
follow_checks()
{
	ok "$1: follow: the filters read it" trace_text "$OUT/follow.trace"
	is "$1: follow: no block was overwritten" "$(cat "$OUT/follow.err")" ""
	for _pair in $EV_USERPID:context_switch $EV_RUNNABLE:runnable $EV_IPI:sendipi $EV_MWAIT:mwait; do
		is_count "$1: show -f: ${_pair#*:} as many as the dump has" \
			"$(awk -v what="${_pair#*:}" '$5 == what { n++ } END { print n + 0 }' \
			"$OUT/follow")" \
			"$(event_awk -v e="${_pair%:*}" '!/^#/ && $3 == e && $2 != 1 || !/^#/ && $3 == e && e != EV_USERPID {
				n++ } END { print n + 0 }' "$OUT/follow.trace.events")"
	done
	is "$1: show -f: in the order of times" "$(awk '{ split($1, t, ":")
		now = t[1] * 3600 + t[2] * 60 + t[3]; if (now < last) bad++; last = now }
		END { print bad + 0 }' "$OUT/follow")" 0
}

# Prints the number of events of tasks that the filter does not select.
foreign()	# EVENTS PID...
{
	_ev=$1
	shift
	event_awk -v unwanted="$*" 'BEGIN { n = split(unwanted, list); for (i in list) is[list[i]] = 1
		n = 0 }
		!/^#/ && $3 >= EV_FIRST && $3 != EV_RUNNABLE && $5 in is { n++; print > "/dev/stderr" }
		END { print n + 0 }' "$_ev" 2>"$TAP_TMP/foreign"
	head -n 3 "$TAP_TMP/foreign" | sed "s|^|# $_ev: |" >&2
}

pids_of()	# FILE: prints the pids in a witness, except the pid of the process itself
{
	awk '$1 == "pid" && $3 != "main" { print $4 }' "$1"
}

filter_checks()
{
	for name in pid none group cpus cgroup; do
		[ $name != cgroup ] || [ -f "$OUT/cgroup.yes" ] || {
			skip "$1: filter by cgroup" "no cgroup of version 2 in this guest"
			continue
		}
		trace_ok "$1: filter $name" "$OUT/$name.trace"
		ok "$1: filter $name: the filters read it" trace_text "$OUT/$name.trace"
		ev=$OUT/$name.trace.events
		main=$(witness "$OUT/$name.witness" main main)
		cp "$OUT/$name.witness" "$OUT/witness"
		[ $name != none ] || continue
		like "$1: filter $name: go reports the filter" "$(cat "$OUT/$name.said")" \
			'only some tasks or CPUs'
		like "$1: filter $name: the trace has the fact of a filter" "$(cat "$ev")" ' filtered=1'
		[ $name != cpus ] || continue
		same_calls "$1: filter $name" burst getpid getpid "$main"
		same_calls "$1: filter $name" file read read "$main"
		same_calls "$1: filter $name" nap nanosleep nanosleep "$main"
	done
	_others=$(awk '$1 == "pid" { print $4 }' "$OUT/none.others")
	between "$1: no filter: other tasks are there" \
		"$(foreign "$OUT/none.trace.events" $_others 2>/dev/null)" 100 10000000
	for name in pid group cgroup; do
		[ -f "$OUT/$name.trace.events" ] || continue
		_others=$(awk '$1 == "pid" { print $4 }' "$OUT/$name.others")
		between "$1: filter $name: other processes ran" "$(echo $_others | wc -w)" 4 10000
		is "$1: filter $name: the trace has no event of other processes" \
			"$(foreign "$OUT/$name.trace.events" $_others)" 0
	done
	is "$1: filter pid: the trace has no event of its children" \
		"$(foreign "$OUT/pid.trace.events" $(pids_of "$OUT/pid.witness"))" 0
	for name in group cgroup; do
		[ -f "$OUT/$name.trace.events" ] || continue
		between "$1: filter $name: the trace has events of its children" "$(foreign \
			"$OUT/$name.trace.events" $(pids_of "$OUT/$name.witness") 2>/dev/null)" \
			10 10000000
	done
	is "$1: filter cpus: no other CPU" "$(event_awk '!/^#/ && $3 >= EV_FIRST && $4 != 1 && !($3 == EV_USERPID && $2 == 1) { n++ }
		END { print n + 0 }' "$OUT/cpus.trace.events")" 0
	between "$1: filter cpus: the selected CPU" "$(event_awk '!/^#/ && $3 >= EV_FIRST && $4 == 1 { n++ }
		END { print n + 0 }' "$OUT/cpus.trace.events")" 100 10000000
	trace_ok "$1: frequent switches" "$OUT/heads.trace"
	ok "$1: frequent switches: the filters read it" trace_text "$OUT/heads.trace"
	read -r _ _ _ _child <"$OUT/heads.pids"
	# In event text, the head of a block is a context switch of length 1.
	between "$1: frequent switches: blocks" $(($(stat -c %s "$OUT/heads.trace") / 65536)) 20 129
	between "$1: frequent switches: blocks begin with -other-" "$(event_awk '
		$3 == EV_USERPID && $2 == 1 && $5 == 4194304 { n++ } END { print n + 0 }' \
		"$OUT/heads.trace.events")" 2 1000
	is "$1: frequent switches: no block begins with an unselected task" "$(foreign "$OUT/heads.trace.events" "$_child")" 0
	like "$1: no such cgroup: error" "$(cat "$OUT/nocgroup.err")" \
		'--cgroup: nosuch: no such cgroup'
}

"$BUILD/guest/bin/sessions" kinds >"$TAP_TMP/kinds"
run_on()	# LABEL CPUS
{
	OUT=$top/$1-$2
	mkdir -p "$OUT"
	guest_run "$TAP_TMP/script" --cpus "$2" --mem 1536 --timeout $((400 * SLOW)) \
		--file "$GUEST_BIN/sessions" --file "$GUEST_BIN/marker" \
		--file "$GUEST_BIN/pingpong" -- $((100000 / SLOW)) || return
	switch_checks "$1, $2 CPUs"
	follow_checks "$1, $2 CPUs"
	filter_checks "$1, $2 CPUs"
}

# Other configurations of the patched kernel are slow.
on_both_kernels 2 "$([ -n "$KUTRACE_PATCHED_CONFIG" ] && echo 2 || echo 4)" 4 2
tap_end
