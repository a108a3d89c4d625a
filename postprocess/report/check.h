/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether a raw trace is sound: what goes into the reconstruction and what comes out of it,
 * looked at in memory that does not grow with the trace. Called by checktrace.
 */
#ifndef KP_REPORT_CHECK_H
#define KP_REPORT_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "model/event.h"
#include "model/pause.h"
#include "rawtrace/events.h"
#include "reconstruct/stats.h"
#include "report/coverage.h"

/* What passes between raw trace and reconstruction, and what comes out of that. */
struct kp_check {
	struct kp_event_sink next;
	uint64_t events[256];		/* recorded outside pauses, by CPU */
	uint64_t in_pause[256];		/* recorded in pauses: they are no execution */
	int64_t first[256], last[256];	/* last: ends of merged calls included */
	int64_t before[256];		/* time of the last event that changes state */
	uint64_t back;			/* events earlier than the one before */
	struct kp_map named, unnamed;	/* pids */
	uint64_t names, bad_names;
	struct kp_coverage coverage;	/* by what comes out of the reconstruction */
	struct kp_pauses pauses;
	int64_t resumes;		/* where the last pause ended */
	struct kp_raw_summary summary;
	int err;
};

/* A sink that looks at events and names, and hands them on to next. */
struct kp_event_sink kp_check_sink(struct kp_check *check, const struct kp_event_sink *next);
void kp_check_free(struct kp_check *check);

/*
 * Returns the time to which a CPU has to be covered: its last event, or the end of a
 * later pause.
 */
int64_t kp_check_last(const struct kp_check *check, int cpu);

/* Of the whole trace, how much is inferred: in execution spans and in time. */
struct kp_check_guessed {
	uint64_t spans, all_spans;
	int64_t units, all_units;	/* 10 ns units, of all CPUs */
};

struct kp_check_guessed kp_check_guessed(const struct kp_check *check,
					const struct kp_reconstruct_stats *stats);

/*
 * Then something that the reconstruction goes by was not recorded, or not understood. Time
 * does not tell: in a wrapped trace, one inferred span may be as long as all others.
 */
bool kp_check_half_guessed(const struct kp_check_guessed *guessed);

#endif
