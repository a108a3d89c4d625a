#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 2400
# takes: 300
# needs: debug
# full
#
# Counters, as in test_ipc.sh, on the kernel that checks itself: they are taken and given
# back by perf and by CPU hotplug, under locks of theirs and of ours.
export KUTRACE_PATCHED_CONFIG=debug
exec tests/guest/test_ipc.sh
