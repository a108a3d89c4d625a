#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 4200
# takes: 300
# full
#
# Direct hooks and tracepoints work on a kernel that clang compiled with type checks (FineIBT; see
# test_ibt.sh).
KERNEL=cfi-6.12 exec tests/guest/test_ibt.sh
