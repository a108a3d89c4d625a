// SPDX-License-Identifier: BSD-3-Clause
/* Functions for all files of the reconstruction (state.h). Must not interpret events. */
#include "reconstruct/state.h"

/*
 * ---- queues of RPCs ----
 *
 * Each item is in two lists, oldest first: the list of its queue, and the list of its queue and
 * RPC. So the oldest item of a queue is also the first item in the list of its queue and RPC.
 */

static uint64_t by_rpc_key(uint32_t queue, uint32_t rpc)
{
	return (uint64_t)queue << 32 | rpc;
}

/* Returns the list of @key, or NULL if there is none. */
static struct kp_queue_list *find(struct kp_queues *queues, const struct kp_map *map, uint64_t key)
{
	uint32_t index;

	return kp_map_get(map, key, &index) ? &queues->lists.items[index] : NULL;
}

/* Adds an empty list for @key if there is none. Returns 0, or -1 without memory. */
static int ensure(struct kp_queues *queues, struct kp_map *map, uint64_t key)
{
	if (find(queues, map, key))
		return 0;
	if (KP_APPEND(&queues->lists, (struct kp_queue_list){ 0, 0 }))
		return -1;
	return kp_map_set(map, key, (uint32_t)(queues->lists.count - 1));
}

/* Returns the index + 1 of an unused item, or 0 without memory. */
static uint32_t unused_item(struct kp_queues *queues)
{
	uint32_t item = queues->unused;

	if (item) {
		queues->unused = queues->items.items[item - 1].next;
		return item;
	}
	if (queues->items.count >= UINT32_MAX || KP_ADD(&queues->items))
		return 0;
	return (uint32_t)queues->items.count;
}

int kp_queues_put(struct kp_queues *queues, const struct kp_queued *item)
{
	uint64_t key = by_rpc_key(item->queue, item->rpc);
	struct kp_queue_list *all, *same;
	struct kp_queued *added;
	uint32_t number;

	if (ensure(queues, &queues->by_queue, item->queue) || ensure(queues, &queues->by_rpc, key))
		return -1;
	number = unused_item(queues);
	if (!number)
		return -1;
	all = find(queues, &queues->by_queue, item->queue);
	same = find(queues, &queues->by_rpc, key);
	added = &queues->items.items[number - 1];
	*added = *item;
	added->next = 0;
	added->next_same = 0;
	added->prev = all->last;
	if (all->last)
		queues->items.items[all->last - 1].next = number;
	else
		all->first = number;
	all->last = number;
	if (same->last)
		queues->items.items[same->last - 1].next_same = number;
	else
		same->first = number;
	same->last = number;
	return 0;
}

bool kp_queues_take(struct kp_queues *queues, uint32_t queue, uint32_t rpc, struct kp_queued *item)
{
	struct kp_queue_list *all = find(queues, &queues->by_queue, queue), *same = NULL;
	uint32_t number;

	if (!all || !all->first)
		return false;
	if (rpc)
		same = find(queues, &queues->by_rpc, by_rpc_key(queue, rpc));
	number = same && same->first ? same->first : all->first;
	*item = queues->items.items[number - 1];
	same = find(queues, &queues->by_rpc, by_rpc_key(queue, item->rpc));
	same->first = item->next_same;
	if (!same->first)
		same->last = 0;
	if (item->prev)
		queues->items.items[item->prev - 1].next = item->next;
	else
		all->first = item->next;
	if (item->next)
		queues->items.items[item->next - 1].prev = item->prev;
	else
		all->last = item->prev;
	queues->items.items[number - 1].next = queues->unused;
	queues->unused = number;
	return true;
}

void kp_queues_free(struct kp_queues *queues)
{
	free(queues->items.items);
	free(queues->lists.items);
	kp_map_free(&queues->by_queue);
	kp_map_free(&queues->by_rpc);
	memset(queues, 0, sizeof(*queues));
}

int kp_rec_fail(struct kp_reconstruct *rec, const char *what)
{
	if (!rec->err) {
		rec->err = -1;
		snprintf(rec->message, sizeof(rec->message), "%s", what);
	}
	return rec->err;
}

int kp_rec_no_memory(struct kp_reconstruct *rec)
{
	return kp_rec_fail(rec, "no memory");
}

const struct kp_str *kp_rec_str(struct kp_reconstruct *rec, const char *text, size_t len)
{
	static const struct kp_str none = { .len = 0 };
	const struct kp_str *str = kp_strings_add(&rec->strings, text, len);

	if (str)
		return str;
	kp_rec_no_memory(rec);
	return &none;
}

const struct kp_str *kp_rec_inferred_name(struct kp_reconstruct *rec, const struct kp_span *row,
					  const struct kp_str *name)
{
	int len = snprintf(rec->scratch, sizeof(rec->scratch), "%.*s?",
			   (int)(name->len < 400 ? name->len : 400), name->text);

	rec->stats.inferred++;
	rec->stats.inferred_units += row->dur;
	return kp_rec_str(rec, rec->scratch, (size_t)len);
}

void kp_rec_row(struct kp_reconstruct *rec, const struct kp_span *row,
		const struct kp_str *name)
{
	struct kp_span copy = *row;

	copy.name = name->text;
	copy.name_len = name->len;
	kp_rec_row_once(rec, &copy);
}

void kp_rec_row_once(struct kp_reconstruct *rec, const struct kp_span *row)
{
	if (rec->err)
		return;
	rec->stats.spans++;
	rec->err = rec->sink.span(rec->sink.self, row);
}

void kp_rec_log(struct kp_reconstruct *rec, const struct kp_cpu *cpu, int64_t ts,
		const char *what, const struct kp_str *name)
{
	if (rec->trace)
		fprintf(rec->trace, "%" PRId64 ".%08" PRId64 " CPU %d pid %u: %s%s%s\n",
			ts / 100000000, ts % 100000000, cpu->id, cpu->task->pid, what,
			name ? " " : "", name ? name->text : "");
}

void kp_rec_cpu_reset(struct kp_reconstruct *rec, struct kp_cpu *cpu)
{
	*cpu = (struct kp_cpu){
		.id = cpu->id, .paused = cpu->paused, .depth = 1,
		.frames[0].event = KP_EVENT_USER, .task = &rec->idle, .span_task = &rec->idle,
		.switch_time = -1, .freq_since = -1, .ticked = -1,
	};
}

struct kp_cpu *kp_rec_cpu(struct kp_reconstruct *rec, int id)
{
	struct kp_cpu *cpu;

	if (id < 0 || id > 255)
		return NULL;
	cpu = rec->cpus[id];
	if (cpu)
		return cpu;
	cpu = calloc(1, sizeof(*cpu));
	if (!cpu) {
		kp_rec_no_memory(rec);
		return NULL;
	}
	cpu->id = id;
	cpu->paused = -1;
	kp_rec_cpu_reset(rec, cpu);
	rec->cpus[id] = cpu;
	return cpu;
}
