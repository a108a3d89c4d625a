#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 4200
# takes: 25
# needs: patched
# ci
#
# On the patched kernel, scripts read each block once through the device files (test_ttrace.sh).
KERNEL=patched exec tests/guest/test_ttrace.sh
