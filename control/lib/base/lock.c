// SPDX-License-Identifier: BSD-3-Clause
/*
 * Locks for what signal handlers and children of a fork use, too. Must never be held with a
 * signal unblocked: its handler could wait for the thread that it interrupted, also over a
 * fork. Called by registered names and typed tracepoints.
 *
 * pthread_atfork() itself takes a lock of the C library, which fork() holds: so handlers
 * of forks are registered by constructors, never at first use, which may be in a signal
 * handler during a fork.
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
	lock->before_fork = saved;	/* ours alone, now that we have the lock */
}

void ku_unlock_after_fork(struct ku_lock *lock)
{
	sigset_t saved = lock->before_fork;

	ku_unlock(lock, &saved);
}
