/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converts a CTF trace to records of event text.
 */
#ifndef KP_INTEROP_CTF_IMPORT_H
#define KP_INTEROP_CTF_IMPORT_H

#include "interop/ctf_source.h"
#include "model/span.h"

struct kp_import_counts {
	uint64_t read;		/* events in the trace */
	uint64_t events;	/* events passed to the sink */
	uint64_t nameless;	/* returns without a name of calls that began before the trace */
	uint64_t numberless;	/* events left out, as the task's number is below 0 or above 2^31-1 */
	uint64_t others;	/* events of kinds that the page does not show */
	uint64_t lost;		/* lost events that the trace reports */
	bool ours;		/* rawtoctf wrote the trace */
};

/*
 * Reads the whole trace once, and passes it to @sink only when it is intact. Returns 0, or -1 with
 * source->message, which is "" if the sink failed.
 */
int kp_ctf_import(struct kp_ctf_source *source, const struct kp_event_sink *sink,
		  struct kp_import_counts *counts);

#endif
