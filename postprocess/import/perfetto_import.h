/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A Perfetto trace as event text's records: the whole way. Called by perfettotoevent and the fuzzer.
 */
#ifndef KP_IMPORT_PERFETTO_IMPORT_H
#define KP_IMPORT_PERFETTO_IMPORT_H

#include <stdio.h>

#include "model/event.h"

struct kp_pf_import_counts {
	uint64_t packets;	/* in the trace */
	uint64_t read;		/* events in them */
	uint64_t events;	/* handed on */
	uint64_t numberless;	/* left out, as the task's number is below 0 */
	uint64_t others;	/* of kinds that have no place in the page */
	uint64_t lost;		/* by what the trace says */
	uint64_t twice;		/* left out, as another data source recorded the same event */
	uint64_t late;		/* earlier than the event before them of their sequence and CPU */
	uint64_t other_machines;	/* packets of machines other than the host: left out */
	uint64_t renumbered;	/* task numbers above 31 bits, which got others */
};

/*
 * Hands all of trace, which can be read at any place, and is closed then, on to sink, after all of it
 * has been read once: of one that is damaged, nothing. 0; -1 with message, of room bytes, or "" when
 * the sink failed.
 */
int kp_pf_import(FILE *trace, const struct kp_event_sink *sink, struct kp_pf_import_counts *counts,
		 char *message, size_t room);

#endif
