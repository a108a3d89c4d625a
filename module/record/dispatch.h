/* SPDX-License-Identifier: GPL-2.0-only */
/* Dispatches events to the sessions that record: see core/ring.h. */
#ifndef KU_DISPATCH_H
#define KU_DISPATCH_H

#include "core/ring.h"

/* Before the first event; process context. */
void ku_dispatch_init(void);
/* Writes the task that is shown into the header of a session's block (ku_ring.header). */
void ku_dispatch_header(const struct ku_ring *ring, u64 *words);

#endif
