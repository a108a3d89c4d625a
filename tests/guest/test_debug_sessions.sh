#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 2400
# takes: 300
# needs: debug
# full
#
# Switches, filters and triggers of sessions pass their tests on the debug kernel (see
# test_debug).
export KUTRACE_PATCHED_CONFIG=debug
tests/guest/test_switches.sh
switches=$?
tests/guest/test_triggers.sh && [ $switches = 0 ]
