// SPDX-License-Identifier: BSD-3-Clause
/*
 * Arrays that grow, see base/vector.h. Must leave the array as it is when memory runs out.
 * Called through its macros by whatever holds an unknown number of things.
 */
#include "base/vector.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"

int kp_vector_grow(void **items, size_t *cap, size_t size)
{
	size_t more = *cap + *cap / 2 + 16;
	void *bigger = more > SIZE_MAX / size ? NULL : realloc(*items, more * size);

	if (!kp_allocated(bigger))
		return -1;
	*items = bigger;
	*cap = more;
	return 0;
}
