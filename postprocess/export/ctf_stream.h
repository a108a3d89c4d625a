/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One stream of a CTF trace: packets of up to 64 KiB, one file. Knows packets and bytes, not
 * what events mean. Called by export/ctf.c.
 */
#ifndef KP_EXPORT_CTF_STREAM_H
#define KP_EXPORT_CTF_STREAM_H

#include <stdint.h>

#include "export/folder.h"

#define KP_CTF_PACKET_BYTES	65536u
#define KP_CTF_EVENT_MAX	4096u	/* bytes of an event at most */

struct kp_ctf_stream {
	int fd;				/* in the folder */
	uint32_t cpu;
	uint64_t instance;		/* number of the stream */
	const uint8_t *uuid;		/* of the trace, 16 bytes */
	uint64_t written, packets;
	uint64_t discarded;		/* events, so far */
	int64_t begin_ns, end_ns;	/* of the packet */
	uint32_t used;			/* of it, 0 = none is begun */
	uint8_t *packet;
};

/* 0, or -1 with folder->message. */
int kp_ctf_stream_open(struct kp_ctf_stream *stream, struct kp_folder *folder, const char *name,
		       uint32_t cpu, uint64_t instance, const uint8_t *uuid);

/*
 * Room for an event of KP_CTF_EVENT_MAX bytes at that time, not before the one in front of it;
 * what is written there counts when used is moved behind it. NULL with folder->message.
 */
uint8_t *kp_ctf_stream_event(struct kp_ctf_stream *stream, struct kp_folder *folder,
			     int64_t time_ns);

/* Where the next event will be in the file. */
static inline uint64_t kp_ctf_stream_at(const struct kp_ctf_stream *stream)
{
	return stream->written + stream->used;
}

/* Writes the byte at that place of the file once more. 0, or -1 with errno. */
int kp_ctf_stream_patch(struct kp_ctf_stream *stream, uint64_t at, uint8_t byte);

/* Ends the packet, if one is begun. 0, or -1 with folder->message. */
int kp_ctf_stream_flush(struct kp_ctf_stream *stream, struct kp_folder *folder);

/* A packet without events, which lasts so long. As above. */
int kp_ctf_stream_empty(struct kp_ctf_stream *stream, struct kp_folder *folder, int64_t begin_ns,
			int64_t end_ns);

#endif
