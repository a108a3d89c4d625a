/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts a Perfetto trace to records of event text. */
#ifndef KP_IMPORT_PERFETTO_IMPORT_H
#define KP_IMPORT_PERFETTO_IMPORT_H

#include <stdio.h>

#include "model/span.h"

struct kp_pf_import_counts {
	uint64_t packets;	/* number of packets in the trace */
	uint64_t read;		/* number of ftrace events in the packets */
	uint64_t events;	/* number of events passed to the sink */
	uint64_t numberless;	/* number of events omitted because the number of the task is below 0 */
	uint64_t others;	/* number of events of kinds that the page does not show */
	uint64_t lost;		/* number of lost events that the trace reports */
	/* number of events omitted because another data source recorded them too */
	uint64_t twice;
	/* number of events with a time before the previous event of their stream */
	uint64_t late;
	/* number of packets omitted because they are from another machine */
	uint64_t other_machines;
	uint64_t renumbered;	/* number of replaced task numbers (below 0 or above 31 bits) */
	uint64_t far_cpus;	/* number of events omitted because their CPU is above 255 */
};

/*
 * Reads the trace to its end. If that succeeds, reads it again and passes it to @sink. @trace must
 * be seekable; the function closes it. Returns 0, or -1 with an error in @message, of @room bytes.
 * The error is "" if the sink failed.
 */
int kp_pf_import(FILE *trace, const struct kp_event_sink *sink, struct kp_pf_import_counts *counts,
		 char *message, size_t room);

#endif
