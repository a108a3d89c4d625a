#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 6000
# full
#
# The patch set for Linux 6.12: as a maintainer looks at it, as test_series.sh has it for 6.1.
export KUTRACE_PATCHED_KVER=6.12
exec tests/guest/test_series.sh
