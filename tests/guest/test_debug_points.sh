#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 900
# takes: 300
# needs: debug
# full
#
# The bytes of typed tracepoints pass test_points_bytes.sh on the debug kernel (see test_debug.sh).
# Writing them takes many locks, whose order lockdep checks.
export KUTRACE_PATCHED_CONFIG=debug
exec tests/guest/test_points_bytes.sh
