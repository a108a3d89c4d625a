/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes batches in a thread ahead of the caller, which takes them in the order in which they were
 * made. base/worker.h is the opposite: there the caller makes batches and the thread works on them.
 */
#ifndef KP_AHEAD_H
#define KP_AHEAD_H

#include <stddef.h>

#define KP_AHEAD_BATCHES	4u

struct kp_ahead;

/*
 * Starts a thread that fills the batches. @batches is an array of KP_AHEAD_BATCHES elements of
 * @size bytes; the caller owns it. make(self, batch) fills one element, which still has the content
 * of its last use.
 *
 * make() returns 1; 0 if there are no more batches; a negative value after a failure. After 0 or a
 * failure it is not called again. The thread has all signals blocked. If no thread can be created,
 * kp_ahead_next() calls make(). Returns NULL without memory.
 */
struct kp_ahead *kp_ahead_open(int (*make)(void *self, void *batch), void *self,
			       void *batches, size_t size);

/*
 * Waits for the next batch and returns it. The caller may use it until its next call. Returns NULL
 * after the last batch: then *err is 0, or the value with which make() failed.
 */
void *kp_ahead_next(struct kp_ahead *ahead, int *err);

/* Ends the thread after its current call of make(). @ahead may be NULL. */
void kp_ahead_close(struct kp_ahead *ahead);

#endif
