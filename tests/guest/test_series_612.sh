#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 6000
# full
#
# The patches for Linux 6.12 apply, pass checkpatch, build one by one, and change nothing while
# configured off (test_series.sh).
export KUTRACE_PATCHED_KVER=6.12
exec tests/guest/test_series.sh
