#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 4200
# takes: 150
# needs: debug
# ci
#
# The tests of the patched kernel on one that checks itself: KASAN, PROVE_LOCKING,
# PROVE_RCU, DEBUG_ATOMIC_SLEEP, DEBUG_PREEMPT. What these find stands in the
# kernel's log, and boot.sh fails on it.
export KUTRACE_PATCHED_CONFIG=debug
exec tests/guest/test_patched.sh
