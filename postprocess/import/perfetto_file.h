/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the packets of a Perfetto trace in turn, including those that are compressed (zlib) in other
 * packets, and rereads single packets. Does not interpret their content.
 */
#ifndef KP_IMPORT_PERFETTO_FILE_H
#define KP_IMPORT_PERFETTO_FILE_H

#include <stdio.h>

#include "import/proto_read.h"

#define KP_PF_IN_PACKET_MAX	(64u << 20)	/* largest packet in bytes */

/* The place of a packet: in the trace, or in the temporary file with the unpacked packets. */
struct kp_pf_place {
	uint64_t offset;
	uint32_t bytes;
	bool unpacked;
};

struct kp_pf_file {
	FILE *file, *unpacked;	/* unpacked is NULL if no packet was compressed */
	uint64_t bytes;		/* size of the trace */
	uint64_t unpacked_bytes;
	uint64_t packets;	/* packets read so far, without those that hold compressed ones */
	uint8_t *room;		/* read-ahead buffer */
	size_t room_bytes, room_len;
	uint64_t room_from;
	char message[300];
};

/* Opens a trace. @trace must be seekable; kp_pf_file_close() closes it. Returns 0, or -1 with file->message. */
int kp_pf_file_open(struct kp_pf_file *file, FILE *trace);

/*
 * Calls @take with each packet and its place until it returns something other than 0, which is the result.
 * Otherwise returns 0, or -1 with file->message.
 */
int kp_pf_file_packets(struct kp_pf_file *file,
		       int (*take)(void *self, const struct kp_pf_place *place, struct kp_pb packet),
		       void *self);

/* Reads a packet again, into @bytes with room for place->bytes. Returns 0, or -1 with file->message. */
int kp_pf_file_read(struct kp_pf_file *file, const struct kp_pf_place *place, uint8_t *bytes);

void kp_pf_file_close(struct kp_pf_file *file);

#endif
