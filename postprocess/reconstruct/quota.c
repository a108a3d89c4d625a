// SPDX-License-Identifier: BSD-3-Clause
/*
 * Cgroups that are throttled because they have used their quota of CPU time. The kernel throttles a
 * cgroup on each CPU by itself. The events show the cgroup and the CPU, but not the tasks in the
 * cgroup: a task is known to be in it if it ran when the cgroup was throttled, or by its parent.
 */
#include "kutrace_quota.h"
#include "reconstruct/state.h"

/* Returns the queue, or NULL if it has had no event. */
static struct kp_quota *kp_quota_of(const struct kp_reconstruct *rec, uint32_t queue)
{
	uint32_t index;

	return kp_map_get(&rec->quota_map, queue, &index) ? &rec->quotas.items[index] : NULL;
}

/* Returns the queue, which is added if needed; NULL without memory. */
static struct kp_quota *kp_quota_add(struct kp_reconstruct *rec, uint32_t queue)
{
	struct kp_quota *quota = kp_quota_of(rec, queue);

	if (quota)
		return quota;
	quota = KP_PUSH(&rec->quotas);
	if (!quota || kp_map_set(&rec->quota_map, queue, (uint32_t)(rec->quotas.count - 1))) {
		kp_rec_no_memory(rec);
		return NULL;
	}
	*quota = (struct kp_quota){ .queue = queue };
	return quota;
}

/* Records that the task is in the cgroup. */
static void kp_quota_join(struct kp_task *task, uint32_t cgroup)
{
	for (size_t i = 0; i < KP_QUOTAS; i++)
		if (task->quotas[i] == cgroup)
			return;
	memmove(task->quotas + 1, task->quotas, (KP_QUOTAS - 1) * sizeof(*task->quotas));
	task->quotas[0] = cgroup;
}

void kp_rec_quota(struct kp_reconstruct *rec, const struct kp_cpu *cpu, const struct kp_event *event)
{
	const bool begins = event->event == KUTRACE_THROTTLE;
	struct kp_quota *quota = kp_quota_add(rec, event->arg0 & ~KUTRACE_QUOTA_OWN);
	struct kp_throttle *last;

	rec->any_quota = true;
	if (!quota)
		return;
	last = quota->throttles.count ? &quota->throttles.items[quota->throttles.count - 1] : NULL;
	if ((begins || (last && last->until == INT64_MAX)) && event->arg0 & KUTRACE_QUOTA_OWN &&
	    cpu->task != &rec->idle && !kp_rec_context_unknown(rec, cpu))
		kp_quota_join(cpu->task, event->arg0 & KUTRACE_QUOTA_CGROUP);
	if (event->event == KUTRACE_THROTTLE_TASK)
		return;
	if (begins && last && last->until == INT64_MAX)
		return;
	if (begins) {
		if (KP_APPEND(&quota->throttles, (struct kp_throttle){ event->ts, INT64_MAX }))
			kp_rec_no_memory(rec);
	} else if (last) {
		/* Without an event in between, the kernel had not ended the throttling before. */
		last->until = event->ts;
		if (KP_APPEND(&rec->quota_ends[quota->queue >> KUTRACE_QUOTA_CPU_SHIFT],
			      (struct kp_quota_end){ *last, quota->queue }))
			kp_rec_no_memory(rec);
	}
}

/* Returns the first throttling of the queue that overlaps the time and ended in it, or NULL. */
static const struct kp_throttle *kp_quota_first(const struct kp_quota *quota, int64_t from, int64_t to)
{
	const struct kp_throttle *first;
	size_t i;

	KP_FIND(i, quota->throttles.count, quota->throttles.items[i].until <= from);
	first = i < quota->throttles.count ? &quota->throttles.items[i] : NULL;
	return first && first->until <= to ? first : NULL;
}

/*
 * Sets *@found to the throttling, unless there is a better one: it began earlier, or it began at the
 * same time and ended later.
 */
static void kp_quota_better(const struct kp_throttle *throttle, uint32_t from_queue,
			    struct kp_throttle *found, uint32_t *queue)
{
	if (throttle->since > found->since || (throttle->since == found->since && throttle->until <= found->until))
		return;
	*found = *throttle;
	*queue = from_queue;
}

bool kp_rec_throttled(const struct kp_reconstruct *rec, const struct kp_task *task, int cpu,
		      int64_t from, int64_t to, struct kp_throttle *found, uint32_t *queue)
{
	const uint32_t of_cpu = (uint32_t)cpu << KUTRACE_QUOTA_CPU_SHIFT;
	size_t i;

	*found = (struct kp_throttle){ INT64_MAX, INT64_MIN };
	for (i = 0; task && i < KP_QUOTAS; i++) {
		const struct kp_quota *quota = task->quotas[i] ? kp_quota_of(rec, of_cpu | task->quotas[i]) : NULL;
		const struct kp_throttle *first = quota ? kp_quota_first(quota, from, to) : NULL;

		if (first)
			kp_quota_better(first, quota->queue, found, queue);
	}
	if (!task) {
		const size_t count = rec->quota_ends[cpu].count;
		const struct kp_quota_end *ends = rec->quota_ends[cpu].items;

		KP_FIND(i, count, ends[i].throttle.until <= from);
		for (; i < count && ends[i].throttle.until <= to; i++)
			if (ends[i].throttle.until > from)
				kp_quota_better(&ends[i].throttle, ends[i].queue, found, queue);
	}
	if (found->since == INT64_MAX)
		return false;
	if (found->since < from)
		found->since = from;
	return true;
}

void kp_rec_quota_runs(const struct kp_reconstruct *rec, struct kp_task *task, int cpu)
{
	for (size_t i = 0; i < KP_QUOTAS; i++) {
		const struct kp_quota *quota =
			kp_quota_of(rec, (uint32_t)cpu << KUTRACE_QUOTA_CPU_SHIFT | task->quotas[i]);

		if (task->quotas[i] && quota && quota->throttles.count &&
		    quota->throttles.items[quota->throttles.count - 1].until == INT64_MAX)
			task->quotas[i] = 0;
	}
}

void kp_rec_quota_forget(struct kp_reconstruct *rec)
{
	for (size_t i = 0; i < rec->quotas.count; i++)
		free(rec->quotas.items[i].throttles.items);
	rec->quotas.count = 0;
	kp_map_free(&rec->quota_map);
	for (int cpu = 0; cpu < KUTRACE_CPUS; cpu++)
		rec->quota_ends[cpu].count = 0;
}

void kp_rec_quota_free(struct kp_reconstruct *rec)
{
	kp_rec_quota_forget(rec);
	free(rec->quotas.items);
	for (int cpu = 0; cpu < KUTRACE_CPUS; cpu++)
		free(rec->quota_ends[cpu].items);
}
