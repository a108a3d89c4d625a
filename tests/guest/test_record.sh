#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 400
#
# A trace of the workload on the stock kernel, with 2 and with 4 CPUs, equals two witnesses that are
# independent of the tracer: the workload's own counts, and the kernel's counters in /proc.
. tests/guest/lib.sh
guest_begin record
. tests/guest/record_checks.sh
top=$OUT

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
set -e
insmod /lib/kutrace.ko
kutrace_control run -o /out/r.trace -- sh -c \
	'counters sh -c "workload --disk /dev/vdb >/out/witness" >/out/counters'
rmmod kutrace
uname -r >/out/uname
SCRIPT

for cpus in 2 4; do
	OUT=$top/$cpus
	mkdir -p "$OUT"
	if guest_run "$TAP_TMP/script" --cpus $cpus --disk 16; then
		record_checks "$cpus CPUs" $cpus
	fi
done
tap_end
