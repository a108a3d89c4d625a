/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads values of CTF types from the bits of a packet. Must never read outside of what is at hand,
 * nor behind the packet's content. Used by import/ctf_source.c.
 */
#ifndef KP_IMPORT_CTF_READ_H
#define KP_IMPORT_CTF_READ_H

#include "import/ctf_type.h"
#include "import/ctf_want.h"

enum kp_ctf_read {
	KP_CTF_OK,
	KP_CTF_MORE,		/* it goes on in the packet, behind what is at hand */
	KP_CTF_CUT,		/* it goes on behind the packet's end */
	KP_CTF_NO_OPTION,	/* a variant's tag says none of its options */
	KP_CTF_UNKNOWN,		/* an event's id is none: said by import/ctf_source.c */
};

/* Where in a packet; bits count from its beginning. */
struct kp_ctf_cursor {
	const uint8_t *data;	/* what is at hand */
	uint64_t from, have;	/* of which bits: from, a multiple of 8, up to have */
	uint64_t at, end;	/* the next one; the packet's last, + 1 */
	uint64_t clock;
	struct kp_ctf_values *all;
};

/* One value of that type, which may be NULL: nothing. */
enum kp_ctf_read kp_ctf_read(struct kp_ctf_cursor *cursor, const struct kp_ty *type);

#endif
