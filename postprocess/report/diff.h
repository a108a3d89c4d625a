/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two traces side by side: what takes longer in the second. Called by spandiff.
 * Aligned twice: by mark (the time from a mark to the next one, all CPUs) and by
 * process (same name, whatever its pid). Memory grows with marks' labels times
 * processes times kinds, and by eight bytes a call.
 */
#ifndef KP_DIFF_H
#define KP_DIFF_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "report/prof.h"

struct kp_diff_line {
	uint32_t group;
	enum kp_prof_class class;	/* not samples */
	const struct kp_str *kind;
	struct kp_call_sum part[2];
};

struct kp_diff_group {
	bool mark;			/* from this mark on; else a process */
	const struct kp_str *name;
	struct kp_call_sum part[2];	/* mark: wall time; process: CPU time and threads */
};

struct kp_diff_segment {
	const struct kp_str *label;
	struct kp_prof prof;		/* calls are those that begin in it */
	struct kp_call_sum wall;
};

struct kp_diff_side {
	struct kp_prof all;
	struct kp_diff_segment *segments;
	size_t segment_count, segment_cap;
	int64_t current;		/* index, -1 before the first mark */
	int64_t since, end;
};

struct kp_diff {
	struct kp_diff_group *groups;	/* most increase first */
	size_t group_count, group_cap;
	struct kp_diff_line *lines;	/* in the order of their groups, most increase first */
	size_t line_count, line_cap;
	struct kp_diff_side side[2];
	struct kp_strings strings;
	struct kp_map by_group, by_line;
	int reading;			/* which side the sink fills */
	bool no_memory, too_many_marks;
};

#define KP_DIFF_LABELS_MAX 4096

/* Set reading, and read that trace into the sink; rows must be in time order. */
struct kp_span_sink kp_diff_sink(struct kp_diff *diff);
/* After both: fills groups and lines. 0, or -1 without memory. */
int kp_diff_align(struct kp_diff *diff);
void kp_diff_free(struct kp_diff *diff);

#endif
