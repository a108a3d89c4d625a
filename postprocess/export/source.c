// SPDX-License-Identifier: BSD-3-Clause
/*
 * Stores tasks by pid, and reads a raw trace for an exporter of rows (export/source.h).
 */
#include "export/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "base/tool.h"
#include "common/entry.h"
#include "common/utf8.h"

size_t kp_plain_text(char *out, size_t room, const char *text, size_t len)
{
	size_t used = 0, i = 0, n;

	while (i < len && used + 1 < room) {
		n = ku_utf8_sequence(text + i, len - i);
		if (n > 1 && used + n >= room)
			break;
		if (!n || (unsigned char)text[i] < ' ' || text[i] == 0x7F) {
			out[used++] = '?';
			i++;
			continue;
		}
		memcpy(out + used, text + i, n);
		used += n;
		i += n;
	}
	memset(out + used, 0, room - used);
	return used;
}

struct kp_task *kp_tasks_get(struct kp_tasks *tasks, uint32_t pid)
{
	struct kp_task *task;
	char name[32];
	uint32_t index;

	if (kp_map_get(&tasks->index, pid, &index))
		return &tasks->list.items[index];
	index = (uint32_t)tasks->list.count;
	task = KP_PUSH(&tasks->list);
	if (!task || kp_map_set(&tasks->index, pid, index))
		return NULL;
	memset(task, 0, sizeof(*task));
	task->pid = pid;
	task->last_cpu = -1;
	task->away_at = UINT64_MAX;
	snprintf(name, sizeof(name), "pid%u", pid);
	kp_plain_text(task->name, sizeof(task->name), name, strlen(name));
	return task;
}

int kp_tasks_name(struct kp_tasks *tasks, const struct kp_namedef *def)
{
	struct kp_task *task;

	if (KU_NAME_BASE(def->event) != KUTRACE_NAME_PID)
		return 0;
	task = kp_tasks_get(tasks, def->number);
	if (!task)
		return -1;
	if (def->ts < 0 && task->named)
		return 0;
	kp_plain_text(task->name, sizeof(task->name), def->name, def->name_len);
	task->named = true;
	return 0;
}

void kp_tasks_free(struct kp_tasks *tasks)
{
	kp_map_free(&tasks->index);
	free(tasks->list.items);
}

/* ---- the trace ---- */

static int name_task(void *self, const struct kp_namedef *def)
{
	return def->ts < 0 ? kp_tasks_name(self, def) : 0;
}

void kp_source_open(struct kp_source *source, const char *path)
{
	struct kp_trace *trace = &source->trace;
	const char *shown;
	FILE *file = kp_open_input(path, &shown);

	trace->names = name_task;
	trace->names_self = &source->tasks;
	if (kp_trace_open(trace, file, shown))
		kp_die(KP_BAD, "%s", kp_trace_message(trace));
	kp_raw_about(&trace->raw, &source->about);
}

void kp_source_read(struct kp_source *source)
{
	if (kp_trace_read(&source->trace))
		kp_die(KP_BAD, "%s", kp_trace_message(&source->trace));
}

void kp_source_failed(const struct kp_source *source, const char *why)
{
	if (!*why)
		why = kp_rows_message(source->trace.rows);
	if (!ferror(stdout) && !kp_interrupted())
		kp_error("%s", *why ? why : "no memory");
}

void kp_source_summary(const struct kp_source *source, const char *tool, uint64_t count,
		       const char *what)
{
	const struct kp_trace *trace = &source->trace;

	kp_progress_clear();
	fprintf(stderr, "%s: %" PRIu64 " events, %" PRIu64 " spans, %" PRIu64 " %s%s\n", tool,
		trace->raw.events, kp_reconstruct_stats(trace->rec)->spans, count, what,
		trace->raw.wrapped ? ", wrapped" : "");
	if (trace->raw.has_meta)
		fprintf(stderr, "  %" PRIu64 " events lost\n", trace->raw.lost);
}

void kp_source_free(struct kp_source *source)
{
	kp_tasks_free(&source->tasks);
	kp_trace_free(&source->trace);
}
