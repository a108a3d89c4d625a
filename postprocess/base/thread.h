/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The thread of a kp_ahead makes batches, which the caller gets in order. The thread of a kp_worker
 * works on batches that the caller fills.
 */
#ifndef KP_BASE_THREAD_H
#define KP_BASE_THREAD_H

#include <stddef.h>

#define KP_BATCHES	4u

struct kp_ahead;

/*
 * Starts a thread that fills the batches. @batches is an array of KP_BATCHES elements of @size
 * bytes; the caller owns it. make(self, batch) fills one element, which still has the content of
 * its last use.
 *
 * make() returns 1; 0 if there are no more batches; a negative value after a failure. After 0 or a
 * failure, make() is not called again. The thread has all signals blocked. If no thread can be
 * created, kp_ahead_next() calls make(). Returns NULL without memory.
 */
struct kp_ahead *kp_ahead_open(int (*make)(void *self, void *batch), void *self,
			       void *batches, size_t size);

/*
 * Waits for the next batch and returns it. The caller may use the batch until its next call.
 * Returns NULL after the last batch. Then *err is 0, or the value with which make() failed.
 */
void *kp_ahead_next(struct kp_ahead *ahead, int *err);

/* Ends the thread after its current call of make(). @ahead may be NULL. */
void kp_ahead_close(struct kp_ahead *ahead);

struct kp_worker;

/*
 * Selects the thread that gets SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGALRM while the worker is
 * open. The signals must end a blocked write, so the thread that writes must get them.
 */
enum kp_worker_signals { KP_WORKER_NO_SIGNALS, KP_WORKER_TAKES_SIGNALS };

/*
 * Starts a thread that calls work() with one batch at a time, until work() returns nonzero. The
 * caller owns @batches, KP_BATCHES elements of @size bytes. Returns NULL if no thread can be
 * created.
 */
struct kp_worker *kp_worker_open(int (*work)(void *self, void *batch), void *self,
				 void *batches, size_t size,
				 enum kp_worker_signals signals);

/* Returns the batch to fill. The caller may use the batch until kp_worker_hand_over(). */
void *kp_worker_batch(const struct kp_worker *worker);

/* Hands the batch over, and waits for a free one. Returns 0, or the error of work() so far. */
int kp_worker_hand_over(struct kp_worker *worker);

/* Waits until all batches handed over are done. Returns 0, or the error of work(). */
int kp_worker_wait(struct kp_worker *worker);

/* Ends the thread after all batches. Returns 0, or the error of work(). @worker may be NULL. */
int kp_worker_close(struct kp_worker *worker);

#define KP_CORES_MAX	256u

/*
 * Returns the number of CPUs on which this process may run, from 1 to KP_CORES_MAX, or a positive
 * number in $KUTRACE_THREADS (for tests). All calls return the same number. Thread-safe.
 */
unsigned int kp_cores(void);

#endif
