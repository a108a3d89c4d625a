#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 3000
# full
#
# The patched kernel 6.12 records every hook and the workload, as test_patched.sh has them for 6.1.
export KUTRACE_PATCHED_KVER=6.12
exec tests/guest/test_patched.sh
