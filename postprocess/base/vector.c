// SPDX-License-Identifier: BSD-3-Clause
/*
 * Arrays that grow, see base/vector.h. If memory runs out, the array must stay unchanged.
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
