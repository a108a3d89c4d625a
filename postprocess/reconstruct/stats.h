/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the reconstruction counts while it works, for summaries and checks.
 * Used by the mains and by report/check.c.
 */
#ifndef KP_RECONSTRUCT_STATS_H
#define KP_RECONSTRUCT_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/pause.h"

/* Messages about bad facts, for summaries. */
#define KP_BAD_PAUSE "ignored pauses that are not OFF:ON, two times of the trace in order\n"
#define KP_BAD_PARTIAL "ignored a fact partial that is not FROM:TO, two times of the trace in order\n"

/* Message for summaries: the count of events with impossible numbers. */
#define KP_MADE_EVENTS "ignored %" PRIu64 " events: only filters make rows with their numbers\n"

/* What came out and what had to be guessed; all counts. */
struct kp_reconstruct_stats {
	uint64_t cpus;
	uint64_t spans;		/* rows of all kinds */
	uint64_t user, idle, syscalls, traps, irqs, scheds;	/* execution rows */
	uint64_t waits, arcs, points, others;
	uint64_t missing_returns;	/* ends that were inferred */
	uint64_t missing_calls;		/* beginnings that were inferred */
	uint64_t stray_returns;		/* returns that fit nothing, ignored */
	uint64_t gaps;			/* context switches that were not recorded */
	uint64_t inferred;		/* execution rows that are marked */
	int64_t inferred_units;		/* and how long they are, 10 ns units */
	uint64_t too_deep;		/* nesting beyond what is kept */
	uint64_t clipped;		/* merged calls longer than until the next event */
	uint64_t arcs_dropped;		/* too many unanswered IPIs */
	uint64_t pauses;		/* times that recording was off */
	int64_t paused_units;		/* and for how long, 10 ns units */
	bool bad_pause;			/* a pause without two such times was ignored */
	bool bad_partial;		/* a fact partial without two such times was ignored */
	struct kp_pause partial;	/* where events of some CPUs are missing, 10 ns units; {0, 0} = nowhere */
	uint64_t made_events;		/* events with the number of a made row, ignored */
	int64_t first, last;	/* 10 ns units, of execution; 0 0 if none */
};

#endif
