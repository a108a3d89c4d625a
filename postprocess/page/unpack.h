/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bytes of one data element of a page, unpacked piece by piece.
 */
#ifndef KP_PAGE_UNPACK_H
#define KP_PAGE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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

#endif
