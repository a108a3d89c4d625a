// SPDX-License-Identifier: BSD-3-Clause
/*
 * Counts waits (export/waiting.h).
 */
#include "export/waiting.h"

#include <stdlib.h>

#include "base/memory.h"

static bool ends_earlier(void *self, const int64_t *a, const int64_t *b)
{
	(void)self;
	return *a < *b;
}

KP_HEAP(ends, int64_t, void *, ends_earlier)

int kp_waiting_begin(struct kp_waiting *waiting, int64_t end)
{
	int64_t *last = KP_PUSH(&waiting->ends);

	if (!last)
		return -1;
	*last = end;
	ends_up(NULL, waiting->ends.items, waiting->ends.count - 1);
	return 0;
}

bool kp_waiting_until(struct kp_waiting *waiting, int64_t now,
		      void (*say)(void *self, int64_t at, size_t waiting), void *self)
{
	int64_t *items = waiting->ends.items;
	bool fewer_now = false;

	while (waiting->ends.count && items[0] <= now) {
		const int64_t at = items[0];

		items[0] = items[--waiting->ends.count];
		ends_down(NULL, items, waiting->ends.count, 0);
		fewer_now = at == now;
		/* several may end at the same time */
		if (!fewer_now && !(waiting->ends.count && items[0] == at))
			say(self, at, waiting->ends.count);
	}
	return fewer_now;
}

void kp_waiting_free(struct kp_waiting *waiting)
{
	free(waiting->ends.items);
}
