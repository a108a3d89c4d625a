#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 900
# takes: 15
# needs: patched
# ci
#
# Triggers with extreme limits, and triggers that are removed while they fire or during their
# following interval, do no harm. The same holds for a file that is bound to a session and moved to
# another session at the same time. The test fails if the kernel's log has a warning, or triggers.c
# reports an error.
. tests/guest/lib.sh
guest_begin triggers_hard${KUTRACE_PATCHED_CONFIG:+-$KUTRACE_PATCHED_CONFIG}
top=$OUT

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
must insmod /lib/kutrace.ko mb=4
for what in bounds pending "clear 60" "attend 60"; do
	triggers $what 2>>/out/errors
	echo "$what: $?" >>/out/status.of
done
for try in 1 2 3 4 5 6 7 8 9 10; do rmmod kutrace && exit 0; usleep 300000; done
die "cannot unload the module"
SCRIPT

run_on()	# LABEL CPUS
{
	OUT=$top/$1-$2
	mkdir -p "$OUT"
	guest_run "$TAP_TMP/script" --cpus "$2" --timeout 300 --append "oops=panic panic=-1" \
		--file "$GUEST_BIN/triggers" || return
	for what in bounds pending "clear 60" "attend 60"; do
		is "$1: $what" "$(grep "^$what: " "$OUT/status.of")" "$what: 0"
	done
	is "$1: the program prints no error" "$(cat "$OUT/errors")" ""
}

run_on stock 2
tap_end
