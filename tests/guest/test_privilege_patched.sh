#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 900
# takes: 15
# needs: patched
#
# Each kind of user gets from the control system call of the patched kernel what docs/guide/security.md
# lists (see test_privilege.sh).
export KUTRACE_PATCHED_CONFIG=stripped
exec tests/guest/test_privilege.sh "$@"
