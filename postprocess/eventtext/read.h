/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads event text into a kp_event_sink.
 */
#ifndef KP_EVENTTEXT_READ_H
#define KP_EVENTTEXT_READ_H

#include <stdint.h>
#include <stdio.h>

#include "eventtext/format.h"
#include "model/event.h"

struct kp_event_reader {
	/* for the caller, during and after reading */
	char message[512];	/* one line, after an error of the reader */
	uint64_t line;		/* number of the current line, from 1 */
	uint64_t bytes;		/* read so far */
};

/*
 * Reads @in to its end. @shown is its name in messages. Returns 0; -1 with a message after a read
 * error, an interrupt or an invalid line; or the value that the sink returned. Names given to the
 * sink are valid only during the call.
 */
int kp_event_text_read(struct kp_event_reader *reader, FILE *in, const char *shown,
		       const struct kp_event_sink *sink);

#endif
