/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a raw trace that is still being written, to a file or a pipe. It outputs events in order of
 * time as soon as their order is certain: when each CPU with a block has passed them. Memory holds
 * the index and the open blocks of later events. The blocks of a pipe wait in a temporary file,
 * whose space is reused.
 */
#ifndef KP_RAW_FOLLOW_H
#define KP_RAW_FOLLOW_H

#include "rawtrace/events.h"

struct kp_raw_follow {
	FILE *file;			/* closed by kp_raw_close() */
	const char *shown;		/* for messages */
	const char *path;		/* of the file; NULL: it has no name */
	/*
	 * Do not wait for a CPU whose last entry is older than the newest one by more than this; 0:
	 * always wait.
	 */
	uint64_t lag_usec;
	int (*flush)(void *self);	/* called while no input is available; returns 0 or -1 */
	void *self;
	/* output: */
	uint64_t late_blocks;		/* arrived so late that entries are out of order */
	const char *note;		/* message on the end, or NULL */
};

/*
 * Follows the trace to the end of its input: the end of a pipe, an interrupt (kp_take_interrupt()),
 * the end of the recording of a file, or another file with its name. All entries so far have then
 * been output, also before an error. Returns 0; -1 with raw->message; or the value that the sink or
 * flush returned. Call kp_raw_close() in any case.
 */
int kp_raw_follow(struct kp_raw *raw, struct kp_raw_follow *follow,
		  const struct kp_event_sink *sink, bool verbose,
		  struct kp_raw_summary *summary);

#endif
