#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 6000
# full
#
# The patch set for Linux 7.2: as a maintainer looks at it, as test_series.sh has it for 6.1.
export KUTRACE_PATCHED_KVER=7.2
exec tests/guest/test_series.sh
