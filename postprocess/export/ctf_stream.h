/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One stream of a CTF trace: a file with packets of up to 64 KiB. Must not depend on the meaning of
 * events.
 */
#ifndef KP_EXPORT_CTF_STREAM_H
#define KP_EXPORT_CTF_STREAM_H

#include <stdint.h>

#include "export/folder.h"

#define KP_CTF_PACKET_BYTES	65536u
#define KP_CTF_EVENT_MAX	4096u	/* longest event, in bytes */

struct kp_ctf_stream {
	int fd;				/* belongs to the folder */
	uint32_t cpu;
	uint64_t instance;		/* number of the stream */
	const uint8_t *uuid;		/* of the trace, 16 bytes */
	uint64_t written, packets;
	uint64_t discarded;		/* events, so far */
	int64_t begin_ns, end_ns;	/* of the packet */
	uint32_t used;			/* bytes in the packet; 0: no packet is begun */
	uint8_t *packet;
};

/* Returns 0, or -1 and sets folder->message. */
int kp_ctf_stream_open(struct kp_ctf_stream *stream, struct kp_folder *folder, const char *name,
		       uint32_t cpu, uint64_t instance, const uint8_t *uuid);

/*
 * Returns room for an event of KP_CTF_EVENT_MAX bytes at @time_ns, which is not before the previous
 * event. The caller writes the event and adds its size to stream->used. Returns NULL and sets
 * folder->message on failure.
 */
uint8_t *kp_ctf_stream_event(struct kp_ctf_stream *stream, struct kp_folder *folder,
			     int64_t time_ns);

/* Returns the offset of the next event in the file. */
static inline uint64_t kp_ctf_stream_at(const struct kp_ctf_stream *stream)
{
	return stream->written + stream->used;
}

/* Changes the byte at offset @at. Returns 0, or -1 with errno. */
int kp_ctf_stream_patch(struct kp_ctf_stream *stream, uint64_t at, uint8_t byte);

/* Ends the packet if one is begun. Returns 0, or -1 and sets folder->message. */
int kp_ctf_stream_flush(struct kp_ctf_stream *stream, struct kp_folder *folder);

/* Writes a packet without events for this time. Returns as kp_ctf_stream_flush(). */
int kp_ctf_stream_empty(struct kp_ctf_stream *stream, struct kp_folder *folder, int64_t begin_ns,
			int64_t end_ns);

#endif
