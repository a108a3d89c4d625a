// SPDX-License-Identifier: BSD-3-Clause
/*
 * Parses bundles of ftrace's events, see import/perfetto_bundle.h.
 */
#include "import/perfetto_bundle.h"

#include <stdlib.h>
#include <string.h>

enum {
	BUNDLE_CPU = 1, BUNDLE_EVENT = 2, BUNDLE_LOST = 3, BUNDLE_COMPACT = 4, BUNDLE_CLOCK = 5,
	BUNDLE_FTRACE_TIME = 6, BUNDLE_BOOT_TIME = 7,
};
enum { EVENT_TIME = 1, EVENT_PID = 2, EVENT_FLAGS = 5 };
enum {
	COMPACT_SWITCH_TIME = 1, COMPACT_PREV_STATE = 2, COMPACT_NEXT_PID = 3, COMPACT_TEXTS = 5, COMPACT_NEXT_COMM = 6,
	COMPACT_WAKING_TIME = 7, COMPACT_WAKING_PID = 8, COMPACT_WAKING_COMM = 11,
};

#define DAMAGED		(-1)
#define NO_MEMORY	(-2)

static int by_time(const void *a, const void *b)
{
	const struct kp_pf_event *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static struct kp_pf_event *add(struct kp_pf_bundle_in *bundle)
{
	struct kp_pf_event *event = KP_PUSH(&bundle->events);

	if (event) {
		memset(event, 0, sizeof(*event));
		event->order = (uint32_t)bundle->events.count;
		event->pid = -1;
	}
	return event;
}

static int take_event(struct kp_pf_bundle_in *bundle, struct kp_pb bytes)
{
	struct kp_pf_event *event = add(bundle);
	struct kp_pb_field field;

	if (!event)
		return NO_MEMORY;
	while (kp_pb_next(&bytes, &field)) {
		if (field.number == EVENT_TIME) {
			event->time = field.value;
		} else if (field.number == EVENT_PID) {
			event->pid = (int32_t)field.value;
		} else if (field.number != EVENT_FLAGS && field.is_bytes && !event->what) {
			event->what = field.number;
			event->fields = field.bytes;
		}
	}
	return bytes.bad ? DAMAGED : 0;
}

/* The columns of context switches or of wakeups. Each time is the difference to the time before it. */
struct columns {
	struct kp_pb time, pid, comm, state;
};

static int take_columns(struct kp_pf_bundle_in *bundle, struct columns *columns, uint32_t what)
{
	uint64_t time = 0, step, pid, comm, state;
	struct kp_pf_event *event;

	while (columns->time.p < columns->time.end) {
		if (!kp_pb_varint(&columns->time, &step) || !kp_pb_varint(&columns->pid, &pid) ||
		    !kp_pb_varint(&columns->comm, &comm) || comm >= bundle->comms.count)
			return DAMAGED;
		event = add(bundle);
		if (!event)
			return NO_MEMORY;
		time += step;
		event->time = time;
		event->what = what;
		event->compact = true;
		event->task = (int32_t)pid;
		event->state = kp_pb_varint(&columns->state, &state) ? (int64_t)state : 0;
		event->comm = bundle->comms.items[comm];
	}
	return 0;
}

static int take_compact(struct kp_pf_bundle_in *bundle, struct kp_pb bytes)
{
	struct columns switches = {0}, wakings = {0};
	struct kp_pb_field field;
	struct kp_text *text;
	int err;

	while (kp_pb_next(&bytes, &field)) {
		if (!field.is_bytes)
			continue;
		switch (field.number) {
		case COMPACT_TEXTS:
			text = KP_PUSH(&bundle->comms);
			if (!text)
				return NO_MEMORY;
			*text = (struct kp_text){ (const char *)field.bytes.p,
						  (size_t)(field.bytes.end - field.bytes.p) };
			break;
		case COMPACT_SWITCH_TIME:
			switches.time = field.bytes;
			break;
		case COMPACT_PREV_STATE:
			switches.state = field.bytes;
			break;
		case COMPACT_NEXT_PID:
			switches.pid = field.bytes;
			break;
		case COMPACT_NEXT_COMM:
			switches.comm = field.bytes;
			break;
		case COMPACT_WAKING_TIME:
			wakings.time = field.bytes;
			break;
		case COMPACT_WAKING_PID:
			wakings.pid = field.bytes;
			break;
		case COMPACT_WAKING_COMM:
			wakings.comm = field.bytes;
			break;
		default:
			break;
		}
	}
	if (bytes.bad)
		return DAMAGED;
	err = take_columns(bundle, &switches, KP_PF_SWITCH);
	return err ? err : take_columns(bundle, &wakings, KP_PF_WAKING);
}

int kp_pf_bundle_read(struct kp_pf_bundle_in *bundle, struct kp_pb bytes, bool head)
{
	struct kp_pb_field field;
	int err = 0;

	bundle->cpu = bundle->clock = 0;
	bundle->ftrace_time = bundle->boot_time = 0;
	bundle->lost = false;
	bundle->events.count = bundle->comms.count = 0;
	while (!err && kp_pb_next(&bytes, &field)) {
		switch (field.number) {
		case BUNDLE_CPU:
			bundle->cpu = (uint32_t)field.value;
			break;
		case BUNDLE_EVENT:
			err = field.is_bytes && !head ? take_event(bundle, field.bytes) : 0;
			break;
		case BUNDLE_LOST:
			bundle->lost = field.value != 0;
			break;
		case BUNDLE_COMPACT:
			err = field.is_bytes && !head ? take_compact(bundle, field.bytes) : 0;
			break;
		case BUNDLE_CLOCK:
			bundle->clock = (uint32_t)field.value;
			break;
		case BUNDLE_FTRACE_TIME:
			bundle->ftrace_time = field.value;
			break;
		case BUNDLE_BOOT_TIME:
			bundle->boot_time = field.value;
			break;
		default:
			break;
		}
	}
	if (err || bytes.bad)
		return err ? err : DAMAGED;
	if (bundle->events.count)
		qsort(bundle->events.items, bundle->events.count, sizeof(*bundle->events.items), by_time);
	return 0;
}

void kp_pf_bundle_free(struct kp_pf_bundle_in *bundle)
{
	free(bundle->events.items);
	free(bundle->comms.items);
}
