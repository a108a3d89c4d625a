/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the longest complete call of each thread, while it passes the rows to report/why.h. */
#ifndef KP_REPORT_LONGEST_H
#define KP_REPORT_LONGEST_H

#include "report/prof.h"
#include "report/why.h"

struct kp_longest_call {
	uint64_t thread;		/* kp_life_key() */
	int64_t start, end;
};

struct kp_longest {
	struct kp_why *why;
	const char *name;		/* name of the call */
	int64_t from, to;		/* the call must be in this time */
	/* private members: */
	struct kp_prof prof;
	KP_VECTOR(struct kp_longest_call) calls;
	struct kp_map by_thread;	/* kp_life_key() -> index in calls */
};

/* Prepares the search. The caller has set the first members, and calls kp_longest_free(). */
struct kp_span_sink kp_longest_sink(struct kp_longest *longest);
/*
 * Returns the longest call of the thread @index; -1: of all threads. Sets *@of to the index of its
 * thread. Returns NULL if there is no such call. Must be called after the last row.
 */
const struct kp_longest_call *kp_longest_call(const struct kp_longest *longest, int64_t index, int64_t *of);
void kp_longest_free(struct kp_longest *longest);

#endif
