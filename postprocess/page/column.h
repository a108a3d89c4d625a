/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Growing byte buffers for the columns of a page, with values as varints.
 */
#ifndef KP_PAGE_COLUMN_H
#define KP_PAGE_COLUMN_H

#include <stddef.h>
#include <stdint.h>

#include "base/number.h"

struct kp_bytes {
	uint8_t *data;
	size_t len, cap;	/* bytes */
};

/* Makes room for @more bytes. Returns 0 or -ENOMEM. */
int kp_bytes_reserve(struct kp_bytes *bytes, size_t more);
void kp_bytes_free(struct kp_bytes *bytes);

/* Appends @value. The caller must have reserved KP_VARINT_MAX bytes. */
static inline void kp_put_varint(struct kp_bytes *bytes, uint64_t value)
{
	uint8_t *end = kp_varint_put(bytes->data + bytes->len, value);

	bytes->len = (size_t)(end - bytes->data);
}

#endif
