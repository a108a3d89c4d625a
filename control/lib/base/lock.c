// SPDX-License-Identifier: BSD-3-Clause
/*
 * Locks for data that signal handlers and children of a fork also use. All signals must be
 * blocked while a lock is held: otherwise a handler could wait for the thread that it
 * interrupted, even across a fork.
 *
 * pthread_atfork() takes a lock of the C library, which fork() holds. Constructors must therefore
 * register the fork handlers. The first use would be too late: it may be in a signal handler
 * during a fork.
 */
#include "lib/base/lock.h"

static void block_signals(sigset_t *saved)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, saved);
}

void ku_lock(struct ku_lock *lock, sigset_t *saved)
{
	block_signals(saved);
	pthread_mutex_lock(&lock->mutex);
}

bool ku_trylock(struct ku_lock *lock, sigset_t *saved)
{
	block_signals(saved);
	if (!pthread_mutex_trylock(&lock->mutex))
		return true;
	pthread_sigmask(SIG_SETMASK, saved, NULL);
	return false;
}

void ku_unlock(struct ku_lock *lock, const sigset_t *saved)
{
	pthread_mutex_unlock(&lock->mutex);
	pthread_sigmask(SIG_SETMASK, saved, NULL);
}

void ku_lock_for_fork(struct ku_lock *lock)
{
	sigset_t saved;

	ku_lock(lock, &saved);
	/* this thread has the lock now, so no other thread uses before_fork */
	lock->before_fork = saved;
}

void ku_unlock_after_fork(struct ku_lock *lock)
{
	sigset_t saved = lock->before_fork;

	ku_unlock(lock, &saved);
}
