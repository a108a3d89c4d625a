#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 3000
# full
#
# The patched kernel's own tests pass on Linux 6.12, as test_kunit.sh has them for 6.1.
export KUTRACE_PATCHED_KVER=6.12
exec tests/guest/test_kunit.sh
