#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1200
# takes: 120
# ci
#
# Indirect branch tracking enforced: Debian's 6.12, which is built with it, on a processor that has it, Bochs's. The
# kernel dies of a jump through a pointer to a place without ENDBR. Calls and page faults are recorded by tracepoints and by
# direct hooks, odd_calls does what is rare, and both traces have the same calls.
. tests/guest/lib.sh
KERNEL=${KERNEL:-stock-6.12}
guest_begin ibt
. tests/guest/calls.inc

cat >"$TAP_TMP/script" <<'SCRIPT'
grep -o -m 1 -w ibt /proc/cpuinfo
# As test_equal.sh has it, for the sake of the same addresses and results.
echo 0 >/proc/sys/kernel/randomize_va_space
dd if=/dev/random of=/dev/null bs=1 count=1 2>/dev/null || exit 9
for how in tracepoints direct; do
	insmod /lib/kutrace.ko mb=16 syscalls=$how || exit 1
	echo "$how: syscalls $(cat /sys/module/kutrace/parameters/syscalls), fault_end $(cat /sys/module/kutrace/parameters/fault_end)"
	kutrace_control start >/dev/null || exit 1
	bill 1 getpid pipe fault fork | sed "s/^/$how: work /"
	kutrace_control stop /tmp/trace >/dev/null || exit 1
	kutrace_control run -o /tmp/trace -- odd_calls >/dev/null
	echo "$how: odd_calls $?"
	echo "$how: trace begins"
	gzip -c /tmp/trace | base64
	echo "$how: trace ends"
	rm /tmp/trace
	unload kutrace 30 || exit 1
done
echo "log begins"
dmesg
SCRIPT
status=0
tests/guest/bochs.sh --kernel "$KERNEL_DIR" --script "$TAP_TMP/script" --out "$OUT" --file "$KO:/lib/kutrace.ko" \
	--file "$BUILD/bin/static/kutrace_control" --file "$BUILD/guest/bin/bill" --file "$BUILD/guest/bin/odd_calls" \
	>"$OUT/bochs.said" 2>&1 || status=$?
if [ $status = 77 ]; then
	skip "indirect branch tracking" "$(tail -n 1 "$OUT/bochs.said")"
	tap_end
fi
is "the script went well" "$status" 0
[ $status = 0 ] || sed 's/^/# /' "$OUT/bochs.said" >&2
sed -n '/^log begins/,$p' "$OUT/console" >"$OUT/dmesg"

# The kernel takes the feature away when a jump of its own to a wrong place at boot goes through.
is "the processor has it" "$(grep -c -x ibt "$OUT/console")" 1
like "the kernel has enabled it" "$(cat "$OUT/dmesg")" 'CET detected: Indirect Branch Tracking enabled'
is "its own test of it has not failed" "$(grep -c 'IBT selftest: Failed' "$OUT/dmesg")" 0
for how in tracepoints direct; do
	is "$how: as asked, and the ends of faults by a direct hook" "$(grep "^$how: syscalls" "$OUT/console")" \
		"$how: syscalls $how, fault_end direct"
	is "$how: all of the work was done" "$(grep -c "^$how: work [a-z]* [0-9]" "$OUT/console")" 4
	is "$how: odd_calls finds nothing wrong" "$(grep "^$how: odd_calls" "$OUT/console")" "$how: odd_calls 0"
	sed -n "/^$how: trace begins/,/^$how: trace ends/{/^$how:/!p}" "$OUT/console" | base64 -d | gzip -dc >"$OUT/$how.trace"
	trace_ok "$how" "$OUT/$how.trace"
	trace_text "$OUT/$how.trace"
	calls "$OUT/$how.trace.events" >"$OUT/$how.calls"
done
between "calls and returns by tracepoints" "$(wc -l <"$OUT/tracepoints.calls")" 400 1000000
is "the same calls, arguments and results by direct hooks" "$(differ "$OUT/tracepoints.calls" "$OUT/direct.calls")" ""
is "no jump was to a wrong place, nothing else went wrong" \
	"$(grep -E 'Missing ENDBR|control protection|BUG:|Oops|kernel BUG|general protection|unable to handle' "$OUT/dmesg")" ""
# What mitigates ITS makes the kernel write to pages of a module's code, of which it warns by itself.
is "no warning since the module was loaded" "$(sed -n '/kutrace: loading/,$p' "$OUT/dmesg" | grep 'WARNING: ' |
	grep -v __change_page_attr_set_clr)" ""

# The same module with a NOP for each ENDBR does not get further than its first function.
cp "$KO" "$OUT/without.ko"
ok "a module without ENDBR" perl -0777 -pe '$n = s/\xf3\x0f\x1e\xfa/\x0f\x1f\x40\x00/g; END { exit !$n }' -i.endbr "$OUT/without.ko"
printf 'insmod /lib/kutrace.ko\ndmesg\n' >"$TAP_TMP/script"
tests/guest/bochs.sh --kernel "$KERNEL_DIR" --script "$TAP_TMP/script" --out "$OUT/without" --file "$OUT/without.ko:/lib/kutrace.ko" \
	>"$OUT/without.said" 2>&1
like "it dies where it is called" "$(cat "$OUT/without/console")" 'exc_control_protection'
tap_end
