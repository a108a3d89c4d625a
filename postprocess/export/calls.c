// SPDX-License-Identifier: BSD-3-Clause
/*
 * Passes on a thread's calls as slices (export/calls.h):
 *
 *	read |fault|    ...waiting...    |fault| read | user
 *	becomes  read from its beginning to user, and one fault inside it
 *
 * A span that follows a call immediately may be inside the call or after it. The next spans show
 * whether the call continues. Until then the call's end is an undecided item, and all later items
 * wait for it.
 */
#include "export/calls.h"

#include <stdlib.h>
#include <string.h>

#include "kutrace_events.h"

/* Interrupts and softirqs are not the thread's own calls. */
static bool is_own(const struct kp_joined_call *call)
{
	return call->kind != KP_JOINED_TRANSIENT || call->event >= KUTRACE_CALL_SYSCALL64;
}

/*
 * Adds an item, never earlier than the previous one, even if the thread runs on two CPUs at a time.
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
 * Adds an undecided end of the innermost call when another call begins. Outer calls got theirs
 * before.
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

/* Drops the undecided end of a call that continues: what began since then is inside the call. */
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

/* Passes on items from the front, up to the first undecided one. */
static void pass_on(struct kp_calls *calls, const struct kp_calls_sink *sink)
{
	size_t left;
	int depth;

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
	/* the room is needed again; source and target do not overlap */
	if (left)
		memcpy(calls->items.items, &calls->items.items[calls->told],
		       left * sizeof(*calls->items.items));
	for (depth = 0; depth < KP_JOINER_DEPTH; depth++)
		if (calls->end[depth])
			calls->end[depth] -= calls->told;
	calls->items.count = left;
	calls->told = 0;
}

/* Takes all that follows the first undecided call as inside it, because too many items wait. */
static void decide(struct kp_calls *calls)
{
	int depth;

	for (depth = 0; depth < calls->joiner.depth; depth++)
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
