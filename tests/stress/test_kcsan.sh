#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 3600
# takes: 600
# full
#
# Rounds of `make stress` on a kernel that looks for data races (KCSAN, strict): accesses of two CPUs to the same memory of which
# one is a plain one, in the functions of kutrace. A report is a finding, and so is a round in which nothing was looked at.
. tests/guest/lib.sh
. tests/stress/rounds.inc
guest_begin kcsan
found=$(kernel-patches/build.sh --config kcsan 2>"$OUT/build.log") || { fail "the kernel is built" "$(tail -n 3 "$OUT/build.log")"; tap_end; }
eval "$found"
between "places of the module that KCSAN looks at" "$(objdump -dr "$KO" | grep -c '__tsan_\(un\)\{0,1\}\(aligned_\)\{0,1\}\(read\|write\|volatile\)')" 1000 1000000
for class in futex fork interrupt; do
	ok "$class: nothing was found" stress --seed 41 --rounds 1 --kernels kcsan-6.1 --cpus 2 --classes $class --tenths 60 --limit 900
	like "$class: and it ran" "$(cat "$OUT/log")" '^round 1: kcsan-6.1, 2 CPUs, .* [1-9][0-9]* of [1-9][0-9]* actions, 0 findings'
done
tap_end
