// SPDX-License-Identifier: BSD-3-Clause
/*
 * Decodes a data element of a page: base64, zlib, varints. Must not trust the announced length, the
 * base64 digits or the zlib stream.
 */
#include "page/unpack.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int kp_unpack_open(struct kp_unpack *u, int fd, off_t offset, off_t end, uint64_t bytes)
{
	memset(u, 0, sizeof(*u));
	u->fd = fd;
	u->offset = offset;
	u->end = end;
	u->left = bytes;
	if (inflateInit(&u->z) != Z_OK)
		return -1;
	u->open = true;
	return 0;
}

void kp_unpack_close(struct kp_unpack *u)
{
	if (u->open)
		inflateEnd(&u->z);
	u->open = false;
}

static int fault(struct kp_unpack *u, const char *why)
{
	if (!u->fault)
		u->fault = why;
	return -1;
}

static int digit(uint8_t c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static int read_text(struct kp_unpack *u)
{
	size_t want = sizeof(u->text);
	ssize_t n;

	if ((off_t)want > u->end - u->offset)
		want = (size_t)(u->end - u->offset);
	u->text_used = u->text_len = 0;
	if (!want)
		return 0;
	n = pread(u->fd, u->text, want, u->offset);
	if (n <= 0)
		return fault(u, n < 0 ? strerror(errno) : "the file became shorter");
	u->offset += n;
	u->text_len = (size_t)n;
	return 0;
}

/*
 * Decodes a group of digits into packed, from index @n on. Writes one byte fewer than the group has
 * digits. Returns the index after the bytes.
 */
static size_t put_group(struct kp_unpack *u, size_t n)
{
	uint32_t v = u->digits << (6 * (4 - u->digit_count));

	for (int i = 0; i + 1 < u->digit_count; i++)
		u->packed[n++] = (uint8_t)(v >> (16 - 8 * i));
	u->digits = 0;
	u->digit_count = 0;
	return n;
}

/* Decodes the next part of the base64 text into packed. */
static int read_packed(struct kp_unpack *u)
{
	size_t n = 0;

	if (u->text_used == u->text_len && read_text(u))
		return -1;
	while (u->text_used < u->text_len && n + 3 <= sizeof(u->packed)) {
		uint8_t c = u->text[u->text_used++];
		int d = digit(c);

		if (c == '=' && u->digit_count >= 2) {
			u->padded = true;
			continue;
		}
		if (d < 0 || u->padded)
			return fault(u, "not base64");
		u->digits = u->digits << 6 | (uint32_t)d;
		if (++u->digit_count == 4)
			n = put_group(u, n);
	}
	if (u->text_used == u->text_len && u->offset == u->end && u->digit_count) {
		if (u->digit_count == 1 || n + 3 > sizeof(u->packed))
			return fault(u, "base64 cut off");
		n = put_group(u, n);
	}
	if (!n)
		return fault(u, "zlib stream cut off");
	u->z.next_in = u->packed;
	u->z.avail_in = (uInt)n;
	return 0;
}

/* Inflates at least one more byte, unless the stream ends. */
static int inflate_more(struct kp_unpack *u)
{
	u->plain_used = u->plain_len = 0;
	while (!u->plain_len && !u->finished) {
		int status;

		if (!u->z.avail_in && read_packed(u))
			return -1;
		u->z.next_out = u->plain;
		u->z.avail_out = sizeof(u->plain);
		status = inflate(&u->z, Z_NO_FLUSH);
		if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
			return fault(u, "bad zlib stream");
		u->finished = status == Z_STREAM_END;
		u->plain_len = sizeof(u->plain) - u->z.avail_out;
	}
	return 0;
}

static int next_byte(struct kp_unpack *u, uint8_t *byte)
{
	if (!u->left)
		return fault(u, "more numbers than bytes");
	if (u->plain_used == u->plain_len) {
		if (inflate_more(u))
			return -1;
		if (!u->plain_len)
			return fault(u, "fewer bytes than announced");
	}
	u->left--;
	*byte = u->plain[u->plain_used++];
	return 0;
}

int kp_unpack_varint(struct kp_unpack *u, uint64_t *value)
{
	uint64_t v = 0;
	uint8_t byte;

	for (int shift = 0; ; shift += 7) {
		if (shift > 63)
			return fault(u, "a number of more than 64 bits");
		if (next_byte(u, &byte))
			return -1;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			break;
	}
	*value = v;
	return 0;
}

int kp_unpack_bytes(struct kp_unpack *u, char *to, size_t len)
{
	uint8_t byte;

	for (size_t i = 0; i < len; i++) {
		if (next_byte(u, &byte))
			return -1;
		to[i] = (char)byte;
	}
	return 0;
}

int kp_unpack_end(struct kp_unpack *u)
{
	if (u->left || u->plain_used != u->plain_len)
		return fault(u, "more bytes than numbers");
	while (!u->finished) {
		if (inflate_more(u))
			return -1;
		if (u->plain_len)
			return fault(u, "more bytes than announced");
	}
	if (u->z.avail_in || u->text_used != u->text_len || u->offset != u->end)
		return fault(u, "more data after the zlib stream");
	return 0;
}
