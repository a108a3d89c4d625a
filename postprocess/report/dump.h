/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An annotated dump of the blocks of a raw trace: every word, where it is, in hex,
 * and what it says. Called by kuod. It is for traces that nothing else reads, so
 * it must never refuse one: it trusts no flag and no time, and shows what is there.
 */
#ifndef KP_DUMP_H
#define KP_DUMP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct kp_dump {
	uint64_t first, last;	/* blocks to show, set by the caller */
	/* afterwards */
	uint64_t blocks;	/* whole ones read */
	uint64_t rest_bytes;	/* of a last one that is cut off */
	bool shown_any;
	char message[256];	/* when something failed */
};

/* Reads in from where it stands, once, front to back. 0, or -1 with message. */
int kp_dump(struct kp_dump *dump, FILE *in, FILE *out);

#endif
