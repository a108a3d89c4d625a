// SPDX-License-Identifier: BSD-3-Clause
/*
 * Runs test_ring_dual.c with a clock so coarse that a call and its return can be in the same
 * count.
 */
#define KU_COARSE_CLOCK 1
#define KU_ADDRESS_SCALES 0
#include "test_ring_dual.c"
