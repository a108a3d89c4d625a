/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints every word of the blocks of a raw trace: its index, the word in hex, and its meaning.
 * Serves to examine traces that other programs reject. Must accept every trace, so it does not rely
 * on flags and times.
 */
#ifndef KP_DUMP_H
#define KP_DUMP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct kp_dump {
	uint64_t first, last;	/* numbers of the first and last block to show, set by the caller */
	/* results: */
	uint64_t blocks;	/* number of complete blocks that were read */
	uint64_t rest_bytes;	/* size of an incomplete last block */
	bool shown_any;
	char message[256];	/* message after a failure */
};

/* Reads @in once, from its current position. Returns 0, or -1 and sets the message. */
int kp_dump(struct kp_dump *dump, FILE *in, FILE *out);

#endif
