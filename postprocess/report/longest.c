// SPDX-License-Identifier: BSD-3-Clause
/* Finds the longest call of a name (report/longest.h). A call without beginning or end does not count. */
#include "report/longest.h"

static int on_call(void *self, const struct kp_prof_process *process, int32_t cpu, const struct kp_joined_call *call)
{
	const uint64_t key = kp_life_key(process->pid, process->life);
	struct kp_longest *longest = self;
	uint32_t index;

	(void)cpu;
	if (!process->pid || strcmp(call->like->text, longest->name) || !call->begins || !call->ends || call->inferred ||
	    call->start < longest->from || call->end > longest->to)
		return 0;
	if (!kp_map_get(&longest->by_thread, key, &index)) {
		index = (uint32_t)longest->calls.count;
		return kp_map_set(&longest->by_thread, key, index) ? -1 :
		       KP_APPEND(&longest->calls, (struct kp_longest_call){ key, call->start, call->end });
	}
	if (call->end - call->start > longest->calls.items[index].end - longest->calls.items[index].start)
		longest->calls.items[index] = (struct kp_longest_call){ key, call->start, call->end };
	return 0;
}

static int on_header(void *self, const struct kp_header_item *items, size_t count)
{
	struct kp_longest *longest = self;
	const struct kp_span_sink why = kp_why_sink(longest->why), prof = kp_prof_sink(&longest->prof);

	return prof.header(prof.self, items, count) ? -1 : why.header(why.self, items, count);
}

static int on_span(void *self, const struct kp_span *span)
{
	struct kp_longest *longest = self;
	const struct kp_span_sink why = kp_why_sink(longest->why), prof = kp_prof_sink(&longest->prof);

	return prof.span(prof.self, span) ? -1 : why.span(why.self, span);
}

static int on_end(void *self)
{
	struct kp_longest *longest = self;
	const struct kp_span_sink why = kp_why_sink(longest->why), prof = kp_prof_sink(&longest->prof);

	return prof.end(prof.self) ? -1 : why.end(why.self);
}

struct kp_span_sink kp_longest_sink(struct kp_longest *longest)
{
	longest->prof.on_call = on_call;
	longest->prof.on_call_self = longest;
	return (struct kp_span_sink){ .header = on_header, .span = on_span, .end = on_end, .self = longest };
}

const struct kp_longest_call *kp_longest_call(const struct kp_longest *longest, int64_t index, int64_t *of)
{
	const struct kp_longest_call *best = NULL;

	for (size_t i = 0; i < longest->calls.count; i++) {
		const struct kp_longest_call *call = &longest->calls.items[i];
		uint32_t thread;

		if (!kp_map_get(&longest->why->by_pid, call->thread, &thread) ||
		    (index >= 0 && (uint32_t)index != thread) ||
		    (best && call->end - call->start <= best->end - best->start))
			continue;
		best = call;
		*of = thread;
	}
	return best;
}

void kp_longest_free(struct kp_longest *longest)
{
	free(longest->calls.items);
	kp_map_free(&longest->by_thread);
	kp_prof_free(&longest->prof);
}
