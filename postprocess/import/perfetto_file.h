/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets of a Perfetto trace, one after the other, also those that are packed (zlib) in others;
 * and any of them once more. Knows nothing of what is in them. Used by import/perfetto_import.c.
 */
#ifndef KP_IMPORT_PERFETTO_FILE_H
#define KP_IMPORT_PERFETTO_FILE_H

#include <stdio.h>

#include "import/proto_read.h"

#define KP_PF_IN_PACKET_MAX	(64u << 20)	/* bytes of one */

/* Where a packet is: in the trace, or in the copy of what was packed. */
struct kp_pf_place {
	uint64_t offset;
	uint32_t bytes;
	bool unpacked;
};

struct kp_pf_file {
	FILE *file, *unpacked;	/* NULL: nothing was packed */
	uint64_t bytes;		/* of the trace */
	uint64_t unpacked_bytes;
	uint64_t packets;
	uint8_t *room;		/* what is read ahead */
	size_t room_bytes, room_len;
	uint64_t room_from;
	char message[300];
};

/* A file that can be read at any place; it is closed with the rest. 0, or -1 with file->message. */
int kp_pf_file_open(struct kp_pf_file *file, FILE *trace);

/* Calls take with each packet and its place; what take returns, unless 0, ends it. As above. */
int kp_pf_file_packets(struct kp_pf_file *file,
		       int (*take)(void *self, const struct kp_pf_place *place, struct kp_pb packet),
		       void *self);

/* The packet once more, to memory of bytes that has room for it. As above. */
int kp_pf_file_read(struct kp_pf_file *file, const struct kp_pf_place *place, uint8_t *bytes);

void kp_pf_file_close(struct kp_pf_file *file);

#endif
