// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes the packets of a CTF stream (export/ctf_stream.h). Offsets in bytes, sizes in bits:
 *
 *	 0  magic 32			32  begin, end 64 each (ns since the start minute)
 *	 4  uuid of the trace 128	48  content size, packet size 64 each, in bits
 *	20  stream class 32: 0		64  number of the packet 64
 *	24  number of the stream 64	72  events discarded so far 64
 *	84  events			80  CPU 32
 */
#include "export/ctf_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export/bytes.h"
#include "export/ctf_metadata.h"

#define HEADER_BYTES	84u

int kp_ctf_stream_open(struct kp_ctf_stream *stream, struct kp_folder *folder, const char *name,
		       uint32_t cpu, uint64_t instance, const uint8_t *uuid)
{
	memset(stream, 0, sizeof(*stream));
	stream->cpu = cpu;
	stream->instance = instance;
	stream->uuid = uuid;
	stream->packet = malloc(KP_CTF_PACKET_BYTES);
	if (!stream->packet) {
		snprintf(folder->message, sizeof(folder->message), "no memory");
		return -1;
	}
	stream->fd = kp_folder_add(folder, name);
	return stream->fd < 0 ? -1 : 0;
}

int kp_ctf_stream_flush(struct kp_ctf_stream *stream, struct kp_folder *folder)
{
	const uint64_t bits = stream->used * 8ull;
	uint8_t *p = stream->packet;
	const uint32_t bytes = stream->used;

	if (!bytes)
		return 0;
	p = kp_put_le32(p, KP_CTF_MAGIC);
	memcpy(p, stream->uuid, 16);
	p = kp_put_le32(p + 16, 0);
	p = kp_put_le64(p, stream->instance);
	p = kp_put_le64(p, (uint64_t)stream->begin_ns);
	p = kp_put_le64(p, (uint64_t)stream->end_ns);
	p = kp_put_le64(p, bits);
	p = kp_put_le64(p, bits);
	p = kp_put_le64(p, stream->packets++);
	p = kp_put_le64(p, stream->discarded);
	kp_put_le32(p, stream->cpu);
	stream->used = 0;
	stream->written += bytes;
	return kp_folder_write(folder, stream->fd, stream->packet, bytes);
}

uint8_t *kp_ctf_stream_event(struct kp_ctf_stream *stream, struct kp_folder *folder,
			     int64_t time_ns)
{
	if (stream->used + KP_CTF_EVENT_MAX > KP_CTF_PACKET_BYTES &&
	    kp_ctf_stream_flush(stream, folder))
		return NULL;
	if (!stream->used) {
		stream->used = HEADER_BYTES;
		stream->begin_ns = time_ns;
	}
	stream->end_ns = time_ns;
	return stream->packet + stream->used;
}

int kp_ctf_stream_patch(struct kp_ctf_stream *stream, uint64_t at, uint8_t byte)
{
	ssize_t done;

	if (at >= stream->written) {
		stream->packet[at - stream->written] = byte;
		return 0;
	}
	do {
		done = pwrite(stream->fd, &byte, 1, (off_t)at);
	} while (done < 0 && errno == EINTR);
	return done == 1 ? 0 : -1;
}

int kp_ctf_stream_empty(struct kp_ctf_stream *stream, struct kp_folder *folder, int64_t begin_ns,
			int64_t end_ns)
{
	stream->used = HEADER_BYTES;
	stream->begin_ns = begin_ns;
	stream->end_ns = end_ns;
	return kp_ctf_stream_flush(stream, folder);
}
