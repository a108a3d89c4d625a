/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the packets of a Perfetto trace in turn, including those that are compressed (zlib) in other
 * packets, and rereads single packets. protobuf-c unpacks each packet, as interop/perfetto.proto defines it.
 * The memory for that depends on the size of the packet in the file, not on lengths in it.
 */
#ifndef KP_IMPORT_PERFETTO_FILE_H
#define KP_IMPORT_PERFETTO_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/memory.h"
#include "perfetto.pb-c.h"

/* The place of a packet: in the trace, or in the temporary file with the unpacked packets. */
struct kp_pf_place {
	uint64_t offset;
	uint32_t bytes;
	bool unpacked;
};

/* Memory of an unpacked packet and the messages in it, until the next packet. Starts zeroed. */
struct kp_pf_memory {
	uint8_t *bytes;
	size_t size, used;
};

struct kp_pf_file {
	FILE *file, *unpacked;	/* unpacked is NULL if no packet was compressed */
	uint64_t bytes;		/* size of the trace */
	uint64_t unpacked_bytes;
	uint64_t packets;	/* packets read so far, without those that hold compressed ones */
	KP_VECTOR(uint8_t) room;	/* read-ahead buffer */
	size_t room_len;
	uint64_t room_from;
	struct kp_pf_memory memory;	/* of the packet that @take gets */
	char message[300];
};

/* Opens a trace. @trace must be seekable; kp_pf_file_close() closes it. Returns 0, or -1 with file->message. */
int kp_pf_file_open(struct kp_pf_file *file, FILE *trace);

/*
 * Calls @take with each packet and its place until it returns something other than 0, which is the result.
 * Otherwise returns 0, or -1 with file->message.
 */
int kp_pf_file_packets(struct kp_pf_file *file,
		       int (*take)(void *self, const struct kp_pf_place *place, const Pf__TracePacket *packet),
		       void *self);

/* Reads a packet again, into @memory. Returns NULL with file->message. */
const Pf__TracePacket *kp_pf_file_read(struct kp_pf_file *file, const struct kp_pf_place *place,
				       struct kp_pf_memory *memory);

/* Unpacks a message that the packet at @place has as bytes, into the same memory. Returns NULL with file->message. */
void *kp_pf_unpack(struct kp_pf_file *file, const struct kp_pf_place *place, struct kp_pf_memory *memory,
		   const ProtobufCMessageDescriptor *what, const ProtobufCBinaryData *bytes);

/* Writes to file->message that the packet at @place has @what. Returns -1. */
int kp_pf_damaged(struct kp_pf_file *file, const struct kp_pf_place *place, const char *what);

void kp_pf_file_close(struct kp_pf_file *file);

#endif
