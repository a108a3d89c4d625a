#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The demo's part inside the guest: load the module, record the workload, unload.
# boot.sh runs it there and brings /out back.
set -e
insmod /lib/kutrace.ko
kutrace_control run -o /out/demo.trace -- workload --disk /dev/vdb >/out/workload.txt
rmmod kutrace
