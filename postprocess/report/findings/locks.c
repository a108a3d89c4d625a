// SPDX-License-Identifier: BSD-3-Clause
/* Collects attempts to take locks (report/findings/locks.h). Must not join attempts of two locks. */
#include "report/findings/locks.h"

static int by_lock(const void *a, const void *b)
{
	const struct kp_lock_try *x = a, *y = b;

	KP_COMPARE(x->lock, y->lock);
	KP_COMPARE(x->start, y->start);
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

int kp_lock_tries_find(struct kp_lock_tries *tries, const struct kp_why *why)
{
	memset(tries, 0, sizeof(*tries));
	for (size_t i = 0; i < why->pids.count; i++) {
		const struct kp_why_pid *pid = &why->pids.items[i];

		for (size_t k = 0; k < pid->tries.count; k++) {
			const struct kp_why_wait *wait = &pid->tries.items[k];

			if (KP_APPEND(&tries->list, (struct kp_lock_try){ wait->arg0, wait->start, wait->end, i, wait->name }))
				return -1;
		}
	}
	if (tries->list.count)
		qsort(tries->list.items, tries->list.count, sizeof(*tries->list.items), by_lock);
	return 0;
}

void kp_lock_tries_free(struct kp_lock_tries *tries)
{
	free(tries->list.items);
}
