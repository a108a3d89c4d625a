/* SPDX-License-Identifier: BSD-3-Clause */
/* Decodes one data element of a page in small parts. */
#ifndef KP_PAGE_UNPACK_H
#define KP_PAGE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <zlib.h>

/*
 * A data element that is being decoded: base64 text in a file, inflated and read as varints. Takes
 * about 50 KB while open.
 */
struct kp_unpack {
	int fd;
	off_t offset, end;	/* offsets of the remaining base64 text */
	uint64_t left;		/* number of inflated bytes that must still follow */
	z_stream z;
	bool open, finished;
	uint32_t digits;	/* base64 digits of an incomplete group */
	int digit_count;
	bool padded;		/* '=' was read */
	uint8_t text[4096];
	size_t text_used, text_len;
	uint8_t packed[3072];
	uint8_t plain[4096];
	size_t plain_used, plain_len;
	const char *fault;	/* description of the damage; NULL: no damage */
};

/* Opens an element. @bytes: expected length after inflating. Returns 0, or -1 without memory. */
int kp_unpack_open(struct kp_unpack *u, int fd, off_t offset, off_t end, uint64_t bytes);
void kp_unpack_close(struct kp_unpack *u);

/* The next three functions return 0, or -1 and set u->fault. */
int kp_unpack_varint(struct kp_unpack *u, uint64_t *value);
int kp_unpack_bytes(struct kp_unpack *u, char *to, size_t len);
/* Checks that all @bytes were read, and that the zlib stream and its checksum end there. */
int kp_unpack_end(struct kp_unpack *u);

#endif
