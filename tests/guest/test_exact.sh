#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1500
# takes: 40
# also: exact_patched KERNEL=patched timeout: 1500 takes: 20 needs: patched ci
# also: exact_tracepoints KERNEL=tracepoints-6.1 timeout: 3000 takes: 40 full
# also: exact_direct KUTRACE_SYSCALLS=direct timeout: 1500 takes: 120 ci
# also: exact_cfi KERNEL=cfi-6.12 KUTRACE_SYSCALLS=direct timeout: 4200 takes: 300 full
#
# A trace equals the kernel's own counters over the same time, the workload's own counts, and
# strace's counts in another run of the workload. There are three workloads, with 1, 2 and 4 CPUs.
# Two simultaneous recordings of one of them must each be complete. Runs on the distribution's own
# kernel; KERNEL=patched selects the patched kernel, and KERNEL=stock-6.12 or another name of
# kernel.sh selects that kernel. KUTRACE_SYSCALLS=direct loads the module with syscalls=direct.
# Clang compiles cfi-6.12 with type checks (kCFI): QEMU's CPU has no indirect branch tracking, so
# the caller checks the type of the function. exact_table (exact_checks.sh) and
# docs/reference/kernels.md explain what may differ.
. tests/guest/lib.sh
tap_begin
. tests/guest/exact_checks.sh
kernel=${KERNEL:-stock}
syscalls=${KUTRACE_SYSCALLS:-tracepoints}
top=$BUILD/tests/guest/exact-$kernel-$syscalls
rm -rf "$top"
mkdir -p "$top"

stock_kernel()
{
	named_kernel "$kernel" "$top/kernel.log"
	ok "the module that reads the counters builds without a warning" \
		exact_module "$KDIR" "$KVER" "$KSUITE"
}
if [ "$kernel" != patched ]; then
	stock_kernel
elif ! patched_kernel; then
	fail "the patched kernel is built" "see above"
	tap_end
fi

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
set -e
insmod /lib/kutrace_test.ko
insmod /lib/kutrace.ko syscalls=$1
echo "idle 1 0" >/proc/kutrace_test
echo "refused 1 0" >/proc/kutrace_test
for workload in calls tasks devices; do
	kutrace_control run -o /out/$workload.trace -- \
		sh -c "exact $workload >/out/$workload.readings"
done
# Two recordings of the same workload.
kutrace_control --session beside start --size 16
kutrace_control run -o /out/both.trace -- sh -c "exact tasks >/out/both.readings"
kutrace_control --session beside stop /out/beside.trace
unload kutrace 60
if [ -f /bin/strace ]; then
	for workload in calls tasks devices; do
		strace -f -c -U calls,name -o /out/$workload.strace exact $workload >/dev/null
	done
fi
echo "idle 0 0" >/proc/kutrace_test
rmmod kutrace_test
SCRIPT

# Counts calls as strace does: the calls that return, of the workload's processes.
strace_counts()
{
	event_awk -v execve="$(syscall_event execve)" -v exit_="$(syscall_event exit)" -v exit_group="$(syscall_event exit_group)" '
	FNR == 1 { file++ }
	file == 1 { if ($1 == "pid") { pid[$3] = 1; if (!me) me = $3 }; next }
	/^#/ || $3 < EV_SYSCALL64 || $3 >= EV_SYSCALL64_RETURN || !($5 in pid) { next }
	# The shell before exec may have had the same process id.
	$3 == execve && $5 == me { on = 1; split("", n) }
	# exit and exit_group do not return
	on && $3 != exit_ && $3 != exit_group { name = $10; n[name]++ }
	END { for (i in n) print i, n[i] }' "$2" "$1" | LC_ALL=C sort
}

strace=$(command -v strace)
set -- --file "$strace:/bin/strace"
for library in $(ldd "$strace" | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p; s/^[[:space:]]*\(\/[^ ]*\) .*/\1/p'); do
	set -- "$@" --file "$library:$library"
done
for cpus in 1 2 4; do
	OUT=$top/$cpus
	mkdir -p "$OUT"
	guest_run "$TAP_TMP/script" --cpus $cpus --disk 16 --timeout 400 \
		--file "$TEST_KO:/lib/kutrace_test.ko" --file "$GUEST_BIN/exact" "$@" -- "$syscalls" ||
		continue
	for workload in calls tasks devices; do
		label="$workload, $cpus CPUs"
		trace=$OUT/$workload.trace
		trace_ok "$label" "$trace"
		if ! trace_text "$trace"; then
			fail "$label: the filters read the trace" "$(tail -n 3 "$trace".*to*)"
			continue
		fi
		exact_counts "$label" "$trace.events" "$OUT/$workload.readings"
		exact_grew "$label" $workload $cpus "$OUT/$workload.readings"
		exact_calls "$label" "$trace.events" "$OUT/$workload.readings"
		awk 'NF == 2 && $1 ~ /^[0-9]+$/ { print $2, $1 }' "$OUT/$workload.strace" |
			grep -v '^total' | LC_ALL=C sort >"$TAP_TMP/strace"
		strace_counts "$trace.events" "$OUT/$workload.readings" >"$TAP_TMP/traced"
		is "$label: strace counts the same calls ($(wc -l <"$TAP_TMP/strace") kinds)" \
			"$(cat "$TAP_TMP/traced")" "$(cat "$TAP_TMP/strace")"
	done
	for one in both beside; do
		label="two recordings at once, $one, $cpus CPUs"
		trace_ok "$label" "$OUT/$one.trace"
		trace_text "$OUT/$one.trace" || { fail "$label: the filters read the trace"; continue; }
		exact_counts "$label" "$OUT/$one.trace.events" "$OUT/both.readings"
		exact_grew "$label" tasks $cpus "$OUT/both.readings"
		exact_calls "$label" "$OUT/$one.trace.events" "$OUT/both.readings"
	done
done
tap_end
