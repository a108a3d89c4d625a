#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 300
# takes: 20
#
# The trace marks kernel threads as the kernel does, whatever their names. The test has a kernel
# thread with the name of a program, a worker of io_uring that its process renamed, and programs
# with names of kernel threads. Some exist before the recording begins, the others begin during the
# recording. The witness is the kernel's own flag in /proc/PID/stat.
. tests/guest/lib.sh
guest_begin kernel_threads
ok "a module with a kernel thread is built" tests/guest/module_build.sh "$KDIR" "$KVER" "$BUILD" "$KSUITE" \
	tests/guest/module/named_kthread

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
await() { until [ -e "/tmp/$1" ]; do usleep 20000; done; }
# Prints NAME FLAGS of each thread with a misleading name.
threads()
{
	cat /proc/[0-9]*/task/*/stat 2>/dev/null |
		sed -n 's,^[0-9]* (\(early\|late\|worker\|kworker/7:1\|ksoftirqd/7\)) [A-Z] [-0-9]* [-0-9]* [-0-9]* [-0-9]* [-0-9]* \([0-9]*\) .*,\1 \2,p'
}
must insmod /lib/kutrace.ko mb=8
must insmod /lib/named_kthread.ko name=early
misleading_names compute kworker/7:1 & first=$!
await kworker7:1
must kutrace_control go
must rmmod kutrace_named_kthread
must insmod /lib/named_kthread.ko name=late
misleading_names compute ksoftirqd/7 & second=$!
await ksoftirqd7
misleading_names worker worker & third=$!
await worker
threads >/out/stat
usleep 300000
must kutrace_control snapshot -o /out/snapshot.trace
must kutrace_control stop /out/x.trace
must misleading_names names >/out/names
kill -9 $first $second
touch /tmp/stop
wait $third
rmmod kutrace_named_kthread kutrace
SCRIPT

# own_code TRACE: prints NAME 1 if a thread's own code counts as kernel code, NAME 0 if it counts as user code
own_code()
{
	"$BUILD/bin/rawtohtml" --json "$1" 2>/dev/null | sed -n 's/^\[ *[0-9.]*, *[0-9.]*, *[0-9]*, *[0-9]*, *[0-9]*, *\([0-9]*\), *\([01]\),.*"\(early\|late\|worker\|kworker\/7:1\|ksoftirqd\/7\)\.\([0-9]*\)".*/\3 \2 \1 \4/p' |
		awk '$3 == 65536 + $4 { print $1, $2 }' | sort -u
}

if guest_run "$TAP_TMP/script" --cpus 2 --timeout 150 --file "$GUEST_BIN/misleading_names" \
	--file "$BUILD/module/$KVER/named_kthread/kutrace_named_kthread.ko:/lib/named_kthread.ko"; then
	# PF_KTHREAD is 0x200000, PF_IO_WORKER 0x10, PF_USER_WORKER 0x4000.
	awk '{ kernel = int($2 / 2097152) % 2 || int($2 / 16) % 2 || int($2 / 16384) % 2; print $1, kernel }' \
		"$OUT/stat" | sort -u >"$OUT/witness"
	echo "early 1" >>"$OUT/witness"	# this thread has ended
	is "the witness has all threads" "$(sort "$OUT/witness" | tr '\n' ' ')" \
		"early 1 ksoftirqd/7 0 kworker/7:1 0 late 1 worker 1 "
	# enum kutrace_task_kind: 1 is a program, 2 and 3 never leave the kernel.
	is "names read by commands have the kind" "$(sed -n 's,^\(early\|late\|worker\|kworker/7:1\|ksoftirqd/7\) ,\1 ,p' "$OUT/names" |
		awk '{ print $1, ($2 == 0 ? "unknown" : $2 > 1) }' | sort -u)" "$(sort "$OUT/witness")"
	for trace in x snapshot; do
		is "$trace: own code is kernel code exactly for threads with the kernel's flags" "$(own_code "$OUT/$trace.trace")" \
			"$(sort "$OUT/witness")"
		"$BUILD/bin/rawtoevent" "$OUT/$trace.trace" >"$OUT/$trace.events" 2>/dev/null
		# Run the filters as separate programs: event text must also have the kind of a
		# task.
		is "$trace: the text gives the same spans" "$("$BUILD/bin/eventtospan" <"$OUT/$trace.events" 2>/dev/null | grep '^\[' | LC_ALL=C sort | cksum)" \
			"$("$BUILD/bin/rawtohtml" --json "$OUT/$trace.trace" 2>/dev/null | grep '^\[' | LC_ALL=C sort | cksum)"
		ok "$trace: checktrace finds nothing wrong" "$BUILD/bin/checktrace" "$OUT/$trace.trace"
	done
fi
tap_end
