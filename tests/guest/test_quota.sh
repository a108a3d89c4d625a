#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 400
# takes: 60
# also: quota_6_12 KERNEL=stock-6.12
# also: quota_7_2 KERNEL=stock-7.2
#
# Records programs in a cgroup with a quota of CPU time, which its parent has. On one CPU with an exact clock, the
# throttled time of the trace equals the kernel's (cpu.stat) to 1 %: of one program, and of three, of which one is woken
# while throttled. No program in a cgroup beside it is throttled. With two CPUs, throttling is recorded on both. The
# module can be unloaded while programs are throttled.
. tests/guest/lib.sh
guest_begin quota
out=$OUT

cat >"$TAP_TMP/groups" <<'SCRIPT'
mkdir -p /sys/fs/cgroup
must mount -t cgroup2 none /sys/fs/cgroup
grep -qw cpu /sys/fs/cgroup/cgroup.controllers || { echo yes >/out/none; exit 0; }
pod=/sys/fs/cgroup/pod free=/sys/fs/cgroup/free
must sh -c 'echo +cpu >/sys/fs/cgroup/cgroup.subtree_control'
must mkdir $pod $free
must sh -c "echo +cpu >$pod/cgroup.subtree_control"
must mkdir $pod/in
must sh -c "echo '20000 100000' >$pod/cpu.max"
# stat GROUP: prints throttled_usec and nr_throttled
stat()
{
	awk '/^throttled_usec/ { us = $2 } /^nr_throttled/ { n = $2 } END { print us + 0, n + 0 }' $1/cpu.stat
}
SCRIPT

{ echo '#!/bin/sh'; cat "$TAP_TMP/groups" - <<'SCRIPT'; } >"$TAP_TMP/exact"
must insmod /lib/kutrace.ko
for what in one many; do
	stat $pod >/out/$what.before
	must kutrace_control go
	quota $free 1500 busy other >/out/$what.other &
	if [ $what = many ]; then
		quota $pod/in 1500 wakes waker >/out/many.waker &
		quota $pod/in 1500 busy second >/out/many.second &
	fi
	must quota $pod/in 1500 busy single >/out/$what.single
	wait
	must kutrace_control stop /out/$what.trace
	stat $pod >/out/$what.after
done
must kutrace_control go
must quota $free 500 busy other >/out/free.other
must kutrace_control stop /out/free.trace
stat $free >/out/free.after
must sh -c 'kutrace_control status --json >/out/status.json'
must rmmod kutrace
SCRIPT

# Prints number and total us of the throttled time: the union of the threads' waits, which are on one CPU.
throttled()	# JSON
{
	awk -F'[][, ]+' '/"wait_throttled"/ {
		n++
		if ($2 > end) { sum += $3; end = $2 + $3 }
		else if ($2 + $3 > end) { sum += $2 + $3 - end; end = $2 + $3 }
	} END { printf "%d %d\n", n, sum * 1e6 }' "$1"
}

if guest_run "$TAP_TMP/exact" --icount --file "$GUEST_BIN/quota"; then
	if [ -f "$OUT/none" ]; then
		skip "throttled time" "this kernel has no quotas of CPU time"
		tap_end
	fi
	for what in one many free; do
		trace_ok "$what" "$OUT/$what.trace"
		trace_text "$OUT/$what.trace"
	done
	for what in one many; do
		read -r before _ <"$OUT/$what.before"
		read -r after periods <"$OUT/$what.after"
		kernel=$((after - before))
		read -r waits us <<-EOF
		$(throttled "$OUT/$what.trace.json")
		EOF
		between "$what: throttled us by cpu.stat" "$kernel" 500000 1500000
		between "$what: throttled us by the trace, of $kernel" "$us" $((kernel * 99 / 100)) $((kernel * 101 / 100))
		is "$what: nothing is inferred" "$(grep -c 'wait_throttled?' "$OUT/$what.trace.json")" 0
		is "$what: the program beside is not throttled" "$(awk -F'[][, ]+' -v pid="$(witness "$OUT/$what.other" other quota)" \
			'/wait_throttled/ && $5 == pid' "$OUT/$what.trace.json")" ""
		like "$what: the event has the cgroup and its quota" \
			"$(event_awk '$3 == EV_THROTTLE { print $10, $11, $12, $13, $14, $15, $16; exit }' "$OUT/$what.trace.events")" \
			'^throttled=/pod \(20 ms of 100 ms\)'
	done
	is "one: as many waits as the kernel counted periods" "$(throttled "$OUT/one.trace.json" | cut -d' ' -f1)" \
		"$(cut -d' ' -f2 "$OUT/one.after")"
	pid=$(witness "$OUT/many.waker" waker quota)
	# From 6.18 on, a woken thread runs until it returns to user code.
	case ${KERNEL-} in stock-7.*) least=0 ;; *) least=1 ;; esac
	between "many: waits of the thread that was woken while throttled" "$(awk -F'[][, ]+' -v pid="$pid" '
		/"wait_throttled"/ && $5 == pid { throttled[$2] = 1 } /"-wakeup-"/ && $9 == pid { woken[$2] = 1 }
		END { for (t in throttled) n += t in woken; print n + 0 }' "$OUT/many.trace.json")" $least 100
	like "one: spantowhy names the cgroup" "$("$BUILD/bin/spantowhy" --pid single "$OUT/one.trace.json")" \
		': throttled [0-9.]+ ms by cgroup /pod \(20 ms of 100 ms\); '
	is "free: nothing is throttled" "$(cut -d' ' -f1 "$OUT/free.after") $(grep -c 'throttled' "$OUT/free.trace.json")" "0 0"
	unlike "there is no caveat" "$(grep '"caveats"' "$OUT/status.json")" '"throttled"'
fi

# --- two CPUs, and unloading while programs are throttled ---

{ echo '#!/bin/sh'; cat "$TAP_TMP/groups" - <<'SCRIPT'; } >"$TAP_TMP/both"
must insmod /lib/kutrace.ko
must kutrace_control go
quota $pod/in 3000 busy first 0 >/out/first &
quota $pod/in 3000 busy second 1 >/out/second &
must quota $free 1000 busy other 1 >/out/other
must kutrace_control stop /out/both.trace
must rmmod kutrace
for i in 1 2 3 4 5; do
	must insmod /lib/kutrace.ko
	must kutrace_control go
	must quota $free 50 busy other 0 >/dev/null
	must kutrace_control stop /out/again.trace
	must rmmod kutrace
done
wait
SCRIPT

OUT=$out/both
mkdir -p "$OUT"
if guest_run "$TAP_TMP/both" --cpus 2 --file "$GUEST_BIN/quota"; then
	trace_ok "both" "$OUT/both.trace"
	trace_text "$OUT/both.trace"
	is "both: the CPUs on which the cgroup is throttled" "$(event_awk '$3 == EV_THROTTLE { print int($7 / 16777216) }' \
		"$OUT/both.trace.events" | sort -u | tr '\n' ' ')" "0 1 "
	for name in first second; do
		between "both: throttled waits of $name" "$(awk -F'[][, ]+' -v pid="$(witness "$OUT/$name" $name quota)" \
			'/"wait_throttled"/ && $5 == pid { n++ } END { print n + 0 }' "$OUT/both.trace.json")" 1 100
	done
	is "both: the program beside is not throttled" "$(awk -F'[][, ]+' -v pid="$(witness "$OUT/other" other quota)" \
		'/wait_throttled/ && $5 == pid' "$OUT/both.trace.json")" ""
fi
tap_end
