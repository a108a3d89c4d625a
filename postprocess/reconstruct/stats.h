/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of the reconstruction, for summaries and checks. */
#ifndef KP_RECONSTRUCT_STATS_H
#define KP_RECONSTRUCT_STATS_H

#include "model/span.h"

/* Messages about bad facts, for summaries. */
#define KP_BAD_PAUSE "ignored pauses without two times OFF:ON in the trace, OFF before ON\n"
#define KP_BAD_PARTIAL "ignored a fact partial without two times FROM:TO in the trace, FROM before TO\n"

/* Message with the number of ignored events, see made_events. */
#define KP_MADE_EVENTS "ignored %" PRIu64 " events whose numbers are reserved for rows of filters\n"

/* Numbers of written rows and of inferences. */
struct kp_reconstruct_stats {
	uint64_t cpus;
	uint64_t spans;		/* number of rows of all kinds */
	/* numbers of execution rows of each kind */
	uint64_t user, idle, syscalls, traps, irqs, scheds;
	uint64_t waits, arcs, points, others;
	uint64_t missing_returns;	/* number of ends that were inferred */
	uint64_t missing_calls;		/* number of beginnings that were inferred */
	uint64_t stray_returns;		/* number of returns that match no call and were ignored */
	uint64_t gaps;			/* number of context switches that were not recorded */
	uint64_t inferred;		/* number of execution rows with a ? */
	int64_t inferred_units;		/* total duration of these rows, 10 ns units */
	uint64_t too_deep;		/* number of calls nested deeper than KP_DEPTH */
	uint64_t clipped;		/* number of merged calls cut off at the next event */
	/* number of arcs left out because too many IPIs were not handled yet */
	uint64_t arcs_dropped;
	uint64_t pauses;
	int64_t paused_units;		/* total duration of the pauses, 10 ns units */
	/* times in which no CPU ran: their number, and their total duration, 10 ns units */
	uint64_t stops;
	int64_t stopped_units;
	uint64_t stops_inferred;	/* number of stops whose rows have a ? */
	/* times in which one CPU did not run, of all CPUs */
	uint64_t stolen;
	int64_t stolen_units;
	/* requests of disks that are done, ends without a beginning, and beginnings without an end */
	uint64_t disk_requests, disk_unmatched, disk_open;
	uint64_t timers;		/* number of wakeups by timers whose due time was recorded */
	bool bad_pause;			/* a fact "pause" was invalid */
	bool bad_partial;		/* a fact "partial" was invalid */
	/* interval in which events of some CPUs are missing; 10 ns units; {0, 0}: none */
	struct kp_pause partial;
	/* number of ignored events with numbers that only rows of filters have */
	uint64_t made_events;
	/* start and end of all execution, 10 ns units; 0 0 if there is none */
	int64_t first, last;
};

#endif
