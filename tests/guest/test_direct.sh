#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 900
# takes: 50
# also: debug_direct KUTRACE_KERNEL=debug-6.1 KERNEL=debug-6.1 timeout: 3600 takes: 100 needs: debugstock ci
#
# Direct hooks (syscalls=direct) record the same system calls as tracepoints, task by task and call
# by call, on a stock kernel: those of odd_calls. The hooks are on the stacks of sleeping tasks. A
# stack trace through a hook is complete, and the module cannot be unloaded until these tasks have
# left the hooks or ended. If another user has hooked a function already, the module uses
# tracepoints, and logs this. Runs on the distribution's own kernel and on 6.12. KERNEL=stock-7.2
# tests a kernel without a function that can be hooked, where the module also uses tracepoints and
# logs this.
. tests/guest/lib.sh
. tests/guest/calls.inc
tap_begin
top=$BUILD/tests/guest/direct${KERNEL:+-$KERNEL}
rm -rf "$top"
mkdir -p "$top"

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
rounds=$1 loads=$2
fault()		# NUMBER: ends the script with this status, and prints the end of the kernel's log
{
	dmesg | tail -n 5
	exit $1
}
log()		# TEXT: waits until the text is in the kernel's log
{
	until dmesg | grep -q "$1"; do usleep 10000; done
}
sleeper()	# starts a task, $sleeper, that sleeps in a read() until descriptor 4 is written
{
	rm -f /tmp/in
	mkfifo /tmp/in
	cat </tmp/in >/dev/null &
	sleeper=$!
	exec 4>/tmp/in
	until grep -q pipe_ /proc/$sleeper/stack; do usleep 10000; done
}
wake()
{
	exec 4>&-
	wait $sleeper
}
cat /sys/devices/system/cpu/vulnerabilities/spectre_v2 >/out/spectre_v2
# Give the program the same addresses in every run.
echo 0 >/proc/sys/kernel/randomize_va_space

# --- the same program, by tracepoints and by hooks ---
insmod /lib/kutrace.ko mb=16 syscalls=neither 2>/dev/null && fault 9
for how in tracepoints direct; do
	insmod /lib/kutrace.ko mb=16 syscalls=$how || fault 10
	kutrace_control run -o /out/$how.trace -- odd_calls $rounds || fault 11
	kutrace_control run -o /out/$how-once.trace -- odd_calls || fault 12
	unload kutrace || fault 12
done
dmesg | grep 'cannot use syscalls=direct' >/out/refused && exit 0

# --- two recordings, a mask ---
insmod /lib/kutrace.ko mb=16 syscalls=direct || fault 13
kutrace_control --session beside start --size 16 || fault 14
kutrace_control run -o /out/both.trace -- odd_calls || fault 15
kutrace_control --session beside stop /out/beside.trace >/dev/null || fault 16
kutrace_control start --mask syscall,sched,process || fault 17
kutrace_control status --json >/out/status.json
odd_calls || fault 18
kutrace_control stop /out/masked.trace >/dev/null || fault 19

# --- recording ends while a task is in a call: the module stays until the task has left it ---
kutrace_control start || fault 20
rmmod kutrace 2>/out/recording && fault 21
sleeper
cat /proc/$sleeper/stack >/out/stack
kutrace_control stop /out/stopped.trace >/dev/null || fault 22
cat /proc/$sleeper/stack >/out/stopped.stack
log 'cannot be unloaded before the end of system calls.*ku_syscall_call'
rmmod kutrace 2>/out/in-use && fault 23
# recording still works meanwhile
kutrace_control run -o /out/meanwhile.trace -- odd_calls 4>&- || fault 24
rmmod kutrace 2>/dev/null && fault 25
wake
unload kutrace || fault 26

# --- another module has hooked a function ---
hooked=/out/hooked.trace
for function in x64_sys_call schedule_tail; do
	insmod /lib/hooked.ko function=$function || fault 27
	insmod /lib/kutrace.ko mb=16 syscalls=direct || fault 28
	kutrace_control run -o $hooked -- odd_calls || fault 29
	hooked=/out/hooked-last.trace
	# no task is in a hook of this module, so it can be unloaded immediately
	rmmod kutrace || fault 30
	rmmod hooked || fault 31
done
dmesg | grep 'come from tracepoints' >/out/hooked.log
# The compiler may have added a suffix to the name.
for function in ia32_sys_call $(sed -n 's/.* [tT] \(syscall_trace_enter[.a-z0-9]*\)$/\1/p' /proc/kallsyms); do
	insmod /lib/hooked.ko function=$function || fault 53
	insmod /lib/kutrace.ko mb=16 syscalls=direct || fault 54
	kutrace_control run -o /out/hooked-${function%%.*}.trace -- odd_calls || fault 55
	rmmod kutrace || fault 56
	rmmod hooked || fault 57
done
dmesg | grep -c 'come from tracepoints' >/out/hooked.times
insmod /lib/kutrace.ko mb=16 syscalls=direct || fault 32
kutrace_control start || fault 33
insmod /lib/hooked.ko function=x64_sys_call 2>/out/busy && fault 34
echo 0 2>/dev/null >/proc/sys/kernel/ftrace_enabled && fault 35
kutrace_control off || fault 36
unload kutrace || fault 37
echo 0 >/proc/sys/kernel/ftrace_enabled || fault 38
insmod /lib/kutrace.ko mb=16 syscalls=direct || fault 39
kutrace_control run -o /out/off.trace -- odd_calls || fault 40
rmmod kutrace || fault 41
echo 1 >/proc/sys/kernel/ftrace_enabled || fault 42
# the function tracer also traces this function
mount -t tracefs tracefs /sys/kernel/tracing || fault 43
echo x64_sys_call >/sys/kernel/tracing/set_ftrace_filter || fault 44
echo function >/sys/kernel/tracing/current_tracer || fault 45
insmod /lib/kutrace.ko mb=16 syscalls=direct || fault 46
kutrace_control run -o /out/tracer.trace -- odd_calls || fault 47
echo nop >/sys/kernel/tracing/current_tracer
unload kutrace || fault 48

# --- loaded and unloaded under load ---
touch /out/load
(while :; do odd_calls 1 || echo failed >/out/load; done) &
load=$!
i=0
while [ $i -lt $loads ]; do
	insmod /lib/kutrace.ko mb=16 syscalls=direct || fault 49
	kutrace_control start || fault 50
	usleep 100000
	kutrace_control off || fault 51
	unload kutrace || fault 52
	i=$((i + 1))
done
kill $load
exit 0
SCRIPT

direct_checks()		# LABEL
{
	for one in tracepoints direct tracepoints-once direct-once both beside masked meanwhile hooked \
			off tracer; do
		[ -f "$OUT/$one.trace" ] || continue
		trace_ok "$1: $one" "$OUT/$one.trace"
		trace_text "$OUT/$one.trace"
		calls "$OUT/$one.trace.events" >"$OUT/$one.calls"
	done
	between "$1: number of calls and returns by tracepoints" "$(wc -l <"$OUT/tracepoints.calls")" 900 1000000
	is "$1: the calls are of all tasks and their parent" "$(cut -d " " -f 1 "$OUT/tracepoints.calls" | uniq | wc -l)" "$((tasks + 1))"
	is "$1: tasks that begin with the 0 of a fork" "$(begun "$OUT/direct-once.calls")" "$tasks"
	is "$1: the hooks record the same calls" "$(differ "$OUT/tracepoints.calls" "$OUT/direct.calls")" ""
	is "$1: the hooks record the same calls in one round" "$(differ "$OUT/tracepoints-once.calls" "$OUT/direct-once.calls")" ""
	if [ "$kernel" = stock-7.2 ]; then
		like "$1: the log has the reason" "$(cat "$OUT/refused")" \
			"this kernel's [a-z0-9_]+\\(\\) cannot be hooked"
		return
	fi
	is "$1: the hooks are not refused" "$(cat "$OUT/refused")" ""
	for one in both beside masked meanwhile tracer hooked off; do
		is "$1: $one: the same calls" "$(differ "$OUT/tracepoints-once.calls" "$OUT/$one.calls")" ""
	done
	like "$1: there is a caveat for direct hooks" "$(cat "$OUT/status.json")" '"calls_direct"'
	like "$1: a stack trace through the hook is whole" "$(tr '\n' ' ' <"$OUT/stack")" "$chain"
	like "$1: a stack trace is whole after the end of recording" "$(tr '\n' ' ' <"$OUT/stopped.stack")" "$chain"
	for one in recording in-use; do
		like "$1: $one: unloading is refused" "$(cat "$OUT/$one")" 'in use|busy|temporarily unavailable'
	done
	like "$1: another module cannot hook the function meanwhile" "$(cat "$OUT/busy")" 'busy'
	is "$1: the log reports a hooked function at each load" "$(grep -c 'the functions are hooked already' "$OUT/hooked.log")" 2
	is "$1: the program succeeded each time" "$(cat "$OUT/load")" ""
}

# Checks that the hooks fit the options that the kernel was built with.
built_checks()		# LABEL
{
	configured=$(sed -n 's/^CONFIG_\(MITIGATION_\)\{0,1\}RETPOLINE=y$/retpolines/p; s/^CONFIG_\(MITIGATION_\)\{0,1\}RETHUNK=y$/thunks/p; s/^CONFIG_X86_KERNEL_IBT=y$/ibt/p' \
		"$KDIR/.config")
	case $configured in
	*retpolines*) like "$1: retpolines are on in the guest's kernel" "$(cat "$OUT/spectre_v2")" 'Retpolines' ;;
	esac
	case $configured in
	*ibt*) endbr=yes ;;
	*) endbr=no ;;
	esac
	tests/guest/module_build.sh "$KDIR" "$KVER" "$BUILD" "$KSUITE" >"$OUT/module.log" 2>&1
	unlike "$1: objtool and compiler find nothing in the module" "$(cat "$OUT/module.log")" 'objtool:|warning:'
	ok "$1: hooks.pl reads the module's hooks" sh -c 'tests/guest/hooks.pl "$1" >"$2"' - "$KO" "$OUT/hooks"
	is "$1: the names of the hooks" "$(cut -d ' ' -f 1 "$OUT/hooks" | tr '\n' ' ')" \
		"$hooks$(sed -n 's/^CONFIG_X86_X32_ABI=y$/ku_syscallx32_call /p' "$KDIR/.config")"
	# Without return thunks, the hooks end with plain returns.
	case $configured in
	*thunks*) plain=0 ;;
	*) plain=9 ;;
	esac
	is "$1: each hook begins as IBT requires, has no indirect branch, and can be unwound everywhere" \
		"$(awk -v endbr=$endbr -v plain=$plain '$3 != endbr || $5 != 0 || $7 > plain || $9 != $11 || !$9' "$OUT/hooks")" ""
	is "$1: each hook returns once for each call" "$(awk '$13 != 0' "$OUT/hooks")" ""
}

# Checks recordings in which another module has hooked other functions than the two of
# direct_checks().
hooked_checks()		# LABEL
{
	for one in hooked-last hooked-ia32_sys_call hooked-syscall_trace_enter; do
		trace_ok "$1: $one" "$OUT/$one.trace"
		trace_text "$OUT/$one.trace"
		calls "$OUT/$one.trace.events" >"$OUT/$one.calls"
		is "$1: $one: the same calls" "$(differ "$OUT/tracepoints-once.calls" "$OUT/$one.calls")" ""
	done
	is "$1: the log reports all four functions" "$(cat "$OUT/hooked.times")" 4
}

# Number of tasks. odd_calls uses more numbers, for tasks after exec and for places in a task.
tasks=23
hooks='ku_fault_call ku_syscall32_call ku_syscall_call ku_syscall_child_call ku_syscall_traced_call '
chain='pipe_read.*vfs_read.*ku_syscall_call.*x64_sys_call.*do_syscall_64.*entry_SYSCALL_64'
for kernel in ${KERNEL:-$(effort stock "stock stock-6.12" "stock stock-6.12 stock-7.2")}; do
	OUT=$top/$kernel
	mkdir -p "$OUT"
	named_kernel "$kernel" "$top/$kernel.log"
	ok "$kernel: the module that hooks the same functions is built" tests/guest/module_build.sh "$KDIR" "$KVER" "$BUILD" "$KSUITE" \
		tests/guest/module/hooked
	guest_run "$TAP_TMP/script" --cpus 2 --mem 768 --timeout 400 \
		--file "$GUEST_BIN/odd_calls" \
		--file "$BUILD/module/$KVER/hooked/hooked.ko:/lib/hooked.ko" -- "$(effort 1 5 20)" "$(effort 3 20 50)" || continue
	direct_checks "$kernel"
	[ "$kernel" != stock-7.2 ] || continue
	built_checks "$kernel"
	hooked_checks "$kernel"
done
tap_end
