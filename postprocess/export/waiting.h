/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts how many waits there are at each time. Waits must come in the order of their beginnings.
 * Holds only the waits that have not ended.
 */
#ifndef KP_EXPORT_WAITING_H
#define KP_EXPORT_WAITING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

struct kp_waiting {
	KP_VECTOR(int64_t) ends;	/* ends of the waits, a heap; zeroed: none */
};

/* Adds a wait until @end. Returns 0, or -1 without memory. */
int kp_waiting_begin(struct kp_waiting *waiting, int64_t end);

/*
 * Ends the waits up to @now. Calls @say with the remaining number for each end before @now. Returns
 * whether waits ended exactly at @now: the caller reports that time itself, because other waits may
 * begin then.
 */
bool kp_waiting_until(struct kp_waiting *waiting, int64_t now,
		      void (*say)(void *self, int64_t at, size_t waiting), void *self);
void kp_waiting_free(struct kp_waiting *waiting);

#endif
