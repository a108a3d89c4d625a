#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs the guest's part of the hook benchmark: measures one getpid in several states of the same
# stock kernel, each with a result of up to 127 and with a larger one; and a page fault, a context
# switch, a timer interrupt and packets without and with recording. hooks.sh boots it under icount.
set -e
getpid_cost stock-absent >>/out/hooks
hook_cost stock-absent >>/out/hooks
mkdir -p /sys/kernel/tracing
mount -t tracefs tracefs /sys/kernel/tracing
echo 1 >/sys/kernel/tracing/events/raw_syscalls/enable
getpid_cost raw-syscalls-events >>/out/hooks
echo 0 >/sys/kernel/tracing/events/raw_syscalls/enable
insmod /lib/empty_probe.ko
getpid_cost stock-floor >>/out/hooks
rmmod empty_probe
if insmod /lib/empty_probe.ko fast=1 2>/dev/null; then
	getpid_cost stock-fast >>/out/hooks
	rmmod empty_probe
else
	echo 'fast no' >>/out/hooks
fi
insmod /lib/kutrace.ko
getpid_cost stock-off >>/out/hooks
getpid_cost stock-on on >>/out/hooks
for how in masked filtered triggered watched soon two three; do
	getpid_cost stock-$how $how >>/out/hooks
done
hook_cost stock-on on >>/out/hooks
hook_cost stock-watched watched >>/out/hooks
hook_cost stock-filtered filtered >>/out/hooks
hook_cost stock-packets packets >>/out/hooks
# The artificial counters need a processor without counters. QEMU's riscv64 has counters.
if grep -qx 4 /sys/bus/event_source/devices/*/type; then
	echo 'counted no' >>/out/hooks
	rmmod kutrace
else
	insmod /lib/counters.ko
	getpid_cost stock-counted counted >>/out/hooks
	rmmod kutrace
	rmmod kutrace_test_pmu
fi
# Measures the end of a page fault by a kretprobe, as on kernels without the direct hook.
insmod /lib/kutrace.ko fault_end=kretprobe
kutrace_control start
kutrace_control status --json >/tmp/status
kutrace_control off
if grep -qE '"(fault_none|fault_no_end)"' /tmp/status; then
	echo 'kretprobe no' >>/out/hooks
else
	hook_cost stock-kretprobe on >>/out/hooks
fi
rmmod kutrace
# System calls by direct hooks, if the kernel allows these hooks.
insmod /lib/kutrace.ko syscalls=direct
if dmesg | grep -q 'cannot use syscalls=direct'; then
	echo 'direct no' >>/out/hooks
else
	getpid_cost stock-direct on >>/out/hooks
	for how in masked filtered triggered watched two; do
		getpid_cost stock-direct-$how $how >>/out/hooks
	done
	hook_cost stock-direct on >>/out/hooks
fi
unload kutrace 60
# Measures again without the module: no hook may be left.
getpid_cost stock-removed >>/out/hooks
hook_cost stock-removed >>/out/hooks
