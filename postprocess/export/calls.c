// SPDX-License-Identifier: BSD-3-Clause
/*
 * A thread's calls, see export/calls.h.
 *
 *	read |fault|    ...waiting...    |fault| read | user
 *	becomes  read from the beginning to user, in it fault, in one piece
 *
 * Whether what follows a call immediately is inside of it or comes behind it is known when the call
 * goes on, or something else shows that it does not. So the innermost is told to the sink with
 * that delay.
 */
#include "export/calls.h"

#include "kutrace_events.h"

static int level_of(const struct kp_span *span)
{
	if (span->event < KUTRACE_CALL_TRAP || span->event >= KP_EVENT_USER)
		return -1;
	if (span->event == KUTRACE_CALL_SCHED)
		return KP_CALL_SCHED;
	if (span->event >= KUTRACE_CALL_SYSCALL64)
		return KP_CALL_SYSCALL;
	return span->event < KUTRACE_CALL_IRQ ? KP_CALL_TRAP : KP_CALL_LEVELS;
}

static void begin(struct kp_call *call, const struct kp_calls_sink *sink)
{
	if (!call->told)
		sink->begin(sink->self, call);
	call->told = true;
}

static void end(struct kp_call *call, const struct kp_calls_sink *sink)
{
	begin(call, sink);
	sink->end(sink->self, call);
	call->open = false;
}

/* The innermost of those that are open above level, or -1. */
static int around(const struct kp_calls *calls, int level)
{
	while (--level >= 0 && !calls->level[level].open)
		;
	return level;
}

/* What is around it lasts as long. */
static void end_inner(struct kp_calls *calls, int inner, const struct kp_calls_sink *sink)
{
	const int outer = around(calls, inner);

	if (outer >= 0 && calls->level[outer].end < calls->level[inner].end)
		calls->level[outer].end = calls->level[inner].end;
	end(&calls->level[inner], sink);
}

/*
 * Ends all from level down on. Of those that end together, what has not been told was not in
 * the one around it, which has not gone on since; else it was, and that lasts as long.
 */
static void close_from(struct kp_calls *calls, int level, const struct kp_calls_sink *sink)
{
	int inner, outer;

	while ((inner = around(calls, KP_CALL_LEVELS)) >= level) {
		outer = around(calls, inner);
		/* then go on with inner, which came behind it */
		end_inner(calls, outer >= level && !calls->level[inner].told ? outer : inner, sink);
	}
}

static void open_call(struct kp_calls *calls, int level, const struct kp_span *span,
		      const struct kp_calls_sink *sink)
{
	struct kp_call *call = &calls->level[level];
	const size_t len = span->name_len;
	int outer = around(calls, level);

	/* what is in what is not told is told with it: one is waited for at a time */
	if (outer >= 0)
		begin(&calls->level[outer], sink);
	*call = (struct kp_call){
		.open = true, .event = span->event, .arg0 = span->arg0, .start = span->start,
		.name = span->name, .name_len = len - (len && span->name[len - 1] == '?'),
	};
	if (outer < 0)
		begin(call, sink);
}

void kp_calls_span(struct kp_calls *calls, const struct kp_span *span,
		   const struct kp_calls_sink *sink)
{
	const int level = level_of(span);
	struct kp_call *call;
	bool goes_on;

	if (level < 0)
		close_from(calls, 0, sink);
	if (level < 0 || level >= KP_CALL_LEVELS)
		return;
	call = &calls->level[level];
	goes_on = call->open && call->event == span->event && call->arg0 == span->arg0 &&
		  !call->retval;
	close_from(calls, level + goes_on, sink);
	if (!goes_on)
		open_call(calls, level, span, sink);
	call->end = span->start + span->dur;
	call->retval = span->retval;
	call->inferred |= span->name_len && span->name[span->name_len - 1] == '?';
}

void kp_calls_end(struct kp_calls *calls, const struct kp_calls_sink *sink)
{
	close_from(calls, 0, sink);
}
