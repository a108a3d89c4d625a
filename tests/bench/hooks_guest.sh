#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The guest's part of the hook benchmark: one getpid in several states of the same
# stock kernel, each time with a result of up to 127 and with a larger one. hooks.sh boots it under icount.
set -e
getpid_cost stock-absent >>/out/hooks
mkdir -p /sys/kernel/tracing
mount -t tracefs tracefs /sys/kernel/tracing
echo 1 >/sys/kernel/tracing/events/raw_syscalls/enable
getpid_cost raw-syscalls-events >>/out/hooks
echo 0 >/sys/kernel/tracing/events/raw_syscalls/enable
insmod /lib/kutrace.ko
getpid_cost stock-off >>/out/hooks
getpid_cost stock-on on >>/out/hooks
for how in masked filtered triggered watched two; do
	getpid_cost stock-$how $how >>/out/hooks
done
rmmod kutrace
# And once more without: what was attached must be gone altogether.
getpid_cost stock-removed >>/out/hooks
