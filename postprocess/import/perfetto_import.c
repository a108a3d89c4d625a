// SPDX-License-Identifier: BSD-3-Clause
/*
 * Imports a Perfetto trace, see import/perfetto_import.h. Each data source writes its own packet
 * sequence, and the bundles of a CPU are in order only within a sequence. So a stream is the bundles of
 * one (sequence, CPU). All packets are read once, to record the place of each bundle. Then the events
 * pass twice, as import/feed.h needs: a heap merges the streams by the time of their next events.
 * Memory holds one bundle of each stream and the places of all bundles.
 */
#include "import/perfetto_import.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/progress.h"
#include "base/tool.h"
#include "import/perfetto_facts.h"
#include "import/perfetto_file.h"
#include "import/perfetto_ftrace.h"
#include "import/perfetto_generic.h"
#include "import/perfetto_twice.h"
#include "kutrace_events.h"

enum { PACKET_FTRACE = 1, PACKET_TRACK_EVENT = 11 };

#define FAR_CPU		KP_FEED_CPUS	/* stands for all CPUs above 255 */
#define BUNDLE_MAX	(8u << 20)
#define TIME_MAX_NS	4000000000000000000ll

/* A stream: the places of its bundles, and the current bundle. */
struct stream {
	KP_VECTOR(struct kp_pf_place) places;
	size_t next;			/* index of the next place */
	uint8_t *room;
	size_t room_bytes;
	struct kp_pf_bundle_in bundle;
	size_t at;			/* index of the current event in the bundle */
	int64_t time_ns;		/* time of the current event, UTC */
	int64_t last_ns;		/* time of the event before it */
};

struct top {
	struct stream *stream;
};

struct import {
	struct kp_pf_file file;
	struct kp_pf_facts facts;
	struct kp_pf_import_counts *counts;
	struct kp_feed *feed;
	struct kp_pf_ftrace ftrace;
	struct kp_pf_generic generic;
	KP_VECTOR(struct stream) streams;
	struct kp_map by_source;	/* (sequence, CPU) to the index in streams */
	uint32_t streams_of[FAR_CPU + 1];	/* number of streams of each CPU */
	struct kp_pf_twice twice;
	struct top *heap;		/* room for each stream */
	size_t heap_count;
	uint64_t bundles, bundles_told;	/* number of bundles; loads of bundles, two for each */
	struct kp_pf_bundle_in head;	/* the bundle that note_bundle() reads, without events */
};

static int fail(struct import *import, const char *what)
{
	snprintf(import->file.message, sizeof(import->file.message), "%s", what);
	return -1;
}

static bool earlier(void *self, const struct top *a, const struct top *b)
{
	const struct stream *x = a->stream, *y = b->stream;

	(void)self;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns;
	/* at the same time: by CPU, then by the order of the sequences in the file */
	return x->bundle.cpu != y->bundle.cpu ? x->bundle.cpu < y->bundle.cpu : x < y;
}

KP_HEAP(by_time, struct top, void *, earlier)

/* ---- the places of bundles ---- */

/* Returns the stream of a sequence and CPU, and adds it if it is new. NULL without memory. */
static struct stream *stream_of(struct import *import, uint32_t sequence, uint32_t cpu)
{
	const uint32_t known = cpu < KP_FEED_CPUS ? cpu : FAR_CPU;
	const uint64_t key = (uint64_t)sequence << 32 | known;
	struct stream *stream;
	uint32_t place;

	if (kp_map_get(&import->by_source, key, &place))
		return &import->streams.items[place];
	place = (uint32_t)import->streams.count;
	if (place == UINT32_MAX || kp_map_set(&import->by_source, key, place))
		return NULL;
	stream = KP_PUSH(&import->streams);
	if (stream)
		memset(stream, 0, sizeof(*stream));
	import->streams_of[known]++;
	return stream;
}

static int note_bundle(struct import *import, const struct kp_pf_place *place, uint32_t sequence, struct kp_pb bytes)
{
	struct kp_pf_place *item;
	struct stream *stream;

	if (place->bytes > BUNDLE_MAX)
		return fail(import, "a bundle of events of more than 8 MiB");
	if (kp_pf_bundle_read(&import->head, bytes, true))
		return fail(import, "invalid bundle of events: the trace is damaged");
	stream = stream_of(import, sequence, import->head.cpu);
	item = stream ? KP_PUSH(&stream->places) : NULL;
	if (!item)
		return fail(import, "no memory");
	*item = *place;
	import->bundles++;
	import->facts.packets_lost |= import->head.lost;
	if (import->head.clock && import->head.ftrace_time && !import->facts.has_ftrace_clock) {
		import->facts.has_ftrace_clock = true;
		import->facts.ftrace_to_boot_ns =
			(int64_t)(import->head.boot_time - import->head.ftrace_time);
	}
	return 0;
}

static int note_packet(void *self, const struct kp_pf_place *place, struct kp_pb packet)
{
	const struct kp_pf_source source = kp_pf_source_of(packet);
	struct import *import = self;
	struct kp_pb fields = packet;
	struct kp_pb_field field;

	if (source.machine) {	/* another machine, whose CPUs and tasks have the same numbers as the host's */
		import->counts->other_machines++;
		return 0;
	}
	while (kp_pb_next(&fields, &field)) {
		if (field.number == PACKET_FTRACE && field.is_bytes &&
		    note_bundle(import, place, source.sequence, field.bytes))
			return -1;
		if (field.number == PACKET_TRACK_EVENT)		/* written by a program; a call in KUtrace's exports */
			kp_linux_other(import->ftrace.linux_);
	}
	if (kp_pf_facts_packet(&import->facts, &source, packet) || kp_pf_generic_note(&import->generic, place, packet))
		return fail(import, "no memory");
	return 0;
}

/* ---- a stream's events ---- */

static int64_t utc(const struct import *import, const struct kp_pf_bundle_in *bundle, uint64_t time)
{
	int64_t ns = time > (uint64_t)TIME_MAX_NS ? TIME_MAX_NS : (int64_t)time;

	if (bundle->clock)
		ns += import->facts.ftrace_to_boot_ns;
	ns += kp_pf_facts_utc(&import->facts);
	return ns < 0 ? 0 : ns;
}

static int load_bundle(struct import *import, struct stream *stream)
{
	const struct kp_pf_place *place = &stream->places.items[stream->next++];
	struct kp_pb packet;
	struct kp_pb_field field;
	uint8_t *larger;

	kp_progress(import->bundles_told++, 2 * import->bundles);
	if (kp_interrupted())
		return fail(import, "interrupted");
	if (place->bytes > stream->room_bytes) {
		larger = realloc(stream->room, place->bytes);
		if (!larger)
			return fail(import, "no memory");
		stream->room = larger;
		stream->room_bytes = place->bytes;
	}
	if (kp_pf_file_read(&import->file, place, stream->room))
		return -1;
	packet = (struct kp_pb){ .p = stream->room, .end = stream->room + place->bytes };
	stream->at = stream->bundle.events.count = 0;
	while (kp_pb_next(&packet, &field)) {
		if (field.number != PACKET_FTRACE || !field.is_bytes)
			continue;
		switch (kp_pf_bundle_read(&stream->bundle, field.bytes, false)) {
		case 0:
			return 0;
		case -1:
			return fail(import, "invalid event: the trace is damaged");
		default:
			return fail(import, "no memory");
		}
	}
	return 0;
}

/* Makes the stream's next event current, with its time. Returns 1, 0 if there is none, or -1 with a message. */
static int find_event(struct import *import, struct stream *stream)
{
	while (stream->at >= stream->bundle.events.count) {
		if (stream->next == stream->places.count)
			return 0;
		if (load_bundle(import, stream))
			return -1;
	}
	stream->time_ns = utc(import, &stream->bundle, stream->bundle.events.items[stream->at].time);
	if (stream->time_ns >= TIME_MAX_NS)
		return fail(import, "the time of an event is not between 1970 and 2096: the trace is damaged");
	import->counts->late += stream->time_ns < stream->last_ns;
	if (stream->time_ns < stream->last_ns)
		stream->time_ns = stream->last_ns;
	stream->last_ns = stream->time_ns;
	return 1;
}

/* ---- the events of all streams ---- */

static int begin(struct import *import)
{
	size_t i;

	free(import->heap);
	import->heap = kp_allocated(calloc(import->streams.count + 1, sizeof(*import->heap)));
	if (!import->heap)
		return fail(import, "no memory");
	import->heap_count = 0;
	import->counts->read = import->counts->late = import->counts->twice = 0;
	import->twice.time_ns = -1;
	for (i = 0; i < import->streams.count; i++) {
		struct stream *stream = &import->streams.items[i];
		int there;

		stream->next = stream->at = stream->bundle.events.count = 0;
		stream->last_ns = 0;
		there = find_event(import, stream);
		if (there < 0)
			return -1;
		if (!there)
			continue;
		import->heap[import->heap_count++].stream = stream;
		by_time_up(NULL, import->heap, import->heap_count - 1);
	}
	kp_pf_generic_begin(&import->generic);
	return 0;
}

static int no_memory(struct import *import)
{
	return kp_feed_no_memory(import->feed) ? fail(import, "no memory") : -1;
}

/* Passes the stream's current event on, unless it is the duplicate of an event from another data source. */
static int tell_event(struct import *import, struct stream *stream)
{
	const struct kp_feed_at at = { stream->time_ns, stream->bundle.cpu };
	const struct kp_pf_event *event = &stream->bundle.events.items[stream->at++];
	int twice = 0;

	if (stream->at == 1 && stream->bundle.lost)
		kp_linux_gap(import->ftrace.linux_, at.cpu);
	import->counts->read++;
	if (import->streams_of[at.cpu < KP_FEED_CPUS ? at.cpu : FAR_CPU] > 1)
		twice = kp_pf_twice_event(&import->twice, at.time_ns, utc(import, &stream->bundle, event->time),
					  at.cpu, stream, event);
	if (twice < 0)
		return fail(import, "no memory");
	import->counts->twice += (uint64_t)twice;
	return !twice && kp_pf_ftrace_event(&import->ftrace, &at, event) ? no_memory(import) : 0;
}

static int tell(struct import *import)
{
	if (begin(import))
		return -1;
	while (import->heap_count) {
		struct stream *stream = import->heap[0].stream;
		int there;

		if (kp_pf_generic_until(&import->generic, stream->time_ns))
			return no_memory(import);
		if (tell_event(import, stream))
			return -1;
		there = find_event(import, stream);
		if (there < 0)
			return -1;
		if (!there)
			import->heap[0] = import->heap[--import->heap_count];
		by_time_down(NULL, import->heap, import->heap_count, 0);
	}
	return kp_pf_generic_until(&import->generic, INT64_MAX) ? no_memory(import) : 0;
}

/* ---- facts about the trace ---- */

static void machine(struct import *import)
{
	struct kp_feed_about *about = kp_feed_about(import->feed);
	const struct kp_pf_facts *facts = &import->facts;

	snprintf(about->kernel, sizeof(about->kernel), "%s%s%.*s", facts->release, facts->version[0] ? " " : "",
		 (int)(sizeof(about->kernel) - sizeof(facts->release) - 2), facts->version);
	snprintf(about->cpu_model, sizeof(about->cpu_model), "%s", facts->cpu_model);
	snprintf(about->trace_id, sizeof(about->trace_id), "%s", facts->trace_id);
	about->flags = KUTRACE_FILE_VERSION;
	kp_linux_set_release(import->ftrace.linux_, facts->release);
	import->ftrace.calls = kp_syscalls_of(facts->machine, 64);
}

static int state_facts(struct import *import)
{
	const struct kp_pf_facts *facts = &import->facts;
	struct kp_feed *feed = import->feed;
	size_t i;

	import->counts->lost = kp_pf_facts_lost(facts);
	import->counts->numberless = kp_linux_numberless(import->ftrace.linux_);
	import->counts->others = kp_linux_others(import->ftrace.linux_);
	if (kp_feed_meta(feed, "backend=ftrace, by Perfetto") ||
	    kp_feed_meta(feed, "tool=perfettotoevent %s", KUTRACE_VERSION) ||
	    (facts->machine[0] && kp_feed_meta(feed, "arch=%s", facts->machine)) ||
	    (facts->packets_lost && kp_feed_meta(feed, "caveat=packets_lost")) ||
	    (import->counts->late && kp_feed_meta(feed, "caveat=events_late")) ||
	    (import->counts->other_machines && kp_feed_meta(feed, "caveat=other_machines")) ||
	    (!facts->has_clocks && kp_feed_meta(feed, "caveat=no_date")) ||
	    kp_feed_meta(feed, "lost_overrun=%" PRIu64, import->counts->lost))
		return -1;
	/* names from the process trees, for threads that no event has named */
	for (i = 0; i < facts->threads.list.count; i++) {
		const struct kp_name *name = &facts->threads.list.items[i];

		if (kp_feed_name(feed, KUTRACE_NAME_PID, name->number, name->text, name->len))
			return -1;
	}
	return kp_linux_facts(import->ftrace.linux_);
}

static int tell_twice(struct import *import)
{
	if (kp_pf_file_packets(&import->file, note_packet, import))
		return -1;
	import->counts->packets = import->file.packets;
	machine(import);
	kp_progress_phase("reading", "bundles of events");
	if (kp_pf_generic_sort(&import->generic))
		return fail(import, "no memory");
	import->counts->renumbered = import->generic.substitutes.count;
	if (tell(import))
		return -1;
	if (!kp_feed_any(import->feed) && import->counts->other_machines)
		return fail(import, "all kernel events are from other machines "
				    "(machine_id) than the one that recorded the trace");
	if (!kp_feed_any(import->feed))
		return fail(import, "no packet is about the kernel's scheduling, system calls or interrupts");
	if (state_facts(import))
		return no_memory(import);
	if (kp_feed_header(import->feed) || tell(import))
		return -1;
	import->counts->events = kp_feed_counts(import->feed)->events;
	return 0;
}

int kp_pf_import(FILE *trace, const struct kp_event_sink *sink, struct kp_pf_import_counts *counts,
		 char *message, size_t room)
{
	struct import *import = kp_allocated(calloc(1, sizeof(*import)));
	size_t i;
	int err = -1;

	memset(counts, 0, sizeof(*counts));
	snprintf(message, room, "no memory");
	if (!import)
		return -1;
	import->counts = counts;
	import->feed = kp_feed_new(sink);
	import->ftrace.feed = import->feed;
	import->ftrace.linux_ = import->feed ? kp_linux_new(import->feed) : NULL;
	if (!kp_pf_file_open(&import->file, trace) && import->ftrace.linux_) {
		import->generic = (struct kp_pf_generic){ .linux_ = import->ftrace.linux_, .feed = import->feed,
							  .facts = &import->facts };
		err = tell_twice(import);
	}
	snprintf(message, room, "%s", import->file.message);
	for (i = 0; i < import->streams.count; i++) {
		free(import->streams.items[i].places.items);
		free(import->streams.items[i].room);
		kp_pf_bundle_free(&import->streams.items[i].bundle);
	}
	free(import->streams.items);
	free(import->heap);
	kp_map_free(&import->by_source);
	kp_pf_twice_free(&import->twice);
	kp_pf_bundle_free(&import->head);
	kp_pf_generic_free(&import->generic);
	kp_pf_facts_free(&import->facts);
	kp_pf_file_close(&import->file);
	kp_linux_free(import->ftrace.linux_);
	kp_feed_free(import->feed);
	free(import);
	return err;
}
