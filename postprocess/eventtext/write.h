/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A writer of event text that is a kp_event_sink. Called by rawtoevent.
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
/* Its functions return 0, or -1 when writing failed (kp_finish() says why). */
struct kp_event_sink kp_event_writer_sink(struct kp_event_writer *writer);
/* Hands on what is buffered. 0 or -1. */
int kp_event_writer_flush(struct kp_event_writer *writer);

#endif
