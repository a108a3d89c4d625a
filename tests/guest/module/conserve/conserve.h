/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of kutrace_conserve.ko: see counting.c. */
#ifndef KU_CONSERVE_H
#define KU_CONSERVE_H

/*
 * Interrupts between CPUs, and interrupts within interrupts, without a pause, from one thread on
 * each CPU that is online. @nmis: NMIs, too. Returns 0, -EBUSY while it goes on, or what
 * kthread_create() says. Context: may sleep, one caller at a time.
 */
int ku_conserve_hammer_start(bool nmis);

/* Ends that, and waits until the last of it was handled. Likewise; without a start, nothing. */
void ku_conserve_hammer_stop(void);

/* Finds what the hammer needs, by a function that finds symbols. 0 or an error; may sleep. */
int ku_conserve_hammer_init(void *(*symbol)(const char *name));
void ku_conserve_hammer_exit(void);

#endif
