// SPDX-License-Identifier: BSD-3-Clause
/*
 * libkutrace: locks for what signal handlers and children of a fork use, too. Whoever
 * has one has all signals blocked, so that no handler can wait for the thread that it
 * interrupted; that is also true of the thread that has taken it to fork. Called by
 * lib_given.c and lib_tpoint.c.
 *
 * pthread_atfork() itself takes a lock of the C library, which fork() holds: so handlers
 * of forks are registered by constructors, never at first use, which may be in a signal
 * handler during a fork.
 */
#include <signal.h>

#include "ku_lib.h"

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
