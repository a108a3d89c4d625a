/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * System calls that come back without their number. Who returns from sigreturn has -1 in
 * its place; so has who called with -1. Which of them it was is noted when it is called. And
 * a task that exec has made one of another ABI has a number that there is another call's. Used
 * by the probes of system calls and of exec.
 */
#ifndef KU_NUMBERLESS_H
#define KU_NUMBERLESS_H

#include <linux/types.h>

/*
 * The running task calls what has that event, and may come back without the number. To be
 * called for those whose event is not what ku_numberless_end() is given for them.
 * Any context but NMI, preemption off.
 */
void ku_numberless_begin(u32 event);
/* It is back without a number: the event noted, else @usual. Likewise. */
u32 ku_numberless_end(u32 usual);
/* Forgets all; while no system calls are recorded. */
void ku_numberless_reset(void);

#endif
