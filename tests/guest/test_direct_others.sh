#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 900
# takes: 100
# ci
#
# Direct hooks of system calls (syscalls=direct), BPF programs and live patches share functions
# without harm. If a BPF program (bpftrace's kfunc) or a live patch has hooked a function before,
# the module uses tracepoints, which record the same calls, and logs the reason. While the module
# has hooked the function, the kernel refuses the others. A live patch of another function completes
# while tasks sleep in every kind of hook. The kernel allows this only if it can unwind all stacks
# reliably. These tasks keep the module loaded until they have left the hooks, and the log has their
# number. Runs on the distribution's own kernel and on 6.12, or only on KERNEL=NAME.
. tests/guest/lib.sh
tap_begin
top=$BUILD/tests/guest/direct_others${KERNEL:+-$KERNEL}
rm -rf "$top"
mkdir -p "$top"

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
fault()		# NUMBER: ends the script with this status, and prints the end of the kernel's log
{
	dmesg | tail -n 5
	exit $1
}
within()	# SECONDS COMMAND...: repeats the command until it succeeds
{
	n=$(($1 * 20))
	shift
	until "$@"; do
		n=$((n - 1))
		[ $n -gt 0 ] || return 1
		usleep 50000
	done
}
recorded()	# NAME: records odd_calls; if not by the hooks, NAME.why has the reason
{
	lines=$(dmesg | wc -l)
	insmod /lib/kutrace.ko mb=16 syscalls=direct || return 1
	kutrace_control run -o /out/$1.trace -- odd_calls || return 1
	dmesg | tail -n +$((lines + 1)) | grep 'kutrace: ' >/out/$1.why
	unload kutrace
}
echo 0 >/proc/sys/kernel/randomize_va_space
mount -t tracefs tracefs /sys/kernel/tracing || fault 10
mount -t debugfs debugfs /sys/kernel/debug
insmod /lib/kutrace.ko mb=16 || fault 11
kutrace_control run -o /out/tracepoints.trace -- odd_calls || fault 12
rmmod kutrace || fault 13

# --- a live patch has the function ---
unpatch()
{
	echo 0 >/sys/kernel/livepatch/livepatched/enabled
	unload livepatched
}
for function in x64_sys_call schedule_tail; do
	insmod /lib/livepatched.ko function=$function || fault 20
	recorded livepatch-$function || fault 21
	unpatch || fault 22
done
# No other user has the functions any more.
recorded after || fault 23

# --- the module has the functions ---
insmod /lib/kutrace.ko mb=16 syscalls=direct || fault 30
kutrace_control start || fault 31
for function in x64_sys_call ia32_sys_call schedule_tail; do
	insmod /lib/livepatched.ko function=$function 2>>/out/livepatch.refused && fault 32
done

# --- tasks that sleep in each kind of hook ---
mkfifo /tmp/in
sleep_in_calls </tmp/in >/out/asleep &
sleeper=$!
exec 4>/tmp/in
within 20 grep -q '^asleep' /out/asleep || fault 40
while read -r way pid; do
	[ -z "$pid" ] || cat /proc/$pid/stack >/out/$way.stack
done </out/asleep
# Patch another function. This must end before the kernel sends signals to the tasks, after 15 s.
insmod /lib/livepatched.ko function=cmdline_proc_show || fault 41
within 12 grep -q 0 /sys/kernel/livepatch/livepatched/transition || fault 42
cat /proc/cmdline >/out/cmdline
unpatch || fault 43
now()		# in hundredths of a second
{
	read -r now rest </proc/uptime
	echo ${now%.*}${now#*.}
}
# Ends the recording, and writes the calls that keep the module loaded to kept.NUMBER. The module
# logs them one second later. If the end of the recording takes almost as long, the log may also
# have calls of this shell and of the command; then tries again.
kept()		# NUMBER
{
	for try in 1 2 3 4 5; do
		lines=$(dmesg | grep -c 'cannot be unloaded before')
		began=$(now)
		kutrace_control off || return 1
		[ $(($(now) - began)) -gt 50 ] && [ $try -lt 5 ] || break
		kutrace_control start || return 1
	done
	n=0
	until [ "$(dmesg | grep -c 'cannot be unloaded before')" -gt $lines ]; do
		n=$((n + 1))
		[ $n -lt 200 ] || break
		usleep 50000
	done
	usleep 100000
	dmesg | grep 'cannot be unloaded before' | tail -n +$((lines + 1)) >/out/kept.$1
	rmmod kutrace 2>/out/in-use.$1 && return 1
	return 0
}
next()		# WAY: lets this way end, and waits until sleep_in_calls reads again
{
	echo >&4
	within 20 grep -q "^$1 ends" /out/asleep || return 1
	[ $1 = child ] || within 20 grep -q pipe_read /proc/$sleeper/stack
}
kept 0 || fault 44
next int80 && next asked || fault 45
kutrace_control start && kept 1 || fault 46
next traced && next exec || fault 47
kutrace_control start && kept 2 || fault 48
next vfork || fault 49
kutrace_control start && kept 3 || fault 50
next child || fault 51
wait $sleeper || fault 52
exec 4>&-
unload kutrace || fault 53

# --- a program of BPF ---
[ -f /bin/bpftrace ] || exit 0
program='kfunc:x64_sys_call /!@said/ { @said = 1; printf("ready\n"); } kfunc:x64_sys_call { @n = count(); }'
bpftrace -e "$program" >/out/bpf 2>&1 &
bpftrace=$!
within 60 grep -q ready /out/bpf || { cat /out/bpf; fault 60; }
recorded bpf || fault 61
# bpftrace checks for a signal only when one ends its wait, so it misses a signal that comes between
# two waits.
while grep -q '^State:.[RSD]' /proc/$bpftrace/status; do
	kill -INT $bpftrace
	usleep 500000
done
wait $bpftrace
recorded after-bpf || fault 62
insmod /lib/kutrace.ko mb=16 syscalls=direct || fault 63
kutrace_control start || fault 64
bpftrace -e 'kfunc:x64_sys_call { printf("ready\n"); exit(); }' >/out/bpf.refused 2>&1 && fault 65
kutrace_control off || fault 66
unload kutrace || fault 67
SCRIPT

called()	# TRACE: writes the calls of each task and their results to TRACE.called
{
	trace_text "$OUT/$1.trace" && tests/guest/calls_of.pl trace "$OUT/$1.trace.events" >"$OUT/$1.called"
}
same()		# LABEL TRACE: the calls are the same as by tracepoints
{
	trace_ok "$1: $2" "$OUT/$2.trace"
	called "$2"
	is "$1: $2, the same calls" "$(diff "$OUT/tracepoints.called" "$OUT/$2.called" | head -n 20)" ""
}
# Prints the number of calls in each hook that keep the module loaded, from the log.
kept()		# NUMBER
{
	sed -n 's/.*began while recording was on: \([0-9]*\) (\([a-z0-9_]*\) in .*/\2 \1/p' "$OUT/kept.$1" | LC_ALL=C sort |
		tr '\n' ' '
}
stack()		# LABEL WAY REGEX
{
	like "$1: $2: the stack is whole" "$(sed 's/.*\] //; s/+.*//' "$OUT/$2.stack" | tr '\n' ' ')" "$3"
}
refusal='the functions are hooked already, by BPF or a live patch'

others_checks()		# LABEL
{
	called tracepoints
	between "$1: calls by tracepoints" "$(wc -l <"$OUT/tracepoints.called")" 400 10000
	for one in livepatch-x64_sys_call livepatch-schedule_tail $bpf; do
		same "$1" $one
		like "$1: $one: the log has the reason for tracepoints" "$(cat "$OUT/$one.why")" "come from tracepoints.*$refusal"
	done
	for one in after ${bpf:+after-bpf}; do
		same "$1" $one
		is "$1: $one: the log has no message, because the hooks are attached" "$(grep tracepoints "$OUT/$one.why")" ""
	done
	is "$1: live patches are refused meanwhile" "$(grep -c busy "$OUT/livepatch.refused")" 3
	like "$1: the other function was patched, with the same result" "$(cat "$OUT/cmdline")" 'console='
	if [ -n "$bpf" ]; then
		like "$1: bpftrace had the function" "$(cat "$OUT/bpf")" '^@n: [0-9]{3,}'
		like "$1: bpftrace is refused meanwhile" "$(cat "$OUT/bpf.refused")" 'Error attaching probe'
	else
		skip "$1: bpftrace" "it cannot be had"
	fi
	# Each pattern is the whole stack, up to where the task entered the kernel.
	stack "$1" int80 '^pipe_read vfs_read ksys_read .*ku_syscall32_call ia32_sys_call .*int80.* $'
	stack "$1" asked '^ptrace_stop[^ ]* .*ku_syscall_traced_call syscall_trace_enter.* do_syscall_64 entry_SYSCALL_64_after_hwframe $'
	stack "$1" traced '^pipe_read .*ku_syscall_call x64_sys_call do_syscall_64 entry_SYSCALL_64_after_hwframe $'
	stack "$1" exec '^ptrace_stop[^ ]* .*ku_syscall_call x64_sys_call do_syscall_64 entry_SYSCALL_64_after_hwframe $'
	stack "$1" vfork '^kernel_clone .*ku_syscall_call x64_sys_call do_syscall_64 entry_SYSCALL_64_after_hwframe $'
	stack "$1" child '^handle_userfault .*ku_fault_call handle_mm_fault .*schedule_tail ku_syscall_child_call schedule_tail ret_from_fork.* $'
	# Five tasks are in ku_syscall_call: exec, vfork and its child, the traced task, and
	# sleep_in_calls, which waits for the script. After its first line, sleep_in_calls waits
	# again without a hook, because no recording is on.
	is "$1: the log has the number of tasks in each hook that keep the module" "$(kept 0)" \
		"ku_fault_call 1 ku_syscall32_call 1 ku_syscall_call 5 ku_syscall_child_call 1 ku_syscall_traced_call 1 "
	is "$1: fewer, after some tasks have left" "$(kept 1)" "ku_fault_call 1 ku_syscall_call 4 ku_syscall_child_call 1 "
	is "$1: fewer again" "$(kept 2)" "ku_fault_call 1 ku_syscall_call 2 ku_syscall_child_call 1 "
	is "$1: only the last tasks" "$(kept 3)" "ku_fault_call 1 ku_syscall_child_call 1 "
	for one in 0 1 2 3; do
		like "$1: in use, $one" "$(cat "$OUT/in-use.$one")" 'in use|busy|temporarily unavailable'
	done
}

set -- --file "$GUEST_BIN/odd_calls" --file "$GUEST_BIN/sleep_in_calls"
bpf=
if tests/guest/programs.sh bpftrace bpftrace usr/bin/bpftrace >"$TAP_TMP/bpftrace" 2>"$top/bpftrace.log"; then
	bpf=bpf
	while IFS= read -r file; do
		set -- "$@" --file "$file"
	done <"$TAP_TMP/bpftrace"
fi
for kernel in ${KERNEL:-$(effort stock "stock stock-6.12" "stock stock-6.12")}; do
	OUT=$top/$kernel
	mkdir -p "$OUT"
	named_kernel "$kernel" "$top/$kernel.log"
	ok "$kernel: the live patch is built" tests/guest/module_build.sh "$KDIR" "$KVER" "$BUILD" "$KSUITE" \
		tests/guest/module/livepatched
	guest_run "$TAP_TMP/script" --cpus 2 --mem 2048 --timeout 300 \
		--file "$BUILD/module/$KVER/livepatched/livepatched.ko:/lib/livepatched.ko" "$@" || continue
	others_checks "$kernel"
done
tap_end
