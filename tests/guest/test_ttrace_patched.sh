#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 4200
# takes: 25
# needs: patched
# ci
#
# test_ttrace.sh on the patched kernel.
KERNEL=patched exec tests/guest/test_ttrace.sh
