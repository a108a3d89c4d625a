/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A finding: a known fault that the spans show, with its cost and its spans. A detector finds one
 * kind. Detectors must not find anything in a trace without the fault.
 */
#ifndef KP_REPORT_FINDINGS_FINDING_H
#define KP_REPORT_FINDINGS_FINDING_H

#include "report/idle.h"

#define KP_MS	100000		/* one millisecond in units of 10 ns */

/* A span by its thread and its start. */
struct kp_finding_span {
	size_t thread;			/* index into pids */
	int64_t start;
};

#define KP_FINDING_SPANS 3
#define KP_FINDING_SENTENCE 1000	/* size of a sentence, with the NUL; longer ones are cut */

struct kp_detector;

struct kp_finding {
	const struct kp_detector *detector;
	int64_t cost;			/* time that the finding cost its victims, in all */
	int64_t start, end;		/* from its first to its last span */
	size_t victim;			/* index into pids; the thread that lost most time */
	int64_t culprit;		/* index into pids; -1: none or unknown */
	uint64_t count;
	bool everyone;			/* it delayed all threads, not only the victim */
	const struct kp_str *sentence;
	struct kp_finding_span spans[KP_FINDING_SPANS];	/* the first spans; start 0: none */
};

struct kp_findings {
	struct kp_why *why;
	struct kp_idle idle;
	KP_VECTOR(struct kp_finding) list;
	int64_t program;		/* index of the thread whose program they concern; -1: all threads */
	bool no_memory;
};

/* Sums of one thread, of which each detector has an array. All zero at the beginning. */
struct kp_finding_sum {
	int64_t time;			/* the cost */
	int64_t other, votes;		/* private values of the detector */
	uint64_t count;
	int64_t first, last;		/* start of the first part, end of the last */
	int64_t longest, longest_at;	/* longest part, and its start */
	/* index + 1 of the thread with the longest part as culprit; 0: none */
	size_t culprit;
	const struct kp_str *what;	/* name of the longest part */
	struct kp_finding_span spans[KP_FINDING_SPANS];
	size_t span_count;
};

/* A kind of finding. Each has a file in this folder and a paragraph in docs/reference/findings.md. */
struct kp_detector {
	const char *key;		/* name in JSON and in the document */
	const char *advice;		/* what to try */
	/* Called for each gap of each thread except idle; or NULL. */
	void (*gap)(struct kp_findings *findings, struct kp_finding_sum *sums, const struct kp_why_gap *gap);
	/* Called at the end. @sums: one for each thread. */
	void (*end)(struct kp_findings *findings, struct kp_finding_sum *sums);
};

/* Adds a part of @time that begins at @start to the sums of a thread. @thread: index of the span's thread. */
void kp_finding_part(struct kp_finding_sum *sum, size_t thread, int64_t start, int64_t end, int64_t time, size_t culprit,
		     const struct kp_str *what);
/*
 * Returns whether a cost is worth a finding: at least 1 ms and 1 % of the time. Less is within the
 * noise of every machine.
 */
bool kp_finding_counts(const struct kp_findings *findings, int64_t cost);
/* Adds the finding of a thread and its sums, with a sentence in the manner of printf(). */
void kp_finding_add(struct kp_findings *findings, const struct kp_detector *detector, size_t victim,
		    const struct kp_finding_sum *sum, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Returns the time in which the thread had a CPU that ran. */
int64_t kp_finding_ran(const struct kp_why_pid *pid);
/* Returns the name of a thread; "idle" for -1. */
const char *kp_finding_name(const struct kp_findings *findings, int64_t index);
/*
 * Returns whether the thread is a kernel thread, by its name. Most kernel threads must stay on their
 * CPU, so another idle CPU does not help them.
 */
bool kp_finding_is_kernel(const struct kp_why_pid *pid);
/* Writes a number of times: "once", "3 times". Returns @text. */
#define KP_FINDING_TIMES 32
const char *kp_finding_times(uint64_t count, char text[KP_FINDING_TIMES]);
/* Returns whether the thread belongs to the recording program. */
bool kp_finding_is_recorder(const struct kp_why_pid *pid);

/* A part of the time in which a thread waited for its CPU. */
struct kp_finding_taken {
	size_t pid;			/* index of the thread that had the CPU; not idle */
	int64_t start, end;
	int64_t beside;			/* part of this time in which another CPU was idle */
};

#define KP_FINDING_TAKEN 64

/*
 * Finds the threads that had the CPU for which the gap's thread waited, at most KP_FINDING_TAKEN
 * runs, so that the cost stays linear. Returns the number of parts.
 */
size_t kp_finding_taken(const struct kp_findings *findings, const struct kp_why_gap *gap,
			struct kp_finding_taken parts[KP_FINDING_TAKEN]);
/*
 * Adds the time of a gap in which the thread waited for a busy CPU while another CPU was idle to the
 * sums of the thread. Does not count kernel threads, or less than half a millisecond.
 */
void kp_finding_beside(const struct kp_findings *findings, struct kp_finding_sum *sums, const struct kp_why_gap *gap);

#endif
