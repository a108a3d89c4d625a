/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many wait, over time, of waits that come in the order in which they begin. Holds those
 * only that have not ended. Called by export/perfetto.c.
 */
#ifndef KP_EXPORT_WAITING_H
#define KP_EXPORT_WAITING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"

struct kp_waiting {
	KP_VECTOR(int64_t) ends;	/* of those that wait, a heap; zeroed: nobody does */
};

/* One more waits, until end. 0, or -1 without memory. */
int kp_waiting_begin(struct kp_waiting *waiting, int64_t end);

/*
 * Ends what ends by now; say is told how many wait from each such time on, but for now itself,
 * at which more may begin: whether there are fewer then is returned.
 */
bool kp_waiting_until(struct kp_waiting *waiting, int64_t now,
		      void (*say)(void *self, int64_t at, size_t waiting), void *self);
void kp_waiting_free(struct kp_waiting *waiting);

#endif
