/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Works on batches in a thread: the caller fills them, and the thread processes them in order, a
 * little later. The stages of rawtohtml use one thread each, so that they run in parallel.
 */
#ifndef KP_WORKER_H
#define KP_WORKER_H

#include <stddef.h>

#define KP_WORKER_BATCHES	4u

struct kp_worker;

/*
 * Selects the thread that gets SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGALRM until the worker is
 * closed: the caller, or the worker's thread. A thread that writes must get them, so that they end
 * a blocked write.
 */
enum kp_worker_signals { KP_WORKER_NO_SIGNALS, KP_WORKER_TAKES_SIGNALS };

/*
 * Starts the thread. @batches is an array of KP_WORKER_BATCHES elements of @size bytes; the caller
 * owns it. The thread calls work() with one element at a time. After work() has returned a nonzero
 * value it is not called again. Returns NULL if the thread cannot be created.
 */
struct kp_worker *kp_worker_open(int (*work)(void *self, void *batch), void *self,
				 void *batches, size_t size,
				 enum kp_worker_signals signals);

/* Returns the batch to fill. The caller may use it until it hands it over. */
void *kp_worker_batch(const struct kp_worker *worker);

/* Hands the batch over, and waits for a free one. Returns 0, or the error of work() so far. */
int kp_worker_hand_over(struct kp_worker *worker);

/* Waits until all batches handed over are done. Returns 0, or the error of work(). */
int kp_worker_wait(struct kp_worker *worker);

/* Waits, and ends the thread. Returns 0, or the error of work(). @worker may be NULL. */
int kp_worker_close(struct kp_worker *worker);

#endif
