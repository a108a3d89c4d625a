/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks for data that signal handlers and children of a fork also use. */
#ifndef KU_LIB_BASE_LOCK_H
#define KU_LIB_BASE_LOCK_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

/* Signals are blocked while the lock is held. */
struct ku_lock {
	pthread_mutex_t mutex;
	/* signals that were blocked before fork(); valid while fork() holds the lock */
	sigset_t before_fork;
};

#define KU_LOCK_INITIALIZER {.mutex = PTHREAD_MUTEX_INITIALIZER}

void ku_lock(struct ku_lock *lock, sigset_t *saved);
/* Takes the lock if it is free. Otherwise returns false, and blocks no signals. */
bool ku_trylock(struct ku_lock *lock, sigset_t *saved);
void ku_unlock(struct ku_lock *lock, const sigset_t *saved);
/* Handlers for pthread_atfork(): hold the lock in a fork, and release it in parent and child. */
void ku_lock_for_fork(struct ku_lock *lock);
void ku_unlock_after_fork(struct ku_lock *lock);

/*
 * Attribute of functions that register fork handlers. Such a function runs before the constructors
 * of the program, which may record events.
 */
#define KU_CONSTRUCTOR __attribute__((constructor(101)))

#endif
