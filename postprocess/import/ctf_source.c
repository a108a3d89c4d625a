// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads and merges the streams of a CTF trace, see import/ctf_source.h. Each stream has a buffer that
 * holds a part of its packet and grows up to ROOM_MAX when an event needs it. So memory is bounded for
 * any number of packets of any size.
 */
#include "import/ctf_source.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/progress.h"
#include "base/tool.h"
#include "import/tsdl.h"

#define STREAMS_MAX	16384
#define MANY_STREAMS	64
#define ROOM_FEW	(64u << 10)	/* initial bytes of each buffer, up to MANY_STREAMS streams */
#define ROOM_MANY	(16u << 10)	/* with more streams */
#define ROOM_MAX	(16u << 20)	/* largest buffer, and so the largest event */
#define MAGIC		0xC1FC1FC1u
#define PACKET_MASK	((1ull << KP_WANT_ID) - 1)	/* values of the packet, without those of the event */
#define TIME_MAX_NS	4000000000000000000ll

struct kp_ctf_stream_in {
	size_t file;
	uint64_t packet;	/* offset of the packet in the file */
	uint64_t reached;	/* offset of the last load in the file, for progress */
	uint64_t packet_bytes;
	uint8_t *room;
	size_t room_bytes;
	struct kp_ctf_cursor cursor;
	struct kp_ctf_stream_class *class;
	struct kp_ctf_values all;
	bool has_sequence;
	uint64_t sequence;	/* number of the packet */
	uint32_t cpu;
	int64_t time_ns;	/* time of the current event, UTC */
	struct kp_ctf_event_class *event;
};

static int fail(struct kp_ctf_source *source, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int fail(struct kp_ctf_source *source, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(source->message, sizeof(source->message), fmt, ap);
	va_end(ap);
	return -1;
}

static int fail_at(struct kp_ctf_source *source, const struct kp_ctf_stream_in *in, const char *what)
{
	return fail(source, "%s, packet at byte %" PRIu64 ", bit %" PRIu64 ": %s",
		    source->files.list.items[in->file].name, in->packet, in->cursor.at, what);
}

static bool earlier(void *self, const struct kp_ctf_top *a, const struct kp_ctf_top *b)
{
	(void)self;
	return a->in->time_ns != b->in->time_ns ? a->in->time_ns < b->in->time_ns :
						  a->in->file < b->in->file;
}

KP_HEAP(by_time, struct kp_ctf_top, void *, earlier)

/* ---- the buffer of a stream ---- */

/* Fills the buffer from that bit of the packet on. */
static int load(struct kp_ctf_source *source, struct kp_ctf_stream_in *in, uint64_t bit)
{
	struct kp_ctf_cursor *cursor = &in->cursor;
	const uint64_t from = bit / 8;
	const uint64_t left = in->packet_bytes - from;
	const size_t len = left < in->room_bytes ? (size_t)left : in->room_bytes;

	if (kp_interrupted())
		return fail(source, "interrupted");
	if (kp_ctf_files_read(&source->files, in->file, in->packet + from, in->room, len))
		return fail(source, "%s", source->files.message);
	source->bytes_done += in->packet + from - in->reached;
	in->reached = in->packet + from;
	kp_progress(source->bytes_done, 2 * source->bytes);
	cursor->data = in->room;
	cursor->from = from * 8;
	cursor->have = (from + len) * 8;
	return 0;
}

/* Loads more for a value that begins at that bit and does not end in the buffer. Doubles the buffer if it must. */
static int load_more(struct kp_ctf_source *source, struct kp_ctf_stream_in *in, uint64_t bit)
{
	uint8_t *larger;

	if (in->cursor.from == (bit & ~7ull)) {
		if (in->room_bytes >= ROOM_MAX)
			return fail_at(source, in, "an event of more than 16 MiB");
		larger = realloc(in->room, 2 * in->room_bytes);
		if (!larger)
			return fail(source, "no memory");
		in->room = larger;
		in->room_bytes *= 2;
	}
	return load(source, in, bit);
}

/*
 * Handles the result @how of reading from @before on. Returns 0 if the value was read, 1 if the caller must read
 * again as more is loaded now, or -1 with a message. Before it returns 1, it restores the cursor.
 */
static int settle(struct kp_ctf_source *source, struct kp_ctf_stream_in *in, enum kp_ctf_read how,
		  const struct kp_ctf_cursor *before, uint64_t there)
{
	switch (how) {
	case KP_CTF_OK:
		return 0;
	case KP_CTF_CUT:
		return fail_at(source, in, "the packet's content ends inside a value: the trace is damaged");
	case KP_CTF_NO_OPTION:
		return fail_at(source, in, "the selector of a variant matches none of its fields: the trace is damaged");
	case KP_CTF_UNKNOWN:
		return fail_at(source, in, "the metadata does not describe this event: the trace is damaged");
	default:
		in->cursor.at = before->at;
		in->cursor.clock = before->clock;
		in->all.there = there;
		return load_more(source, in, before->at) ? -1 : 1;
	}
}

static int read_value(struct kp_ctf_source *source, struct kp_ctf_stream_in *in, const struct kp_ty *type)
{
	const struct kp_ctf_cursor before = in->cursor;
	const uint64_t there = in->all.there;
	int again;

	do
		again = settle(source, in, kp_ctf_read(&in->cursor, type), &before, there);
	while (again > 0);
	return again;
}

/* ---- packets ---- */

static int count_lost(struct kp_ctf_source *source, const struct kp_ctf_stream_in *in)
{
	const uint64_t instance = kp_ctf_number(&in->all, KP_WANT_INSTANCE, in->cpu);
	const uint64_t key = in->class->id << 32 ^ instance;
	const uint64_t count = kp_ctf_number(&in->all, KP_WANT_DISCARDED, 0);
	struct kp_ctf_lost *lost;
	size_t i;

	if (!count)
		return 0;
	for (i = 0; i < source->lost.count; i++) {
		lost = &source->lost.items[i];
		if (lost->key != key)
			continue;
		if (count > lost->count)
			lost->count = count;
		return 0;
	}
	lost = KP_PUSH(&source->lost);
	if (!lost)
		return fail(source, "no memory");
	*lost = (struct kp_ctf_lost){ key, count };
	return 0;
}

static int choose_class(struct kp_ctf_source *source, struct kp_ctf_stream_in *in)
{
	const struct kp_ctf_meta *meta = &source->meta;
	const uint64_t id = kp_ctf_number(&in->all, KP_WANT_STREAM, meta->streams.items[0].id);
	const struct kp_ctf_value *uuid = &in->all.values[KP_WANT_UUID];
	size_t i;

	if (kp_ctf_has(&in->all, KP_WANT_MAGIC) && kp_ctf_number(&in->all, KP_WANT_MAGIC, 0) != MAGIC)
		return fail_at(source, in, "no CTF packet begins here: the trace is damaged");
	if (kp_ctf_has(&in->all, KP_WANT_UUID) && uuid->len == 16 && meta->has_uuid &&
	    memcmp(uuid->text, meta->uuid, 16))
		return fail_at(source, in, "the packet has the UUID of another trace");
	for (i = 0; i < meta->streams.count; i++) {
		in->class = &meta->streams.items[i];
		if (in->class->id == id)
			return 0;
	}
	return fail_at(source, in, "the metadata does not describe this stream");
}

static int take_sizes(struct kp_ctf_source *source, struct kp_ctf_stream_in *in)
{
	const uint64_t all = in->packet_bytes * 8;
	const uint64_t packet = kp_ctf_number(&in->all, KP_WANT_PACKET, all);
	const uint64_t content = kp_ctf_number(&in->all, KP_WANT_CONTENT, packet);

	if (packet % 8 || content > packet || content < in->cursor.at)
		return fail_at(source, in, "the sizes of the packet are impossible");
	if (packet > all)
		return fail_at(source, in, "the file is cut off in this packet");
	in->packet_bytes = packet / 8;
	in->cursor.end = content;
	/* the loaded bytes may include the beginning of the next packet */
	if (in->cursor.have > packet)
		in->cursor.have = packet;
	return 0;
}

/* Goes to the next packet of the stream. Returns 1, 0 if there is none, or -1 with a message. */
static int next_packet(struct kp_ctf_source *source, struct kp_ctf_stream_in *in)
{
	const uint64_t bytes = source->files.list.items[in->file].bytes;
	uint64_t sequence;

	in->packet += in->packet_bytes;
	if (in->packet >= bytes)
		return 0;
	in->packet_bytes = bytes - in->packet;
	in->cursor = (struct kp_ctf_cursor){ .end = in->packet_bytes * 8, .all = &in->all };
	in->all.there = 0;
	source->packets++;
	if (load(source, in, 0) || read_value(source, in, source->meta.packet_header) ||
	    choose_class(source, in) || read_value(source, in, in->class->packet_context) ||
	    take_sizes(source, in))
		return -1;
	in->cpu = (uint32_t)kp_ctf_number(&in->all, KP_WANT_CPU, 0);
	in->cursor.clock = kp_ctf_number(&in->all, KP_WANT_BEGIN, 0);
	sequence = kp_ctf_number(&in->all, KP_WANT_SEQUENCE, 0);
	if (in->has_sequence && sequence > in->sequence + 1)
		source->packets_lost += sequence - in->sequence - 1;
	in->has_sequence = kp_ctf_has(&in->all, KP_WANT_SEQUENCE);
	in->sequence = sequence;
	return count_lost(source, in) ? -1 : 1;
}

/* ---- events ---- */

static int take_time(struct kp_ctf_source *source, struct kp_ctf_stream_in *in)
{
	const struct kp_ctf_clock *clock = &source->meta.clock;
	__int128 ns = (__int128)(int64_t)clock->offset + in->cursor.clock;

	if (clock->freq != 1000000000)
		ns = ns * 1000000000 / clock->freq;
	ns += (__int128)clock->offset_s * 1000000000;
	if (ns < 0 || ns > TIME_MAX_NS)
		return fail_at(source, in, "the time of an event is not between 1970 and 2096");
	in->time_ns = (int64_t)ns;
	return 0;
}

/* Reads the event at the cursor, if all of it is loaded. Texts point into the buffer. */
static enum kp_ctf_read try_event(struct kp_ctf_source *source, struct kp_ctf_stream_in *in)
{
	enum kp_ctf_read how = kp_ctf_read(&in->cursor, in->class->event_header);
	uint32_t place;

	if (how)
		return how;
	if (!kp_map_get(&in->class->events, kp_ctf_number(&in->all, KP_WANT_ID, 0), &place))
		return KP_CTF_UNKNOWN;
	in->event = &source->meta.events.items[place];
	how = kp_ctf_read(&in->cursor, in->class->event_context);
	how = how ? how : kp_ctf_read(&in->cursor, in->event->context);
	return how ? how : kp_ctf_read(&in->cursor, in->event->fields);
}

static int read_event(struct kp_ctf_source *source, struct kp_ctf_stream_in *in)
{
	const struct kp_ctf_cursor before = in->cursor;
	const uint64_t there = in->all.there & PACKET_MASK;
	int again;

	do {
		in->all.there = there;
		again = settle(source, in, try_event(source, in), &before, there);
	} while (again > 0);
	if (again)
		return -1;
	if (in->cursor.at == before.at)
		return fail_at(source, in, "an event has no bits");
	return take_time(source, in);
}

/* Reads the next event of the stream. Returns 1, 0 if there is none, or -1 with a message. */
static int next_event(struct kp_ctf_source *source, struct kp_ctf_stream_in *in)
{
	int there = 1;

	while (!in->packet_bytes || in->cursor.at >= in->cursor.end) {
		there = next_packet(source, in);
		if (there <= 0)
			return there;
	}
	return read_event(source, in) ? -1 : 1;
}

/* ---- the source ---- */

static int read_metadata(struct kp_ctf_source *source)
{
	const uint64_t len = source->files.list.items[0].bytes;
	uint8_t *bytes;
	int err;

	if (len > KP_TSDL_BYTES_MAX)
		return fail(source, "metadata: larger than %u MiB", KP_TSDL_BYTES_MAX >> 20);
	bytes = malloc((size_t)len + 1);
	if (!bytes)
		return fail(source, "no memory");
	err = kp_ctf_files_read(&source->files, 0, 0, bytes, (size_t)len);
	if (err)
		fail(source, "%s", source->files.message);
	else if ((err = kp_tsdl_read(&source->meta, bytes, (size_t)len)))
		fail(source, "%s", source->meta.message);
	free(bytes);
	return err;
}

static int look_back(struct kp_ctf_source *source)
{
	size_t i;

	for (i = 0; i < source->meta.streams.count; i++)
		if (source->meta.streams.items[i].looks_back)
			return fail(source, "metadata: events depend on the context of their packet: not supported");
	return 0;
}

int kp_ctf_source_open(struct kp_ctf_source *source, const struct kp_ctf_files *files)
{
	size_t i, count = files->list.count - 1;

	memset(source, 0, sizeof(*source));
	source->files = *files;
	if (read_metadata(source) || look_back(source))
		return -1;
	kp_progress_phase("reading", NULL);
	if (!source->meta.clock.known)
		source->meta.clock = (struct kp_ctf_clock){ .known = true, .freq = 1000000000 };
	if (count > STREAMS_MAX)
		return fail(source, "more than %d streams", STREAMS_MAX);
	source->streams = calloc(count + 1, sizeof(*source->streams));
	source->heap = calloc(count + 1, sizeof(*source->heap));
	if (!source->streams || !source->heap)
		return fail(source, "no memory");
	for (i = 0; i < count; i++) {
		struct kp_ctf_stream_in *in = &source->streams[i];

		in->file = i + 1;
		in->room_bytes = count > MANY_STREAMS ? ROOM_MANY : ROOM_FEW;
		in->room = malloc(in->room_bytes);
		if (!in->room)
			return fail(source, "no memory");
		source->stream_count++;
		source->bytes += source->files.list.items[i + 1].bytes;
	}
	return 0;
}

int kp_ctf_source_rewind(struct kp_ctf_source *source)
{
	size_t i;
	int there;

	source->heap_count = 0;
	source->handed_out = false;
	source->packets = source->packets_lost = 0;
	source->lost.count = 0;
	for (i = 0; i < source->stream_count; i++) {
		struct kp_ctf_stream_in *in = &source->streams[i];

		in->packet = in->packet_bytes = in->reached = 0;
		in->has_sequence = false;
		there = next_event(source, in);
		if (there < 0)
			return -1;
		if (!there)
			continue;
		source->heap[source->heap_count++].in = in;
		by_time_up(NULL, source->heap, source->heap_count - 1);
	}
	return 0;
}

/* Replaces the event at the top of the heap, which the last call returned, by the next event of its stream. */
static int move_on(struct kp_ctf_source *source)
{
	struct kp_ctf_stream_in *in = source->heap[0].in;
	const int64_t before = in->time_ns;
	const int there = next_event(source, in);

	if (there < 0)
		return -1;
	if (there && in->time_ns < before)
		return fail_at(source, in, "the time goes back: the trace is damaged");
	if (!there)
		source->heap[0] = source->heap[--source->heap_count];
	by_time_down(NULL, source->heap, source->heap_count, 0);
	return 0;
}

int kp_ctf_source_next(struct kp_ctf_source *source, struct kp_ctf_event *event)
{
	const struct kp_ctf_stream_in *in;

	if (source->handed_out && move_on(source))
		return -1;
	source->handed_out = source->heap_count > 0;
	if (!source->heap_count)
		return 0;
	in = source->heap[0].in;
	*event = (struct kp_ctf_event){ in->time_ns, in->cpu, in->event, &in->all };
	return 1;
}

uint64_t kp_ctf_source_lost(const struct kp_ctf_source *source)
{
	uint64_t count = 0;
	size_t i;

	for (i = 0; i < source->lost.count; i++)
		count += source->lost.items[i].count;
	return count;
}

void kp_ctf_source_close(struct kp_ctf_source *source)
{
	size_t i;

	for (i = 0; i < source->stream_count; i++)
		free(source->streams[i].room);
	free(source->streams);
	free(source->heap);
	free(source->lost.items);
	kp_ctf_meta_free(&source->meta);
	kp_ctf_files_close(&source->files);
	memset(source, 0, sizeof(*source));
}
