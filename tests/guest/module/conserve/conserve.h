/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of kutrace_conserve.ko: see counting.c. */
#ifndef KU_CONSERVE_H
#define KU_CONSERVE_H

/*
 * Starts nested interrupts between CPUs without a pause, from one thread on each online CPU. @nmis:
 * also sends NMIs. Returns 0, -EBUSY while the hammer runs, or an error of kthread_create().
 * Context: may sleep, one caller at a time.
 */
int ku_conserve_hammer_start(bool nmis);

/*
 * Stops the hammer and waits until the last interrupt was handled. Does nothing if the hammer does
 * not run. Context: may sleep, one caller at a time.
 */
void ku_conserve_hammer_stop(void);

/* Looks up the hammer's functions with @symbol. Returns 0 or an error. May sleep. */
int ku_conserve_hammer_init(void *(*symbol)(const char *name));
void ku_conserve_hammer_exit(void);

#endif
