#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1500
# takes: 20
# needs: patched
# ci
#
# test_exact.sh on the patched kernel.
KERNEL=patched exec tests/guest/test_exact.sh
