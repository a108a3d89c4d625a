/* SPDX-License-Identifier: GPL-2.0-only */
/* Traps: page faults and their end, others by their signal. Called by the tracepoint back end. */
#ifndef KU_FAULT_H
#define KU_FAULT_H

#include <linux/types.h>

/* The end of page faults, which has no tracepoint. False: it cannot be seen here. */
bool ku_fault_attach(void);
void ku_fault_detach(void);
/* Ends missed so far because too many faults were under way. */
u64 ku_fault_missed(void);

#endif
