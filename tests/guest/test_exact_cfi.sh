#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 4200
# takes: 300
# full
#
# A trace equals the kernel's counters with direct hooks on a kernel that clang compiled with type
# checks (kCFI). QEMU's CPU has no indirect branch tracking, so the caller checks the type of the
# function.
KERNEL=cfi-6.12 exec tests/guest/test_exact_direct.sh
