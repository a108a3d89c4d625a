// SPDX-License-Identifier: GPL-2.0-only
/*
 * A rate limit per user, without locks: a user's word is the time at which the marks
 * made so far would have been due, had they come evenly; one that would be due more
 * than a burst ahead of now is one too many. Users whose numbers fall together share.
 */
#include <linux/atomic.h>
#include <linux/cred.h>
#include <linux/hash.h>
#include <linux/ktime.h>
#include <linux/math64.h>

#include "ku_rate.h"

#define KU_RATE_BITS	6
#define KU_RATE_BURST_NS (NSEC_PER_SEC / 10)

static atomic64_t ku_rate_due[1 << KU_RATE_BITS];

bool ku_rate_allows(unsigned int rate)
{
	atomic64_t *due = &ku_rate_due[hash_32(__kuid_val(current_uid()), KU_RATE_BITS)];
	s64 now, was, next;

	if (!rate)
		return true;
	now = ktime_get_ns();
	was = atomic64_read(due);
	do {
		next = max(was, now) + div_u64(NSEC_PER_SEC, rate);
		if (next - now > KU_RATE_BURST_NS && next - now > div_u64(NSEC_PER_SEC, rate))
			return false;
	} while (!atomic64_try_cmpxchg(due, &was, next));
	return true;
}
