// SPDX-License-Identifier: BSD-3-Clause
/*
 * Manages the tracks of a Perfetto trace (export/perfetto_tracks.h).
 */
#include "export/perfetto_tracks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kutrace_events.h"

void kp_pf_tracks_init(struct kp_pf_tracks *t, struct kp_pf_out *out, struct kp_tasks *tasks)
{
	size_t i;

	memset(t, 0, sizeof(*t));
	t->out = out;
	t->tasks = tasks;
	for (i = 0; i < KP_PF_CPUS; i++)
		t->cpus[i].pid = KP_PF_NOBODY;
}

void kp_pf_tracks_free(struct kp_pf_tracks *t)
{
	size_t i;

	for (i = 0; i < t->threads.count; i++)
		kp_calls_free(&t->threads.items[i].calls);
	kp_lives_free(&t->lives);
	kp_map_free(&t->thread_places);
	kp_map_free(&t->other_places);
	kp_map_free(&t->stated);
	free(t->seen.items);
	free(t->threads.items);
	free(t->others.items);
}

const char *kp_pf_task_name(struct kp_pf_tracks *t, int64_t pid)
{
	struct kp_task *task;

	if (kp_pf_is_pause(pid))
		return "-pause-";
	task = pid > 0 ? kp_tasks_get(t->tasks, (uint32_t)pid) : NULL;
	if (pid > 0 && !task)
		t->no_memory = true;
	return task ? task->name : "swapper";
}

/* Returns the key of the thread that has @pid now. */
static uint64_t key_of(const struct kp_pf_tracks *t, int64_t pid)
{
	return kp_life_key(pid, kp_lives_of(&t->lives, pid));
}

void kp_pf_name_child(struct kp_pf_tracks *t, int64_t pid, const char *parent)
{
	char name[KP_TASK_NAME];
	struct kp_task *task;

	/* the list of tasks may move */
	snprintf(name, sizeof(name), "%s", parent);
	task = kp_tasks_get(t->tasks, (uint32_t)pid);
	if (!task) {
		t->no_memory = true;
		return;
	}
	memcpy(task->name, name, sizeof(name));
	task->named = true;
}

void kp_pf_take_name(struct kp_pf_tracks *t, const struct kp_span *span)
{
	char before[KP_TASK_NAME];
	size_t len = span->name_len;
	struct kp_task *task;
	uint32_t place;

	while (len && span->name[len - 1] != '.')
		len--;
	if (len < 2)
		return;
	task = kp_tasks_get(t->tasks, (uint32_t)span->pid);
	if (!task) {
		t->no_memory = true;
		return;
	}
	memcpy(before, task->name, sizeof(before));
	kp_plain_text(task->name, sizeof(task->name), span->name, len - 1);
	if (!strcmp(before, task->name)) {
		task->named = true;
		return;
	}
	if (task->named)
		kp_pf_rename(t->out, span->start * 10, (uint32_t)span->cpu, task->pid, before, task->name);
	else if (kp_map_get(&t->thread_places, key_of(t, span->pid), &place))
		kp_pf_process_track(t->out, t->threads.items[place].process_track, task->pid, task->name);
	task->named = true;
}

struct kp_pf_thread *kp_pf_thread(struct kp_pf_tracks *t, int64_t pid)
{
	const uint64_t key = key_of(t, pid);
	struct kp_pf_thread *thread;
	uint32_t place;

	if (kp_map_get(&t->thread_places, key, &place))
		return &t->threads.items[place];
	place = (uint32_t)t->threads.count;
	thread = KP_PUSH(&t->threads);
	if (!thread || kp_map_set(&t->thread_places, key, place)) {
		t->no_memory = true;
		return NULL;
	}
	memset(thread, 0, sizeof(*thread));
	thread->pid = (uint32_t)pid;
	thread->process_track = KP_PF_OTHER + t->given++;
	thread->track = KP_PF_OTHER + t->given++;
	kp_pf_process_track(t->out, thread->process_track, thread->pid, kp_pf_task_name(t, pid));
	kp_pf_thread_track(t->out, thread->track, thread->pid);
	return thread;
}

void kp_pf_state(struct kp_pf_tracks *t, int64_t pid, bool has)
{
	uint32_t *seen, before;

	if (pid <= 0 || kp_pf_is_pause(pid))
		return;
	if (!kp_map_get(&t->stated, (uint64_t)pid, &before)) {
		seen = KP_PUSH(&t->seen);
		if (!seen) {
			t->no_memory = true;
			return;
		}
		*seen = (uint32_t)pid;
		before = !has;
	}
	if (before != has && kp_map_set(&t->stated, (uint64_t)pid, has))
		t->no_memory = true;
}

uint32_t kp_pf_take_state(struct kp_pf_tracks *t)
{
	uint32_t pid, has;

	while (t->seen.count) {
		pid = t->seen.items[--t->seen.count];
		if (kp_map_get(&t->stated, pid, &has) && has)
			return pid;
	}
	kp_map_free(&t->stated);
	return 0;
}

struct kp_pf_cpu *kp_pf_cpu(struct kp_pf_tracks *t, int64_t number)
{
	struct kp_pf_cpu *cpu;
	char name[32];

	if (number < 0 || number >= KP_PF_CPUS)
		return NULL;
	cpu = &t->cpus[number];
	if (!cpu->seen) {
		snprintf(name, sizeof(name), "CPU %" PRId64, number);
		kp_pf_track(t->out, KP_PF_CPU + (uint64_t)number, KP_PF_KERNEL, name);
		cpu->seen = true;
	}
	return cpu;
}

uint64_t kp_pf_track_of(struct kp_pf_tracks *t, const struct kp_span *span)
{
	struct kp_pf_thread *thread;

	if (span->pid > 0) {
		thread = kp_pf_thread(t, span->pid);
		return thread ? thread->track : KP_PF_FACTS;
	}
	return kp_pf_cpu(t, span->cpu) ? KP_PF_CPU + (uint64_t)span->cpu : KP_PF_FACTS;
}

struct kp_pf_other *kp_pf_other(struct kp_pf_tracks *t, const struct kp_span *span)
{
	const uint64_t key = (uint64_t)span->event << 52 ^ (uint64_t)span->pid << 28 ^
			     (uint64_t)(span->event == KUTRACE_RPCIDMID ? span->rpc : span->arg0) ^
			     (uint64_t)kp_lives_of(&t->lives, span->pid) << 40;
	struct kp_pf_other *other;
	uint32_t place;
	char name[64];

	if (kp_map_get(&t->other_places, key, &place))
		return &t->others.items[place];
	place = (uint32_t)t->others.count;
	other = KP_PUSH(&t->others);
	if (!other || kp_map_set(&t->other_places, key, place)) {
		t->no_memory = true;
		return NULL;
	}
	*other = (struct kp_pf_other){ .track = KP_PF_OTHER + t->given++, .end = INT64_MIN };
	snprintf(name, sizeof(name), "%.*s", (int)(span->name_len < 60 ? span->name_len : 60),
		 span->name);
	kp_pf_track(t->out, other->track, span->pid > 0 ? kp_pf_track_of(t, span) : 0, name);
	return other;
}
