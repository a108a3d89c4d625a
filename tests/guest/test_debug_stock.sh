#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 3600
# takes: 300
# needs: debugstock
# ci
#
# The module as it attaches to a stock kernel, its direct hooks of page faults and of system calls among it,
# on a kernel without the patches that checks itself (KASAN, PROVE_LOCKING, PROVE_RCU,
# DEBUG_ATOMIC_SLEEP, DEBUG_PREEMPT): recorded three times, loaded and unloaded, and what test_fault_end.sh
# and test_direct.sh do. What the checks find stands in the kernel's log, and boot.sh fails on it.
export KUTRACE_KERNEL=debug-6.1 KERNEL=debug-6.1
tests/guest/test_newer.sh
newer=$?
tests/guest/test_fault_end.sh
fault_end=$?
tests/guest/test_direct.sh && [ $newer = 0 ] && [ $fault_end = 0 ]
