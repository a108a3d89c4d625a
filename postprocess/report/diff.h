/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares two traces, and finds the kinds of work that take longer in the second one. The traces
 * are aligned in two ways:
 *
 * - by mark: the time from a mark to the next one, on all CPUs
 * - by process: threads of the same name, also with different pids
 *
 * Memory grows with the number of mark labels times processes times kinds, and with the number of
 * different durations of calls.
 */
#ifndef KP_REPORT_DIFF_H
#define KP_REPORT_DIFF_H


#include "report/prof.h"

struct kp_diff_line {
	uint32_t group;
	enum kp_prof_class class;	/* class of the line; not KP_PROF_SAMPLE */
	const struct kp_str *kind;
	struct kp_call_sum part[2];
};

struct kp_diff_group {
	/* true: the group is a mark; false: a process */
	bool mark;
	const struct kp_str *name;
	/* sums of both traces: wall time of a mark; CPU time and threads of a process */
	struct kp_call_sum part[2];
};

struct kp_diff_segment {
	const struct kp_str *label;
	struct kp_prof prof;		/* profile of the calls and the time in the segment */
	struct kp_call_sum wall;
};

struct kp_diff_side {
	struct kp_prof all;
	struct kp_diff_segment *segments;
	size_t segment_count, segment_cap;
	/* index of the current segment; -1: before the first mark */
	int64_t current;
	int64_t since, end;
	int64_t off;			/* time of the pauses before since */
};

struct kp_diff {
	struct kp_diff_group *groups;	/* groups, largest increase first */
	size_t group_count, group_cap;
	/* lines in the order of their groups, largest increase first */
	struct kp_diff_line *lines;
	size_t line_count, line_cap;
	struct kp_diff_side side[2];
	struct kp_strings strings;
	struct kp_map by_group, by_line;
	int reading;			/* index of the trace that is being read */
	bool no_memory, too_many_marks;
};

#define KP_DIFF_LABELS_MAX 4096

/* Returns the sink. The caller sets diff->reading before each trace. Rows must be in time order. */
struct kp_span_sink kp_diff_sink(struct kp_diff *diff);
/* Fills groups and lines; call it after both traces. Returns 0, or -1 without memory. */
int kp_diff_align(struct kp_diff *diff);
void kp_diff_free(struct kp_diff *diff);

/*
 * Prints the increases. If @top is not SIZE_MAX, prints only the @top marks, the @top processes, and
 * the @top kinds of each.
 */
void kp_diff_text(const struct kp_diff *diff, size_t top, FILE *out);
void kp_diff_json(const struct kp_diff *diff, FILE *out);

#endif
