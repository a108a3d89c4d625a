/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * System calls that return without their number. After sigreturn, and after a call with number -1,
 * the number is -1. After an exec that changed the task's ABI, the number belongs to the other
 * ABI's table. So the event is remembered at the call.
 */
#ifndef KU_NUMBERLESS_H
#define KU_NUMBERLESS_H

#include <linux/types.h>

/*
 * Remembers @event for the running task, which may return without the number. Necessary for each
 * event that differs from the @usual one of ku_numberless_end(). Any context except NMI, preemption
 * disabled.
 */
void ku_numberless_begin(u32 event);
/*
 * Returns the remembered event, or @usual if there is none, for a return without number. Same
 * context.
 */
u32 ku_numberless_end(u32 usual);
/* Forgets all events. No system calls may be recorded meanwhile. */
void ku_numberless_reset(void);

#endif
