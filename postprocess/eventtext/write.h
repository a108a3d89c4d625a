/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes event text; a kp_event_sink.
 */
#ifndef KP_EVENTTEXT_WRITE_H
#define KP_EVENTTEXT_WRITE_H

#include <stddef.h>
#include <stdio.h>

#include "eventtext/format.h"
#include "model/event.h"

struct kp_event_writer {
	FILE *out;
	size_t used;
	char buffer[1 << 17];
};

void kp_event_writer_init(struct kp_event_writer *writer, FILE *out);
/*
 * Returns the sink. Its functions return 0, or -1 after a write error, which kp_finish() reports.
 */
struct kp_event_sink kp_event_writer_sink(struct kp_event_writer *writer);
/* Writes the buffered text. Returns 0 or -1. */
int kp_event_writer_flush(struct kp_event_writer *writer);

#endif
