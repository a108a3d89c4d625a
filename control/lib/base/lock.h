/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks for what signal handlers and children of a fork use, too, see lock.c.
 */
#ifndef KU_LIB_BASE_LOCK_H
#define KU_LIB_BASE_LOCK_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

/* For use in signal handlers, too: signals are blocked while one is held. */
struct ku_lock {
	pthread_mutex_t mutex;
	sigset_t before_fork;	/* signals blocked before the fork that holds it */
};

#define KU_LOCK_INITIALIZER {.mutex = PTHREAD_MUTEX_INITIALIZER}

void ku_lock(struct ku_lock *lock, sigset_t *saved);
/* false: somebody else has it, and nothing is blocked. */
bool ku_trylock(struct ku_lock *lock, sigset_t *saved);
void ku_unlock(struct ku_lock *lock, const sigset_t *saved);
/* For pthread_atfork(): held over the fork; given back in parent and child. */
void ku_lock_for_fork(struct ku_lock *lock);
void ku_unlock_after_fork(struct ku_lock *lock);

/*
 * For functions that register such handlers: before the program's own constructors,
 * which may record already.
 */
#define KU_CONSTRUCTOR __attribute__((constructor(101)))

#endif
