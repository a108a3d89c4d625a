#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1500
# takes: 300
# needs: debug
# full
#
# The control system call passes test_call.sh on the debug kernel (see test_debug.sh).
export KUTRACE_PATCHED_CONFIG=debug
exec tests/guest/test_call.sh
