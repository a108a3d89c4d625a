#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 900
# takes: 20
# needs: debug
# ci
#
# Users who may only mark pass test_users.sh on the debug kernel (see test_debug.sh). Their
# resources are freed while others read them.
export KUTRACE_PATCHED_CONFIG=debug
exec tests/guest/test_users.sh
