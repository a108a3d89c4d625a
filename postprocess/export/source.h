/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Begins and ends exporters of rows: reads the raw trace and the names of its tasks, and prints a
 * summary. Exits the program after an error.
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

/*
 * Opens the file @path (NULL: standard input), and reads on which machine and when it was recorded.
 */
void kp_source_open(struct kp_source *source, const char *path);
/* Reads the whole trace. Then kp_trace_replay() has its rows. */
void kp_source_read(struct kp_source *source);
/* Reports why the rows ended early. @why: the message of the sink, or "". */
void kp_source_failed(const struct kp_source *source, const char *why);
/* Prints "tool: 12 events, 13 spans, COUNT WHAT" and the loss on standard error. */
void kp_source_summary(const struct kp_source *source, const char *tool, uint64_t count,
		       const char *what);
void kp_source_free(struct kp_source *source);

#endif
