#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 2700
# takes: 140
# full
# needs: debug
#
# Names pass test_names.sh on the debug kernel (see test_debug.sh): names that come and go, and many
# threads that rename themselves. KASAN checks every access to the name table.
export KUTRACE_PATCHED_CONFIG=debug
exec tests/guest/test_names.sh
