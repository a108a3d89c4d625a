// SPDX-License-Identifier: BSD-3-Clause
/*
 * Imports the scheduling of any kernel (interop/perfetto.h). A CPU becomes idle when its thread
 * stops running and no other thread begins to run there at the same time.
 */
#include "interop/perfetto.h"

#define SUBSTITUTES_FROM 4194305u	/* above all task numbers of Linux */

enum { STATE_CREATED = 1, STATE_RUNNING = 3, STATE_DEAD = 7, STATE_DESTROYED = 8 };

int kp_pf_generic_note(struct kp_pf_generic *generic, const Pf__TracePacket *packet)
{
	struct kp_pf_state state = { .what = packet->data_case }, *item;
	ProtobufCBinaryData name = {0};

	if (state.what == PF__TRACE_PACKET__DATA_GENERIC_KERNEL_TASK_STATE_EVENT) {
		state.cpu = (uint32_t)packet->generic_kernel_task_state_event->cpu;
		state.number = (uint64_t)packet->generic_kernel_task_state_event->tid;
		state.value = packet->generic_kernel_task_state_event->state;
		name = packet->generic_kernel_task_state_event->comm;
	} else if (state.what == PF__TRACE_PACKET__DATA_GENERIC_KERNEL_TASK_RENAME_EVENT) {
		state.number = (uint64_t)packet->generic_kernel_task_rename_event->tid;
		name = packet->generic_kernel_task_rename_event->comm;
	} else if (state.what == PF__TRACE_PACKET__DATA_GENERIC_KERNEL_CPU_FREQ_EVENT) {
		state.cpu = (uint32_t)packet->generic_kernel_cpu_freq_event->cpu;
		state.value = (uint64_t)packet->generic_kernel_cpu_freq_event->freq_hz;
	} else {
		return 0;
	}
	if (name.len)
		state.name = kp_strings_add(&generic->texts, (const char *)name.data, name.len);
	item = name.len && !state.name ? NULL : KP_PUSH(&generic->states);
	if (!item)
		return -1;
	state.clock = packet->timestamp_clock_id;
	state.time_ns = packet->timestamp > INT64_MAX / 2 ? INT64_MAX / 2 : (int64_t)packet->timestamp;
	state.order = (uint32_t)generic->states.count;
	*item = state;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct kp_pf_state *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/*
 * Sets the tid of all states. Other kernels have task numbers of up to 63 bits. A number above 31
 * bits is replaced by a number that no task of the trace has, in the order of first use. Returns 0,
 * or -1 without memory.
 */
static int number_tasks(struct kp_pf_generic *generic)
{
	struct kp_map used = {0};
	uint32_t next = SUBSTITUTES_FROM, value;
	int err = 0;

	for (size_t i = 0; i < generic->states.count && !err; i++)
		if (generic->states.items[i].number <= INT32_MAX)
			err = kp_map_set(&used, generic->states.items[i].number, 1);
	for (size_t i = 0; i < generic->states.count && !err; i++) {
		struct kp_pf_state *state = &generic->states.items[i];

		state->tid = (uint32_t)state->number;
		if (state->number <= INT32_MAX || kp_map_get(&generic->substitutes, state->number, &state->tid))
			continue;
		while (next < INT32_MAX && (kp_map_get(&used, next, &value) ||
					    kp_names_get(&generic->facts->threads, KUTRACE_NAME_PID, next)))
			next++;
		state->tid = next;
		next += next < INT32_MAX;
		err = kp_map_set(&generic->substitutes, state->number, state->tid);
	}
	kp_map_free(&used);
	return err;
}

int kp_pf_generic_sort(struct kp_pf_generic *generic)
{
	const int64_t utc = kp_pf_facts_utc(generic->facts);

	if (number_tasks(generic))
		return -1;

	for (size_t i = 0; i < generic->states.count; i++) {
		struct kp_pf_state *state = &generic->states.items[i];

		state->time_ns = kp_pf_facts_boot(generic->facts, state->clock, state->time_ns);
		state->time_ns = (int64_t)((uint64_t)state->time_ns + (uint64_t)utc);
		if (state->time_ns < 0)
			state->time_ns = 0;
	}
	if (generic->states.count)
		qsort(generic->states.items, generic->states.count, sizeof(*generic->states.items), by_time);
	return 0;
}

void kp_pf_generic_begin(struct kp_pf_generic *generic)
{
	generic->next = generic->left_count = 0;
	memset(generic->runs, 0, sizeof(generic->runs));
}

/* Passes on a switch to idle for each CPU that became free at left_ns and is still free. */
static int tell_idle(struct kp_pf_generic *generic)
{
	const struct kp_text idle = {0};

	for (size_t i = 0; i < generic->left_count; i++) {
		const struct kp_feed_at at = { generic->left_ns, generic->left[i] };

		if (!generic->runs[at.cpu] && kp_linux_switch(generic->linux_, &at, KP_LINUX_NO_TASK, idle, 0, 0, idle))
			return -1;
	}
	generic->left_count = 0;
	return 0;
}

/*
 * Removes the task of @state from the CPU on which it runs, and sets at->cpu to this CPU. Does
 * nothing if the task does not run.
 */
static void leave(struct kp_pf_generic *generic, const struct kp_pf_state *state, struct kp_feed_at *at)
{
	for (uint32_t cpu = 0; cpu < KP_FEED_CPUS; cpu++) {
		if (!state->tid || generic->runs[cpu] != state->tid)
			continue;
		generic->runs[cpu] = 0;
		at->cpu = cpu;
		generic->left_ns = state->time_ns;
		if (generic->left_count < KP_FEED_CPUS)
			generic->left[generic->left_count++] = cpu;
	}
}

static int tell_state(struct kp_pf_generic *generic, const struct kp_pf_state *state)
{
	const struct kp_feed_at at = { state->time_ns, state->cpu };
	struct kp_feed_at left = at;
	const struct kp_text none = {0};
	const struct kp_text name = { state->name ? state->name->text : NULL, state->name ? state->name->len : 0 };

	if (state->what == PF__TRACE_PACKET__DATA_GENERIC_KERNEL_CPU_FREQ_EVENT)
		return kp_linux_frequency(generic->linux_, &at, state->value / 1000);
	if (state->what == PF__TRACE_PACKET__DATA_GENERIC_KERNEL_TASK_RENAME_EVENT)
		return kp_feed_task(generic->feed, &at, state->tid, name.text, name.len);
	leave(generic, state, &left);
	if (state->value == STATE_CREATED)
		return kp_feed_task_new(generic->feed, &at, state->tid, name.text, name.len);
	if (state->value == STATE_DEAD || state->value == STATE_DESTROYED)
		return kp_linux_gone(generic->linux_, &left, state->tid);
	if (state->value != STATE_RUNNING)
		return 0;
	if (at.cpu < KP_FEED_CPUS)
		generic->runs[at.cpu] = state->tid;
	return kp_linux_switch(generic->linux_, &at, KP_LINUX_NO_TASK, none, 0, state->tid, name);
}

int kp_pf_generic_until(struct kp_pf_generic *generic, int64_t time_ns)
{
	while (generic->next < generic->states.count) {
		const struct kp_pf_state *state = &generic->states.items[generic->next];

		if (state->time_ns > time_ns)
			return 0;
		if (generic->left_count && state->time_ns > generic->left_ns && tell_idle(generic))
			return -1;
		generic->next++;
		if (tell_state(generic, state))
			return -1;
	}
	return generic->left_count && time_ns == INT64_MAX ? tell_idle(generic) : 0;
}

void kp_pf_generic_free(struct kp_pf_generic *generic)
{
	free(generic->states.items);
	kp_strings_free(&generic->texts);
	kp_map_free(&generic->substitutes);
}
