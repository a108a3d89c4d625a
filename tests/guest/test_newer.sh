#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1200
# takes: 30
# also: debug_newer KUTRACE_KERNEL=debug-6.1 KERNEL=debug-6.1 timeout: 3600 takes: 100 needs: debugstock ci
#
# A newer stock kernel than the distribution's own records the workload with the same witnesses as
# in test_record.sh. The module is built for it. KUTRACE_KERNEL selects another series than 6.12.
# Skipped if apt does not have the kernel.
. tests/guest/lib.sh
guest_begin newer
. tests/guest/record_checks.sh

status=0
found=$(KUTRACE_KERNEL=${KUTRACE_KERNEL:-6.12} tests/guest/kernel.sh 2>"$OUT/kernel.log") ||
	status=$?
if [ $status = 77 ]; then
	skip "a newer kernel" "$(tail -n 1 "$OUT/kernel.log")"
	tap_end
elif [ $status != 0 ]; then
	fail "a newer kernel is available" "$(tail -n 3 "$OUT/kernel.log")"
	tap_end
fi
eval "$found"
ok "the module is built for $KVER" sh -c 'tests/guest/module_build.sh "$@" >"$0" 2>&1' \
	"$OUT/module.log" "$KDIR" "$KVER" "$(realpath "$OUT")" "$KSUITE"
is "the module builds without a warning" "$(grep -E 'warning|error' "$OUT/module.log")" ""
KO=$OUT/module/$KVER/kutrace.ko

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
set -e
for round in 1 2 3; do
	insmod /lib/kutrace.ko
	kutrace_control run -o /out/r.trace -- sh -c \
		'counters sh -c "workload --disk /dev/vdb >/out/witness" >/out/counters'
	rmmod kutrace
done
uname -r >/out/uname
SCRIPT
if guest_run "$TAP_TMP/script" --cpus 2 --disk 16 --timeout 300; then
	is "the guest runs this kernel" "$(cat "$OUT/uname")" "$KVER"
	record_checks "$KVER" 2
fi
tap_end
