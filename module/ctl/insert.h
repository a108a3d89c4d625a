/* SPDX-License-Identifier: GPL-2.0-only */
/* Inserts events and names from user space: marks and other points. Process context. */
#ifndef KU_INSERT_H
#define KU_INSERT_H

#include "session/state.h"

/*
 * Records a point of one of @categories. @entry: its low 44 bits. Returns 1 if recorded, 0 if no
 * session records, -EINVAL if this is not such a point.
 */
int ku_call_point(u64 entry, u32 categories);
/* Implements KUTRACE_CMD_INSERT1. Returns the number of recorded words, or ~0. */
u64 ku_call_insert1(u64 entry, u32 categories);
/* Records the point also while recording is off. Returns 1 or ~0. May sleep. */
u64 ku_call_insert1_off(struct ku_session *session, u64 entry);
/*
 * Records a name from user memory at @pointer. @while_off: also while recording is off. Returns the
 * length of the entry in words, 0 if recording is off, or ~0. May sleep.
 */
u64 ku_call_insertn(struct ku_session *session, u64 pointer, bool while_off);

#endif
