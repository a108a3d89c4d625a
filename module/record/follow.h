/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Context switches and wakeups of a session that is alone and follows tasks (KU_FOLLOWED): it has
 * a filter by task, or its system calls are timed.
 */
#ifndef KU_FOLLOW_H
#define KU_FOLLOW_H

/* Before anything is emitted; process context. */
void ku_follow_init(void);

#endif
