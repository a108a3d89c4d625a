// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads the packets of a Perfetto trace, see import/perfetto_file.h. Compressed packets are unpacked
 * into a temporary file, with a fixed amount of memory.
 */
#include "import/perfetto_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/known.h"
#include "base/progress.h"
#include "base/temp.h"
#include "base/tool.h"

enum { TRACE_PACKET = 1, PACKET_COMPRESSED = 50, PACKET_ZSTD = 133 };

#define READ_AHEAD	(256u << 10)
/* limit of the unpacked bytes: UNPACKED_TIMES the size of the trace, and UNPACKED_MORE */
#define UNPACKED_TIMES	256u
#define UNPACKED_MORE	(64u << 20)

static int fail(struct kp_pf_file *file, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int fail(struct kp_pf_file *file, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(file->message, sizeof(file->message), fmt, ap);
	va_end(ap);
	return -1;
}

int kp_pf_file_open(struct kp_pf_file *file, FILE *trace)
{
	struct stat st;

	memset(file, 0, sizeof(*file));
	file->file = trace;
	if (fstat(fileno(trace), &st))
		return fail(file, "%s", strerror(errno));
	file->bytes = (uint64_t)st.st_size;
	return file->bytes ? 0 : fail(file, "empty, not a Perfetto trace");
}

static int read_at(struct kp_pf_file *file, FILE *from, uint64_t offset, uint8_t *bytes, size_t len)
{
	while (len) {
		const ssize_t got = pread(fileno(from), bytes, len, (off_t)offset);

		if (got < 0 && errno == EINTR && !kp_interrupted())
			continue;
		if (got <= 0)
			return fail(file, "cannot read the trace: %s", got ? strerror(errno) : "it has become shorter");
		bytes += got;
		offset += (uint64_t)got;
		len -= (size_t)got;
	}
	return 0;
}

int kp_pf_file_read(struct kp_pf_file *file, const struct kp_pf_place *place, uint8_t *bytes)
{
	return read_at(file, place->unpacked ? file->unpacked : file->file, place->offset, bytes,
		       place->bytes);
}

/* ---- compressed packets ---- */

static int write_unpacked(struct kp_pf_file *file, const uint8_t *bytes, size_t len)
{
	if (!file->unpacked)
		file->unpacked = kp_temp_file();
	if (!file->unpacked)
		return fail(file, "cannot create a temporary file: %s%s", strerror(errno),
			    kp_temp_remedy(errno));
	if (len && fwrite(bytes, 1, len, file->unpacked) != len)
		return fail(file, "cannot write a temporary file: %s%s", strerror(errno),
			    kp_temp_remedy(errno));
	file->unpacked_bytes += len;
	if (file->unpacked_bytes / UNPACKED_TIMES <= file->bytes + UNPACKED_MORE / UNPACKED_TIMES)
		return 0;
	return fail(file, "compressed packets are %u times as large as the trace: it is damaged", UNPACKED_TIMES);
}

static int unpack(struct kp_pf_file *file, struct kp_pb packed)
{
	static uint8_t out[1 << 16];
	z_stream z = { .next_in = (Bytef *)(uintptr_t)packed.p,
		       .avail_in = (uInt)(packed.end - packed.p) };
	int status, err = 0;

	if (inflateInit(&z) != Z_OK)
		return fail(file, "no memory");
	do {
		z.next_out = out;
		z.avail_out = sizeof(out);
		status = inflate(&z, Z_NO_FLUSH);
		if (status != Z_OK && status != Z_STREAM_END)
			err = fail(file, "cannot unpack compressed packets: the trace is damaged");
		else if (kp_interrupted())
			err = fail(file, "interrupted");
		else
			err = write_unpacked(file, out, sizeof(out) - z.avail_out);
	} while (!err && status != Z_STREAM_END);
	inflateEnd(&z);
	return err;
}

/* ---- all packets in turn ---- */

struct walk {
	struct kp_pf_file *file;
	int (*take)(void *self, const struct kp_pf_place *place, struct kp_pb packet);
	void *self;
};

static int take_packet(struct walk *walk, const struct kp_pf_place *place, struct kp_pb packet)
{
	struct kp_pb fields = packet;
	struct kp_pb_field field;
	bool packed = false;

	while (kp_pb_next(&fields, &field)) {
		if (field.number == PACKET_ZSTD && field.is_bytes)
			return fail(walk->file, "cannot read packets compressed with zstd; record without it");
		if (field.number != PACKET_COMPRESSED || !field.is_bytes)
			continue;
		packed = true;
		if (place->unpacked)
			return fail(walk->file, "compressed packets in compressed packets: the trace is damaged");
		if (unpack(walk->file, field.bytes))
			return -1;
	}
	if (fields.bad)
		return fail(walk->file, "byte %" PRIu64 ": invalid packet: the trace is damaged",
			    (uint64_t)place->offset);
	walk->file->packets += !packed;
	return packed ? 0 : walk->take(walk->self, place, packet);
}

/* Returns @len bytes at @offset of a file of @bytes bytes, through the read-ahead buffer. NULL with a message. */
static const uint8_t *reach(struct kp_pf_file *file, FILE *from, uint64_t offset, size_t len, uint64_t bytes)
{
	size_t room = len > READ_AHEAD ? len : READ_AHEAD;
	uint8_t *larger;

	if (offset >= file->room_from && offset - file->room_from <= file->room_len &&
	    len <= file->room_len - (offset - file->room_from))
		return file->room + (offset - file->room_from);
	if (room > file->room_bytes) {
		larger = realloc(file->room, room);
		if (!larger) {
			fail(file, "no memory");
			return NULL;
		}
		file->room = larger;
		file->room_bytes = room;
	}
	file->room_from = offset;
	file->room_len = bytes - offset < room ? (size_t)(bytes - offset) : room;
	return read_at(file, from, offset, file->room, file->room_len) ? NULL : file->room;
}

/*
 * Reads the tag and the length of the field of the trace at @offset. Returns the size of both, at most 20 bytes,
 * 0 at the end of the file, or -1 with a message.
 */
static int take_head(struct walk *walk, FILE *from, uint64_t offset, uint64_t bytes, struct kp_pb_field *field,
		     uint64_t *len)
{
	const size_t room = bytes - offset < 20 ? (size_t)(bytes - offset) : 20;
	char what[KP_KNOWN_TEXT];
	const uint8_t *head;
	struct kp_pb pb;
	uint64_t tag;

	if (!room)
		return 0;
	head = reach(walk->file, from, offset, room, bytes);
	if (!head)
		return -1;
	pb = (struct kp_pb){ .p = head, .end = head + room };
	if (!offset && kp_known(walk->file->room, walk->file->room_len, KP_KNOWN_PERFETTO, what))
		return fail(walk->file, "not a Perfetto trace, but %s", what);
	if (!kp_pb_varint(&pb, &tag) || (tag & 7) != 2 || !(tag >> 3) || !kp_pb_varint(&pb, len))
		return fail(walk->file, offset ? "byte %" PRIu64 ": no packet begins here: the trace is damaged or cut off" :
						 "not a Perfetto trace, or damaged at byte %" PRIu64, offset);
	field->number = (uint32_t)(tag >> 3);
	if (*len > bytes - offset - (uint64_t)(pb.p - head))
		return fail(walk->file, "byte %" PRIu64 ": the packet is cut off", offset);
	if (field->number == TRACE_PACKET && *len > KP_PF_IN_PACKET_MAX)
		return fail(walk->file, "byte %" PRIu64 ": a packet of more than %u MiB", offset,
			    KP_PF_IN_PACKET_MAX >> 20);
	return (int)(pb.p - head);
}

static int walk_all(struct walk *walk, bool unpacked)
{
	struct kp_pf_file *file = walk->file;
	FILE *from = unpacked ? file->unpacked : file->file;
	const uint64_t bytes = unpacked ? file->unpacked_bytes : file->bytes;
	uint64_t offset = 0, len = 0;
	struct kp_pb_field field = {0};
	const uint8_t *packet;
	int head, err;

	file->room_len = 0;
	kp_progress_phase(unpacked ? "looking through compressed packets" : "looking through", NULL);
	while ((head = take_head(walk, from, offset, bytes, &field, &len)) > 0) {
		const struct kp_pf_place place = { offset + (uint64_t)head, (uint32_t)len, unpacked };

		offset += (uint64_t)head + len;
		kp_progress(offset, bytes);
		if (kp_interrupted())
			return fail(file, "interrupted");
		if (field.number != TRACE_PACKET)
			continue;
		packet = reach(file, from, place.offset, (size_t)len, bytes);
		if (!packet)
			return -1;
		err = take_packet(walk, &place, (struct kp_pb){ .p = packet, .end = packet + len });
		if (err)
			return err;
	}
	return head;
}

int kp_pf_file_packets(struct kp_pf_file *file,
		       int (*take)(void *self, const struct kp_pf_place *place, struct kp_pb packet),
		       void *self)
{
	struct walk walk = { file, take, self };
	int err = walk_all(&walk, false);

	if (!err && file->unpacked && fflush(file->unpacked))
		err = fail(file, "cannot write a temporary file: %s%s", strerror(errno),
			   kp_temp_remedy(errno));
	return err || !file->unpacked ? err : walk_all(&walk, true);
}

void kp_pf_file_close(struct kp_pf_file *file)
{
	if (file->file)
		fclose(file->file);
	if (file->unpacked)
		fclose(file->unpacked);
	free(file->room);
	memset(file, 0, sizeof(*file));
}
