/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends a process by a signal, and finds the cause of SIGPIPE. */
#ifndef KU_COMMON_DIE_H
#define KU_COMMON_DIE_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

/* Returns whether @fd is a pipe or socket without a reader. */
static inline bool ku_reader_gone(int fd)
{
	struct pollfd state = {.fd = fd};

	return poll(&state, 1, 0) == 1 && state.revents & POLLERR;
}

/*
 * Ends the process by the signal's default action. The caller must have removed all incomplete files. If SIGINT ends a program in this way, a shell
 * also ends its loop. The kernel ignores the signal for process 1 of a container, which exits with
 * 128 plus the number.
 */
static inline _Noreturn void ku_die_of(int number)
{
	sigset_t set;

	signal(number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(number);
	_exit(128 + number);
}

#endif
