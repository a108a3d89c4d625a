/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks a raw trace: the events before the reconstruction, and the spans after it. Prints the result
 * as text or as JSON. Memory must not grow with the trace.
 */
#ifndef KP_REPORT_CHECK_H
#define KP_REPORT_CHECK_H

#include "base/memory.h"
#include "rawtrace/blocks.h"
#include "reconstruct/stats.h"
#include "report/coverage.h"

/* Results of the check. Arrays are by CPU. */
struct kp_check {
	struct kp_event_sink next;
	uint64_t events[256];		/* number of events outside pauses */
	/* number of events in pauses, in which no spans are made */
	uint64_t in_pause[256];
	/* time of the first event; end of the last event or merged call */
	int64_t first[256], last[256];
	int64_t before[256];		/* time of the last call or return */
	/* number of calls and returns that are earlier than the previous one on their CPU */
	uint64_t back;
	struct kp_map named, unnamed;	/* pids with and without a name */
	uint64_t names, bad_names;
	struct kp_coverage coverage;	/* coverage of the CPUs by the spans */
	struct kp_pauses pauses;
	int64_t resumes;		/* end of the last pause */
	struct kp_raw_summary summary;
	int err;
};

/* Returns a sink that checks events and names, and passes them on to @next. */
struct kp_event_sink kp_check_sink(struct kp_check *check, const struct kp_event_sink *next);
void kp_check_free(struct kp_check *check);

/* Number and time of the inferred execution spans, and of all execution spans. */
struct kp_check_inferred {
	uint64_t spans, all_spans;
	int64_t units, all_units;	/* time of all CPUs, units of 10 ns */
};

struct kp_check_inferred kp_check_inferred(const struct kp_check *check,
					const struct kp_reconstruct_stats *stats);

/*
 * Returns whether half of the spans or more are inferred. Then the trace lacks events that the
 * reconstruction needs, or the reconstruction did not understand them. Time is no criterion: in a
 * wrapped trace, one inferred span may be as long as all other spans together.
 */
bool kp_check_half_inferred(const struct kp_check_inferred *inferred);

/* Prints the result as text on @out (NULL: none), and the faults on stderr. Returns their number. */
unsigned int kp_check_text(const struct kp_raw *raw, const struct kp_check *check,
			   const struct kp_reconstruct_stats *stats,
			   const struct kp_check_inferred *inferred, FILE *out);

void kp_check_json(const struct kp_raw *raw, const struct kp_check *check,
		   const struct kp_reconstruct_stats *stats,
		   const struct kp_check_inferred *inferred, bool sound);
/* Prints JSON for a trace that cannot be read. @why: cause of the error. */
void kp_check_json_unreadable(const char *shown, const char *why);

#endif
