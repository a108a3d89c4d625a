#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 4200
# needs: patched
#
# test_points.sh on the patched kernel.
KERNEL=patched exec tests/guest/test_points.sh
