// SPDX-License-Identifier: BSD-3-Clause
/*
 * A mutex whose contention is recorded: a row "tried" for the time in which a thread
 * waited for it, a row "held" for the time in which a thread had it while others
 * waited. Without contention, it costs a trylock, as before.
 *
 *	cc mutex.c -o mutex -lpthread $(pkg-config --cflags --libs libkutrace)
 *	kutrace_control run -o mutex.trace -- ./mutex
 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include <libkutrace.h>

struct mutex {
	pthread_mutex_t mutex;
	int waiters;
	struct kutrace_lock lock;	/* where it is defined */
};

#define MUTEX_HERE {PTHREAD_MUTEX_INITIALIZER, 0, KUTRACE_LOCK_HERE}

static void mutex_lock(struct mutex *m)
{
	if (pthread_mutex_trylock(&m->mutex) == 0)
		return;
	__atomic_add_fetch(&m->waiters, 1, __ATOMIC_RELAXED);
	kutrace_lock_try(&m->lock);
	pthread_mutex_lock(&m->mutex);
	kutrace_lock_acquired(&m->lock);
	__atomic_sub_fetch(&m->waiters, 1, __ATOMIC_RELAXED);
}

static void mutex_unlock(struct mutex *m)
{
	/* before it is given up, so that the next owner's events come later */
	kutrace_lock_released(&m->lock, __atomic_load_n(&m->waiters, __ATOMIC_RELAXED));
	pthread_mutex_unlock(&m->mutex);
}

/* --- some threads that fight over one ------------------------------------------ */

#define THREADS	3
#define ROUNDS	7

static struct mutex table_mutex = MUTEX_HERE;
static int table;

static void *work(void *unused)
{
	struct timespec hold = {0, 1000000}, rest = {0, 100000};
	int i;

	(void)unused;
	for (i = 0; i < ROUNDS; i++) {
		mutex_lock(&table_mutex);
		nanosleep(&hold, NULL);		/* something slow while it is held */
		table++;
		mutex_unlock(&table_mutex);
		nanosleep(&rest, NULL);
	}
	return NULL;
}

int main(void)
{
	pthread_t thread[THREADS];
	int i;

	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, work, NULL))
			return 1;
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	printf("%d\n", table);
	return table == THREADS * ROUNDS ? 0 : 1;
}
