// SPDX-License-Identifier: BSD-3-Clause
/*
 * Records whether an allocation has failed, see base/memory.h.
 */
#include "base/memory.h"

#include <stddef.h>

static bool failed;

void *kp_allocated(void *what)
{
	/* Relaxed: kp_finish() reads it only after all threads were joined. */
	if (!what)
		__atomic_store_n(&failed, true, __ATOMIC_RELAXED);
	return what;
}

bool kp_memory_failed(void)
{
	return __atomic_load_n(&failed, __ATOMIC_RELAXED);
}
