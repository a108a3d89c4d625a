#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 900
# takes: 15
# needs: patched
#
# Who gets what of the control system call: see test_privilege.sh.
export KUTRACE_PATCHED_CONFIG=stripped
exec tests/guest/test_privilege.sh "$@"
