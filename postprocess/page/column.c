// SPDX-License-Identifier: BSD-3-Clause
/*
 * Growing byte buffers for the columns of a page.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "page/column.h"

/*
 * Buffers of twice this size or more grow by this, so that the unused memory of all buffers stays
 * small.
 */
#define STEP_BYTES (64u << 10)

int kp_bytes_reserve(struct kp_bytes *bytes, size_t more)
{
	size_t cap = bytes->cap;
	uint8_t *data;

	if (bytes->cap - bytes->len >= more)
		return 0;
	if (more > SIZE_MAX / 4 || bytes->len > SIZE_MAX / 4)
		return -ENOMEM;
	while (cap - bytes->len < more)
		cap += !cap ? 4096 : cap < 2 * STEP_BYTES ? cap / 2 : STEP_BYTES;
	data = realloc(bytes->data, cap);
	if (!data)
		return -ENOMEM;
	bytes->data = data;
	bytes->cap = cap;
	return 0;
}

void kp_bytes_free(struct kp_bytes *bytes)
{
	free(bytes->data);
	memset(bytes, 0, sizeof(*bytes));
}
