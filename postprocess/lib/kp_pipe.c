// SPDX-License-Identifier: BSD-3-Clause
/*
 * See kp_pipe.h. A ring of batches; the one being filled belongs to the caller,
 * the full ones to the thread. After a failure the thread takes batches and
 * drops them, so that the caller never waits for nothing.
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

#include "kp_pipe.h"

#define BATCHES		4u
#define BATCH_SPANS	1024u

struct batch {
	struct kp_span spans[BATCH_SPANS];
	size_t count;
};

struct kp_pipe {
	struct kp_span_sink to;
	pthread_t thread;
	sigset_t signals;	/* as they were */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* under the lock */
	unsigned int filled, emptied;	/* batches, counted on and on */
	bool closing;
	int err;
	struct batch batches[BATCHES];
};

static int empty_batch(struct kp_pipe *pipe, const struct batch *batch)
{
	size_t i;
	int err = 0;

	for (i = 0; i < batch->count && !err; i++)
		err = pipe->to.span(pipe->to.self, &batch->spans[i]);
	return err;
}

static void *run(void *self)
{
	struct kp_pipe *pipe = self;

	pthread_mutex_lock(&pipe->lock);
	for (;;) {
		const struct batch *batch = &pipe->batches[pipe->emptied % BATCHES];
		int err = pipe->err;

		if (pipe->emptied == pipe->filled) {
			if (pipe->closing)
				break;
			pthread_cond_wait(&pipe->changed, &pipe->lock);
			continue;
		}
		pthread_mutex_unlock(&pipe->lock);
		if (!err)
			err = empty_batch(pipe, batch);
		pthread_mutex_lock(&pipe->lock);
		pipe->err = err;
		pipe->emptied++;
		pthread_cond_signal(&pipe->changed);
	}
	pthread_mutex_unlock(&pipe->lock);
	return NULL;
}

struct kp_pipe *kp_pipe_open(const struct kp_span_sink *to)
{
	struct kp_pipe *pipe = calloc(1, sizeof(*pipe));
	sigset_t stop;

	if (!pipe)
		return NULL;
	pipe->to = *to;
	pthread_mutex_init(&pipe->lock, NULL);
	pthread_cond_init(&pipe->changed, NULL);
	if (pthread_create(&pipe->thread, NULL, run, pipe)) {
		pthread_cond_destroy(&pipe->changed);
		pthread_mutex_destroy(&pipe->lock);
		free(pipe);
		return NULL;
	}
	sigemptyset(&stop);
	sigaddset(&stop, SIGINT);
	sigaddset(&stop, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &stop, &pipe->signals);
	return pipe;
}

/* The batch being filled goes to the thread; waits until there is another. */
static int hand_over(struct kp_pipe *pipe)
{
	int err;

	pthread_mutex_lock(&pipe->lock);
	pipe->filled++;
	pthread_cond_signal(&pipe->changed);
	while (pipe->filled - pipe->emptied == BATCHES)
		pthread_cond_wait(&pipe->changed, &pipe->lock);
	err = pipe->err;
	pthread_mutex_unlock(&pipe->lock);
	pipe->batches[pipe->filled % BATCHES].count = 0;
	return err;
}

int kp_pipe_span(void *self, const struct kp_span *span)
{
	struct kp_pipe *pipe = self;
	struct batch *batch = &pipe->batches[pipe->filled % BATCHES];

	batch->spans[batch->count++] = *span;
	return batch->count == BATCH_SPANS ? hand_over(pipe) : 0;
}

int kp_pipe_close(struct kp_pipe *pipe)
{
	int err;

	pthread_mutex_lock(&pipe->lock);
	pipe->filled++;
	pipe->closing = true;
	pthread_cond_signal(&pipe->changed);
	pthread_mutex_unlock(&pipe->lock);
	pthread_join(pipe->thread, NULL);
	err = pipe->err;
	pthread_sigmask(SIG_SETMASK, &pipe->signals, NULL);
	pthread_cond_destroy(&pipe->changed);
	pthread_mutex_destroy(&pipe->lock);
	free(pipe);
	return err;
}
