/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work in a thread of its own: the caller fills batches, the thread works on them,
 * in order, a little later. For stages of rawtohtml that follow one another, so
 * that they share the processors. Called by transform/pipe.c and transform/rows.c.
 */
#ifndef KP_WORKER_H
#define KP_WORKER_H

#include <stddef.h>

#define KP_WORKER_BATCHES	4u

struct kp_worker;

/*
 * Who gets SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGALRM until the worker is closed: the
 * caller, or the thread, for one that writes, so that they end a write that waits.
 */
enum kp_worker_signals { KP_WORKER_NO_SIGNALS, KP_WORKER_TAKES_SIGNALS };

/*
 * What is handed back and forth are the KP_WORKER_BATCHES elements, of size bytes, of
 * the array batches, which stays the caller's. work() is called from the thread only, with one of them; after it has returned something
 * other than 0 it is called no more. NULL if it cannot be made.
 */
struct kp_worker *kp_worker_open(int (*work)(void *self, void *batch), void *self,
				 void *batches, size_t size,
				 enum kp_worker_signals signals);

/* The batch to fill: the caller's until it hands it over. */
void *kp_worker_batch(const struct kp_worker *worker);

/* Hands it over, and waits until there is another. 0, or what work() said by now. */
int kp_worker_hand_over(struct kp_worker *worker);

/* Waits until all that was handed over is done. 0, or what work() said. */
int kp_worker_wait(struct kp_worker *worker);

/* Waits and ends the thread. 0, or what work() said. NULL does nothing. */
int kp_worker_close(struct kp_worker *worker);

#endif
