/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One thread's calls as slices that nest. report/calls.h decides which spans are one call. This
 * passes on the beginning and the end of each call in time order; calls inside it come between
 * them.
 */
#ifndef KP_EXPORT_CALLS_H
#define KP_EXPORT_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/span.h"
#include "report/calls.h"

/* most items that wait until it is known which call is inside which */
#define KP_CALLS_WAIT	4096

struct kp_call {
	bool inferred;		/* some of its spans are inferred */
	int64_t arg0, retval;
	int64_t at;		/* units of 10 ns: start of a beginning, end of an end */
	const struct kp_str *name;	/* without a ? at the end */
};

/* The beginning or the end of a call. */
struct kp_calls_item {
	bool is_end;
	bool unresolved;		/* an end, unless the call continues */
	bool retracted;		/* an undecided end whose call did continue */
	struct kp_call call;
};

/* The calls of one thread. All zero before the first span. */
struct kp_calls {
	struct kp_joiner joiner;
	KP_VECTOR(struct kp_calls_item) items;	/* waiting and passed-on items */
	size_t told;				/* items at the front that were passed on */
	size_t end[KP_JOINER_DEPTH];		/* index of each call's undecided end, + 1; or 0 */
	bool lasts[KP_JOINER_DEPTH];		/* decide() assumed that the call continues */
	int64_t last;				/* time of the last item */
	bool any;
};

struct kp_calls_sink {
	void (*begin)(void *self, const struct kp_call *call);
	void (*end)(void *self, const struct kp_call *call);
	void *self;
};

/*
 * Adds the next execution span of the thread, in time order. Interrupts and softirqs are not calls
 * of the thread. @paused: see struct kp_joiner_sink. Names stay valid as long as @strings. Returns
 * 0, or -1 without memory.
 */
int kp_calls_span(struct kp_calls *calls, const struct kp_span *span, int64_t paused,
		  struct kp_strings *strings, const struct kp_calls_sink *sink);

/* Ends the thread: open calls end with their last spans. Returns 0, or -1 without memory. */
int kp_calls_end(struct kp_calls *calls, const struct kp_calls_sink *sink);

void kp_calls_free(struct kp_calls *calls);

#endif
