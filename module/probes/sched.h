/* SPDX-License-Identifier: GPL-2.0-only */
/* Properties of the kernel's scheduler tracepoints. */
#ifndef KU_SCHED_H
#define KU_SCHED_H

#include <linux/types.h>

/*
 * Returns whether start and end of the scheduler are recorded. Valid after the search for
 * tracepoints. Any context.
 */
bool ku_sched_spans(void);

#endif
