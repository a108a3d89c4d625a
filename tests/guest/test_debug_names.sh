#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 2700
# takes: 140
# full
# needs: debug
#
# Names that come and go, and many threads that rename themselves, on the kernel that
# checks itself: see test_debug.sh. KASAN looks at every byte of the buffer here.
export KUTRACE_PATCHED_CONFIG=debug
exec tests/guest/test_names.sh
