/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Statistics of the reconstruction, for summaries and checks.
 */
#ifndef KP_RECONSTRUCT_STATS_H
#define KP_RECONSTRUCT_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/span.h"

/* Messages about bad facts, for summaries. */
#define KP_BAD_PAUSE "ignored pauses that are not OFF:ON, two times of the trace in order\n"
#define KP_BAD_PARTIAL "ignored a fact partial that is not FROM:TO, two times of the trace in order\n"

/* Message about events with impossible numbers, with their count. */
#define KP_MADE_EVENTS "ignored %" PRIu64 " events: only filters make rows with their numbers\n"

/* Numbers of written rows and of inferences. */
struct kp_reconstruct_stats {
	uint64_t cpus;
	uint64_t spans;		/* rows of all kinds */
	uint64_t user, idle, syscalls, traps, irqs, scheds;	/* execution rows */
	uint64_t waits, arcs, points, others;
	uint64_t missing_returns;	/* ends that were inferred */
	uint64_t missing_calls;		/* beginnings that were inferred */
	uint64_t stray_returns;		/* returns that match no call, ignored */
	uint64_t gaps;			/* context switches that were not recorded */
	uint64_t inferred;		/* execution rows with a ? */
	int64_t inferred_units;		/* their total duration, 10 ns units */
	uint64_t too_deep;		/* calls nested deeper than KP_DEPTH */
	uint64_t clipped;		/* merged calls cut off at the next event */
	uint64_t arcs_dropped;		/* too many IPIs were not handled yet */
	uint64_t pauses;		/* times in which the recording was off */
	int64_t paused_units;		/* their total duration, 10 ns units */
	bool bad_pause;			/* a fact pause was invalid */
	bool bad_partial;		/* a fact partial was invalid */
	struct kp_pause partial;	/* events of some CPUs are missing; 10 ns units; {0, 0}: no */
	uint64_t made_events;		/* ignored events with numbers that only rows of filters have */
	int64_t first, last;	/* of execution, 10 ns units; 0 0 if none */
};

#endif
