#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 600
# takes: 30
#
# strace as witness for system calls by direct hooks (syscalls=direct): of each task of odd_calls, the same calls
# with the same results are in a recording by the hooks and in what strace saw of another run; and in a recording of
# that run itself, where the kernel asks a debugger about each call. All but what the debugger's own
# task and the one that it debugs do, which strace cannot have, too (test_direct.sh). On the distribution's own kernel
# and on 6.12; with KERNEL=NAME on that one.
. tests/guest/lib.sh
tap_begin
top=$BUILD/tests/guest/direct_strace${KERNEL:+-$KERNEL}
rm -rf "$top"
mkdir -p "$top"

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
echo 0 >/proc/sys/kernel/randomize_va_space
insmod /lib/kutrace.ko mb=16 syscalls=direct || exit 10
kutrace_control start || exit 11
kutrace_control status --json >/out/status.json
odd_calls --traced || exit 12
kutrace_control stop /out/apart.trace >/dev/null || exit 13
# strace's own calls are many.
kutrace_control start || exit 14
strace -f -e raw=all -o /out/strace odd_calls --traced || exit 15
kutrace_control stop /out/together.trace >/dev/null || exit 16
unload kutrace || exit 17
SCRIPT

# Calls that seccomp was asked about, and that ended their task there: strace sees them begin, and no tracepoint does.
killed='52 geteuid ?
53 getpid ?'
# A task that is debugged is woken by signals that it ignores, as SIGCHLD: its wait, or fork, begins anew.
again=' (wait4 -512|clone -513)$'
# The task that is killed in a call: strace is not asked any more when that returns in the kernel.
last='s/^28 read -512$/28 read ?/'
tasks=21
differ()	# NAME [REGEX]: where strace and that recording do not say the same; without such lines
{
	printf '%s\n' "$killed" >"$TAP_TMP/killed"
	grep -v -x -F -f "$TAP_TMP/killed" "$OUT/strace.called" >"$TAP_TMP/one"
	sed "$last" "$OUT/$1.called" >"$TAP_TMP/other"
	[ -z "${2-}" ] || sed -E -i "/$2/d" "$TAP_TMP/one" "$TAP_TMP/other"
	diff "$TAP_TMP/one" "$TAP_TMP/other" | head -n 20
}

strace_checks()		# LABEL
{
	like "$1: the hooks are what records" "$(cat "$OUT/status.json")" '"calls_direct"'
	ok "$1: what strace says is understood" sh -c \
		'tests/guest/called.pl strace "$1" >"$1.called"' - "$OUT/strace"
	between "$1: calls by strace" "$(wc -l <"$OUT/strace.called")" 350 10000
	is "$1: of so many tasks" "$(cut -d " " -f 1 "$OUT/strace.called" | uniq | wc -l)" $tasks
	is "$1: it saw calls begin that killed their tasks" "$(grep -x -F "$killed" "$OUT/strace.called")" "$killed"
	for one in apart together; do
		trace_ok "$1: $one" "$OUT/$one.trace"
		trace_text "$OUT/$one.trace"
		tests/guest/called.pl trace "$OUT/$one.trace.events" >"$OUT/$one.called"
	done
	is "$1: another run by the hooks: strace's calls and results" "$(differ apart "$again")" ""
	is "$1: that run by the hooks: strace's calls and results" "$(differ together)" ""
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
	guest_run "$TAP_TMP/script" --cpus 2 --mem 768 --timeout 200 --file "$BUILD/guest/bin/odd_calls" "$@" || continue
	strace_checks "$kernel"
done
tap_end
