#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1200
# takes: 40
# needs: debugstock
# ci
#
# The debug kernels find mistakes made on purpose, so a clean log in the other tests is evidence.
# The test loads a module that makes one mistake for each check (module/faulty). The kernel must
# report each mistake, and boot.sh must fail. KERNEL selects another kernel than debug-6.1, such as
# patched-6.12-arm64-debug. kutrace.ko is not used.
kernel=${KERNEL:-debug-6.1}
KERNEL=
. tests/guest/lib.sh
tap_begin
OUT=$BUILD/tests/guest/debug_found-$kernel
rm -rf "$OUT"
mkdir -p "$OUT"
status=0
tests/guest/kernel.sh "$kernel" >"$OUT/kernel" 2>"$OUT/kernel.log" || status=$?
if [ $status = 77 ]; then
	skip "$kernel" "$(tail -n 1 "$OUT/kernel.log")"
	tap_end
fi
[ $status = 0 ] || { fail "$kernel is there" "$(tail -n 5 "$OUT/kernel.log")"; tap_end; }
. "$OUT/kernel"

for what in KASAN PROVE_LOCKING PROVE_RCU DEBUG_ATOMIC_SLEEP DEBUG_PREEMPT; do
	like "the kernel has the check $what" "$(cat "$KERNEL_DIR"/boot/config-*)" "^CONFIG_$what=y"
done

# Prints the first report in the log after the name of a mistake and before the name of the next
# one.
found()	# NAME
{
	awk -v name="kutrace_faulty: $1\$" '
		/kutrace_faulty: / { inside = $0 ~ name }
		inside && /(WARNING|BUG): / { sub(/.*(WARNING|BUG): /, ""); print; exit }' "$OUT/dmesg"
}

faulty=$BUILD/module/$KVER/faulty/kutrace_faulty.ko
rm -f "$faulty"
ok "a module of mistakes is built" tests/guest/module_build.sh "$KDIR" "$KVER" "$BUILD" "$KSUITE" tests/guest/module/faulty
[ -f "$faulty" ] || tap_end
printf '#!/bin/sh\ninsmod /lib/kutrace_faulty.ko || die "cannot insert the faulty module"\n' >"$TAP_TMP/script"
status=0
tests/guest/boot.sh --kernel "$KERNEL_DIR" --script "$TAP_TMP/script" --out "$OUT" --cpus 2 --mem 1024 --timeout 600 \
	--file "$faulty:/lib/kutrace_faulty.ko" >"$OUT/boot.log" 2>&1 || status=$?
is "exit status for a log that is not clean" "$status" 120
is "the script succeeded" "$(cat "$OUT/status")" 0
like "found: RCU-protected memory is read outside of a read section" "$(found reader)" '^suspicious RCU usage'
like "found: two locks are taken in both orders" "$(found order)" '^possible circular locking dependency'
like "found: a call that may sleep, where sleeping is not allowed" "$(found sleep)" '^sleeping function called from invalid context'
like "found: a preemptible task uses its CPU number" "$(found moved)" '^using smp_processor_id\(\) in preemptible'
like "found: freed memory is read" "$(found freed)" \
	'^KASAN: (slab-)?use-after-free in (ku_faulty_|.*kutrace_faulty)'
tap_end
