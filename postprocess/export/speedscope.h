/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Spans as a file of speedscope (https://www.speedscope.app): a kp_span_sink that takes them in time
 * order. A profile a CPU, in which threads are the outer frames and kernel code the inner ones; idle
 * time is left out. Called by spantospeedscope.
 */
#ifndef KP_EXPORT_SPEEDSCOPE_H
#define KP_EXPORT_SPEEDSCOPE_H

#include <stdio.h>

#include "model/span.h"

struct kp_speedscope;

/* NULL without memory. What belongs to one CPU waits in a nameless temporary file. */
struct kp_speedscope *kp_speedscope_new(FILE *out);

/* Its functions return 0, or -1: kp_speedscope_message(), or out has an error. */
struct kp_span_sink kp_speedscope_sink(struct kp_speedscope *speedscope);

/* One line after a failure of its own, else "". */
const char *kp_speedscope_message(const struct kp_speedscope *speedscope);
/* Spans left out because they overlap one in front of them on their CPU. */
uint64_t kp_speedscope_overlaps(const struct kp_speedscope *speedscope);
void kp_speedscope_free(struct kp_speedscope *speedscope);

#endif
