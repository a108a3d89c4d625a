/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much of what takes long a unit test does: all of it, or with $KUTRACE_FAST, as in
 * make check and check-fast, every tenth. Included by such tests.
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <stdlib.h>

/* 1, or 10 where a sample is enough: how far from one input to the next. */
static inline unsigned int sample_step(void)
{
	return getenv("KUTRACE_FAST") ? 10 : 1;
}

/* That many, or every tenth of them. */
static inline unsigned int sample_of(unsigned int all)
{
	return all / sample_step();
}

#endif
