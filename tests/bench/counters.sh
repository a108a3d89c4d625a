#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Builds the artificial counters (kutrace_test_pmu.c) that replace the hardware's in a guest, for a
# stock kernel.
#
#	tests/bench/counters.sh KDIR KVER KSUITE	prints the path of the module
#
# The arguments are those of tests/guest/module_build.sh. Exit status: 0; 1 with the end of the compiler's
# output.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
source=$build/bench/counters
mkdir -p "$source"
cp kernel-patches/files/kernel/kutrace/kutrace_test_pmu.c "$source/"
echo 'obj-m := kutrace_test_pmu.o' >"$source/Kbuild"
tests/guest/module_build.sh "$1" "$2" "$build" "$3" "$source" >"$source/log" 2>&1 || { tail -n 3 "$source/log" >&2; exit 1; }
echo "$build/module/$2/counters/kutrace_test_pmu.ko"
