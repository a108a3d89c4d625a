/* SPDX-License-Identifier: GPL-2.0-only */
/* Passes an event to each session that records it: see core/ring.h. */
#ifndef KU_ROUTE_H
#define KU_ROUTE_H

#include "core/ring.h"

/* Before anything is emitted; process context. */
void ku_route_init(void);
/* Who is running, for the header of a block of a session's ring (ku_ring.header). */
void ku_route_header(const struct ku_ring *ring, u64 *words);

#endif
