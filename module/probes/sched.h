/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel's tracepoints tell of the scheduler. Called by the tracepoint back end. */
#ifndef KU_SCHED_H
#define KU_SCHED_H

#include <linux/types.h>

/* Whether the scheduler is a span. Any context, once tracepoints were looked for. */
bool ku_sched_spans(void);

#endif
