#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 900
# takes: 20
# needs: debug
# ci
#
# Users who may only mark, on the kernel that checks itself: see test_debug.sh. What is given
# back is freed here, while others look.
export KUTRACE_PATCHED_CONFIG=debug
exec tests/guest/test_users.sh
