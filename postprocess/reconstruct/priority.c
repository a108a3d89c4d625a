// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes rows of the policies and priorities of threads. A definition in the name table gives a thread
 * its own priority from that time on. An event gives it an inherited priority, or takes it away. Each
 * row ends when the priority changes.
 */
#include "kutrace_priority.h"
#include "reconstruct/state.h"

/* Returns the priority of the thread, which is added if needed; NULL without memory. */
static struct kp_priority *kp_priority_of(struct kp_reconstruct *rec, uint32_t pid)
{
	struct kp_priority *priority;
	uint32_t index;

	if (kp_map_get(&rec->priority_map, pid, &index))
		return &rec->priorities.items[index];
	priority = KP_PUSH(&rec->priorities);
	if (!priority || kp_map_set(&rec->priority_map, pid, (uint32_t)(rec->priorities.count - 1))) {
		kp_rec_no_memory(rec);
		return NULL;
	}
	*priority = (struct kp_priority){ .pid = pid, .since = -1, .inherited = KUTRACE_PRIORITY_OWN };
	return priority;
}

/* Writes an inherited priority as text. */
static const struct kp_str *kp_priority_inherited(struct kp_reconstruct *rec, uint32_t inherited)
{
	int len;

	if (!inherited)
		len = snprintf(rec->scratch, sizeof(rec->scratch), "deadline inherited");
	else if (inherited <= 100)
		len = snprintf(rec->scratch, sizeof(rec->scratch), "RT %u inherited", 100 - inherited);
	else
		len = snprintf(rec->scratch, sizeof(rec->scratch), "nice %d inherited", (int)inherited - 121);
	return kp_rec_str(rec, rec->scratch, (size_t)len);
}

/* Writes the row of the priority that the thread had until @until. If it has no definition, it has the usual one. */
static void kp_priority_row(struct kp_reconstruct *rec, const struct kp_priority *priority, int64_t until)
{
	const int64_t first = rec->stats.first;
	const struct kp_str *name = priority->own ? priority->own : rec->usual_priority;
	struct kp_span row = {
		.start = priority->since < first ? first : priority->since, .cpu = -1, .pid = priority->pid,
		.event = KUTRACE_MADE_PRIORITY_SPAN,
	};

	if (priority->inherited != KUTRACE_PRIORITY_OWN)
		name = kp_priority_inherited(rec, priority->inherited);
	row.dur = until - row.start;
	if (!name || row.dur <= 0 || !rec->any)
		return;
	rec->stats.others++;
	kp_rec_row(rec, &row, name);
}

/* Returns whether the thread has run. */
static bool kp_has_run(const struct kp_reconstruct *rec, uint32_t pid)
{
	uint32_t index;

	return kp_map_get(&rec->task_map, pid, &index) &&
	       (rec->tasks[index]->ran || rec->tasks[index]->cpu >= 0);
}

void kp_rec_priority_name(struct kp_reconstruct *rec, const struct kp_namedef *def)
{
	const struct kp_str *name = kp_rec_str(rec, def->name, def->name_len < 56 ? def->name_len : 56);
	struct kp_priority *priority;

	if (!def->number) {
		rec->usual_priority = name;
		return;
	}
	priority = kp_priority_of(rec, def->number);
	if (!priority || priority->own == name)
		return;
	/* Until now, the thread had another priority. */
	if (priority->inherited == KUTRACE_PRIORITY_OWN) {
		if (priority->own || kp_has_run(rec, def->number))
			kp_priority_row(rec, priority, def->ts);
		priority->since = def->ts;
	}
	priority->own = name;
}

void kp_rec_priority_event(struct kp_reconstruct *rec, const struct kp_event *event)
{
	const uint32_t inherited = event->arg0 >> KUTRACE_PRIORITY_SHIFT & 0xFF;
	struct kp_priority *priority = kp_priority_of(rec, event->arg0 & KUTRACE_PRIORITY_PID);

	if (!priority || priority->inherited == inherited)
		return;
	kp_priority_row(rec, priority, event->ts);
	priority->since = event->ts;
	priority->inherited = inherited;
}

void kp_rec_priorities_end(struct kp_reconstruct *rec)
{
	const struct kp_priority others = {
		.since = -1, .own = rec->usual_priority, .inherited = KUTRACE_PRIORITY_OWN,
	};

	kp_priority_row(rec, &others, rec->stats.last);
	for (size_t i = 0; i < rec->priorities.count; i++)
		if (kp_has_run(rec, rec->priorities.items[i].pid))
			kp_priority_row(rec, &rec->priorities.items[i], rec->stats.last);
}

void kp_rec_priorities_free(struct kp_reconstruct *rec)
{
	free(rec->priorities.items);
	kp_map_free(&rec->priority_map);
}
