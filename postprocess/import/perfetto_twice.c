// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds equal events by their fields, see import/perfetto_twice.h. A context switch or wakeup from the
 * columns of a bundle must be equal to the same event as a message.
 */
#include "import/perfetto_twice.h"

#include <stdlib.h>
#include <string.h>

enum { SWITCH_NEXT_COMM = 5, SWITCH_NEXT_PID = 6, WAKING_COMM = 1, WAKING_PID = 2 };

static int add_bytes(struct kp_pf_twice *twice, const void *bytes, size_t len)
{
	char *more;

	while (twice->texts.cap - twice->texts.count < len)
		if (kp_vector_grow((void **)&twice->texts.items, &twice->texts.cap, 1))
			return -1;
	more = twice->texts.items + twice->texts.count;
	if (len)
		memcpy(more, bytes, len);
	twice->texts.count += len;
	return 0;
}

/* Appends the fields of a context switch or wakeup that are also in columns: the task and its name. */
static int add_task(struct kp_pf_twice *twice, const struct kp_pf_event *event)
{
	const uint32_t pid = event->what == KP_PF_SWITCH ? SWITCH_NEXT_PID : WAKING_PID;
	const uint32_t comm = event->what == KP_PF_SWITCH ? SWITCH_NEXT_COMM : WAKING_COMM;
	struct kp_pb fields = event->fields;
	struct kp_text name = event->comm;
	int64_t task = event->task;
	struct kp_pb_field field = {0};

	while (!event->compact && kp_pb_next(&fields, &field)) {
		if (field.number == pid)
			task = (int32_t)field.value;
		else if (field.number == comm && field.is_bytes)
			name = (struct kp_text){ (const char *)field.bytes.p,
						 (size_t)(field.bytes.end - field.bytes.p) };
	}
	return add_bytes(twice, &task, sizeof(task)) || add_bytes(twice, name.text, name.len) ? -1 : 0;
}

/* Appends the fields to compare to texts. */
static int add_text(struct kp_pf_twice *twice, const struct kp_pf_event *event)
{
	if (add_bytes(twice, &event->what, sizeof(event->what)))
		return -1;
	if (event->what == KP_PF_SWITCH || event->what == KP_PF_WAKING)
		return add_task(twice, event);
	if (add_bytes(twice, &event->pid, sizeof(event->pid)))
		return -1;
	return add_bytes(twice, event->fields.p, (size_t)(event->fields.end - event->fields.p));
}

/* Returns the item for the text at the end of texts, from @at on. Adds it if the text is new. NULL without memory. */
static struct kp_pf_same *same_of(struct kp_pf_twice *twice, size_t at)
{
	const char *text = twice->texts.items + at;
	const size_t len = twice->texts.count - at;
	const uint64_t hash = kp_hash(text, len);
	struct kp_pf_same *same;
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
	*same = (struct kp_pf_same){ .at = at, .len = len, .before = newest };
	return same;
}

int kp_pf_twice_event(struct kp_pf_twice *twice, int64_t time_ns, int64_t own_ns, uint32_t cpu, const void *stream,
		      const struct kp_pf_event *event)
{
	struct kp_pf_same *same;
	size_t at;

	if (twice->time_ns != time_ns || twice->cpu != cpu) {
		kp_map_free(&twice->by_hash);
		twice->list.count = twice->texts.count = 0;
		twice->time_ns = time_ns;
		twice->cpu = cpu;
	}
	at = twice->texts.count;
	if (add_bytes(twice, &own_ns, sizeof(own_ns)) || add_text(twice, event))
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

void kp_pf_twice_free(struct kp_pf_twice *twice)
{
	kp_map_free(&twice->by_hash);
	free(twice->list.items);
	free(twice->texts.items);
}
