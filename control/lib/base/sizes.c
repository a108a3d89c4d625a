// SPDX-License-Identifier: BSD-3-Clause
/*
 * Copies structs between a program and the library, which may have other versions of a struct: a
 * new member makes the struct longer. Must not touch a byte beyond the program's length, or ignore
 * a request of a newer program.
 */
#include "lib/base/sizes.h"

#include <errno.h>
#include <string.h>

void ku_copy_out(void *to, size_t to_bytes, const void *from, size_t from_bytes)
{
	size_t common = ku_common(to_bytes, from_bytes);

	if (!to)
		return;
	memcpy(to, from, common);
	memset((char *)to + common, 0, to_bytes - common);
}

int ku_copy_in(void *to, size_t to_bytes, const void *from, size_t from_bytes)
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
