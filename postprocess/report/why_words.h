/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums and words that the text and the JSON of report/why.h have in common. */
#ifndef KP_REPORT_WHY_WORDS_H
#define KP_REPORT_WHY_WORDS_H

#include "report/why.h"

/* Returns the kind of own code or idle, as --json prints it. kp_why_is_user() must be true. */
const char *kp_why_own_kind(const struct kp_why_exec *exec);

/*
 * Returns whether the call @in is printed as the reason, because the reason of the wait and the lock
 * are unknown.
 */
bool kp_why_is_in_call(const struct kp_why_wait *wait, const struct kp_why_wait *lock, const struct kp_why_exec *in);

/* Returns whether the filters inferred the wait: its name has a ? at the end. */
bool kp_why_is_inferred(const struct kp_why_wait *wait);

/* Returns the word for the reason of a wait. @letter: the letter of the wait's event, minus 'a'. */
const char *kp_why_reason_name(int letter);

/*
 * Print which owner of its pid the thread is, if the trace has its identity. Of more than @top records,
 * the text has only the last.
 */
struct ku_report;
void kp_why_identity_text(struct kp_why *why, size_t index, size_t top, FILE *out);
void kp_why_identity_json(struct ku_report *r, struct kp_why *why, size_t index);

/* Number of explained gaps or written steps, and total number. */
struct kp_why_explained {
	uint64_t done, total;
};

/* Begins to explain the gaps of the thread @index, or of all threads if @index is -1. */
struct kp_why_explained kp_why_begin_explaining(const struct kp_why *why, int64_t index);
/* Counts one more gap or step. Returns whether to continue. */
bool kp_why_go_on(struct kp_why_explained *explained);

/* How a thread spent its time. */
struct kp_why_totals {
	int64_t run, cpu, wait[26], unknown;
	int64_t stopped;	/* time in which the thread had a CPU that did not run */
	bool throttled_inferred;	/* part of wait[KP_THROTTLED - 'a'] is inferred */
	struct kp_why_sums in;	/* time by call; contained in wait['z' - 'a'] and unknown */
};

/*
 * Adds up the time of a thread. The caller must call kp_why_sums_free() for @t->in, also after an
 * error. Returns 0, or -1 without memory or after an interrupt.
 */
int kp_why_sum_up(const struct kp_why *why, size_t index, struct kp_why_explained *explained,
		  struct kp_why_totals *t);

#endif
