// SPDX-License-Identifier: BSD-3-Clause
/* Whether an allocation has failed, see base/memory.h. Called by whatever allocates. */
#include "base/memory.h"

#include <stddef.h>

static bool failed;

void *kp_allocated(void *what)
{
	/* Threads have been joined when it is asked for, so nothing else has to be ordered by it. */
	if (!what)
		__atomic_store_n(&failed, true, __ATOMIC_RELAXED);
	return what;
}

bool kp_memory_failed(void)
{
	return __atomic_load_n(&failed, __ATOMIC_RELAXED);
}
