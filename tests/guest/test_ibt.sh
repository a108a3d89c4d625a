#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1200
# takes: 120
# ci
# also: ibt_cfi KERNEL=cfi-6.12 timeout: 4200 takes: 300 full
#
# Direct hooks and tracepoints work where indirect branch tracking is enforced: there, an indirect
# jump to a place without ENDBR kills the kernel. Debian's 6.12 runs on the processor of Bochs, and
# records calls and page faults by tracepoints and by direct hooks while odd_calls makes rare calls.
# Both traces must have the same calls. With KERNEL=cfi-6.12, which clang compiles, each function
# also checks the type that an indirect call expects (FineIBT).
. tests/guest/lib.sh
KERNEL=${KERNEL:-stock-6.12}
guest_begin ibt
. tests/guest/calls.inc

cat >"$TAP_TMP/script" <<'SCRIPT'
grep -o -m 1 -w ibt /proc/cpuinfo
# Make addresses and results the same in both recordings, as in test_equal.sh.
echo 0 >/proc/sys/kernel/randomize_va_space
must dd if=/dev/random of=/dev/null bs=1 count=1 2>/dev/null
for how in tracepoints direct; do
	insmod /lib/kutrace.ko mb=16 syscalls=$how || exit 1
	echo "$how: syscalls $(cat /sys/module/kutrace/parameters/syscalls), fault_end $(cat /sys/module/kutrace/parameters/fault_end)"
	kutrace_control start >/dev/null || exit 1
	everyday 1 getpid pipe fault fork | sed "s/^/$how: work /"
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
# The small configuration does not turn FineIBT on by default, as other configurations do.
set --
! grep -q '^CONFIG_FINEIBT=y' "$KERNEL_DIR"/boot/config-* || set -- --append cfi=auto
tests/guest/bochs.sh "$@" --kernel "$KERNEL_DIR" --script "$TAP_TMP/script" --out "$OUT" --file "$KO:/lib/kutrace.ko" \
	--file "$BUILD/bin/static/kutrace_control" --file "$GUEST_BIN/everyday" --file "$GUEST_BIN/odd_calls" \
	>"$OUT/bochs.said" 2>&1 || status=$?
if [ $status = 77 ]; then
	skip "indirect branch tracking" "$(tail -n 1 "$OUT/bochs.said")"
	tap_end
fi
is "the script succeeded" "$status" 0
[ $status = 0 ] || sed 's/^/# /' "$OUT/bochs.said" >&2
sed -n '/^log begins/,$p' "$OUT/console" >"$OUT/dmesg"

# At boot, the kernel tests the feature with a deliberate wrong jump, and clears its flag if no
# exception comes.
is "the processor has indirect branch tracking" "$(grep -c -x ibt "$OUT/console")" 1
like "the kernel has enabled it" "$(cat "$OUT/dmesg")" 'CET detected: Indirect Branch Tracking enabled'
is "the kernel's self-test of it has not failed" "$(grep -c 'IBT selftest: Failed' "$OUT/dmesg")" 0
for how in tracepoints direct; do
	is "$how: the module uses these hooks, and a direct hook for the ends of faults" "$(grep "^$how: syscalls" "$OUT/console")" \
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
is "the log has no error of a jump, nor any other error" \
	"$(grep -E 'Missing ENDBR|control protection|CFI failure|BUG:|Oops|kernel BUG|general protection|unable to handle' "$OUT/dmesg")" ""
# To mitigate ITS, the kernel writes to code pages of a module, and warns of that itself.
is "no warning since the module was loaded" "$(sed -n '/kutrace: loading/,$p' "$OUT/dmesg" | grep 'WARNING: ' |
	grep -v __change_page_attr_set_clr)" ""

# Check the enforcement: the module with one mistake fails at its first function.
cp "$KO" "$OUT/wrong.ko"
if [ $# -gt 0 ]; then
	like "functions check the type of their callers" "$(cat "$OUT/dmesg")" 'Using FineIBT CFI'
	# The type's hash is the operand of the MOV before the function.
	at=$(readelf -W -s -S "$KO" | awk '
	/^ +\[ *[0-9]+\]/ { sub(/^ +\[ */, ""); sub(/\]/, ""); offset[$1] = $5 }
	$8 == "__cfi_init_module" { print "0x" offset[$7] " 0x" $2 }')
	printf '\1\2\3\4' | dd of="$OUT/wrong.ko" bs=1 seek=$((${at% *} + ${at#* } + 1)) conv=notrunc 2>/dev/null
	ok "a module with a wrong type before its first function" sh -c '! cmp -s "$0" "$1"' "$KO" "$OUT/wrong.ko"
	death='RIP: 0010:__cfi_init_module'
else
	ok "a module without ENDBR" perl -0777 -pe '$n = s/\xf3\x0f\x1e\xfa/\x0f\x1f\x40\x00/g; END { exit !$n }' -i.endbr "$OUT/wrong.ko"
	death=exc_control_protection
fi
printf 'insmod /lib/kutrace.ko\ndmesg\n' >"$TAP_TMP/script"
tests/guest/bochs.sh "$@" --kernel "$KERNEL_DIR" --script "$TAP_TMP/script" --out "$OUT/wrong" --file "$OUT/wrong.ko:/lib/kutrace.ko" \
	>"$OUT/wrong.said" 2>&1
like "the kernel dies at the call of this function" "$(cat "$OUT/wrong/console")" "$death"
tap_end
