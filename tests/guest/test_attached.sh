#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 300
# takes: 15
#
# A loaded module that does not record has no probe on any tracepoint: before the first recording,
# after a recording, and after a recording by direct hooks (syscalls=direct) when no task is in a
# hook any more. A module of the test reads the kernel's tracepoints.
. tests/guest/lib.sh
guest_begin attached
ok "a module that reads the kernel's tracepoints is built" tests/guest/module_build.sh "$KDIR" "$KVER" "$BUILD" "$KSUITE" \
	tests/guest/module/attached

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
attached()	# NAME: writes the tracepoints that have probes now to /out/NAME
{
	dmesg -c >>/out/log
	insmod /lib/attached.ko && rmmod kutrace_attached || die "cannot load and unload attached.ko"
	dmesg -c | tee -a /out/log | sed -n 's/.*attached: //p' >/out/$1
}
sleeper()	# starts a task that sleeps in a read() until descriptor 4 is written
{
	mkfifo /tmp/in
	cat </tmp/in >/dev/null &
	exec 4>/tmp/in
	until grep -q pipe_ /proc/$!/stack; do usleep 10000; done
}
for how in tracepoints direct; do
	must insmod /lib/kutrace.ko mb=8 syscalls=$how
	attached $how.loaded
	must kutrace_control go
	attached $how.recording
	[ $how = tracepoints ] || sleeper
	must kutrace_control stop /out/$how.trace
	if [ $how = direct ]; then
		attached direct.inside
		exec 4>&-
		wait
		# The module checks from time to time whether tasks are left.
		for i in $(seq 100); do
			attached direct.stopped
			grep -q '^0 in all' /out/direct.stopped && break
			usleep 100000
		done
		kutrace_control go && kutrace_control stop /out/second.trace || die "cannot record again"
	fi
	for i in $(seq 100); do
		attached $how.stopped
		grep -q '^0 in all' /out/$how.stopped && break
		usleep 100000
	done
	must unload kutrace 30
done
SCRIPT
if guest_run "$TAP_TMP/script" --cpus 2 \
	--file "$BUILD/module/$KVER/attached/kutrace_attached.ko:/lib/attached.ko"; then
	for how in tracepoints direct; do
		is "$how: nothing is attached after loading" "$(cat "$OUT/$how.loaded")" "0 in all"
		like "$how: the switch tracepoint is attached while recording" "$(cat "$OUT/$how.recording")" '^sched_switch: ku_sched_switch'
		is "$how: nothing is attached after recording" "$(cat "$OUT/$how.stopped")" "0 in all"
	done
	is "direct: while a task is in a hook, only the end of tasks is attached" \
		"$(sed 's/:.*//' "$OUT/direct.inside")" "sched_process_exit
1 in all"
fi
tap_end
