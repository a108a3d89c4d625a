/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reports faults of a raw trace at the end of a main().
 */
#ifndef KP_RAWTRACE_STATUS_H
#define KP_RAWTRACE_STATUS_H

#include "rawtrace/raw.h"

/*
 * Returns KP_OK, or KP_BAD if blocks contained faults, and reports these with kp_error(). All valid
 * entries were output. Must be called after the trace was read.
 */
int kp_raw_exit_status(const struct kp_raw *raw);

#endif
