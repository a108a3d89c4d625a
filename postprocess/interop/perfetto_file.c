// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads the packets of a Perfetto trace (interop/perfetto.h). Decompressed packets are written to a
 * temporary file, so that memory use does not grow with the trace.
 */
#include "interop/perfetto.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/number.h"
#include "base/progress.h"
#include "base/temp.h"
#include "base/text.h"
#include "base/tool.h"

#define TRACE_PACKET	1	/* number of the only field of a trace message */
#define PACKET_MAX	(64u << 20)	/* maximum size of a packet in bytes */
#define READ_AHEAD	(256u << 10)
/* limit of decompressed bytes: UNPACKED_TIMES * size of the trace + UNPACKED_MORE */
#define UNPACKED_TIMES	256u
#define UNPACKED_MORE	(64u << 20)
/*
 * Limit of the memory for a packet of n bytes: n + MEMORY_MORE + the smaller of MEMORY_TIMES * n
 * and MEMORY_MAX. Unpacked structs are larger than their messages: events of a few bytes need about
 * 17 times their size.
 */
#define MEMORY_MORE	1024u
#define MEMORY_TIMES	32u
#define MEMORY_MAX	(256u << 20)

#define fail(file, ...)	kp_message((file)->message, sizeof((file)->message), __VA_ARGS__)

int kp_pf_damaged(struct kp_pf_file *file, const struct kp_pf_place *place, const char *what)
{
	return fail(file, "byte %" PRIu64 "%s: %s: the trace is damaged", place->offset,
		    place->unpacked ? " of the uncompressed packets" : "", what);
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

/*
 * Returns @len bytes at @offset of the file @from, which has @bytes bytes. Reads ahead. The caller
 * must set file->room_len to 0 before it reads from another file. Returns NULL with a message on
 * failure.
 */
static const uint8_t *reach(struct kp_pf_file *file, FILE *from, uint64_t offset, size_t len, uint64_t bytes)
{
	size_t want = len > READ_AHEAD ? len : READ_AHEAD;
	ssize_t got;

	if (offset >= file->room_from && offset - file->room_from <= file->room_len &&
	    len <= file->room_len - (offset - file->room_from))
		return file->room.items + (offset - file->room_from);
	file->room_from = offset;
	file->room_len = 0;
	want = bytes - offset < want ? (size_t)(bytes - offset) : want;
	while (file->room.cap < want)
		if (kp_vector_grow((void **)&file->room.items, &file->room.cap, 1)) {
			fail(file, "no memory");
			return NULL;
		}
	for (; file->room_len < want; file->room_len += (size_t)got) {
		do
			got = pread(fileno(from), file->room.items + file->room_len, want - file->room_len,
				    (off_t)(offset + file->room_len));
		while (got < 0 && errno == EINTR && !kp_interrupted());
		if (got > 0)
			continue;
		fail(file, "cannot read the trace: %s", got ? strerror(errno) : "it has become shorter");
		return NULL;
	}
	return file->room.items;
}

static void *take_memory(void *self, size_t size)
{
	struct kp_pf_memory *memory = self;
	uint8_t *bytes = memory->bytes + memory->used;

	size = (size + 15) & ~(size_t)15;
	if (size > memory->size - memory->used)
		return NULL;
	memory->used += size;
	return bytes;
}

/* Does nothing: the next packet reuses the memory. */
static void leave_memory(void *self, void *bytes)
{
	(void)self;
	(void)bytes;
}

void *kp_pf_unpack(struct kp_pf_file *file, const struct kp_pf_place *place, struct kp_pf_memory *memory,
		   const ProtobufCMessageDescriptor *what, const ProtobufCBinaryData *bytes)
{
	ProtobufCAllocator allocator = { take_memory, leave_memory, memory };
	void *message = protobuf_c_message_unpack(what, &allocator, bytes->len, bytes->data);

	if (!message)
		kp_pf_damaged(file, place, "invalid packet");
	return message;
}

/*
 * Reads the packet at @place, in a file of @bytes bytes, and unpacks it into @memory. Returns NULL
 * with a message on failure.
 */
static const Pf__TracePacket *read_packet(struct kp_pf_file *file, const struct kp_pf_place *place, uint64_t bytes,
					  struct kp_pf_memory *memory)
{
	const size_t times = (size_t)MEMORY_TIMES * place->bytes;
	const size_t size = MEMORY_MORE + place->bytes + (times < MEMORY_MAX ? times : MEMORY_MAX);
	const uint8_t *packet = reach(file, place->unpacked ? file->unpacked : file->file, place->offset,
				      place->bytes, bytes);

	if (!packet)
		return NULL;
	if (size > memory->size) {
		free(memory->bytes);
		memory->bytes = malloc(size);
		memory->size = memory->bytes ? size : 0;
	}
	memory->used = 0;
	if (memory->bytes)
		return kp_pf_unpack(file, place, memory, &pf__trace_packet__descriptor,
				    &(ProtobufCBinaryData){ place->bytes, (uint8_t *)(uintptr_t)packet });
	fail(file, "no memory");
	return NULL;
}

const Pf__TracePacket *kp_pf_file_read(struct kp_pf_file *file, const struct kp_pf_place *place,
				       struct kp_pf_memory *memory)
{
	/* discard what was read ahead, and read only this packet: the next one may be anywhere */
	file->room_len = 0;
	return read_packet(file, place, place->offset + place->bytes, memory);
}

static int fail_temp(struct kp_pf_file *file, const char *verb)
{
	return fail(file, "cannot %s a temporary file: %s%s", verb, strerror(errno), kp_temp_remedy(errno));
}

static int write_unpacked(struct kp_pf_file *file, const uint8_t *bytes, size_t len)
{
	if (!file->unpacked)
		file->unpacked = kp_temp_file();
	if (!file->unpacked)
		return fail_temp(file, "create");
	if (len && fwrite(bytes, 1, len, file->unpacked) != len)
		return fail_temp(file, "write");
	file->unpacked_bytes += len;
	if (file->unpacked_bytes / UNPACKED_TIMES <= file->bytes + UNPACKED_MORE / UNPACKED_TIMES)
		return 0;
	return fail(file, "compressed packets are %u times as large as the trace: it is damaged", UNPACKED_TIMES);
}

static int inflate_packets(struct kp_pf_file *file, const ProtobufCBinaryData *packed)
{
	static uint8_t out[1 << 16];
	z_stream z = { .next_in = packed->data, .avail_in = (uInt)packed->len };
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

struct walk {
	struct kp_pf_file *file;
	FILE *from;
	uint64_t bytes;		/* size of @from in bytes */
	int (*take)(void *self, const struct kp_pf_place *place, const Pf__TracePacket *packet);
	void *self;
};

static int take_packet(const struct walk *walk, const struct kp_pf_place *place)
{
	const Pf__TracePacket *packet = read_packet(walk->file, place, walk->bytes, &walk->file->memory);

	if (!packet)
		return -1;
	if (packet->data_case == PF__TRACE_PACKET__DATA_ZSTD_COMPRESSED_PACKETS)
		return fail(walk->file, "cannot read packets compressed with zstd; record without it");
	if (packet->data_case == PF__TRACE_PACKET__DATA_COMPRESSED_PACKETS)
		return place->unpacked ? kp_pf_damaged(walk->file, place, "compressed packets in compressed packets") :
					 inflate_packets(walk->file, &packet->compressed_packets);
	walk->file->packets++;
	return walk->take(walk->self, place, packet);
}

/* Reads a varint. Returns its size in bytes, or 0 if it does not end within @room bytes. */
static size_t varint(const uint8_t *bytes, size_t room, uint64_t *value)
{
	*value = 0;
	for (size_t i = 0; i < room && i < KP_VARINT_MAX; i++) {
		*value |= (uint64_t)(bytes[i] & 0x7F) << 7 * i;
		if (!(bytes[i] & 0x80))
			return i + 1;
	}
	return 0;
}

/*
 * Reads the field number and the length of the field at @offset. Returns the size of both, at most
 * 20 bytes, or -1 with a message.
 */
static int take_head(const struct walk *walk, uint64_t offset, uint64_t *number, uint64_t *len)
{
	const size_t room = walk->bytes - offset < 20 ? (size_t)(walk->bytes - offset) : 20;
	const uint8_t *head = reach(walk->file, walk->from, offset, room, walk->bytes);
	const char *what;
	size_t tag, size = 0;

	if (!head)
		return -1;
	what = offset ? NULL : kp_other_format(head, walk->file->room_len, KP_FORMAT_PERFETTO);
	if (what)
		return fail(walk->file, "not a Perfetto trace, but %s", what);
	tag = varint(head, room, number);
	if (tag && (*number & 7) == PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED && *number >> 3)
		size = varint(head + tag, room - tag, len);
	if (!size)
		return fail(walk->file, offset ? "byte %" PRIu64 ": no packet begins here: the trace is damaged or cut off" :
						 "not a Perfetto trace, or damaged at byte %" PRIu64, offset);
	*number >>= 3;
	if (*len > walk->bytes - offset - tag - size)
		return fail(walk->file, "byte %" PRIu64 ": the packet is cut off", offset);
	if (*number == TRACE_PACKET && *len > PACKET_MAX)
		return fail(walk->file, "byte %" PRIu64 ": a packet of more than %u MiB", offset, PACKET_MAX >> 20);
	return (int)(tag + size);
}

static int walk_all(const struct walk *walk)
{
	struct kp_pf_place place = { .unpacked = walk->from == walk->file->unpacked };
	uint64_t offset, number = 0, len = 0;
	int head, err = 0;

	walk->file->room_len = 0;
	kp_progress_phase(place.unpacked ? "looking through compressed packets" : "looking through", NULL);
	for (offset = 0; offset < walk->bytes && !err; offset = place.offset + len) {
		head = take_head(walk, offset, &number, &len);
		if (head < 0)
			return -1;
		place.offset = offset + (uint64_t)head;
		place.bytes = (uint32_t)len;
		kp_progress(place.offset + len, walk->bytes);
		if (kp_interrupted())
			return fail(walk->file, "interrupted");
		err = number == TRACE_PACKET ? take_packet(walk, &place) : 0;
	}
	return err;
}

int kp_pf_file_packets(struct kp_pf_file *file,
		       int (*take)(void *self, const struct kp_pf_place *place, const Pf__TracePacket *packet),
		       void *self)
{
	struct walk walk = { file, file->file, file->bytes, take, self };
	const int err = walk_all(&walk);

	if (err || !file->unpacked)
		return err;
	if (fflush(file->unpacked))
		return fail_temp(file, "write");
	walk.from = file->unpacked;
	walk.bytes = file->unpacked_bytes;
	return walk_all(&walk);
}

void kp_pf_file_close(struct kp_pf_file *file)
{
	if (file->file)
		fclose(file->file);
	if (file->unpacked)
		fclose(file->unpacked);
	free(file->room.items);
	free(file->memory.bytes);
	memset(file, 0, sizeof(*file));
}
