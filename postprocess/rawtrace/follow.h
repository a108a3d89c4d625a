/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A raw trace that is still being written, to a file or a pipe: its events in time
 * order, as soon as their order is certain. That is when every CPU of which there
 * has been a block has got past them. Memory holds the index and open blocks of what
 * is not certain yet; a pipe's blocks wait in a temporary file, whose places are
 * used again. Called by rawtoevent -f.
 */
#ifndef KP_RAW_FOLLOW_H
#define KP_RAW_FOLLOW_H

#include "rawtrace/events.h"

struct kp_raw_follow {
	FILE *file;			/* closed by kp_raw_close() */
	const char *shown;		/* for messages */
	const char *path;		/* of the file; NULL: it is known by no name */
	/* wait for a CPU no longer than until it is that much behind the others; 0 = for ever */
	uint64_t lag_usec;
	int (*flush)(void *self);	/* nothing more is there at the moment; 0, or -1 */
	void *self;
	/* out: */
	uint64_t late_blocks;		/* came so late that part of them is out of order */
	const char *note;		/* why it ended, to be told; NULL = nothing special */
};

/*
 * Follows until the input ends: end of a pipe; an interrupt (kp_take_interrupt());
 * a file whose recording has ended, or whose name another file has now. All that
 * came by then has been handed out, then. 0; -1 with raw->message (also then, all
 * that came before the fault); or what the sink or flush returned. Call
 * kp_raw_close() either way.
 */
int kp_raw_follow(struct kp_raw *raw, struct kp_raw_follow *follow,
		  const struct kp_event_sink *sink, bool verbose,
		  struct kp_raw_summary *summary);

#endif
