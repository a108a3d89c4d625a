#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 3000
# takes: 40
# full
#
# A trace equals the kernel's counters on a kernel with the tracepoints of
# kernel-patches/tracepoints (test_exact.sh).
KERNEL=tracepoints-6.1 exec tests/guest/test_exact.sh
