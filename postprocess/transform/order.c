// SPDX-License-Identifier: BSD-3-Clause
/* Orders events, see transform/order.h. Copies names, which are valid only during a call. */

#include "base/memory.h"
#include "base/progress.h"
#include "base/tool.h"
#include "transform/order.h"

#define KP_CHUNK_BYTES	(1u << 18)
/* number of records sorted without a check for an interrupt */
#define KP_RUN_EVENTS	(1u << 16)

struct kp_chunk {
	struct kp_chunk *next;
	size_t used, room;
	char text[];
};

/* A name definition is stored as an event with cpu -1, its number in arg0 and its kind in rpc. */
struct kp_order {
	struct kp_event_sink sink;
	struct kp_event *held;
	size_t count, room;
	struct kp_chunk *chunks;
	bool streaming;
	bool in_order;
	int64_t last;
	char message[200];
};

static int kp_order_fail(struct kp_order *order, const char *what)
{
	snprintf(order->message, sizeof(order->message), "%s", what);
	return -1;
}

static const char *kp_save_name(struct kp_order *order, const char *text, size_t len)
{
	struct kp_chunk *chunk = order->chunks;
	char *copy;

	if (!chunk || chunk->room - chunk->used < len) {
		size_t room = len > KP_CHUNK_BYTES ? len : KP_CHUNK_BYTES;

		chunk = malloc(sizeof(*chunk) + room);
		if (!chunk)
			return NULL;
		chunk->next = order->chunks;
		chunk->used = 0;
		chunk->room = room;
		order->chunks = chunk;
	}
	copy = chunk->text + chunk->used;
	memcpy(copy, text, len);
	chunk->used += len;
	return copy;
}

/* Frees all names, except for one chunk, which is reused. */
static void kp_forget(struct kp_order *order)
{
	while (order->chunks && order->chunks->next) {
		struct kp_chunk *next = order->chunks->next;

		free(order->chunks);
		order->chunks = next;
	}
	if (order->chunks)
		order->chunks->used = 0;
}

/*
 * Returns the rank of an event among events with the same CPU and time. The rank matters for
 * samples and points; other events should have different times. Order: block headers (with a
 * duration), points, returns, context switches, the scheduler's return, calls.
 */
static int kp_rank(const struct kp_event *event)
{
	if (event->event == KUTRACE_USERPID)
		return event->dur ? -1 : 2;
	if (event->event < KUTRACE_CALL_TRAP)
		return 0;
	if (event->event == KUTRACE_RET_SCHED)
		return 3;
	return event->event & KUTRACE_RETURN_BIT ? 1 : 4;
}

static int kp_event_order(const void *a, const void *b)
{
	const struct kp_event *x = a, *y = b;
	int diff;

	KP_COMPARE(x->ts, y->ts);
	KP_COMPARE(x->cpu, y->cpu);
	if (x->cpu >= 0)
		KP_COMPARE(kp_rank(x), kp_rank(y));
	KP_COMPARE(x->event, y->event);
	KP_COMPARE(x->arg0, y->arg0);
	KP_COMPARE(x->pid, y->pid);
	KP_COMPARE(x->retval, y->retval);
	KP_COMPARE(x->dur, y->dur);
	KP_COMPARE(x->rpc, y->rpc);
	KP_COMPARE(x->ipc, y->ipc);
	diff = memcmp(x->name, y->name, x->name_len < y->name_len ? x->name_len : y->name_len);
	if (diff)
		return diff;
	KP_COMPARE(x->name_len, y->name_len);
	return 0;
}

static int kp_hand_on(struct kp_order *order, const struct kp_event *event)
{
	struct kp_namedef def;

	if (event->cpu >= 0)
		return order->sink.event(order->sink.self, event);
	def = (struct kp_namedef){
		.ts = event->ts, .event = event->event, .number = event->arg0,
		.kind = event->rpc, .name = event->name, .name_len = event->name_len,
	};
	return order->sink.namedef(order->sink.self, &def);
}

/* Passes on @count records, which are in order of time; sorts those with the same time. */
static int kp_release(struct kp_order *order, size_t count)
{
	size_t from = 0;

	while (from < count) {
		size_t to = from + 1, i;

		while (to < count && order->held[to].ts == order->held[from].ts)
			to++;
		if (to - from > 1)
			qsort(order->held + from, to - from, sizeof(*order->held), kp_event_order);
		for (i = from; i < to; i++) {
			int err = kp_hand_on(order, &order->held[i]);

			if (err)
				return err;
		}
		from = to;
	}
	return 0;
}

/* Passes on the held records, which have the same time, after that time has passed. */
static int kp_flush(struct kp_order *order)
{
	int err = kp_release(order, order->count);

	order->count = 0;
	kp_forget(order);
	return err;
}

/*
 * If the records so far are in order, passes them on, except those with the last time, and begins
 * to stream.
 */
static int kp_decide(struct kp_order *order)
{
	size_t keep = order->count;
	int64_t last = order->last;
	size_t from;
	int err;

	if (!order->in_order)
		return 0;
	for (from = keep; from && order->held[from - 1].ts == last; from--)
		;
	err = kp_release(order, from);
	if (err)
		return err;
	/* The remaining records need names in the chunks, which the next flush frees. */
	memmove(order->held, order->held + from, (keep - from) * sizeof(*order->held));
	order->count = keep - from;
	order->streaming = true;
	return 0;
}

static int kp_hold(void *self, const struct kp_event *event)
{
	struct kp_order *order = self;
	const char *name;

	if (order->streaming && event->ts != order->last) {
		int err;

		if (event->ts < order->last) {
			snprintf(order->message, sizeof(order->message),
				 "time goes back from %" PRId64 " to %" PRId64 ": sort with sort -n first",
				 order->last, event->ts);
			return -1;
		}
		err = kp_flush(order);
		if (err)
			return err;
	}
	name = kp_save_name(order, event->name, event->name_len);
	if (!name || KP_ROOM(order->held, order->count, order->room))
		return kp_order_fail(order, "no memory to sort the events: sort with sort -n first");
	order->held[order->count] = *event;
	order->held[order->count++].name = name;
	if (event->ts < order->last)
		order->in_order = false;
	else
		order->last = event->ts;
	if (!order->streaming && order->count == KP_ORDER_HELD)
		return kp_decide(order);
	return 0;
}

static int kp_order_namedef(void *self, const struct kp_namedef *def)
{
	struct kp_order *order = self;
	struct kp_event event = {
		.ts = def->ts, .event = def->event, .cpu = -1, .arg0 = def->number,
		.rpc = def->kind, .name = def->name, .name_len = def->name_len,
	};

	if (def->ts < 0)
		return order->sink.namedef(order->sink.self, def);
	return kp_hold(order, &event);
}

static int kp_order_comment(void *self, const char *text, size_t len)
{
	struct kp_order *order = self;

	return order->sink.comment(order->sink.self, text, len);
}

struct kp_order *kp_order_new(const struct kp_event_sink *sink)
{
	struct kp_order *order = calloc(1, sizeof(*order));

	if (order) {
		order->sink = *sink;
		order->in_order = true;
		order->last = -1;
	}
	return order;
}

struct kp_order *kp_order_new_ordered(const struct kp_event_sink *sink)
{
	struct kp_order *order = kp_order_new(sink);

	if (order)
		order->streaming = true;
	return order;
}

struct kp_event_sink kp_order_sink(struct kp_order *order)
{
	return (struct kp_event_sink){
		.event = kp_hold,
		.namedef = kp_order_namedef,
		.comment = kp_order_comment,
		.self = order,
	};
}

/* The records of a sorted part that were not passed on yet; at least one. */
struct kp_run {
	const struct kp_event *at, *end;
};

static bool kp_first(void *self, const struct kp_run *a, const struct kp_run *b)
{
	(void)self;
	return kp_event_order(a->at, b->at) < 0;
}

KP_HEAP(kp_runs, struct kp_run, void *, kp_first)

/* Shows that @done records were sorted or passed on. Returns -1 after an interrupt. */
static int kp_done(struct kp_order *order, size_t done)
{
	kp_progress(done, order->count);
	return kp_interrupted() ? kp_order_fail(order, "interrupted") : 0;
}

/* Sorts the parts in place. Returns their number; 0 after an interrupt. */
static size_t kp_sort_runs(struct kp_order *order, struct kp_run *runs)
{
	size_t from, count = 0;

	kp_progress_phase("sorting", "events");
	for (from = 0; from < order->count; from += KP_RUN_EVENTS) {
		size_t len = order->count - from < KP_RUN_EVENTS ? order->count - from :
								      KP_RUN_EVENTS;
		struct kp_event *run = order->held + from;

		qsort(run, len, sizeof(*run), kp_event_order);
		runs[count] = (struct kp_run){ run, run + len };
		kp_runs_up(NULL, runs, count++);
		if (kp_done(order, from + len))
			return 0;
	}
	return count;
}

static int kp_merge_runs(struct kp_order *order, struct kp_run *runs, size_t count)
{
	size_t done = 0;
	int err = 0;

	kp_progress_phase("writing", "events");
	while (count && !err) {
		err = kp_hand_on(order, runs[0].at++);
		if (!err && !(++done % KP_RUN_EVENTS))
			err = kp_done(order, done);
		if (runs[0].at == runs[0].end)
			runs[0] = runs[--count];
		if (count)
			kp_runs_down(NULL, runs, count, 0);
	}
	return err;
}

static int kp_release_sorted(struct kp_order *order)
{
	struct kp_run *runs = calloc(order->count / KP_RUN_EVENTS + 1, sizeof(*runs));
	size_t count;
	int err = -1;

	if (!runs)
		return kp_order_fail(order, "no memory to sort the events: sort with sort -n first");
	count = kp_sort_runs(order, runs);
	if (count)
		err = kp_merge_runs(order, runs, count);
	free(runs);
	order->count = 0;
	kp_forget(order);
	return err;
}

int kp_order_end(struct kp_order *order)
{
	return order->in_order ? kp_flush(order) : kp_release_sorted(order);
}

const char *kp_order_message(const struct kp_order *order)
{
	return order->message;
}

void kp_order_free(struct kp_order *order)
{
	if (!order)
		return;
	kp_forget(order);
	free(order->chunks);
	free(order->held);
	free(order);
}
