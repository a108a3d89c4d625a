/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Joins rows to calls: one system call, fault, interrupt or softirq may be several rows.
 * docs/design/reconstruction.md, "Calls", has the rules. templates/js/data/join.ts implements the same
 * rules. Times are in units of 10 ns.
 */
#ifndef KP_REPORT_CALLS_H
#define KP_REPORT_CALLS_H


#include "base/memory.h"
#include "model/span.h"

enum kp_joined_kind { KP_JOINED_USER, KP_JOINED_SYSCALL, KP_JOINED_TRAP, KP_JOINED_TRANSIENT };

struct kp_joined_call {
	int64_t event;
	enum kp_joined_kind kind;
	const struct kp_str *like;	/* name of the call, without a ? at the end */
	/* name of the first inferred part; if no part is inferred, of the first part */
	const struct kp_str *name;
	int64_t start, end;		/* start of the first part, end of the last part */
	int64_t own;			/* sum of the durations of the parts */
	int64_t away;			/* time from start to end in which the process did not run */
	int64_t arg0;			/* argument of the first part */
	int64_t retval;			/* return value of the last part */
	int32_t cpu;			/* CPU of the first part */
	int64_t tag;			/* the caller's tag, from the first part */
	/* the trace has the beginning of the call; the trace has its end */
	bool begins, ends;
	bool inferred;			/* a part is inferred */
	int64_t gone;			/* kp_joiner.gone when the call began */
};

#define KP_JOINER_DEPTH 16

/* The pending calls of one process, outermost first. Zeroed before the first row. */
struct kp_joiner {
	int depth;
	bool any;			/* the process had a row; after a pause, false again */
	/* user code or a system call was seen, so all pending calls are known */
	bool sure;
	enum kp_joined_kind before;	/* kind of the last row */
	int64_t end;			/* end of the last row */
	/* end of a time after the last row in which the CPU did not run; 0: none */
	int64_t stopped_until;
	int64_t gone;			/* total time between rows, in which the process did not run */
	struct kp_joined_call in[KP_JOINER_DEPTH];
};

/*
 * Functions that are called for each call: began() when it begins, goes_on() when it has another
 * part, and ended() when it ends or is cut off. began and goes_on may be NULL. @depth: number of
 * calls around the call. The functions return 0, or -1 without memory.
 */
struct kp_joiner_sink {
	int (*ended)(void *self, const struct kp_joined_call *call);
	int (*began)(void *self, const struct kp_joined_call *call, int depth);
	int (*goes_on)(void *self, const struct kp_joined_call *call, int depth);
	void *self;
	int64_t paused;		/* start of the last pause row of any CPU; 0: none */
};

/*
 * Adds the next row of execution of the process. @follows: another row of the CPU ends where @row
 * begins. @tag is stored in a call that begins. Returns 0, or -1 without memory or if a function of
 * @sink failed.
 */
int kp_joiner_row(struct kp_joiner *calls, const struct kp_span *row, bool follows, int64_t tag,
		 struct kp_strings *strings, const struct kp_joiner_sink *sink);
/*
 * Adds a row of a time in which the CPU of the process did not run (kp_span_is_stopped()). The calls
 * continue afterwards. The time counts as away.
 */
void kp_joiner_stopped(struct kp_joiner *calls, const struct kp_span *row);
/*
 * Reports pending calls as calls without an end. Returns 0, or -1 without memory or if a function of
 * @sink failed.
 */
int kp_joiner_end(struct kp_joiner *calls, const struct kp_joiner_sink *sink);

/* The number of complete calls with one elapsed time. */
struct kp_call_time {
	int64_t elapsed;
	uint64_t count;
};

/* Totals of calls, or of other intervals such as user code and waits. */
struct kp_call_sum {
	uint64_t count;			/* number of complete calls, or of intervals */
	/* number of incomplete calls: inferred, or without beginning or end */
	uint64_t cut;
	int64_t time;			/* total time of all calls on CPUs */
	int64_t elapsed;		/* total time of all calls from beginning to end */
	/* elapsed time and start of the longest call, complete if possible; -1: none */
	int64_t longest, longest_at;
	/* the longest call is incomplete, so longest is a lower bound */
	bool bound;
	/* percentiles of complete calls; -1: none; set by kp_call_sum_end() */
	int64_t p50, p99;
	/* complete calls by elapsed time; merge_times() joins equal times */
	KP_VECTOR(struct kp_call_time) whole;
	size_t merge_at;		/* length of whole at which equal times are joined */
};

#define KP_CALL_SUM_NONE { .longest = -1, .p50 = -1, .p99 = -1 }

/* Adds an interval that is no call. */
void kp_call_sum_interval(struct kp_call_sum *sum, int64_t start, int64_t time);
/* Adds a call, except its time on CPUs. Returns 0, or -1 without memory. */
int kp_call_sum_call(struct kp_call_sum *sum, const struct kp_joined_call *call);
/* Adds all totals of another sum. Returns 0, or -1 without memory. */
int kp_call_sum_add(struct kp_call_sum *sum, const struct kp_call_sum *other);
void kp_call_sum_end(struct kp_call_sum *sum);
void kp_call_sum_free(struct kp_call_sum *sum);

#endif
