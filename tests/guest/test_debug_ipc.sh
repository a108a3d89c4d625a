#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 2400
# takes: 300
# needs: debug
# full
#
# Counters pass test_ipc.sh on the debug kernel. perf and CPU hotplug take and release them, under
# locks of the kernel and of the module.
export KUTRACE_PATCHED_CONFIG=debug
exec tests/guest/test_ipc.sh
