#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 3600
# takes: 300
# needs: debugstock
# ci
#
# The module works on an unpatched debug kernel (KASAN, PROVE_LOCKING, PROVE_RCU,
# DEBUG_ATOMIC_SLEEP, DEBUG_PREEMPT), with the direct hooks of page faults and of system calls. It
# records three times and is loaded and unloaded, and then test_fault_end.sh and test_direct.sh run.
# boot.sh fails if the kernel's log has a report of the checks.
export KUTRACE_KERNEL=debug-6.1 KERNEL=debug-6.1
tests/guest/test_newer.sh
newer=$?
tests/guest/test_fault_end.sh
fault_end=$?
tests/guest/test_direct.sh && [ $newer = 0 ] && [ $fault_end = 0 ]
