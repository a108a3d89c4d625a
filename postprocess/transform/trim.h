/* SPDX-License-Identifier: BSD-3-Clause */
/* Extracts rows of a trace: by time, mark, string or pid. */
#ifndef KP_TRIM_H
#define KP_TRIM_H

#include "base/memory.h"
#include "model/names.h"
#include "spanjson/json.h"

enum kp_trim_range {
	KP_TRIM_ALL,
	KP_TRIM_RANGE,		/* range from start to stop */
	KP_TRIM_FIRST,		/* range from the first row on; stop is the duration */
	KP_TRIM_LAST,		/* range up to the end of the last span; stop is the duration */
	KP_TRIM_MARK,		/* range from the first mark[0] to the next mark[1] */
};

struct kp_trim_row;

struct kp_trim {
	/* members set by the caller; all other members must be zero */
	enum kp_trim_range range;
	int64_t start, stop;	/* start and end of the range in 10 ns units */
	/*
	 * text of each mark, such as "mark_a=x" or "mark_d=7"; instead of "mark_a=x", "mark_b=x" or
	 * "mark_c=x", x alone is enough
	 */
	const char *mark[2];
	const char *string;	/* text that a row must contain; NULL: any row */
	bool by_pid;
	int64_t pid;		/* thread to select with by_pid, unless @name is set */
	const char *name;	/* name of the threads to select with by_pid; or NULL */
	bool state;		/* cut rows at start and stop, and move names to start */

	/* private members: */
	struct kp_json_reader reader;
	struct kp_json_writer writer;
	uint64_t selected;
	bool begun, marked[2];
	int64_t first, end, mark_at[2];	/* times that the scan found in the trace */
	struct kp_map used;		/* pids in the range */
	/* start of the last identity before the range, by pid (-1: the task ended), and of the name, by cgroup */
	struct kp_map identified;
	KP_VECTOR(int64_t) identities;
	struct kp_map named;		/* kp_life_key() of the threads with the name */
	struct kp_lives lives;		/* lives of pids at the current row; only with @name */
	bool any_named;
	struct kp_trim_row *held;	/* rows that begin at the cut, to be sorted */
	size_t held_count, held_cap;
	bool released;
};

/*
 * Reads span JSON from @in and writes to @out; reports on stderr. Some ranges, and @state, need two
 * or three passes, for which a pipe is copied to a file. Returns the exit status.
 */
int kp_trim_run(struct kp_trim *trim, FILE *in, const char *shown, FILE *out);

#endif
