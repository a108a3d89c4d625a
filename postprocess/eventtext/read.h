/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A reader of event text that feeds a kp_event_sink. Called by eventtospan.
 */
#ifndef KP_EVENTTEXT_READ_H
#define KP_EVENTTEXT_READ_H

#include <stdint.h>
#include <stdio.h>

#include "eventtext/format.h"
#include "model/event.h"

struct kp_event_reader {
	/* for the caller, valid during and after reading */
	char message[512];	/* one line, after a failure of its own */
	uint64_t line;		/* number of the line being handed out, from 1 */
	uint64_t bytes;		/* read so far */
};

/*
 * Reads in, called shown in messages, to its end. 0; -1 with message: a read
 * error, or a line that is none of the above; or what the sink returned. Names
 * handed out are valid during the call only.
 */
int kp_event_text_read(struct kp_event_reader *reader, FILE *in, const char *shown,
		       const struct kp_event_sink *sink);

#endif
