/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What mains that read raw traces say at their end. Called by rawtoevent and rawtohtml.
 */
#ifndef KP_RAWTRACE_STATUS_H
#define KP_RAWTRACE_STATUS_H

#include "rawtrace/raw.h"

/*
 * For mains, after the trace was read: KP_OK, or KP_BAD if there were faults inside
 * blocks, which it tells (kp_error): the rest was handed out, but this is no good trace.
 */
int kp_raw_exit_status(const struct kp_raw *raw);

#endif
