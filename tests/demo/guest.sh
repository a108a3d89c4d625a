#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs the demo's part inside the guest: loads the module, records the workload, unloads. boot.sh
# runs it there and brings /out back.
set -e
insmod /lib/kutrace.ko
kutrace_control run -o /out/demo.trace -- workload --disk /dev/vdb >/out/workload.txt
rmmod kutrace
