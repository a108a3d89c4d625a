// SPDX-License-Identifier: BSD-3-Clause
/*
 * Imports a Perfetto trace (interop/perfetto_import.h). Each data source writes its own packet
 * sequence, and the bundles of a CPU are in order only within a sequence. So the bundles of each
 * sequence and CPU form a stream.
 *
 * First, all packets are read once, to store the position of each bundle. Then all events are passed
 * twice, as import/feed.h requires. A heap merges the streams by the times of their next events.
 * Memory holds one bundle of each stream, and the positions of all bundles.
 */
#include "interop/perfetto_import.h"

#include "base/progress.h"
#include "base/text.h"
#include "base/tool.h"
#include "interop/perfetto.h"

#define FAR_CPU		KP_FEED_CPUS	/* stands for all CPUs above 255 */
#define BUNDLE_MAX	(8u << 20)
#define TIME_MAX_NS	4000000000000000000ll

struct stream {
	KP_VECTOR(struct kp_pf_place) places;
	size_t next;			/* index of the next bundle in places */
	struct kp_pf_memory memory;
	const Pf__FtraceEventBundle *bundle;
	struct kp_pf_events events;	/* events of the current bundle */
	size_t at;			/* index of the current event */
	int64_t time_ns;		/* time of the current event, UTC */
	int64_t last_ns;		/* time of the previous event, UTC */
};

/* Equal events at the current time and CPU. */
struct same {
	size_t at, len;		/* position of the packed event in texts */
	uint32_t before;	/* index + 1 of another group with the same hash; 0: none */
	uint32_t most;		/* highest count of a stream */
	uint32_t count;		/* number of these events in stream so far */
	const struct stream *stream;	/* last stream that had such an event */
};

/*
 * Events at the current time and CPU. Several data sources may have recorded the same event. The
 * heap passes first all such events of one stream, then all such events of the next stream.
 */
struct twice {
	int64_t time_ns;
	uint32_t cpu;
	struct kp_map by_hash;	/* hash of a packed event -> index in list + 1 */
	KP_VECTOR(struct same) list;
	KP_VECTOR(uint8_t) texts;
};

typedef struct stream *stream_pointer;

struct import {
	struct kp_pf_file file;
	struct kp_pf_facts facts;
	struct kp_pf_import_counts *counts;
	struct kp_feed *feed;
	struct kp_pf_ftrace ftrace;
	struct kp_pf_generic generic;
	KP_VECTOR(struct stream) streams;
	struct kp_map by_source;	/* (sequence, CPU) -> index in streams */
	uint32_t streams_of[FAR_CPU + 1];	/* number of streams of each CPU */
	struct twice twice;
	stream_pointer *heap;		/* array with room for all streams */
	size_t heap_count;
	/*
	 * number of bundles; number of times that a bundle was loaded (each bundle is loaded twice)
	 */
	uint64_t bundles, bundles_told;
};

#define fail(import, ...)	kp_message((import)->file.message, sizeof((import)->file.message), __VA_ARGS__)

static bool earlier(void *self, const stream_pointer *a, const stream_pointer *b)
{
	const struct stream *x = *a, *y = *b;

	(void)self;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns;
	/* at the same time: by CPU, then by the order of the sequences in the file */
	return x->bundle->cpu != y->bundle->cpu ? x->bundle->cpu < y->bundle->cpu : x < y;
}

KP_HEAP(by_time, stream_pointer, void *, earlier)

/* Returns the stream of a sequence and CPU, and adds it if it is new; NULL without memory. */
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

static int note_bundle(struct import *import, const struct kp_pf_place *place, const Pf__TracePacket *packet)
{
	const Pf__BundleHead *head;
	struct kp_pf_clock_pair pair;
	struct kp_pf_place *item;
	struct stream *stream;

	if (place->bytes > BUNDLE_MAX)
		return fail(import, "a bundle of events of more than 8 MiB");
	head = kp_pf_unpack(&import->file, place, &import->file.memory, &pf__bundle_head__descriptor,
			    &packet->ftrace_events);
	if (!head)
		return -1;
	stream = stream_of(import, packet->trusted_packet_sequence_id, head->cpu);
	item = stream ? KP_PUSH(&stream->places) : NULL;
	if (!item)
		return fail(import, "no memory");
	*item = *place;
	import->bundles++;
	import->facts.packets_lost |= head->lost_events;
	pair = (struct kp_pf_clock_pair){ KP_PF_FTRACE + head->ftrace_clock, head->ftrace_timestamp, head->boot_timestamp };
	if (head->ftrace_clock && head->ftrace_timestamp && kp_pf_facts_pair(&import->facts, &pair))
		return fail(import, "no memory");
	return 0;
}

static int note_packet(void *self, const struct kp_pf_place *place, const Pf__TracePacket *packet)
{
	struct import *import = self;

	/* omit other machines: their CPUs and tasks have the same numbers as the host's */
	if (packet->machine_id) {
		import->counts->other_machines++;
		return 0;
	}
	/*
	 * Track events are not shown. Programs write them; in KUtrace's exports they repeat calls.
	 */
	if (packet->data_case == PF__TRACE_PACKET__DATA_TRACK_EVENT)
		kp_linux_other(import->ftrace.linux_);
	if (packet->data_case == PF__TRACE_PACKET__DATA_FTRACE_EVENTS && note_bundle(import, place, packet))
		return -1;
	if (kp_pf_facts_packet(&import->facts, packet) || kp_pf_generic_note(&import->generic, packet))
		return fail(import, "no memory");
	return 0;
}

static int64_t utc(const struct import *import, const Pf__FtraceEventBundle *bundle, uint64_t time)
{
	uint64_t ns = time > (uint64_t)TIME_MAX_NS ? (uint64_t)TIME_MAX_NS : time;

	if (bundle->ftrace_clock)
		ns = (uint64_t)kp_pf_facts_boot(&import->facts, KP_PF_FTRACE + bundle->ftrace_clock, (int64_t)ns);
	ns += (uint64_t)kp_pf_facts_utc(&import->facts);
	return (int64_t)ns < 0 ? 0 : (int64_t)ns;
}

static int load_bundle(struct import *import, struct stream *stream)
{
	const struct kp_pf_place *place = &stream->places.items[stream->next++];
	const Pf__TracePacket *packet;

	kp_progress(import->bundles_told++, 2 * import->bundles);
	if (kp_interrupted())
		return fail(import, "interrupted");
	packet = kp_pf_file_read(&import->file, place, &stream->memory);
	if (!packet)
		return -1;
	if (packet->data_case != PF__TRACE_PACKET__DATA_FTRACE_EVENTS)
		return fail(import, "the trace has changed while it was read");
	stream->bundle = kp_pf_unpack(&import->file, place, &stream->memory, &pf__ftrace_event_bundle__descriptor,
				      &packet->ftrace_events);
	if (!stream->bundle)
		return -1;
	stream->at = 0;
	switch (kp_pf_events_of(&stream->events, stream->bundle)) {
	case 0:
		return 0;
	case -1:
		return kp_pf_damaged(&import->file, place, "invalid compact_sched");
	default:
		return fail(import, "no memory");
	}
}

/*
 * Makes the stream's next event current, and sets its time. Returns 1; 0 if there are no more
 * events; or -1 with a message.
 */
static int find_event(struct import *import, struct stream *stream)
{
	while (stream->at >= stream->events.count) {
		if (stream->next == stream->places.count)
			return 0;
		if (load_bundle(import, stream))
			return -1;
	}
	stream->time_ns = utc(import, stream->bundle, stream->events.items[stream->at].time);
	if (stream->time_ns >= TIME_MAX_NS)
		return fail(import, "the time of an event is not between 1970 and 2096: the trace is damaged");
	import->counts->late += stream->time_ns < stream->last_ns;
	if (stream->time_ns < stream->last_ns)
		stream->time_ns = stream->last_ns;
	stream->last_ns = stream->time_ns;
	return 1;
}

/* Appends the packed event to texts: equal events have equal bytes. Returns -1 without memory. */
static int add_text(struct twice *twice, int64_t own_ns, const struct kp_pf_event *event)
{
	Pf__SchedWakingFtraceEvent task;
	Pf__FtraceEvent text;
	size_t len;

	pf__ftrace_event__init(&text);
	if (event->what == KP_PF_SWITCH || event->what == KP_PF_WAKING) {
		/*
		 * compact_sched has only the task and its name, but not the running thread; so pid
		 * has the kind of the event
		 */
		pf__sched_waking_ftrace_event__init(&task);
		task.has_pid = task.has_comm = text.has_pid = true;
		task.pid = (int32_t)event->task;
		task.comm = event->comm;
		text.event_case = PF__FTRACE_EVENT__EVENT_SCHED_WAKING;
		text.sched_waking = &task;
		text.pid = event->what;
	} else {
		text = *event->message;
		text.has_common_flags = false;
	}
	text.has_timestamp = true;
	text.timestamp = (uint64_t)own_ns;
	len = pf__ftrace_event__get_packed_size(&text);
	while (twice->texts.cap - twice->texts.count < len)
		if (kp_vector_grow((void **)&twice->texts.items, &twice->texts.cap, 1))
			return -1;
	twice->texts.count += pf__ftrace_event__pack(&text, twice->texts.items + twice->texts.count);
	return 0;
}

/*
 * Returns the group of the packed event that begins at @at and ends texts. Adds a group if the
 * event is new. Returns NULL without memory.
 */
static struct same *same_of(struct twice *twice, size_t at)
{
	const uint8_t *text = twice->texts.items + at;
	const size_t len = twice->texts.count - at;
	const uint64_t hash = kp_hash(text, len);
	struct same *same;
	uint32_t newest = 0, place;

	kp_map_get(&twice->by_hash, hash, &newest);
	for (place = newest; place; place = same->before) {
		same = &twice->list.items[place - 1];
		if (same->len == len && !memcmp(twice->texts.items + same->at, text, len)) {
			twice->texts.count = at;
			return same;
		}
	}
	same = KP_PUSH(&twice->list);
	if (!same || kp_map_set(&twice->by_hash, hash, (uint32_t)twice->list.count))
		return NULL;
	*same = (struct same){ .at = at, .len = len, .before = newest };
	return same;
}

/*
 * Returns whether @event of @stream is a duplicate: an earlier stream has at least as many equal
 * events as @stream so far. @own_ns: recorded time, which is before stream->time_ns if the event is
 * late. Returns -1 without memory.
 */
static int take_twice(struct twice *twice, const struct stream *stream, int64_t own_ns, const struct kp_pf_event *event)
{
	struct same *same;
	size_t at;

	if (twice->time_ns != stream->time_ns || twice->cpu != stream->bundle->cpu) {
		kp_map_free(&twice->by_hash);
		twice->list.count = twice->texts.count = 0;
		twice->time_ns = stream->time_ns;
		twice->cpu = stream->bundle->cpu;
	}
	at = twice->texts.count;
	if (add_text(twice, own_ns, event))
		return -1;
	same = same_of(twice, at);
	if (!same)
		return -1;
	if (same->stream != stream)
		same->count = 0;
	same->stream = stream;
	if (++same->count <= same->most)
		return 1;
	same->most = same->count;
	return 0;
}

static int begin(struct import *import)
{
	free(import->heap);
	import->heap = kp_allocated(calloc(import->streams.count + 1, sizeof(*import->heap)));
	if (!import->heap)
		return fail(import, "no memory");
	import->heap_count = 0;
	import->counts->read = import->counts->late = import->counts->twice = 0;
	import->twice.time_ns = -1;
	for (size_t i = 0; i < import->streams.count; i++) {
		struct stream *stream = &import->streams.items[i];
		int there;

		stream->next = stream->at = stream->events.count = 0;
		stream->last_ns = 0;
		there = find_event(import, stream);
		if (there < 0)
			return -1;
		if (!there)
			continue;
		import->heap[import->heap_count++] = stream;
		by_time_up(NULL, import->heap, import->heap_count - 1);
	}
	kp_pf_generic_begin(&import->generic);
	return 0;
}

static int no_memory(struct import *import)
{
	return kp_feed_no_memory(import->feed) ? fail(import, "no memory") : -1;
}

/* Passes on the stream's current event, unless it is a duplicate of another data source's event. */
static int tell_event(struct import *import, struct stream *stream)
{
	const struct kp_feed_at at = { stream->time_ns, stream->bundle->cpu };
	const struct kp_pf_event *event = &stream->events.items[stream->at++];
	int twice = 0;

	if (stream->at == 1 && stream->bundle->lost_events)
		kp_linux_gap(import->ftrace.linux_, at.cpu);
	import->counts->read++;
	if (import->streams_of[at.cpu < KP_FEED_CPUS ? at.cpu : FAR_CPU] > 1)
		twice = take_twice(&import->twice, stream, utc(import, stream->bundle, event->time), event);
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
		struct stream *stream = import->heap[0];
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

/* Adds the pauses, and the interval in which events of some CPUs are missing, of a trace of rawtoperfetto. */
static int state_pauses(struct import *import)
{
	struct kp_pf_pauses *pauses = &import->ftrace.pauses;
	const struct kp_pause *partial = &import->facts.partial;
	const int64_t utc = kp_pf_facts_utc(&import->facts);

	pauses->surveyed = true;
	memset(pauses->off_ns, 0, sizeof(pauses->off_ns));
	for (size_t i = 0; i < pauses->list.count; i++)
		if (kp_feed_pause(import->feed, KUTRACE_META_PAUSE, pauses->list.items[i].off, pauses->list.items[i].on))
			return -1;
	if (!import->facts.ours || !partial->on || partial->on > TIME_MAX_NS / 10 || utc > TIME_MAX_NS)
		return 0;
	return kp_feed_pause(import->feed, KUTRACE_META_PARTIAL, utc + partial->off * 10, utc + partial->on * 10);
}

static int state_facts(struct import *import)
{
	const struct kp_pf_facts *facts = &import->facts;
	struct kp_feed *feed = import->feed;

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
	if (state_pauses(import))
		return -1;
	/* threads that no event has named get their names from the process trees */
	for (size_t i = 0; i < facts->threads.list.count; i++) {
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
	kp_pf_facts_sort(&import->facts);
	import->ftrace.pauses.ours = import->facts.ours;
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
	import->counts->far_cpus = kp_feed_counts(import->feed)->far_cpus;
	return 0;
}

int kp_pf_import(FILE *trace, const struct kp_event_sink *sink, struct kp_pf_import_counts *counts,
		 char *message, size_t room)
{
	struct import *import = kp_allocated(calloc(1, sizeof(*import)));
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
	for (size_t i = 0; i < import->streams.count; i++) {
		free(import->streams.items[i].places.items);
		free(import->streams.items[i].memory.bytes);
		free(import->streams.items[i].events.items);
	}
	free(import->streams.items);
	free(import->heap);
	kp_map_free(&import->by_source);
	kp_map_free(&import->twice.by_hash);
	free(import->twice.list.items);
	free(import->twice.texts.items);
	free(import->ftrace.pauses.list.items);
	kp_pf_generic_free(&import->generic);
	kp_pf_facts_free(&import->facts);
	kp_pf_file_close(&import->file);
	kp_linux_free(import->ftrace.linux_);
	kp_feed_free(import->feed);
	free(import);
	return err;
}
