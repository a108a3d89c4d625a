// SPDX-License-Identifier: BSD-3-Clause
/*
 * Columns of the page's data as bytes: growing buffers, deflate, base64.
 * Called by kp_page.c; must never keep more than one column's worth of output.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kp_page_int.h"

/* Level 4 costs a third of level 6's time here for 3 % more bytes. */
#define PACK_LEVEL 4

/* A buffer that is larger grows by that: what is unused of all must stay small. */
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

int kp_packer_open(struct kp_packer *packer)
{
	memset(packer, 0, sizeof(*packer));
	if (deflateInit2(&packer->z, PACK_LEVEL, Z_DEFLATED, 15, 9,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	packer->open = true;
	return 0;
}

void kp_packer_close(struct kp_packer *packer)
{
	if (packer->open)
		deflateEnd(&packer->z);
	packer->open = false;
}

/* len bytes, of which all but the last call's are a multiple of 3. */
static int write_base64(const uint8_t *in, size_t len, FILE *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char text[4096];
	size_t n = 0;

	for (size_t i = 0; i < len; i += 3) {
		size_t left = len - i;
		uint32_t v = (uint32_t)in[i] << 16 |
			     (left > 1 ? (uint32_t)in[i + 1] << 8 : 0) |
			     (left > 2 ? (uint32_t)in[i + 2] : 0);

		text[n++] = digits[v >> 18];
		text[n++] = digits[v >> 12 & 63];
		text[n++] = left > 1 ? digits[v >> 6 & 63] : '=';
		text[n++] = left > 2 ? digits[v & 63] : '=';
		if (n == sizeof(text) || left <= 3) {
			if (fwrite(text, 1, n, out) != n)
				return errno ? -errno : -EIO;
			n = 0;
		}
	}
	return 0;
}

int kp_packer_write(struct kp_packer *packer, const struct kp_bytes *bytes, FILE *out)
{
	uint8_t buf[3 * 16384];
	size_t kept = 0, done = 0;
	int rc, status;

	deflateReset(&packer->z);
	do {
		size_t part = bytes->len - done;

		/* avail_in is 32 bits wide; a column is far below, a name may not be */
		if (part > 1u << 30)
			part = 1u << 30;
		packer->z.next_in = bytes->data + done;
		packer->z.avail_in = (uInt)part;
		done += part;
		do {
			size_t whole;

			packer->z.next_out = buf + kept;
			packer->z.avail_out = (uInt)(sizeof(buf) - kept);
			status = deflate(&packer->z,
					 done == bytes->len ? Z_FINISH : Z_NO_FLUSH);
			if (status == Z_STREAM_ERROR)
				return -EIO;
			kept = sizeof(buf) - packer->z.avail_out;
			whole = status == Z_STREAM_END ? kept : kept - kept % 3;
			rc = write_base64(buf, whole, out);
			if (rc)
				return rc;
			memmove(buf, buf + whole, kept - whole);
			kept -= whole;
		} while (packer->z.avail_in || packer->z.avail_out == 0);
	} while (status != Z_STREAM_END);
	return 0;
}
