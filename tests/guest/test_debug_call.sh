#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1500
# takes: 300
# needs: debug
# full
#
# The control system call on the kernel that checks itself: see test_debug.sh.
export KUTRACE_PATCHED_CONFIG=debug
exec tests/guest/test_call.sh
