/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the kp_unpage*.c files and nobody else: see kp_unpage.h. */
#ifndef KP_UNPAGE_INT_H
#define KP_UNPAGE_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <zlib.h>

/*
 * The bytes of one data element: base64 at offset of fd, inflated piece by
 * piece, read as varints. Holds some 50 KB while open.
 */
struct kp_unpack {
	int fd;
	off_t offset, end;	/* of the base64 text not read yet */
	uint64_t left;		/* inflated bytes that must still come */
	z_stream z;
	bool open, finished;
	uint32_t digits;	/* of base64, not yet a whole group */
	int digit_count;
	bool padded;		/* '=' was there */
	uint8_t text[4096];
	size_t text_used, text_len;
	uint8_t packed[3072];
	uint8_t plain[4096];
	size_t plain_used, plain_len;
	const char *fault;	/* why it is broken */
};

/* 0, or -1 without memory. bytes: what it must inflate to. */
int kp_unpack_open(struct kp_unpack *u, int fd, off_t offset, off_t end, uint64_t bytes);
void kp_unpack_close(struct kp_unpack *u);

/* These return 0, or -1 with u->fault set. */
int kp_unpack_varint(struct kp_unpack *u, uint64_t *value);
int kp_unpack_bytes(struct kp_unpack *u, char *to, size_t len);
/* All announced bytes were read, and the stream ends with them, checksum right. */
int kp_unpack_end(struct kp_unpack *u);

static inline int64_t kp_unzigzag(uint64_t value)
{
	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/*
 * Offset of needle in fd in [from, end), or -1 (not there), -2 (read error, errno
 * set; EINTR after a signal).
 */
off_t kp_unpage_find(int fd, off_t from, off_t end, const char *needle);

/*
 * The JSON inside the JavaScript string that begins at offset (behind its quote),
 * as a stream that ends at the closing quote. NULL without memory.
 */
FILE *kp_unstring_stream(int fd, off_t offset);

#endif
