// SPDX-License-Identifier: BSD-3-Clause
/*
 * test_ring_signals.c with returns merged in the same count, too: there, with a clock of 16
 * counts of the TSC, many calls return in the count in which they were made.
 */
#define KU_COARSE_CLOCK 1
#define KU_ADDRESS_SCALES 0
#include "test_ring_signals.c"
