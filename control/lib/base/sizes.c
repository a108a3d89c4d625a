// SPDX-License-Identifier: BSD-3-Clause
/*
 * Structs that a program and the library both know, but perhaps not of the
 * same age: a new member makes them longer at their ends. So every function that reads or
 * fills one is told how long the program's is. Must never touch a byte beyond that, nor
 * pass over in silence what a newer program asks for. Called by those functions.
 */
#include "lib/base/sizes.h"

#include <errno.h>
#include <string.h>

void ku_give(void *to, size_t to_bytes, const void *from, size_t from_bytes)
{
	size_t common = ku_common(to_bytes, from_bytes);

	if (!to)
		return;
	memcpy(to, from, common);
	memset((char *)to + common, 0, to_bytes - common);
}

int ku_take(void *to, size_t to_bytes, const void *from, size_t from_bytes)
{
	size_t common = from ? ku_common(to_bytes, from_bytes) : 0, i;

	if (common)
		memcpy(to, from, common);
	memset((char *)to + common, 0, to_bytes - common);
	for (i = common; from && i < from_bytes; i++)
		if (((const char *)from)[i])
			return -E2BIG;
	return 0;
}
