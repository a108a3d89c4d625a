/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Batches made ahead in a thread of its own, for the caller to take in the order in which
 * they were made: base/worker.h the other way round. Called by rawtrace/readahead.c.
 */
#ifndef KP_AHEAD_H
#define KP_AHEAD_H

#include <stddef.h>

#define KP_AHEAD_BATCHES	4u

struct kp_ahead;

/*
 * make(self, batch) fills a batch, one of the KP_AHEAD_BATCHES elements, of size bytes, of the
 * array batches, which stays the caller's; it finds in it what was there when it had been taken.
 * It returns 1; or 0, there is no more; or something negative, it failed: after either
 * it is called no more. It runs in a thread that takes no signals; where there cannot be
 * one, in kp_ahead_next(). NULL without memory.
 */
struct kp_ahead *kp_ahead_open(int (*make)(void *self, void *batch), void *self,
			       void *batches, size_t size);

/*
 * Waits for the next batch, which is the caller's until it asks for another one. NULL after
 * the last, with *err 0 or what make() failed with.
 */
void *kp_ahead_next(struct kp_ahead *ahead, int *err);

/* Ends the thread, once it has made what it is at. NULL does nothing. */
void kp_ahead_close(struct kp_ahead *ahead);

#endif
