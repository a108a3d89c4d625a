/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Converts nanoseconds to counts of the time counter, and back. Times come from users and from the
 * kernel's clocks, so any value is possible: a result that does not fit becomes the largest number.
 * Context: any, including NMI.
 */
#ifndef KU_TIME_H
#define KU_TIME_H

#ifdef __KERNEL__
#include <linux/math64.h>
#endif

#include "core/env.h"

/* Tolerance for the duration of a suspend, by a clock that may count whole seconds only. */
#define KU_SUSPENDED_SLACK_NS	4000000000ULL

/* Two clocks agree if they differ by at most SLACK plus one part in PARTS. */
#define KU_PACE_PARTS		1000
#define KU_PACE_SLACK_NS	10000000ULL

/*
 * Returns value * mul / div, or ~0 if the result has more than 64 bits: the division would trap on
 * x86.
 */
static __always_inline u64 ku_scale(u64 value, u64 mul, u64 div)
{
	if (mul_u64_u64_shr(value, mul, 64) >= div)
		return ~0ULL;
	return mul_u64_u64_div_u64(value, mul, div);
}

/* Returns @ns in counts of a counter of @khz kHz, shifted right by @shift; and the inverse. */
static __always_inline u64 ku_scale_ns(u64 ns, u64 khz, u32 shift)
{
	return ku_scale(ns, khz, 1000000) >> shift;
}

static __always_inline u64 ku_scale_counts(u64 counts, u64 khz, u32 shift)
{
	return ku_scale(counts > ~0ULL >> shift ? ~0ULL : counts << shift, 1000000, khz);
}

/*
 * Returns a duration that the kernel has cast to int, for example the duration of an NMI's handler:
 * such a value is negative from 2.147 s on. The result is right up to 4.294 s.
 */
static __always_inline u64 ku_int_ns(s64 ns)
{
	return ns < 0 ? (u32)ns : (u64)ns;
}

/*
 * The machine was suspended for @ns, and a counter went from @before to @now. Returns false if the
 * counter has restarted, and true if it counted on or stood still. A counter that has restarted may
 * have any value, usually a smaller one.
 */
static __always_inline bool ku_counter_went_on(u64 before, u64 now, u64 ns, u64 khz)
{
	return now >= before &&
	       now - before <= ku_scale_ns(ns + ns / 128 + KU_SUSPENDED_SLACK_NS, khz, 0);
}

/*
 * Returns true if a counter has kept pace with another clock: the counter went from @before to @now
 * while the other clock went on by @ns. Both readings together are exact to @window counts.
 */
static __always_inline bool ku_counter_kept_pace(u64 before, u64 now, u64 ns, u64 window, u64 khz)
{
	u64 counted, off;

	if (now < before)
		return false;
	counted = ku_scale_counts(now - before, khz, 0);
	off = counted > ns ? counted - ns : ns - counted;
	return off <= ns / KU_PACE_PARTS + KU_PACE_SLACK_NS + ku_scale_counts(window, khz, 0);
}

#endif
