#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 900
# takes: 300
# needs: debug
# full
#
# The bytes that typed tracepoints look at, on the kernel that checks itself: see
# test_debug.sh. The locks that writing them takes are many, and lockdep looks at them here.
export KUTRACE_PATCHED_CONFIG=debug
exec tests/guest/test_points_bytes.sh
