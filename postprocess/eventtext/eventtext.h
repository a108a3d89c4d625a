/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Event text. The writer is a kp_event_sink; the reader passes each line to a kp_event_sink:
 *
 *   -1 1 40 39 getpid                                         name definition
 *   # ## VERSION: 3                                           comment
 *   1207652033 293 2087 0  51 0  44495 51 0 getpid (827)      event
 *
 * A name extends to the end of its line, or to the number in parentheses. Control characters and
 * backslashes in names are written as \xHH in hex; spaces are not escaped.
 */
#ifndef KP_EVENTTEXT_EVENTTEXT_H
#define KP_EVENTTEXT_EVENTTEXT_H

#include <stdio.h>

#include "model/span.h"

#define KP_EVENT_LINE_MAX	65536	/* maximum bytes of a line */
#define KP_EVENT_TIME_MAX	400000000000000000ll	/* maximum time in 10 ns units */
#define KP_EVENT_CPU_MAX	255

struct kp_event_writer {
	FILE *out;
	size_t used;
	char buffer[1 << 17];
};

void kp_event_writer_init(struct kp_event_writer *writer, FILE *out);
/* Returns the sink. Its functions return 0, or -1 after an error, which kp_finish() reports. */
struct kp_event_sink kp_event_writer_sink(struct kp_event_writer *writer);
/* Writes the buffered text. Returns 0 or -1. */
int kp_event_writer_flush(struct kp_event_writer *writer);

struct kp_event_reader {
	/* members for the caller, valid during and after reading */
	char message[512];	/* one line, after an error of the reader */
	uint64_t line;		/* number of the current line, from 1 */
	uint64_t bytes;		/* number of bytes read so far */
};

/*
 * Reads @in to its end. @shown is the input's name in messages. Returns 0; -1 with a message after
 * a read error, an interrupt or an invalid line; or the value that the sink returned. Names passed
 * to the sink are valid only during the call.
 */
int kp_event_text_read(struct kp_event_reader *reader, FILE *in, const char *shown,
		       const struct kp_event_sink *sink);

#endif
