/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Nanoseconds and counts of the time counter, from one to the other. Times come from
 * users and from the kernel's own clocks, so they can be anything: what does not fit is
 * the largest number. Any context, NMI included.
 */
#ifndef KU_TIME_H
#define KU_TIME_H

#ifdef __KERNEL__
#include <linux/math64.h>
#endif

#include "core/env.h"

/* value * mul / div. A quotient of more than 64 bits would be a trap of the processor. */
static __always_inline u64 ku_scale(u64 value, u64 mul, u64 div)
{
	if (mul_u64_u64_shr(value, mul, 64) >= div)
		return ~0ULL;
	return mul_u64_u64_div_u64(value, mul, div);
}

/* Counts of so many units of a counter of so many kHz. */
static __always_inline u64 ku_scale_ns(u64 ns, u64 khz, u32 shift)
{
	return ku_scale(ns, khz, 1000000) >> shift;
}

static __always_inline u64 ku_scale_counts(u64 counts, u64 khz, u32 shift)
{
	return ku_scale(counts > ~0ULL >> shift ? ~0ULL : counts << shift, 1000000, khz);
}

/*
 * A duration that the kernel has cast to int on its way to us, as it does that of an
 * NMI's handler: negative from 2.147 s on, right up to 4.294 s.
 */
static __always_inline u64 ku_int_ns(s64 ns)
{
	return ns < 0 ? (u32)ns : (u64)ns;
}

#endif
