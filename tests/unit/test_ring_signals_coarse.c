// SPDX-License-Identifier: BSD-3-Clause
/*
 * Runs test_ring_signals.c with a clock of 16 TSC counts. Many calls return in the same count,
 * and these returns are merged as well.
 */
#define KU_COARSE_CLOCK 1
#define KU_ADDRESS_SCALES 0
#include "test_ring_signals.c"
