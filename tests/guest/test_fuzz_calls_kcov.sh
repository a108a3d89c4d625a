#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 3900
# takes: 150
# needs: debugstock
# ci
#
# Random calls do no harm on an unpatched debug kernel either (test_fuzz_calls.sh). The module
# attaches to it as to a stock kernel, and KCOV reports the module's code that a call has reached,
# which guides the choice of calls.
export KERNEL=debug-6.1
exec tests/guest/test_fuzz_calls.sh
