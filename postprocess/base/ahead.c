// SPDX-License-Identifier: BSD-3-Clause
/*
 * Makes batches ahead of the caller, see base/ahead.h. The batches form a ring: the caller may have
 * one of them, the thread fills the others.
 */
#include "base/ahead.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

struct kp_ahead {
	int (*make)(void *self, void *batch);
	void *self;
	char *batches;
	size_t size;		/* size of a batch in bytes */
	bool threaded;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool taken;		/* the caller has the batch number "emptied" */
	/* the lock protects these: */
	unsigned int filled, emptied;	/* numbers of batches, never reset */
	int last;		/* last return value of make() */
	bool closing;
};

static void *batch_of(const struct kp_ahead *ahead, unsigned int number)
{
	return ahead->batches + number % KP_AHEAD_BATCHES * ahead->size;
}

static void *run(void *self)
{
	struct kp_ahead *ahead = self;

	pthread_mutex_lock(&ahead->lock);
	while (ahead->last > 0 && !ahead->closing) {
		void *batch = batch_of(ahead, ahead->filled);
		int last;

		if (ahead->filled - ahead->emptied == KP_AHEAD_BATCHES) {
			pthread_cond_wait(&ahead->changed, &ahead->lock);
			continue;
		}
		pthread_mutex_unlock(&ahead->lock);
		last = ahead->make(ahead->self, batch);
		pthread_mutex_lock(&ahead->lock);
		ahead->last = last;
		ahead->filled += last > 0;
		pthread_cond_signal(&ahead->changed);
	}
	pthread_mutex_unlock(&ahead->lock);
	return NULL;
}

struct kp_ahead *kp_ahead_open(int (*make)(void *self, void *batch), void *self,
			       void *batches, size_t size)
{
	struct kp_ahead *ahead = calloc(1, sizeof(*ahead));
	sigset_t all, before;

	if (!ahead)
		return NULL;
	ahead->make = make;
	ahead->self = self;
	ahead->batches = batches;
	ahead->size = size;
	ahead->last = 1;
	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->changed, NULL);
	/* a new thread inherits the signal mask */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ahead->threaded = !pthread_create(&ahead->thread, NULL, run, ahead);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ahead;
}

/* Makes the next batch, if there is no thread. Lock held. */
static void make_here(struct kp_ahead *ahead)
{
	if (ahead->last > 0)
		ahead->last = ahead->make(ahead->self, batch_of(ahead, ahead->filled));
	ahead->filled += ahead->last > 0;
}

void *kp_ahead_next(struct kp_ahead *ahead, int *err)
{
	void *batch = NULL;

	pthread_mutex_lock(&ahead->lock);
	if (ahead->taken) {
		ahead->emptied++;
		pthread_cond_signal(&ahead->changed);
	}
	if (!ahead->threaded)
		make_here(ahead);
	while (ahead->filled == ahead->emptied && ahead->last > 0)
		pthread_cond_wait(&ahead->changed, &ahead->lock);
	ahead->taken = ahead->filled != ahead->emptied;
	if (ahead->taken)
		batch = batch_of(ahead, ahead->emptied);
	*err = batch || ahead->last > 0 ? 0 : ahead->last;
	pthread_mutex_unlock(&ahead->lock);
	return batch;
}

void kp_ahead_close(struct kp_ahead *ahead)
{
	if (!ahead)
		return;
	pthread_mutex_lock(&ahead->lock);
	ahead->closing = true;
	pthread_cond_signal(&ahead->changed);
	pthread_mutex_unlock(&ahead->lock);
	if (ahead->threaded)
		pthread_join(ahead->thread, NULL);
	pthread_cond_destroy(&ahead->changed);
	pthread_mutex_destroy(&ahead->lock);
	free(ahead);
}
