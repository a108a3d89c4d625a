#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 2000
# takes: 170
# ci
#
# A user who may only mark, or who has a session, cannot make others' calls long and cannot take
# their resources:
#
#	- A switch of a tracepoint takes as long for a process of 4,000 threads as for one of 1,000,
#	  and a thread that reads the byte sees the new value.
#	- While a large session is reset, or 8,000 threads are named, other sessions get answers.
#	- Registrations of the device by epoll do not slow the recording of another user.
#	- A read of cpuNNN that skips many blocks scans them once.
#	- For a process that has ended, the module does not repeat the write of its byte.
#	- Definitions that are made and freed evict no name of a task from root's recording. Each of their
#	  names counts in the user's rate of names, and not in the rate of marks.
#	- A file that uses 256 definitions is closed as fast if 500 users use them as if one user does.
#	- A CPU that is reserved for one program is not interrupted more often because many processes
#	  have bytes.
#
# Times are counted in instructions, so the machine's load does not matter.
. tests/guest/lib.sh
guest_begin bounded
# A flood fills the name table twice: in each round, it makes 256 definitions, with 8 names of 80
# bytes each.
ROUNDS=13
TASKS=300

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
ulimit -u 20000
echo 20000 >/proc/sys/kernel/threads-max
must insmod /lib/kutrace.ko mb=16 marks_all=1
must kutrace_control go
must bounded threads 1000 >/out/few 2>>/out/rounds
must bounded threads 4000 >/out/many 2>>/out/rounds
must bounded herd 100 >/out/herd
must kutrace_control stop /tmp/x.trace

must bounded reset 128 >/out/reset
must bounded close 1 >/out/close
must bounded close 500 >/out/close.many
for n in 16 128; do
	must bounded skip $n >/out/skip.$n
done

must kutrace_control gowrap
must bounded epoll 20000 >/out/epoll
must kutrace_control stop /tmp/x.trace

must kutrace_control go
for n in 100 8000; do
	must bounded names $n >/out/names.$n
done
mount -t tracefs none /sys/kernel/tracing 2>/dev/null
echo 1 >/sys/kernel/tracing/events/workqueue/workqueue_execute_start/enable || die "cannot write /sys/kernel/tracing/events/workqueue/workqueue_execute_start/enable"
must bounded orphan
cat /sys/kernel/tracing/trace >/out/orphan
echo 0 >/sys/kernel/tracing/events/workqueue/workqueue_execute_start/enable
must kutrace_control stop /tmp/x.trace

must kutrace_control go
must bounded flood 2 >/out/rated
must kutrace_control stop /tmp/x.trace

must kutrace_control go
must bounded beside 2 >/out/beside
kutrace_control status --json >/out/beside.json
must kutrace_control stop /tmp/x.trace

# Remove the limit of the rate: now only the end of definitions keeps the name table from filling.
echo 0 >/sys/module/kutrace/parameters/marks_rate
i=0
while [ $i -lt $2 ]; do
	sleep 1000 &
	i=$((i + 1))
done
must kutrace_control go
must bounded flood $1 >/out/flood
kutrace_control status --json >/out/status.json
must kutrace_control stop /out/flood.trace
must rmmod kutrace
kill -9 $(jobs -p)
exit 0
SCRIPT

if guest_run "$TAP_TMP/script" --icount --mem 1024 --timeout 900 --file "$GUEST_BIN/bounded" -- \
	$ROUNDS $TASKS; then
	few=$(awk 'NR == 1 { print $2 }' "$OUT/few")
	many=$(awk 'NR == 1 { print $2 }' "$OUT/many")
	ok "a switch with 4,000 threads takes as long as with 1,000 ($many and $few ns)" \
		[ "$many" -lt $((few * 2)) ]
	is "1,000 threads: the byte could not be written in any round" "$(awk 'NR == 1 { print $3 }' "$OUT/few")" 8
	is "4,000 threads: the byte could not be written in any round" "$(awk 'NR == 1 { print $3 }' "$OUT/many")" 8
	is "a thread after 1,000 others sees the new value" "$(sed -n 2p "$OUT/few")" seen
	is "a thread after 4,000 others sees the new value" "$(sed -n 2p "$OUT/many")" seen
	is "a running thread sees the new value beside 100 that ran and now sleep" "$(cat "$OUT/herd")" seen

	read -r took waited <"$OUT/reset"
	ok "no caller waits for the reset of another session of 128 MiB ($waited of $took ns)" \
		[ "$waited" -lt $((took / 4)) ]

	few=$(cat "$OUT/close")
	many=$(cat "$OUT/close.many")
	below "close of a file whose definitions 500 users use ($many and $few ns)" "$many" $((few * 2))

	read -r few few_bytes <"$OUT/skip.16"
	read -r many many_bytes <"$OUT/skip.128"
	is "a read skips all blocks" "$few_bytes $many_bytes" "0 0"
	below "a read that skips 2,048 blocks takes little longer than with 256 ($few ns)" \
		"$many" $((few * 3))

	read -r before after <"$OUT/epoll"
	below "events take as long while a user who may only mark has 20,000 epoll registrations ($before ns before)" \
		"$after" $((before * 2))

	read -r few_took few_wait <"$OUT/names.100"
	read -r many_took many_wait <"$OUT/names.8000"
	ok "8,000 threads take longer to name than 100 ($many_took and $few_took ns)" \
		[ $((many_took - few_took)) -gt 2000000 ]
	below "no caller waits while the names of 8,000 threads are recorded ($many_wait and $few_wait of $((many_took - few_took)) ns)" \
		$((many_wait - few_wait)) $(((many_took - few_took) / 4))

	between "for a process that has ended, each change is written once" \
		"$(grep -c 'function ku_point_mm_work' "$OUT/orphan")" 1 2

	read -r defined refused ms <"$OUT/rated"
	is "definitions at the user's rate: none refused" "$defined $refused" "512 0"
	# The user may record 10,000 names a second, and the names of a tenth of a second
	# immediately.
	between "milliseconds that 512 definitions of 8 names take" "$ms" 300 2000
	read -r defined refused ms <"$OUT/beside"
	is "definitions beside marks of the same user: none refused" "$defined $refused" "512 0"
	marks=$(sed -n 2p "$OUT/beside")
	between "marks beside these definitions" "$marks" 100 2000
	is "none of these marks is lost by the rate" \
		"$(sed -n 's/^"lost".*"rate": \([0-9]*\).*/\1/p' "$OUT/beside.json")" 0
	read -r defined refused ms <"$OUT/flood"
	is "definitions without a rate: none refused" "$defined $refused" "$((256 * ROUNDS)) 0"
	ok "checktrace finds nothing wrong" "$BUILD/bin/checktrace" "$OUT/flood.trace"
	is "no name is lost" "$(sed -n 's/^"lost".*"names": \([0-9]*\).*/\1/p' "$OUT/status.json")" 0
	ok "event text" trace_text "$OUT/flood.trace"
	is "no process without a name" "$(grep -c 'pid\.[0-9]' "$OUT/flood.trace.events")" 0
fi

# A CPU that is reserved for one program is interrupted at go and stop only when the kernel changes
# its code, and not again for each process whose byte is written on another CPU.
cat >"$TAP_TMP/ipis" <<'SCRIPT'
#!/bin/sh
cat >/bin/measure <<'END'
#!/bin/sh
calls() { awk '$1 == "CAL:" { print $3 }' /proc/interrupts; }
before=$(calls)
must kutrace_control go
usleep 500000
recorded=$(calls)
must kutrace_control stop /tmp/x.trace >/dev/null
usleep 500000
echo $((recorded - before)) $(($(calls) - recorded)) >>$1
END
chmod +x /bin/measure
must insmod /lib/kutrace.ko mb=8
cat /sys/devices/system/cpu/nohz_full >/out/nohz_full
taskset 2 sh -c 'while :; do :; done' & spin=$!
usleep 500000
must measure /out/ipis.none
must bounded processes $1 'measure /out/ipis.some'
kill $spin
unload kutrace
SCRIPT

PROCESSES=200
# The kernel warns if the remote tick of an emulated CPU is late (sched_tick_remote()).
if guest_run "$TAP_TMP/ipis" --cpus 2 --timeout 900 --append "nohz_full=1 isolcpus=1" \
	--allow 'sched_tick_remote|Call Trace:' \
	--file "$GUEST_BIN/bounded" -- $PROCESSES; then
	is "CPU 1 has no timer of its own" "$(cat "$OUT/nohz_full")" 1
	read -r go stop <"$OUT/ipis.none"
	read -r go_some stop_some <"$OUT/ipis.some"
	below "go: $PROCESSES processes add few interrupts of CPU 1 to the $go without them" $((go_some - go)) $((PROCESSES / 2))
	below "stop: $PROCESSES processes add few interrupts of CPU 1 to the $stop without them" $((stop_some - stop)) \
		$((PROCESSES / 2))
fi
tap_end
