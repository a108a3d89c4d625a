/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Handles suspend to memory or to disk during a recording. Suspend to idle needs nothing: all CPUs
 * are idle, and are recorded as idle.
 */
#ifndef KU_SUSPEND_H
#define KU_SUSPEND_H

/* Process context. */
void ku_suspend_init(void);
/* Before sessions end. May sleep. */
void ku_suspend_exit(void);

#endif
