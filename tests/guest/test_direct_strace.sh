#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 600
# takes: 30
#
# strace sees the same system calls and results as direct hooks (syscalls=direct) record, for each
# task of odd_calls. The test compares strace's output with a recording of another run, and with a
# recording of the same run, in which the kernel stops at each call for the debugger. The program
# does not run its own debugger, because a task cannot have two (test_direct.sh has these calls).
# Runs on the distribution's own kernel and on 6.12, or only on KERNEL=NAME.
. tests/guest/lib.sh
tap_begin
top=$BUILD/tests/guest/direct_strace${KERNEL:+-$KERNEL}
rm -rf "$top"
mkdir -p "$top"

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
echo 0 >/proc/sys/kernel/randomize_va_space
must insmod /lib/kutrace.ko mb=16 syscalls=direct
must kutrace_control start
kutrace_control status --json >/out/status.json
must odd_calls --traced
must kutrace_control stop /out/apart.trace >/dev/null
# Separate recordings, because strace itself makes many calls.
must kutrace_control start
must strace -f -e raw=all -o /out/strace odd_calls --traced
must kutrace_control stop /out/together.trace >/dev/null
must unload kutrace
SCRIPT

# Calls in which seccomp killed the task: strace reports them, but no tracepoint does.
killed='52 geteuid ?
53 getpid ?'
# A signal that a debugged task ignores, such as SIGCHLD, still wakes the task: the kernel restarts
# its wait or fork.
again=' (wait4 -512|clone -513)$'
# A task is killed in a call. The call returns in the kernel, but strace is not notified of this.
last='s/^28 read -512$/28 read ?/'
tasks=21
differ()	# NAME [REGEX]: prints the differences of strace and a recording, without lines that match
{
	printf '%s\n' "$killed" >"$TAP_TMP/killed"
	grep -v -x -F -f "$TAP_TMP/killed" "$OUT/strace.called" >"$TAP_TMP/one"
	sed "$last" "$OUT/$1.called" >"$TAP_TMP/other"
	[ -z "${2-}" ] || sed -E -i "/$2/d" "$TAP_TMP/one" "$TAP_TMP/other"
	diff "$TAP_TMP/one" "$TAP_TMP/other" | head -n 20
}

strace_checks()		# LABEL
{
	like "$1: the hooks record" "$(cat "$OUT/status.json")" '"calls_direct"'
	ok "$1: calls_of.pl reads strace's output" sh -c \
		'tests/guest/calls_of.pl strace "$1" >"$1.called"' - "$OUT/strace"
	between "$1: calls by strace" "$(wc -l <"$OUT/strace.called")" 350 10000
	is "$1: the calls are of all tasks" "$(cut -d " " -f 1 "$OUT/strace.called" | uniq | wc -l)" $tasks
	is "$1: strace has the beginning of calls that killed their tasks" "$(grep -x -F "$killed" "$OUT/strace.called")" "$killed"
	for one in apart together; do
		trace_ok "$1: $one" "$OUT/$one.trace"
		trace_text "$OUT/$one.trace"
		tests/guest/calls_of.pl trace "$OUT/$one.trace.events" >"$OUT/$one.called"
	done
	is "$1: in another run, the hooks record strace's calls and results" "$(differ apart "$again")" ""
	is "$1: in the same run, the hooks record strace's calls and results" "$(differ together)" ""
}

strace=$(command -v strace)
set -- --file "$strace:/bin/strace"
for library in $(ldd "$strace" | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p; s/^[[:space:]]*\(\/[^ ]*\) .*/\1/p'); do
	set -- "$@" --file "$library:$library"
done
for kernel in ${KERNEL:-$(effort stock "stock stock-6.12" "stock stock-6.12")}; do
	OUT=$top/$kernel
	mkdir -p "$OUT"
	named_kernel "$kernel" "$top/$kernel.log"
	guest_run "$TAP_TMP/script" --cpus 2 --mem 768 --timeout 200 --file "$GUEST_BIN/odd_calls" "$@" || continue
	strace_checks "$kernel"
done
tap_end
