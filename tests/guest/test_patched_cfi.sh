#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 4200
# takes: 300
# full
#
# The patched kernel 6.12, compiled by clang with type checks and with the entry code of CPUs with
# FRED, passes test_patched.sh. The code for FRED is only compiled, because no emulator here has
# FRED.
export KUTRACE_PATCHED_KVER=6.12 KUTRACE_PATCHED_CONFIG=cfi
exec tests/guest/test_patched.sh
