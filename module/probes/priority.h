/* SPDX-License-Identifier: GPL-2.0-only */
/* Probes for changes of policies and priorities. */
#ifndef KU_PROBES_PRIORITY_H
#define KU_PROBES_PRIORITY_H

#include <linux/types.h>

/*
 * Attaches the probes. Returns false, and logs the reason once, if changes will not be recorded.
 * Process context.
 */
bool ku_priority_attach(void);
void ku_priority_detach(void);
/* Returns the number of changes missed so far because a probe could not run. */
u64 ku_priority_missed(void);

#endif
