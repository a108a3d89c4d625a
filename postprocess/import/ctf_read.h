/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads values of CTF types from the bits of a packet. Must not read outside of the loaded bytes or past
 * the end of the packet's content.
 */
#ifndef KP_IMPORT_CTF_READ_H
#define KP_IMPORT_CTF_READ_H

#include "import/ctf_type.h"
#include "import/ctf_want.h"

enum kp_ctf_read {
	KP_CTF_OK,
	KP_CTF_MORE,		/* the value ends after the loaded bytes, in the packet: load more */
	KP_CTF_CUT,		/* the value ends after the packet's content */
	KP_CTF_NO_OPTION,	/* a variant's tag selects none of its options */
	KP_CTF_UNKNOWN,		/* no class has the event's id (set by import/ctf_source.c) */
};

/* A position in a packet. Bits are numbered from its beginning. */
struct kp_ctf_cursor {
	const uint8_t *data;	/* the loaded bytes */
	uint64_t from, have;	/* first loaded bit, a multiple of 8; last loaded bit + 1 */
	uint64_t at, end;	/* next bit; last bit of the content + 1 */
	uint64_t clock;		/* time at the cursor, in units of the trace's clock */
	struct kp_ctf_values *all;	/* wanted values that have been read */
};

/* Reads one value of @type at the cursor. @type NULL: reads nothing. */
enum kp_ctf_read kp_ctf_read(struct kp_ctf_cursor *cursor, const struct kp_ty *type);

#endif
