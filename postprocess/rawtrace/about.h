/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a raw trace says of itself as a whole: when, where, which. Called by rawtrace/comments.c
 * and by the mains of exporters.
 */
#ifndef KP_RAWTRACE_ABOUT_H
#define KP_RAWTRACE_ABOUT_H

#include <stdint.h>

#include "rawtrace/raw.h"

#define KP_TRACE_ID_CHARS	36	/* 8-4-4-4-12 hex digits */

struct kp_raw_about {
	int64_t start_s;	/* time 0, the start minute: seconds since 1970, UTC */
	char trace_id[KP_TRACE_ID_CHARS + 1];
	uint8_t trace_uuid[16];	/* the same in bytes */
	/* as bytes found in the trace, which may be anything; "" = it does not say */
	char host[64], kernel[64], cpu_model[64], arch[64], boot_id[64];
};

/*
 * For a trace that is open, before kp_raw_events(); not for one that is followed, whose stop
 * is not known yet. The trace's id is a UUID (version 8, RFC 9562) made of its clock pairs, host and boot: the same
 * each time for the same trace, also when that was recorded without a boot's name.
 */
void kp_raw_about(const struct kp_raw *raw, struct kp_raw_about *about);

/* The value of META key in the trace's names, or NULL; the next one behind *at, which begins at 0. */
const char *kp_raw_meta(const struct kp_raw *raw, const char *key, size_t *at);

/*
 * By how much the wall clock was set while it was recorded, or led away from the counter, as the trace says
 * (META clock_step_us): microseconds, negative: back. 0: it does not say so, or says no number. A trace that
 * is made of several may say it more than once: then the greatest step.
 */
int64_t kp_raw_clock_step_us(const struct kp_raw *raw);

/*
 * Returns true if the counter jumped, or became unstable, during the recording (META
 * caveat=clock).
 */
bool kp_raw_clock_is_bad(const struct kp_raw *raw);

/* Room for "back by 3600.000000 s" of any step, with its terminating zero. */
#define KP_CLOCK_STEP_CHARS	48

/* A step that is not 0 in words, for a report. */
void kp_clock_step_text(int64_t us, char text[KP_CLOCK_STEP_CHARS]);

#endif
