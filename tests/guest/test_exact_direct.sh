#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1500
# takes: 120
# ci
#
# With direct hooks of system calls, a trace equals the kernel's counters, the workload's own counts
# and strace's counts (test_exact.sh).
export KUTRACE_SYSCALLS=direct
exec tests/guest/test_exact.sh
