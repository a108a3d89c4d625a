#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 4200
# takes: 300
# full
#
# test_ibt.sh on a kernel that clang compiled with checks of types (FineIBT).
KERNEL=cfi-6.12 exec tests/guest/test_ibt.sh
