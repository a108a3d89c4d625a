/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A part of a trace: by time, mark, string or pid. Called by spantotrim. Rows are
 * kept whole, or left out, unless the state at the cut is asked for: then rows
 * end where the range does. Must never change a row otherwise.
 */
#ifndef KP_TRIM_H
#define KP_TRIM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/map.h"
#include "spanjson/read.h"
#include "spanjson/write.h"

enum kp_trim_range {
	KP_TRIM_ALL,
	KP_TRIM_RANGE,		/* start to stop */
	KP_TRIM_FIRST,		/* length in stop, from the first row on */
	KP_TRIM_LAST,		/* length in stop, up to the end of what ends last */
	KP_TRIM_MARK,		/* from the first mark [0] to the first mark [1] behind it */
};

struct kp_trim_row;

struct kp_trim {
	/* set by the caller, the rest zero */
	enum kp_trim_range range;
	int64_t start, stop;	/* 10 ns units */
	const char *mark[2];	/* "mark_a=x", or only x; "mark_d=7" */
	const char *string;	/* or NULL: what a row's text must hold */
	bool by_pid;
	int64_t pid;
	bool state;		/* cut rows at start and stop, put names there */

	/* the core's own */
	struct kp_json_reader reader;
	struct kp_json_writer writer;
	uint64_t kept;
	bool begun, complained, marked[2];
	int64_t first, end, mark_at[2];	/* of the trace, by the scan */
	struct kp_map used;		/* pids in the range */
	struct kp_trim_row *held;	/* rows that begin at the cut, to be sorted */
	size_t held_count, held_cap;
	bool released;
};

/*
 * Reads span JSON from in (twice or three times where a mark, the end or the
 * state is asked for; a pipe is then kept in a temporary file), writes to out,
 * says on stderr what was wrong and how much was kept. Returns the exit status.
 */
int kp_trim_run(struct kp_trim *trim, FILE *in, const char *shown, FILE *out);

#endif
