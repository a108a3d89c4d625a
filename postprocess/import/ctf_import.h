/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A CTF trace as event text's records: the whole way. Called by ctftoevent and the fuzzer.
 */
#ifndef KP_IMPORT_CTF_IMPORT_H
#define KP_IMPORT_CTF_IMPORT_H

#include "import/ctf_source.h"
#include "model/event.h"

struct kp_import_counts {
	uint64_t read;		/* events in the trace */
	uint64_t events;	/* handed on */
	uint64_t nameless;	/* returns of calls that began before the trace, without a name */
	uint64_t numberless;	/* left out, as the task's number is below 0 or above 2^31-1 */
	uint64_t others;	/* of kinds that have no place in the page */
	uint64_t lost;		/* by what the trace says */
	bool ours;		/* one of our own exporters wrote it */
};

/*
 * Hands everything on to sink, after all of the trace has been read once: of one that is damaged,
 * nothing. 0; -1 with source->message, or "" when the sink failed.
 */
int kp_ctf_import(struct kp_ctf_source *source, const struct kp_event_sink *sink,
		  struct kp_import_counts *counts);

#endif
