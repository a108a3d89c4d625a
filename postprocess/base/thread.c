// SPDX-License-Identifier: BSD-3-Clause
/* Threads for a ring of batches. Neither the caller nor the thread may wait forever. */
#include "base/thread.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

struct ring {
	char *batches;
	size_t size;		/* size of a batch in bytes */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* the lock protects these members: */
	unsigned int filled, emptied;	/* numbers of batches that were filled and emptied so far */
	bool closing;
};

static void ring_init(struct ring *ring, void *batches, size_t size)
{
	ring->batches = batches;
	ring->size = size;
	pthread_mutex_init(&ring->lock, NULL);
	pthread_cond_init(&ring->changed, NULL);
}

static void *batch_of(const struct ring *ring, unsigned int number)
{
	return ring->batches + number % KP_BATCHES * ring->size;
}

/* Makes the thread end. */
static void ring_end(struct ring *ring)
{
	pthread_mutex_lock(&ring->lock);
	ring->closing = true;
	pthread_cond_signal(&ring->changed);
	pthread_mutex_unlock(&ring->lock);
}

static void ring_destroy(struct ring *ring)
{
	pthread_cond_destroy(&ring->changed);
	pthread_mutex_destroy(&ring->lock);
}

struct kp_ahead {
	struct ring ring;
	int (*make)(void *self, void *batch);
	void *self;
	bool threaded;
	bool handed_out;		/* the caller has batch number ring.emptied */
	int last;		/* last return value of make(); the ring's lock protects it */
};

static void *run_ahead(void *self)
{
	struct kp_ahead *ahead = self;
	struct ring *ring = &ahead->ring;

	pthread_mutex_lock(&ring->lock);
	while (ahead->last > 0 && !ring->closing) {
		void *batch = batch_of(ring, ring->filled);
		int last;

		if (ring->filled - ring->emptied == KP_BATCHES) {
			pthread_cond_wait(&ring->changed, &ring->lock);
			continue;
		}
		pthread_mutex_unlock(&ring->lock);
		last = ahead->make(ahead->self, batch);
		pthread_mutex_lock(&ring->lock);
		ahead->last = last;
		ring->filled += last > 0;
		pthread_cond_signal(&ring->changed);
	}
	pthread_mutex_unlock(&ring->lock);
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
	ahead->last = 1;
	ring_init(&ahead->ring, batches, size);
	/* a new thread inherits the signal mask */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ahead->threaded = !pthread_create(&ahead->ring.thread, NULL, run_ahead, ahead);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ahead;
}

/* Makes the next batch, if there is no thread. Lock held. */
static void make_here(struct kp_ahead *ahead)
{
	if (ahead->last > 0)
		ahead->last = ahead->make(ahead->self, batch_of(&ahead->ring, ahead->ring.filled));
	ahead->ring.filled += ahead->last > 0;
}

void *kp_ahead_next(struct kp_ahead *ahead, int *err)
{
	struct ring *ring = &ahead->ring;
	void *batch = NULL;

	pthread_mutex_lock(&ring->lock);
	if (ahead->handed_out) {
		ring->emptied++;
		pthread_cond_signal(&ring->changed);
	}
	if (!ahead->threaded)
		make_here(ahead);
	while (ring->filled == ring->emptied && ahead->last > 0)
		pthread_cond_wait(&ring->changed, &ring->lock);
	ahead->handed_out = ring->filled != ring->emptied;
	if (ahead->handed_out)
		batch = batch_of(ring, ring->emptied);
	*err = batch || ahead->last > 0 ? 0 : ahead->last;
	pthread_mutex_unlock(&ring->lock);
	return batch;
}

void kp_ahead_close(struct kp_ahead *ahead)
{
	if (!ahead)
		return;
	ring_end(&ahead->ring);
	if (ahead->threaded)
		pthread_join(ahead->ring.thread, NULL);
	ring_destroy(&ahead->ring);
	free(ahead);
}

struct kp_worker {
	struct ring ring;
	int (*work)(void *self, void *batch);
	void *self;
	sigset_t before;	/* signal mask of the caller */
	int err;		/* the ring's lock protects it */
};

/* Works on batches. After an error, drops all batches, so that the caller never waits forever. */
static void *run_worker(void *self)
{
	struct kp_worker *worker = self;

	pthread_mutex_lock(&worker->ring.lock);
	for (;;) {
		void *batch = batch_of(&worker->ring, worker->ring.emptied);
		int err = worker->err;

		if (worker->ring.emptied == worker->ring.filled) {
			if (worker->ring.closing)
				break;
			pthread_cond_wait(&worker->ring.changed, &worker->ring.lock);
			continue;
		}
		pthread_mutex_unlock(&worker->ring.lock);
		if (!err)
			err = worker->work(worker->self, batch);
		pthread_mutex_lock(&worker->ring.lock);
		worker->err = err;
		worker->ring.emptied++;
		pthread_cond_signal(&worker->ring.changed);
	}
	pthread_mutex_unlock(&worker->ring.lock);
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
	ring_init(&worker->ring, batches, size);
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
	made = !pthread_create(&worker->ring.thread, NULL, run_worker, worker);
	if (signals == KP_WORKER_NO_SIGNALS || !made)
		pthread_sigmask(SIG_SETMASK, &worker->before, NULL);
	else
		pthread_sigmask(SIG_BLOCK, &stop, NULL);
	if (made)
		return worker;
	ring_destroy(&worker->ring);
	free(worker);
	return NULL;
}

void *kp_worker_batch(const struct kp_worker *worker)
{
	/* No lock is needed: only the caller changes "filled". */
	return batch_of(&worker->ring, worker->ring.filled);
}

/* Hands over @filled batches, and waits until at most @most remain. Returns work()'s error. */
static int wait_for(struct kp_worker *worker, unsigned int filled, unsigned int most)
{
	int err;

	pthread_mutex_lock(&worker->ring.lock);
	worker->ring.filled += filled;
	pthread_cond_signal(&worker->ring.changed);
	while (worker->ring.filled - worker->ring.emptied > most)
		pthread_cond_wait(&worker->ring.changed, &worker->ring.lock);
	err = worker->err;
	pthread_mutex_unlock(&worker->ring.lock);
	return err;
}

int kp_worker_hand_over(struct kp_worker *worker)
{
	return wait_for(worker, 1, KP_BATCHES - 1);
}

int kp_worker_wait(struct kp_worker *worker)
{
	return wait_for(worker, 0, 0);
}

int kp_worker_close(struct kp_worker *worker)
{
	int err;

	if (!worker)
		return 0;
	ring_end(&worker->ring);
	pthread_join(worker->ring.thread, NULL);
	err = worker->err;
	pthread_sigmask(SIG_SETMASK, &worker->before, NULL);
	ring_destroy(&worker->ring);
	free(worker);
	return err;
}

/*
 * ---- the number of usable CPUs ----
 *
 * The number must not come from /proc/cpuinfo or from the list of online CPUs: both include CPUs
 * that this process may not use.
 */

#define MASK_MOST	(1 << 16)	/* number of CPUs that no machine exceeds */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static unsigned int cores;

/* Returns the number in $KUTRACE_THREADS, or 0 if the variable is not set or not a number. */
static unsigned int wanted(void)
{
	const char *text = getenv("KUTRACE_THREADS");
	char *end;
	unsigned long value;

	if (!text || *text < '0' || *text > '9')
		return 0;
	errno = 0;
	value = strtoul(text, &end, 10);
	if (*end)
		return 0;
	return errno || value > KP_CORES_MAX ? KP_CORES_MAX : (unsigned int)value;
}

/* Returns the number of CPUs in the affinity mask; 0: unknown. EINVAL: the mask is too small. */
static unsigned int allowed(void)
{
	int room, count = 0;

	for (room = CPU_SETSIZE; room <= MASK_MOST && !count; room *= 2) {
		cpu_set_t *set = CPU_ALLOC(room);
		size_t size = CPU_ALLOC_SIZE(room);

		if (!set)
			return 0;
		if (!sched_getaffinity(0, size, set))
			count = CPU_COUNT_S(size, set);
		else if (errno != EINVAL)
			room = MASK_MOST;
		CPU_FREE(set);
	}
	return (unsigned int)count;
}

static void count_cores(void)
{
	cores = wanted();
	if (!cores)
		cores = allowed();
	if (!cores)
		cores = 1;
	if (cores > KP_CORES_MAX)
		cores = KP_CORES_MAX;
}

unsigned int kp_cores(void)
{
	pthread_once(&once, count_cores);
	return cores;
}
