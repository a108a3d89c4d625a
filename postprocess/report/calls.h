/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of rows: a system call, fault, interrupt or softirq is one call in however many
 * rows. The rules are those of docs/reconstruction.md, "Calls", as in the page
 * (templates/js/data/join.js). Times in 10 ns units. Called by report/prof,
 * report/diff, export/tabulate and export/calls.
 */
#ifndef KP_REPORT_CALLS_H
#define KP_REPORT_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vector.h"
#include "model/span.h"

enum kp_joined_kind { KP_JOINED_USER, KP_JOINED_SYSCALL, KP_JOINED_TRAP, KP_JOINED_TRANSIENT };

struct kp_joined_call {
	int64_t event;
	enum kp_joined_kind kind;
	const struct kp_str *like;	/* its name, without a ? at the end */
	const struct kp_str *name;	/* of its first piece; of the first marked ?, if one is */
	int64_t start, end;		/* of its first and of its last piece */
	int64_t own;			/* its pieces together */
	int64_t away;			/* inside, its process ran nowhere */
	int64_t arg0;			/* of its first piece */
	int64_t retval;			/* of its last one */
	int32_t cpu;			/* of its first piece */
	int64_t tag;			/* the caller's, as of the first piece */
	bool begins, ends;		/* is that in the trace? */
	bool guessed;			/* a piece is marked ? */
	int64_t gone;			/* as below, when it began */
};

#define KP_JOINER_DEPTH 16

/* What one process is in, outermost first. All zero before its first row. */
struct kp_joiner {
	int depth;
	bool any;			/* there was a row */
	bool sure;			/* known from the outermost on */
	enum kp_joined_kind before;	/* of the last row */
	int64_t end;			/* of the last row */
	int64_t gone;			/* the process ran nowhere, all together */
	struct kp_joined_call in[KP_JOINER_DEPTH];
};

/*
 * Told of each call that has ended, or that the trace cut off, and, where these functions are not
 * NULL, of each that begins, and that the innermost goes on with another piece. depth: so many are
 * around it. 0, or -1 without memory.
 */
struct kp_joiner_sink {
	int (*ended)(void *self, const struct kp_joined_call *call);
	int (*began)(void *self, const struct kp_joined_call *call, int depth);
	int (*goes_on)(void *self, const struct kp_joined_call *call, int depth);
	void *self;
	int64_t paused;		/* start of the last row of a pause, on whatever CPU; 0: there was none */
};

/*
 * The process's next row of execution. follows: a row of the same CPU ends where it begins.
 * 0, or -1 without memory, or what ended() returned.
 */
int kp_joiner_row(struct kp_joiner *calls, const struct kp_span *row, bool follows, int64_t tag,
		 struct kp_strings *strings, const struct kp_joiner_sink *sink);
/* No more rows: what it is in has no end. */
int kp_joiner_end(struct kp_joiner *calls, const struct kp_joiner_sink *sink);

/* That so many calls took so long. */
struct kp_call_time {
	int64_t elapsed;
	uint64_t count;
};

/* What calls, or stretches of user code, of waiting ..., come to. */
struct kp_call_sum {
	uint64_t count;			/* whole calls */
	uint64_t cut;			/* calls whose beginning or end is missing, or marked ? */
	int64_t time;			/* on a CPU, of all */
	int64_t elapsed;		/* from beginning to end, of all */
	int64_t longest, longest_at;	/* elapsed; of a whole call if there is one; -1 = none */
	bool bound;			/* the longest is cut off */
	int64_t p50, p99;		/* of whole calls, -1 = none; set by kp_call_sum_end() */
	KP_VECTOR(struct kp_call_time) whole;	/* whole calls by what elapsed; each once after kp_call_sum_end() */
	size_t merge_at;		/* so many in whole, and the same times are put together */
};

/* Of nothing. */
#define KP_CALL_SUM_NONE { .longest = -1, .p50 = -1, .p99 = -1 }

/* Adds a stretch that is no call. */
void kp_call_sum_stretch(struct kp_call_sum *sum, int64_t start, int64_t time);
/* Adds a call, but not its time on a CPU. 0, or -1 without memory. */
int kp_call_sum_call(struct kp_call_sum *sum, const struct kp_joined_call *call);
/* Adds all of another sum. 0, or -1 without memory. */
int kp_call_sum_add(struct kp_call_sum *sum, const struct kp_call_sum *other);
void kp_call_sum_end(struct kp_call_sum *sum);
void kp_call_sum_free(struct kp_call_sum *sum);

#endif
