/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What user space may record by itself: marks and other points, names. Called by the control
 * call and by the device. Process context.
 */
#ifndef KU_INSERT_H
#define KU_INSERT_H

#include "session/state.h"

/* A point of these categories, low 44 bits: 1 recorded, 0 not recording, -EINVAL: none of those. */
int ku_call_point(u64 entry, u32 categories);
/* The same as a command: words recorded, or ~0. */
u64 ku_call_insert1(u64 entry, u32 categories);
/* Also while recording is off. Likewise; may sleep. */
u64 ku_call_insert1_off(struct ku_session *session, u64 entry);
/* A name, from user memory: its length in words. May sleep. */
u64 ku_call_insertn(struct ku_session *session, u64 pointer, bool while_off);

#endif
