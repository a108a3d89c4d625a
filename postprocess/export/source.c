// SPDX-License-Identifier: BSD-3-Clause
/* Stores tasks, reads a raw trace for an exporter of rows, joins calls (export/source.h). */
#include "export/source.h"

#include "base/input.h"
#include "base/progress.h"
#include "base/tool.h"
#include "common/entry.h"
#include "common/utf8.h"
#include "kutrace_priority.h"

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

int32_t kp_kernel_priority(const char *text, size_t len)
{
	char word[16] = "", rest[56];
	int number = 0;

	snprintf(rest, sizeof(rest), "%.*s", (int)(len < 55 ? len : 55), text);
	if (sscanf(rest, "%15s %d", word, &number) < 1)
		return KP_PRIORITY_USUAL;
	if (!strcmp(word, "deadline"))
		return -1;
	if (!strcmp(word, "FIFO") || !strcmp(word, "RR") || !strcmp(word, "RT"))
		return number >= 1 && number <= 99 ? 99 - number : KP_PRIORITY_USUAL;
	return number >= -20 && number <= 19 ? KP_PRIORITY_USUAL + number : KP_PRIORITY_USUAL;
}

void kp_task_forget_priority(struct kp_task *task)
{
	if (!task->ended)
		return;
	task->ended = false;
	task->priority = KP_PRIORITY_USUAL;
	task->inherited = KUTRACE_PRIORITY_OWN;
}

void kp_task_set_priority(struct kp_task *task, const char *text, size_t len)
{
	kp_task_forget_priority(task);
	task->priority = kp_kernel_priority(text, len);
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
	task->priority = KP_PRIORITY_USUAL;
	task->inherited = KUTRACE_PRIORITY_OWN;
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

static int name_task(void *self, const struct kp_namedef *def)
{
	return def->ts < 0 ? kp_tasks_name(self, def) : 0;
}

void kp_source_open(struct kp_source *source, const char *path)
{
	struct kp_trace *trace = &source->trace;
	const char *shown;
	FILE *file = kp_open_format(path, KP_FORMAT_RAW_TRACE, &shown);

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

int kp_source_status(const struct kp_source *source, int err, const char *why, const char *tool,
		     uint64_t count, const char *what)
{
	const struct kp_trace *trace = &source->trace;

	if (err) {
		if (!*why)
			why = kp_rows_message(trace->rows);
		if (!ferror(stdout) && !kp_interrupted())
			kp_error("%s", *why ? why : "no memory");
		return KP_BAD;
	}
	if (kp_output_unread())
		return KP_BAD;
	kp_progress_clear();
	fprintf(stderr, "%s: %" PRIu64 " events, %" PRIu64 " spans, %" PRIu64 " %s%s\n", tool,
		trace->raw.events, kp_reconstruct_stats(trace->rec)->spans, count, what,
		trace->raw.wrapped ? ", wrapped" : "");
	if (trace->raw.has_meta)
		fprintf(stderr, "  %" PRIu64 " events lost\n", trace->raw.lost);
	kp_retain_output();	/* keep the output even if the trace is damaged */
	return kp_raw_exit_status(&trace->raw);
}

void kp_source_free(struct kp_source *source)
{
	kp_tasks_free(&source->tasks);
	kp_trace_free(&source->trace);
}

/*
 * ---- calls as slices ----
 *
 * A thread's calls are passed on as slices:
 *
 *	read |fault|    ...waiting...    |fault| read | user
 *	becomes  read from its beginning to user, and one fault inside it
 *
 * When another span follows a span of a call immediately, the call has ended or will continue.
 * Later spans show which. Until then the end of the call is an unresolved item, and all later items
 * wait.
 */

/* Returns whether the thread made the call: it is no interrupt or softirq. */
static bool is_own(const struct kp_joined_call *call)
{
	return call->kind != KP_JOINED_TRANSIENT || call->event >= KUTRACE_CALL_SYSCALL64;
}

/*
 * Adds an item. If @at is before the previous item (the thread seems to run on two CPUs), uses that
 * item's time.
 */
static struct kp_calls_item *add(struct kp_calls *calls, const struct kp_joined_call *call, int64_t at)
{
	struct kp_calls_item *item = KP_PUSH(&calls->items);

	if (!item)
		return NULL;
	if (calls->any && at < calls->last)
		at = calls->last;
	*item = (struct kp_calls_item){
		.call = {
			.inferred = call->inferred, .arg0 = call->arg0, .retval = call->retval, .at = at,
			.name = call->like,
		},
	};
	calls->any = true;
	calls->last = at;
	return item;
}

/*
 * Adds an unresolved end of the innermost call when another call begins. Outer calls already have
 * an unresolved end.
 */
static int may_have_ended(struct kp_calls *calls, int depth)
{
	struct kp_calls_item *item;

	while (--depth >= 0 && !is_own(&calls->joiner.in[depth]))
		;
	if (depth < 0 || calls->end[depth] || calls->lasts[depth])
		return 0;
	item = add(calls, &calls->joiner.in[depth], calls->joiner.in[depth].end);
	if (!item)
		return -1;
	item->is_end = item->unresolved = true;
	calls->end[depth] = calls->items.count;
	return 0;
}

static int on_begin(void *self, const struct kp_joined_call *call, int depth)
{
	struct kp_calls *calls = self;

	calls->end[depth] = 0;
	calls->lasts[depth] = false;
	if (!is_own(call))
		return 0;
	return may_have_ended(calls, depth) || !add(calls, call, call->start) ? -1 : 0;
}

/*
 * Removes the unresolved end of a call that continues. Calls that began since this end are inside
 * the call.
 */
static void was_no_end(struct kp_calls *calls, int depth)
{
	struct kp_calls_item *item;

	if (!calls->end[depth])
		return;
	item = &calls->items.items[calls->end[depth] - 1];
	item->retracted = true;
	item->unresolved = false;
	calls->end[depth] = 0;
}

static int on_more(void *self, const struct kp_joined_call *call, int depth)
{
	struct kp_calls *calls = self;

	(void)call;
	was_no_end(calls, depth);
	calls->lasts[depth] = false;
	return 0;
}

static int on_end(void *self, const struct kp_joined_call *call)
{
	struct kp_calls *calls = self;
	const int depth = (int)(call - calls->joiner.in);
	struct kp_calls_item *item;

	if (!is_own(call))
		return 0;
	if (calls->end[depth]) {
		calls->items.items[calls->end[depth] - 1].unresolved = false;
		calls->end[depth] = 0;
		return 0;
	}
	item = add(calls, call, call->end);
	if (!item)
		return -1;
	item->is_end = true;
	return 0;
}

static struct kp_joiner_sink joined(struct kp_calls *calls)
{
	return (struct kp_joiner_sink){
		.ended = on_end, .began = on_begin, .goes_on = on_more, .self = calls,
	};
}

/* Passes on the items before the first unresolved one. */
static void pass_on(struct kp_calls *calls, const struct kp_calls_sink *sink)
{
	size_t left;

	for (; calls->told < calls->items.count; calls->told++) {
		const struct kp_calls_item *item = &calls->items.items[calls->told];

		if (item->unresolved)
			break;
		if (!item->retracted)
			(item->is_end ? sink->end : sink->begin)(sink->self, &item->call);
	}
	left = calls->items.count - calls->told;
	if (calls->told < left)
		return;
	/* move the waiting items to the front; source and target do not overlap */
	if (left)
		memcpy(calls->items.items, &calls->items.items[calls->told],
		       left * sizeof(*calls->items.items));
	for (int depth = 0; depth < KP_JOINER_DEPTH; depth++)
		if (calls->end[depth])
			calls->end[depth] -= calls->told;
	calls->items.count = left;
	calls->told = 0;
}

/*
 * Limits the number of waiting items: assumes that the call of the first unresolved end continues,
 * so all later items are inside this call.
 */
static void decide(struct kp_calls *calls)
{
	for (int depth = 0; depth < calls->joiner.depth; depth++)
		if (calls->end[depth] == calls->told + 1) {
			was_no_end(calls, depth);
			calls->lasts[depth] = true;
		}
}

int kp_calls_span(struct kp_calls *calls, const struct kp_span *span, int64_t paused,
		  struct kp_strings *strings, const struct kp_calls_sink *sink)
{
	struct kp_joiner_sink to = joined(calls);

	to.paused = paused;
	if (kp_joiner_row(&calls->joiner, span, false, 0, strings, &to))
		return -1;
	pass_on(calls, sink);
	while (calls->items.count - calls->told > KP_CALLS_WAIT) {
		decide(calls);
		pass_on(calls, sink);
	}
	return 0;
}

int kp_calls_end(struct kp_calls *calls, const struct kp_calls_sink *sink)
{
	const struct kp_joiner_sink to = joined(calls);

	if (kp_joiner_end(&calls->joiner, &to))
		return -1;
	pass_on(calls, sink);
	return 0;
}

void kp_calls_free(struct kp_calls *calls)
{
	free(calls->items.items);
	memset(calls, 0, sizeof(*calls));
}
