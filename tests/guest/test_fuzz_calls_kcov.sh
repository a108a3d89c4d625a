#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 3900
# takes: 150
# needs: debugstock
# ci
#
# test_fuzz_calls.sh on the kernel without patches that checks itself and says which of the module's code a call has
# reached (KCOV): the module as it attaches to a stock kernel, called at random, guided by that.
export KERNEL=debug-6.1
exec tests/guest/test_fuzz_calls.sh
