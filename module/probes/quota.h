/* SPDX-License-Identifier: GPL-2.0-only */
/* Probes for cgroups that are throttled because they have used their quota of CPU time. */
#ifndef KU_QUOTA_H
#define KU_QUOTA_H

#include <linux/types.h>

/*
 * Attaches the probes. Returns false, and logs the reason once, if throttling will not be recorded.
 * Process context.
 */
bool ku_quota_attach(void);
void ku_quota_detach(void);
/* Returns the number of events missed so far because a probe could not run. */
u64 ku_quota_missed(void);

#endif
