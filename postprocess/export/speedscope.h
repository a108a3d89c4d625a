/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes spans as a file of speedscope (https://www.speedscope.app): a kp_span_sink that takes them
 * in time order. Each CPU becomes a profile, in which threads are the outer frames and kernel code
 * the inner ones. Idle time is omitted.
 */
#ifndef KP_EXPORT_SPEEDSCOPE_H
#define KP_EXPORT_SPEEDSCOPE_H

#include <stdio.h>

#include "model/span.h"

struct kp_speedscope;

/* Returns NULL without memory. Each CPU's events are collected in a nameless temporary file. */
struct kp_speedscope *kp_speedscope_new(FILE *out);

/* Returns the sink. Its functions return 0, or -1 with a message or if out has an error. */
struct kp_span_sink kp_speedscope_sink(struct kp_speedscope *speedscope);

/* Returns one line after a failure of this module, otherwise "". */
const char *kp_speedscope_message(const struct kp_speedscope *speedscope);
/*
 * Returns the number of spans that were omitted because they overlap an earlier one on their CPU.
 */
uint64_t kp_speedscope_overlaps(const struct kp_speedscope *speedscope);
void kp_speedscope_free(struct kp_speedscope *speedscope);

#endif
