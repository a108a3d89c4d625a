// SPDX-License-Identifier: BSD-3-Clause
/*
 * Works on batches in a thread, see base/worker.h. The batches form a ring: the caller fills one,
 * the thread has the full ones. After an error the thread drops all batches, so that the caller
 * never waits forever.
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/worker.h"

struct kp_worker {
	int (*work)(void *self, void *batch);
	void *self;
	char *batches;
	size_t size;		/* size of a batch in bytes */
	pthread_t thread;
	sigset_t before;	/* signal mask of the caller */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* the lock protects these: */
	unsigned int filled, emptied;	/* numbers of batches, never reset */
	bool closing;
	int err;
};

static void *batch_of(const struct kp_worker *worker, unsigned int number)
{
	return worker->batches + number % KP_WORKER_BATCHES * worker->size;
}

static void *run(void *self)
{
	struct kp_worker *worker = self;

	pthread_mutex_lock(&worker->lock);
	for (;;) {
		void *batch = batch_of(worker, worker->emptied);
		int err = worker->err;

		if (worker->emptied == worker->filled) {
			if (worker->closing)
				break;
			pthread_cond_wait(&worker->changed, &worker->lock);
			continue;
		}
		pthread_mutex_unlock(&worker->lock);
		if (!err)
			err = worker->work(worker->self, batch);
		pthread_mutex_lock(&worker->lock);
		worker->err = err;
		worker->emptied++;
		pthread_cond_signal(&worker->changed);
	}
	pthread_mutex_unlock(&worker->lock);
	return NULL;
}

struct kp_worker *kp_worker_open(int (*work)(void *self, void *batch), void *self,
				 void *batches, size_t size,
				 enum kp_worker_signals signals)
{
	struct kp_worker *worker = calloc(1, sizeof(*worker));
	sigset_t stop;
	bool made;

	if (!worker)
		return NULL;
	worker->work = work;
	worker->self = self;
	worker->batches = batches;
	worker->size = size;
	pthread_mutex_init(&worker->lock, NULL);
	pthread_cond_init(&worker->changed, NULL);
	sigemptyset(&stop);
	sigaddset(&stop, SIGINT);
	sigaddset(&stop, SIGTERM);
	sigaddset(&stop, SIGHUP);
	sigaddset(&stop, SIGQUIT);
	sigaddset(&stop, SIGALRM);
	pthread_sigmask(SIG_SETMASK, NULL, &worker->before);
	/* a new thread inherits the signal mask */
	if (signals == KP_WORKER_NO_SIGNALS)
		pthread_sigmask(SIG_BLOCK, &stop, NULL);
	made = !pthread_create(&worker->thread, NULL, run, worker);
	if (signals == KP_WORKER_NO_SIGNALS || !made)
		pthread_sigmask(SIG_SETMASK, &worker->before, NULL);
	else
		pthread_sigmask(SIG_BLOCK, &stop, NULL);
	if (made)
		return worker;
	pthread_cond_destroy(&worker->changed);
	pthread_mutex_destroy(&worker->lock);
	free(worker);
	return NULL;
}

void *kp_worker_batch(const struct kp_worker *worker)
{
	/* only the caller changes "filled" */
	return batch_of(worker, worker->filled);
}

/* Waits until the thread has at most @most batches. Lock held. Returns the error of work(). */
static int wait_for(struct kp_worker *worker, unsigned int most)
{
	while (worker->filled - worker->emptied > most)
		pthread_cond_wait(&worker->changed, &worker->lock);
	return worker->err;
}

int kp_worker_hand_over(struct kp_worker *worker)
{
	int err;

	pthread_mutex_lock(&worker->lock);
	worker->filled++;
	pthread_cond_signal(&worker->changed);
	err = wait_for(worker, KP_WORKER_BATCHES - 1);
	pthread_mutex_unlock(&worker->lock);
	return err;
}

int kp_worker_wait(struct kp_worker *worker)
{
	int err;

	pthread_mutex_lock(&worker->lock);
	err = wait_for(worker, 0);
	pthread_mutex_unlock(&worker->lock);
	return err;
}

int kp_worker_close(struct kp_worker *worker)
{
	int err;

	if (!worker)
		return 0;
	pthread_mutex_lock(&worker->lock);
	worker->closing = true;
	pthread_cond_signal(&worker->changed);
	pthread_mutex_unlock(&worker->lock);
	pthread_join(worker->thread, NULL);
	err = worker->err;
	pthread_sigmask(SIG_SETMASK, &worker->before, NULL);
	pthread_cond_destroy(&worker->changed);
	pthread_mutex_destroy(&worker->lock);
	free(worker);
	return err;
}
