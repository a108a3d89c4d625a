/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A machine that is suspended to memory or to disk while it records. Called by sessions.c. One
 * that is suspended to idle needs nothing: all its CPUs are idle, and are recorded so.
 */
#ifndef KU_SUSPEND_H
#define KU_SUSPEND_H

/* Process context. */
void ku_suspend_init(void);
/* Before sessions end. May sleep. */
void ku_suspend_exit(void);

#endif
