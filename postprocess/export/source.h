/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What exporters of rows begin and end with: the raw trace is read, names of tasks are noted, and a summary
 * is written. Ends the program where it cannot go on. Called by rawtoperfetto, rawtosqlite and rawtoparquet.
 */
#ifndef KP_EXPORT_SOURCE_H
#define KP_EXPORT_SOURCE_H

#include <stdint.h>

#include "export/tasks.h"
#include "rawtrace/about.h"
#include "transform/trace.h"

struct kp_source {
	struct kp_trace trace;		/* title may be set before kp_source_open() */
	struct kp_tasks tasks;		/* names at the start of the trace */
	struct kp_raw_about about;
};

/* Opens the file of that name, NULL = standard input, and looks who and when it is of. */
void kp_source_open(struct kp_source *source, const char *path);
/* Reads all of it; then kp_trace_replay() has the rows. */
void kp_source_read(struct kp_source *source);
/* One line of why the rows ended early; why: what their taker says, "" = nothing. */
void kp_source_failed(const struct kp_source *source, const char *why);
/* "tool: 12 events, 13 spans, COUNT WHAT", and what was lost, to standard error. */
void kp_source_summary(const struct kp_source *source, const char *tool, uint64_t count,
		       const char *what);
void kp_source_free(struct kp_source *source);

#endif
