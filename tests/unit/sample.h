/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Limits slow unit tests to a sample: with $KUTRACE_FAST, as in make check and check-fast,
 * every tenth input, otherwise all.
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <stdlib.h>

/* Returns the distance between tested inputs: 10 with $KUTRACE_FAST, otherwise 1. */
static inline unsigned int sample_step(void)
{
	return getenv("KUTRACE_FAST") ? 10 : 1;
}

/* Returns @all, or a tenth of it with $KUTRACE_FAST. */
static inline unsigned int sample_of(unsigned int all)
{
	return all / sample_step();
}

#endif
