#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 4200
# takes: 300
# full
#
# test_exact_direct.sh on a kernel that clang compiled with checks of types. QEMU's CPU has no indirect branch
# tracking: the caller checks the type of the function (kCFI).
KERNEL=cfi-6.12 exec tests/guest/test_exact_direct.sh
