#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1500
# takes: 20
# needs: patched
# ci
#
# A trace of the patched kernel equals the kernel's counters (test_exact.sh).
KERNEL=patched exec tests/guest/test_exact.sh
