#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1500
# takes: 120
# ci
#
# What test_exact.sh asks, of system calls by direct hooks: the kernel's counters, the workload's own
# and strace's are what the trace has.
export KUTRACE_SYSCALLS=direct
exec tests/guest/test_exact.sh
