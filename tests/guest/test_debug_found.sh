#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1200
# takes: 40
# needs: debugstock
# ci
#
# That the other tests on kernels which check themselves find a clean log says something only if the checks
# work there: a module that makes one mistake for each (module/faulty) is loaded, each mistake must be found, and
# boot.sh must not take the guest for one that worked. KERNEL: another one than debug-6.1, as
# patched-6.12-arm64-debug. kutrace.ko has no part in it.
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
	like "the kernel checks itself: $what" "$(cat "$KERNEL_DIR"/boot/config-*)" "^CONFIG_$what=y"
done

# The first report behind the name of a mistake in the log, and in front of the next one's.
found()	# NAME
{
	awk -v name="kutrace_faulty: $1\$" '
		/kutrace_faulty: / { inside = $0 ~ name }
		inside && /(WARNING|BUG): / { sub(/.*(WARNING|BUG): /, ""); print; exit }' "$OUT/dmesg"
}

faulty=$BUILD/module/$KVER/faulty/kutrace_faulty.ko
rm -f "$faulty"
ok "a module of mistakes is built" tests/guest/built.sh "$KDIR" "$KVER" "$BUILD" "$KSUITE" tests/guest/module/faulty
[ -f "$faulty" ] || tap_end
printf '#!/bin/sh\ninsmod /lib/kutrace_faulty.ko || exit 10\n' >"$TAP_TMP/script"
status=0
tests/guest/boot.sh --kernel "$KERNEL_DIR" --script "$TAP_TMP/script" --out "$OUT" --cpus 2 --mem 1024 --timeout 600 \
	--file "$faulty:/lib/kutrace_faulty.ko" >"$OUT/boot.log" 2>&1 || status=$?
is "the log is not clean: exit status" "$status" 120
is "the script went well" "$(cat "$OUT/status")" 0
like "found: RCU's memory is read by who is no reader" "$(found reader)" '^suspicious RCU usage'
like "found: locks are taken in both orders" "$(found order)" '^possible circular locking dependency'
like "found: one may sleep where it must not" "$(found sleep)" '^sleeping function called from invalid context'
like "found: one that may be moved asks for its CPU" "$(found moved)" '^using smp_processor_id\(\) in preemptible'
like "found: memory that was given back is read" "$(found freed)" \
	'^KASAN: (slab-)?use-after-free in (ku_faulty_|.*kutrace_faulty)'
tap_end
