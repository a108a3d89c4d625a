// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes Perfetto's packets (export/perfetto_parts.h). The enums have the field numbers, except for
 * the fields of ftrace events, which put_ftrace() numbers from 1. A test decodes the packets with
 * protoc and the field numbers that Perfetto publishes (tests/data/perfetto.fields).
 */
#include "export/perfetto_parts.h"

#include "export/bytes.h"

enum { TRACE_PACKET = 1 };
enum {
	PACKET_FTRACE = 1, PACKET_CLOCKS = 6, PACKET_TIMESTAMP = 8, PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11, PACKET_INTERNED = 12, PACKET_FLAGS = 13, PACKET_SYSTEM = 45,
	PACKET_TRACK = 60, PACKET_ATTRIBUTES = 126,
};
enum { BUNDLE_CPU = 1, BUNDLE_EVENT = 2 };
enum {
	FTRACE_TIMESTAMP = 1, FTRACE_PID = 2, FTRACE_SWITCH = 4, FTRACE_FREQUENCY = 11,
	FTRACE_IDLE = 13, FTRACE_WAKING = 20, FTRACE_NEWTASK = 235, FTRACE_RENAME = 236,
	FTRACE_EXIT = 238, FTRACE_FREE = 240,
};
enum { CLOCKS_CLOCK = 1, CLOCKS_PRIMARY = 2, CLOCK_ID = 1, CLOCK_TIMESTAMP = 2 };
enum { CLOCK_REALTIME_ = 1, CLOCK_BOOTTIME_ = 6 };	/* built-in clocks of Perfetto */
enum { SYSTEM_UTSNAME = 1, SYSTEM_ZONE_MINUTES = 7 };
enum { UTSNAME_SYSNAME = 1, UTSNAME_VERSION, UTSNAME_RELEASE, UTSNAME_MACHINE };
enum {
	TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
};
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2 };
enum {
	EVENT_ANNOTATION = 4, EVENT_TYPE = 9, EVENT_NAME_ID = 10, EVENT_TRACK = 11,
	EVENT_NAME = 23, EVENT_COUNTER = 30, EVENT_FLOW = 47, EVENT_FLOW_ENDS = 48,
};
enum { TYPE_BEGIN = 1, TYPE_END, TYPE_INSTANT, TYPE_COUNTER };
enum { INTERNED_NAME = 2, INTERNED_ANNOTATION = 3, ENTRY_ID = 1, ENTRY_TEXT = 2 };
enum {
	ANNOTATION_ID = 1, ANNOTATION_BOOL = 2, ANNOTATION_UINT = 3, ANNOTATION_INT = 4,
	ANNOTATION_STRING = 6, ANNOTATION_NAME = 10,
};
enum { ATTRIBUTES_ATTRIBUTE = 1, ATTRIBUTE_KEY = 1, ATTRIBUTE_INT = 2, ATTRIBUTE_STRING = 3 };
enum { CLONE_THREAD_ = 0x10000 };	/* flag of clone(): the task is a thread of its parent's process */
enum { SEQUENCE = 1, FLAGS_FIRST = 1, FLAGS_NEXT = 2 };
enum { ID_ARG0 = 1, ID_RET, ID_INFERRED };	/* ids of the interned names of annotations */

static void drain(struct kp_pf_out *out)
{
	if (out->used && fwrite(out->buffer, 1, out->used, out->file) != out->used)
		out->failed = true;
	out->used = 0;
}

/* Begins a packet. Returns the address of its first field. */
static uint8_t *begin_packet(struct kp_pf_out *out, uint8_t **inner)
{
	if (out->used + KP_PF_PACKET_MAX > sizeof(out->buffer))
		drain(out);
	return kp_proto_open(out->buffer + out->used, TRACE_PACKET, inner);
}

static void end_packet(struct kp_pf_out *out, uint8_t *p, uint8_t *inner)
{
	out->used = (uint32_t)(kp_proto_close(p, inner) - out->buffer);
	out->packets++;
}

static size_t cut(size_t len)
{
	return len < KP_PF_TEXT_MAX ? len : KP_PF_TEXT_MAX;
}

static uint8_t *put_text(uint8_t *p, uint32_t field, const char *text)
{
	return kp_proto_text(p, field, text, cut(strlen(text)));
}

static void flush_bundle(struct kp_pf_out *out, uint32_t cpu)
{
	struct kp_pf_bundle *bundle = out->bundles[cpu];
	uint8_t *p, *packet, *inner;

	if (!bundle || !bundle->used)
		return;
	p = begin_packet(out, &packet);
	p = kp_proto_number(p, PACKET_SEQUENCE, SEQUENCE + 1 + cpu);
	p = kp_proto_open(p, PACKET_FTRACE, &inner);
	p = kp_proto_number(p, BUNDLE_CPU, cpu);
	memcpy(p, bundle->bytes, bundle->used);
	p = kp_proto_close(p + bundle->used, inner);
	end_packet(out, p, packet);
	bundle->used = 0;
}

/* Field of an ftrace event: a text, or a number if text is NULL. */
struct field {
	const char *text;
	uint64_t number;
};

/* Writes an ftrace event of @cpu, which runs @pid. The fields have the numbers 1 to @count. */
static void put_ftrace(struct kp_pf_out *out, uint32_t cpu, int64_t time_ns, uint32_t pid, uint32_t what,
		       const struct field *fields, uint32_t count)
{
	struct kp_pf_bundle *bundle = out->bundles[cpu];
	uint8_t *event, *inner, *p;

	if (!bundle)
		bundle = out->bundles[cpu] = calloc(1, sizeof(*bundle));
	if (!bundle) {
		out->failed = true;
		return;
	}
	if (bundle->used + 256 > KP_PF_BUNDLE_BYTES)
		flush_bundle(out, cpu);
	p = kp_proto_open(bundle->bytes + bundle->used, BUNDLE_EVENT, &event);
	p = kp_proto_number(p, FTRACE_TIMESTAMP, (uint64_t)time_ns);
	p = kp_proto_number(p, FTRACE_PID, pid);
	p = kp_proto_open(p, what, &inner);
	for (uint32_t i = 0; i < count; i++)
		p = fields[i].text ? put_text(p, i + 1, fields[i].text) :
				     kp_proto_number(p, i + 1, fields[i].number);
	p = kp_proto_close(kp_proto_close(p, inner), event);
	bundle->used = (uint32_t)(p - bundle->bytes);
}

#define TEXT(value)	{ .text = (value) }
#define NUMBER(value)	{ .number = (uint64_t)(value) }
#define PUT_FTRACE(out, cpu, time_ns, pid, what, ...) \
	put_ftrace(out, cpu, time_ns, pid, what, (const struct field[]){ __VA_ARGS__ }, \
		   sizeof((const struct field[]){ __VA_ARGS__ }) / sizeof(struct field))

void kp_pf_switch(struct kp_pf_out *out, const struct kp_pf_switch *s)
{
	/* fields: the previous task and its state, then the next task */
	PUT_FTRACE(out, s->cpu, s->time_ns, s->prev.pid, FTRACE_SWITCH, TEXT(s->prev.name), NUMBER(s->prev.pid),
		   NUMBER(s->prev.priority), NUMBER(s->prev_state), TEXT(s->next.name), NUMBER(s->next.pid),
		   NUMBER(s->next.priority));
}

void kp_pf_waking(struct kp_pf_out *out, int64_t time_ns, uint32_t cpu, uint32_t pid,
		  const struct kp_pf_task *woken, int32_t target)
{
	/* NUMBER(1): success */
	PUT_FTRACE(out, cpu, time_ns, pid, FTRACE_WAKING, TEXT(woken->name), NUMBER(woken->pid),
		   NUMBER(woken->priority), NUMBER(1), NUMBER(target));
}

void kp_pf_rename(struct kp_pf_out *out, const struct kp_pf_at *at, uint32_t pid, const char *before,
		  const char *now)
{
	PUT_FTRACE(out, at->cpu, at->time_ns, at->runs, FTRACE_RENAME, NUMBER(pid), TEXT(before), TEXT(now));
}

void kp_pf_new_task(struct kp_pf_out *out, int64_t time_ns, uint32_t cpu, uint32_t parent,
		    uint32_t pid, const char *name, bool thread)
{
	PUT_FTRACE(out, cpu, time_ns, parent, FTRACE_NEWTASK, NUMBER(pid), TEXT(name),
		   NUMBER(thread ? CLONE_THREAD_ : 0));
}

void kp_pf_exit(struct kp_pf_out *out, const struct kp_pf_at *at, uint32_t process,
		const struct kp_pf_task *task)
{
	PUT_FTRACE(out, at->cpu, at->time_ns, at->runs, FTRACE_EXIT, TEXT(task->name), NUMBER(task->pid),
		   NUMBER(process), NUMBER(task->priority));
}

void kp_pf_free(struct kp_pf_out *out, const struct kp_pf_at *at, const struct kp_pf_task *task)
{
	PUT_FTRACE(out, at->cpu, at->time_ns, at->runs, FTRACE_FREE, TEXT(task->name), NUMBER(task->pid),
		   NUMBER(task->priority));
}

void kp_pf_frequency(struct kp_pf_out *out, const struct kp_pf_at *at, uint32_t khz)
{
	PUT_FTRACE(out, at->cpu, at->time_ns, at->runs, FTRACE_FREQUENCY, NUMBER(khz), NUMBER(at->cpu));
}

void kp_pf_idle(struct kp_pf_out *out, const struct kp_pf_at *at, uint32_t state)
{
	PUT_FTRACE(out, at->cpu, at->time_ns, at->runs, FTRACE_IDLE, NUMBER(state), NUMBER(at->cpu));
}

void kp_pf_system(struct kp_pf_out *out, const char *release, const char *version,
		  const char *machine, int64_t offset_s)
{
	uint8_t *packet, *inner, *uts, *p = begin_packet(out, &packet);

	p = kp_proto_number(p, PACKET_SEQUENCE, SEQUENCE);
	p = kp_proto_open(p, PACKET_SYSTEM, &inner);
	p = kp_proto_open(p, SYSTEM_UTSNAME, &uts);
	p = put_text(p, UTSNAME_SYSNAME, "Linux");
	if (*version)
		p = put_text(p, UTSNAME_VERSION, version);
	if (*release)
		p = put_text(p, UTSNAME_RELEASE, release);
	if (*machine)
		p = put_text(p, UTSNAME_MACHINE, machine);
	p = kp_proto_close(p, uts);
	p = kp_proto_number(p, SYSTEM_ZONE_MINUTES, (uint64_t)(offset_s / 60));
	end_packet(out, kp_proto_close(p, inner), packet);
}

static uint8_t *put_clock(uint8_t *p, uint32_t id, int64_t time_ns)
{
	uint8_t *inner;

	p = kp_proto_open(p, CLOCKS_CLOCK, &inner);
	p = kp_proto_number(p, CLOCK_ID, id);
	p = kp_proto_number(p, CLOCK_TIMESTAMP, (uint64_t)time_ns);
	return kp_proto_close(p, inner);
}

void kp_pf_clocks(struct kp_pf_out *out, int64_t time_ns, int64_t utc_ns)
{
	uint8_t *packet, *inner, *p = begin_packet(out, &packet);

	p = kp_proto_number(p, PACKET_SEQUENCE, SEQUENCE);
	p = kp_proto_open(p, PACKET_CLOCKS, &inner);
	p = put_clock(p, CLOCK_BOOTTIME_, time_ns);
	p = put_clock(p, CLOCK_REALTIME_, utc_ns);
	p = kp_proto_number(p, CLOCKS_PRIMARY, CLOCK_BOOTTIME_);
	end_packet(out, kp_proto_close(p, inner), packet);
}

static uint8_t *begin_track(struct kp_pf_out *out, uint64_t track, uint8_t **packet,
			    uint8_t **inner)
{
	uint8_t *p = begin_packet(out, packet);

	p = kp_proto_number(p, PACKET_SEQUENCE, SEQUENCE);
	p = kp_proto_open(p, PACKET_TRACK, inner);
	return kp_proto_number(p, TRACK_UUID, track);
}

void kp_pf_track(struct kp_pf_out *out, uint64_t track, uint64_t parent, const char *name,
		 bool counter)
{
	uint8_t *packet, *inner, *none, *p = begin_track(out, track, &packet, &inner);

	p = put_text(p, TRACK_NAME, name);
	if (parent)
		p = kp_proto_number(p, TRACK_PARENT, parent);
	if (counter) {
		p = kp_proto_open(p, TRACK_COUNTER, &none);
		p = kp_proto_close(p, none);
	}
	end_packet(out, kp_proto_close(p, inner), packet);
}

void kp_pf_process_track(struct kp_pf_out *out, uint64_t track, uint32_t pid, const char *name)
{
	uint8_t *packet, *inner, *process, *p = begin_track(out, track, &packet, &inner);

	p = kp_proto_open(p, TRACK_PROCESS, &process);
	p = kp_proto_number(p, PROCESS_PID, pid);
	p = put_text(p, PROCESS_NAME, name);
	p = kp_proto_close(p, process);
	end_packet(out, kp_proto_close(p, inner), packet);
}

void kp_pf_thread_track(struct kp_pf_out *out, uint64_t track, uint32_t process, uint32_t pid)
{
	uint8_t *packet, *inner, *thread, *p = begin_track(out, track, &packet, &inner);

	p = kp_proto_open(p, TRACK_THREAD, &thread);
	p = kp_proto_number(p, THREAD_PID, process);
	p = kp_proto_number(p, THREAD_TID, pid);
	p = kp_proto_close(p, thread);
	end_packet(out, kp_proto_close(p, inner), packet);
}

static uint8_t *put_entry(uint8_t *p, uint32_t field, uint32_t id, const char *text, size_t len)
{
	uint8_t *inner;

	p = kp_proto_open(p, field, &inner);
	p = kp_proto_number(p, ENTRY_ID, id);
	p = kp_proto_text(p, ENTRY_TEXT, text, cut(len));
	return kp_proto_close(p, inner);
}

/* Adds the text of a new name with its id. The first packet also gets the names of annotations. */
static uint8_t *put_interned(struct kp_pf_out *out, uint8_t *p, const struct kp_pf_name *name,
			     uint32_t id, bool is_new)
{
	uint8_t *inner;

	if (out->begun && !is_new)
		return p;
	p = kp_proto_open(p, PACKET_INTERNED, &inner);
	if (is_new)
		p = put_entry(p, INTERNED_NAME, id, name->text, name->len);
	if (!out->begun) {
		p = put_entry(p, INTERNED_ANNOTATION, ID_ARG0, "arg0", 4);
		p = put_entry(p, INTERNED_ANNOTATION, ID_RET, "ret", 3);
		p = put_entry(p, INTERNED_ANNOTATION, ID_INFERRED, "inferred", 8);
	}
	return kp_proto_close(p, inner);
}

static uint32_t name_id(struct kp_pf_out *out, const struct kp_pf_name *name, bool *is_new)
{
	/*
	 * the key contains the length, because two texts can begin at one address; addresses have
	 * 48 bits
	 */
	const uint64_t key = (uint64_t)(uintptr_t)name->text ^ (uint64_t)name->len << 48;
	uint32_t id;

	*is_new = false;
	if (kp_map_get(&out->name_ids, key, &id))
		return id;
	*is_new = true;
	id = ++out->names;
	if (kp_map_set(&out->name_ids, key, id))
		out->failed = true;
	return id;
}

static uint8_t *put_annotation(uint8_t *p, uint32_t id, uint32_t field, uint64_t value)
{
	uint8_t *inner;

	p = kp_proto_open(p, EVENT_ANNOTATION, &inner);
	p = kp_proto_number(p, ANNOTATION_ID, id);
	p = kp_proto_number(p, field, value);
	return kp_proto_close(p, inner);
}

static uint8_t *put_more(uint8_t *p, const struct kp_pf_extra *more)
{
	if (more->has_arg0)
		p = put_annotation(p, ID_ARG0, ANNOTATION_UINT, more->arg0);
	if (more->has_ret)
		p = put_annotation(p, ID_RET, ANNOTATION_INT, (uint64_t)more->ret);
	if (more->inferred)
		p = put_annotation(p, ID_INFERRED, ANNOTATION_BOOL, 1);
	if (more->flow)
		p = kp_proto_fixed64(p, more->flow_ends ? EVENT_FLOW_ENDS : EVENT_FLOW, more->flow);
	return p;
}

static uint8_t *begin_event(struct kp_pf_out *out, uint64_t track, int64_t time_ns, uint32_t type,
			    uint8_t **packet, uint8_t **inner)
{
	uint8_t *p = begin_packet(out, packet);

	p = kp_proto_number(p, PACKET_TIMESTAMP, (uint64_t)time_ns);
	p = kp_proto_number(p, PACKET_SEQUENCE, SEQUENCE);
	p = kp_proto_open(p, PACKET_EVENT, inner);
	p = kp_proto_number(p, EVENT_TYPE, type);
	return kp_proto_number(p, EVENT_TRACK, track);
}

static void end_event(struct kp_pf_out *out, uint8_t *p, uint8_t *packet, uint8_t *inner,
		      const struct kp_pf_name *name, uint32_t id, bool is_new)
{
	p = kp_proto_close(p, inner);
	p = put_interned(out, p, name, id, is_new);
	p = kp_proto_number(p, PACKET_FLAGS, out->begun ? FLAGS_NEXT : FLAGS_FIRST);
	out->begun = true;
	end_packet(out, p, packet);
}

static void put_named(struct kp_pf_out *out, uint64_t track, int64_t time_ns, uint32_t type,
		      const struct kp_pf_name *name, const struct kp_pf_extra *more)
{
	uint8_t *packet, *inner, *p;
	bool is_new;
	uint32_t id = name_id(out, name, &is_new);

	p = begin_event(out, track, time_ns, type, &packet, &inner);
	p = kp_proto_number(p, EVENT_NAME_ID, id);
	if (more)
		p = put_more(p, more);
	end_event(out, p, packet, inner, name, id, is_new);
}

void kp_pf_begin(struct kp_pf_out *out, uint64_t track, int64_t time_ns, struct kp_pf_name name,
		 const struct kp_pf_extra *more)
{
	put_named(out, track, time_ns, TYPE_BEGIN, &name, more);
}

void kp_pf_instant(struct kp_pf_out *out, uint64_t track, int64_t time_ns,
		   struct kp_pf_name name, const struct kp_pf_extra *more)
{
	put_named(out, track, time_ns, TYPE_INSTANT, &name, more);
}

void kp_pf_end(struct kp_pf_out *out, uint64_t track, int64_t time_ns,
	       const struct kp_pf_extra *more)
{
	uint8_t *packet, *inner, *p;

	p = begin_event(out, track, time_ns, TYPE_END, &packet, &inner);
	if (more)
		p = put_more(p, more);
	end_event(out, p, packet, inner, NULL, 0, false);
}

void kp_pf_counter(struct kp_pf_out *out, uint64_t track, int64_t time_ns, int64_t value)
{
	uint8_t *packet, *inner, *p;

	p = begin_event(out, track, time_ns, TYPE_COUNTER, &packet, &inner);
	p = kp_proto_number(p, EVENT_COUNTER, (uint64_t)value);
	end_event(out, p, packet, inner, NULL, 0, false);
}

/* Adds each fact as a message @field with a key and a value, as far as the packet has room. */
static uint8_t *put_texts(uint8_t *packet, uint8_t *p, uint32_t field, uint32_t key, uint32_t value,
			  const struct kp_header *facts)
{
	uint8_t *fact;

	for (size_t i = 0; i < facts->count; i++) {
		const struct kp_header_item *item = &facts->items[i];
		size_t need = cut(strlen(item->key)) + cut(strlen(item->value)) + 32;

		if ((size_t)(p - packet) + need + 64 > KP_PF_PACKET_MAX)
			break;
		p = kp_proto_open(p, field, &fact);
		p = put_text(p, key, item->key);
		p = put_text(p, value, item->value);
		p = kp_proto_close(p, fact);
	}
	return p;
}

void kp_pf_facts(struct kp_pf_out *out, uint64_t track, int64_t time_ns, const char *name,
		 const struct kp_header *facts)
{
	uint8_t *packet, *inner, *p;

	p = begin_event(out, track, time_ns, TYPE_INSTANT, &packet, &inner);
	p = put_text(p, EVENT_NAME, name);
	p = put_texts(packet, p, EVENT_ANNOTATION, ANNOTATION_NAME, ANNOTATION_STRING, facts);
	end_event(out, p, packet, inner, NULL, 0, false);
}

static uint8_t *put_attribute(uint8_t *p, const char *key, uint64_t value)
{
	uint8_t *inner;

	p = kp_proto_open(p, ATTRIBUTES_ATTRIBUTE, &inner);
	p = put_text(p, ATTRIBUTE_KEY, key);
	p = kp_proto_number(p, ATTRIBUTE_INT, value);
	return kp_proto_close(p, inner);
}

void kp_pf_metadata(struct kp_pf_out *out, uint64_t lost, uint64_t damaged,
		    const struct kp_header *facts)
{
	uint8_t *packet, *inner, *p = begin_packet(out, &packet);

	p = kp_proto_number(p, PACKET_SEQUENCE, SEQUENCE);
	p = kp_proto_open(p, PACKET_ATTRIBUTES, &inner);
	p = put_attribute(p, "lost_events", lost);
	p = put_attribute(p, "damaged_entries", damaged);
	p = put_texts(packet, p, ATTRIBUTES_ATTRIBUTE, ATTRIBUTE_KEY, ATTRIBUTE_STRING, facts);
	end_packet(out, kp_proto_close(p, inner), packet);
}

int kp_pf_flush(struct kp_pf_out *out)
{
	for (uint32_t cpu = 0; cpu < KP_PF_CPUS; cpu++)
		flush_bundle(out, cpu);
	drain(out);
	return out->failed || fflush(out->file) ? -1 : 0;
}

void kp_pf_close(struct kp_pf_out *out)
{
	for (size_t i = 0; i < KP_PF_CPUS; i++)
		free(out->bundles[i]);
	kp_map_free(&out->name_ids);
}
