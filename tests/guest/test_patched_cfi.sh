#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 4200
# takes: 300
# full
#
# The patch set for Linux 6.12, compiled by clang with checks of types and with the entry code of CPUs with FRED.
# No emulator here has FRED: that code is compiled, and does not run.
export KUTRACE_PATCHED_KVER=6.12 KUTRACE_PATCHED_CONFIG=cfi
exec tests/guest/test_patched.sh
