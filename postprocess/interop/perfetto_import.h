/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converts a Perfetto trace to records of event text.
 */
#ifndef KP_IMPORT_PERFETTO_IMPORT_H
#define KP_IMPORT_PERFETTO_IMPORT_H

#include <stdio.h>

#include "model/span.h"

struct kp_pf_import_counts {
	uint64_t packets;	/* number of packets in the trace */
	uint64_t read;		/* number of ftrace events in the packets */
	uint64_t events;	/* number of events passed to the sink */
	uint64_t numberless;	/* number of events left out because the task's number is below 0 */
	uint64_t others;	/* number of events of kinds that the page does not show */
	uint64_t lost;		/* number of lost events that the trace reports */
	/* number of events left out because another data source recorded the same event */
	uint64_t twice;
	/* number of events with an earlier time than the previous event of their stream */
	uint64_t late;
	/* number of packets of machines other than the host, which are left out */
	uint64_t other_machines;
	uint64_t renumbered;	/* number of task numbers above 31 bits, which were replaced */
};

/*
 * Reads the whole trace once, and passes it to @sink only when it is intact. @trace must be seekable, and
 * is closed. Returns 0, or -1 with the error in @message, of @room bytes, which is "" if the sink failed.
 */
int kp_pf_import(FILE *trace, const struct kp_event_sink *sink, struct kp_pf_import_counts *counts,
		 char *message, size_t room);

#endif
