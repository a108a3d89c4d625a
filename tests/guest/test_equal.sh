#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 900
# takes: 40
# needs: patched
# ci
#
# Tracepoints, direct hooks and the patched kernel record the same calls, arguments and results,
# task by task and call by call. The test records odd_calls on the distribution's kernel by
# tracepoints and by direct hooks, and on the patched kernel. It compares the owners of process ids,
# not the ids. The patched kernel is booted without x32, which the distribution's kernel does not
# have: otherwise the program's getpid by x32's number would have another result (test_patched.sh
# has the calls of that ABI).
. tests/guest/lib.sh
. tests/guest/calls.inc
guest_begin equal
top=$OUT

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
rounds=$1
shift
# Give the program the same addresses in every run. Reading /dev/random first ensures that
# getrandom() does not fail.
echo 0 >/proc/sys/kernel/randomize_va_space
must dd if=/dev/random of=/dev/null bs=1 count=1 2>/dev/null
for how in "$@"; do
	case $how in
	direct) must insmod /lib/kutrace.ko mb=16 syscalls=direct ;;
	*) must insmod /lib/kutrace.ko mb=16 ;;
	esac
	must kutrace_control run -o /out/$how.trace -- odd_calls $rounds
	must kutrace_control run -o /out/$how-once.trace -- odd_calls
	must unload kutrace
done
SCRIPT

record()	# WAY...: writes $top/WAY.calls and $top/WAY-once.calls
{
	guest_run "$TAP_TMP/script" --cpus 2 --mem 768 --timeout 300 --append syscall.x32=n \
		--file "$GUEST_BIN/odd_calls" -- "$(effort 1 5 20)" "$@" || return
	for how in "$@"; do
		for one in "$how" "$how-once"; do
			trace_ok "$one" "$OUT/$one.trace"
			trace_text "$OUT/$one.trace"
			calls "$OUT/$one.trace.events" >"$top/$one.calls"
		done
	done
}

OUT=$top/stock
mkdir -p "$OUT"
record tracepoints direct
OUT=$top/patched
mkdir -p "$OUT"
if patched_kernel; then
	record patched
else
	fail "the patched kernel is built" "see above"
fi

between "calls and returns by tracepoints" "$(wc -l <"$top/tracepoints.calls")" 900 1000000
for one in tracepoints direct patched; do
	is "$one: tasks" "$(cut -d " " -f 1 "$top/$one.calls" | grep -v main | uniq | wc -l)" 23
	is "$one: tasks that begin with the 0 of a fork" "$(begun "$top/$one-once.calls")" 23
	is "$one: process ids without an owner" "$(grep unknown "$top/$one.calls")" ""
done
for one in direct patched; do
	is "$one: the same calls, arguments and results" \
		"$(differ "$top/tracepoints.calls" "$top/$one.calls")" ""
	is "$one: the same calls in one round" "$(differ "$top/tracepoints-once.calls" "$top/$one-once.calls")" ""
done
tap_end
