#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 4200
# takes: 150
# needs: debug
# ci
#
# The tests of the patched kernel pass on the debug kernel, which has KASAN, PROVE_LOCKING,
# PROVE_RCU, DEBUG_ATOMIC_SLEEP and DEBUG_PREEMPT. Their reports are in the kernel's log, and
# boot.sh fails if there is one.
export KUTRACE_PATCHED_CONFIG=debug
exec tests/guest/test_patched.sh
