#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 3000
# takes: 20
# needs: patched
# also: kunit_612 KUTRACE_PATCHED_KVER=6.12 timeout: 3000 full
# also: kunit_72 KUTRACE_PATCHED_KVER=7.2 timeout: 3000 full
#
# The patched kernel's own tests pass: the KUnit test of the ring, alone and during a recording by
# the module, and the selftest, without the module and with it. KUTRACE_PATCHED_CONFIG and
# KUTRACE_PATCHED_KVER have the same meaning as in test_patched.sh.
. tests/guest/lib.sh
tap_begin
OUT=$BUILD/tests/guest/kunit${KUTRACE_PATCHED_CONFIG:+-$KUTRACE_PATCHED_CONFIG}
OUT=$OUT${KUTRACE_PATCHED_KVER:+-$KUTRACE_PATCHED_KVER}
rm -rf "$OUT"
mkdir -p "$OUT"

if ! patched_kernel; then
	fail "the patched kernel is built" "see above"
	tap_end
fi
# The selftest is compiled with the header of that kernel's selftests. test_series.sh builds it by
# the kernel's make.
source=$(bash -c 'here=kernel-patches kver=$1 jobs=1
	die() { echo "$*" >&2; exit 1; }
	. kernel-patches/lib.sh && kernel_source && echo "$source"' - "${KUTRACE_PATCHED_KVER:-6.1}")
ok "the selftest compiles" ${CC:-cc} -static -Wall -Werror -O2 -D_GNU_SOURCE \
	-I"$source/tools/testing/selftests" -Imodule/uapi -o "$OUT/kutrace_test" \
	kernel-patches/files/tools/testing/selftests/kutrace/kutrace_test.c

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
# KUnit is off by default in a kernel of allnoconfig. Unknown parameters are ignored.
must insmod /lib/kunit.ko enable=1 autorun=1
must insmod /lib/kutrace_kunit.ko
must rmmod kutrace_kunit
dmesg >/out/alone
kutrace_test >/out/absent
echo $? >/out/absent.status
must insmod /lib/kutrace.ko
must kutrace_control go >/dev/null
must insmod /lib/kutrace_kunit.ko
must rmmod kutrace_kunit
must kutrace_control stop /out/r.trace >/dev/null
dmesg >/out/both
kutrace_test >/out/present
echo $? >/out/present.status
must rmmod kutrace
SCRIPT

cases=$(sed -n 's/^	KUNIT_CASE(\(.*\)),$/\1/p' kernel-patches/files/kernel/kutrace/ring_kunit.c)
# kunit_passed LABEL LOG TIMES: checks that every case passed that many times, and that there is no
# other result.
kunit_passed()
{
	for case in $cases; do
		is "$1: $case" "$(grep -c " ok [0-9]* $case\$" "$2")" "$3"
	done
	is "$1: nothing failed or was skipped" "$(grep -E 'not ok|# SKIP' "$2")" ""
}

if guest_run "$TAP_TMP/script" --cpus 4 --mem 1024 --timeout 600 \
	--file "$(find "$KERNEL_DIR/lib/modules" -name kunit.ko):/lib/kunit.ko" \
	--file "$(find "$KERNEL_DIR/lib/modules" -name kutrace_kunit.ko):/lib/kutrace_kunit.ko" \
	--file "$OUT/kutrace_test"; then
	kunit_passed "alone" "$OUT/alone" 1
	kunit_passed "beside a recording" "$OUT/both" 2
	trace_ok "the recording beside the test" "$OUT/r.trace"
	is "selftest without the module: skipped" "$(cat "$OUT/absent.status")" 4
	is "selftest with the module" "$(cat "$OUT/present.status")" 0
	is "selftest: passed cases" "$(grep -c '^ok ' "$OUT/present")" 9
	is "selftest: failed cases" "$(grep -E '^(not ok|Bail)' "$OUT/present")" ""
fi
tap_end
