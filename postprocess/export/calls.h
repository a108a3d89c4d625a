/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Puts the spans of one thread's calls together again: a system call, the faults in it and the
 * scheduler are spans of their own where one interrupts another, or the thread waits; here each
 * comes out once, from its beginning to its end, those inside between them. What comes out is
 * nested and in order of time. Called by exporters that draw a row a thread.
 */
#ifndef KP_EXPORT_CALLS_H
#define KP_EXPORT_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/span.h"

/* Deeper ones are inside of the others. */
enum kp_call_level { KP_CALL_SYSCALL, KP_CALL_TRAP, KP_CALL_SCHED, KP_CALL_LEVELS };

struct kp_call {
	bool open, told;
	bool inferred;		/* some of its spans are */
	int64_t event, arg0, retval;
	int64_t start, end;	/* 10 ns units; of what there is of it by now */
	const char *name;	/* of its first span, which must stay; no mark at its end */
	size_t name_len;
};

/* Of one thread. All zero to begin with. */
struct kp_calls {
	struct kp_call level[KP_CALL_LEVELS];
};

struct kp_calls_sink {
	void (*begin)(void *self, const struct kp_call *call);
	void (*end)(void *self, const struct kp_call *call);
	void *self;
};

/*
 * The next execution span of the thread, in order of time. Interrupts and softirqs are none of its
 * calls and change nothing. How a call goes on is seen by its number and argument; by a return
 * value that is not 0 it has ended.
 */
void kp_calls_span(struct kp_calls *calls, const struct kp_span *span,
		   const struct kp_calls_sink *sink);

/* No more comes: what is open ends with its last span. */
void kp_calls_end(struct kp_calls *calls, const struct kp_calls_sink *sink);

#endif
