/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The event text that rawtoevent prints and eventtospan reads: a writer that is
 * a kp_event_sink, and a reader that feeds one.
 *
 *   -1 1 40 39 getpid                                         name definition
 *   # ## VERSION: 3                                           comment
 *   1207652033 293 2087 0  51 0  44495 51 0 getpid (827)      event
 *
 * A name is the rest of its line. Control characters and backslashes in names
 * are written as \xHH, in hex; blanks stay as they are.
 */
#ifndef KP_EVENT_TEXT_H
#define KP_EVENT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "kp_event.h"

#define KP_EVENT_LINE_MAX	65536	/* bytes of a line */
#define KP_EVENT_TIME_MAX	400000000000000000ll	/* 10 ns units */
#define KP_EVENT_CPU_MAX	255

/* ---- writer ---- */

struct kp_event_writer {
	FILE *out;
	size_t used;
	char buffer[1 << 17];
};

void kp_event_writer_init(struct kp_event_writer *writer, FILE *out);
/* Its functions return 0, or -1 when writing failed (kp_finish() says why). */
struct kp_event_sink kp_event_writer_sink(struct kp_event_writer *writer);
/* Hands on what is buffered. 0 or -1. */
int kp_event_writer_flush(struct kp_event_writer *writer);

/* ---- reader ---- */

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
