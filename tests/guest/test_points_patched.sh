#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 4200
# needs: patched
#
# On the patched kernel, typed tracepoints are recorded hit by hit (test_points.sh).
KERNEL=patched exec tests/guest/test_points.sh
