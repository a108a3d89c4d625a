/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One thread's calls as slices that nest: which spans are one call is for report/calls to say;
 * here each comes out as its beginning and its end, in order of time, those inside between them.
 * Called by exporters that draw a row a thread.
 */
#ifndef KP_EXPORT_CALLS_H
#define KP_EXPORT_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/span.h"
#include "report/calls.h"

/* So many beginnings and ends wait at most until it is known what is inside of what. */
#define KP_CALLS_WAIT	4096

struct kp_call {
	bool inferred;		/* some of its spans are */
	int64_t arg0, retval;
	int64_t at;		/* 10 ns units: of a beginning its start, of an end its end */
	const struct kp_str *name;	/* no mark at its end */
};

/* A beginning, or an end. */
struct kp_calls_item {
	bool is_end;
	bool undecided;		/* an end, unless the call goes on */
	bool not_so;		/* it went on */
	struct kp_call call;
};

/* Of one thread. All zero to begin with. */
struct kp_calls {
	struct kp_joiner joiner;
	KP_VECTOR(struct kp_calls_item) items;	/* that wait */
	size_t told;				/* of these, at the front */
	size_t end[KP_JOINER_DEPTH];		/* of the joiner's calls: its undecided end in items, + 1; 0: none */
	bool lasts[KP_JOINER_DEPTH];		/* it was taken to last until it is over, or goes on */
	int64_t last;				/* of the last one that was put into items */
	bool any;
};

struct kp_calls_sink {
	void (*begin)(void *self, const struct kp_call *call);
	void (*end)(void *self, const struct kp_call *call);
	void *self;
};

/*
 * The next execution span of the thread, in order of time. Interrupts and softirqs are none of its
 * calls. paused: as in struct kp_joiner_sink. Names stay as long as strings do. 0, or -1
 * without memory.
 */
int kp_calls_span(struct kp_calls *calls, const struct kp_span *span, int64_t paused,
		  struct kp_strings *strings, const struct kp_calls_sink *sink);

/* No more comes: what is open ends with its last span. 0, or -1 without memory. */
int kp_calls_end(struct kp_calls *calls, const struct kp_calls_sink *sink);

void kp_calls_free(struct kp_calls *calls);

#endif
