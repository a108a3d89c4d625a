/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions and their handles, and the session to which this thread's calls apply. */
#ifndef KU_LIB_SESSION_HANDLE_H
#define KU_LIB_SESSION_HANDLE_H

/* Most callers need <errno.h>, <stdlib.h> and <string.h>, and do not include them again. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kutrace_events.h"
#include "libkutrace.h"

struct kutrace_handle {
	/* descriptor attached to the session; -1: the main session, without a file */
	int fd;
	uint32_t id;
	char name[32];
	/* The lock of ku_command_begin() protects all members below. */
	/* start of the recording that this program started; 0 = none */
	uint64_t started_counts;
	bool refused;			/* true if the last start was refused */
	/* start of the recording that the buffer held at the refusal */
	uint64_t refused_counts;
	char process_name[KUTRACE_NAME_MAX_BYTES + 1];
};

/* Returns the selected session, or the main session. Never returns NULL. */
struct kutrace_handle *ku_session_used(void);

/*
 * Return a descriptor for commands: read-write if permitted, otherwise read-only. Return -ESRCH if
 * the session is gone.
 *
 *   ku_session_open_main()	the main session
 *   ku_session_open()		the session that this thread uses
 *   ku_session_open_own()	the same session; creates the user's own session if needed
 *
 * Users who may not use the main session have a session named by their user id (for example
 * uid-1000). This session outlives the descriptor. Until it exists, ku_session_open() returns the
 * main session, for queries.
 */
int ku_session_open(void);
int ku_session_open_own(void);
int ku_session_open_main(void);
/* Executes a request on @fd, a descriptor or a negative errno, and closes it. */
int ku_session_request(int fd, unsigned long request, void *arg);

/*
 * A function that is called whenever a command finds the module, so that code which did not find
 * the module can try again. It must not wait. Constructors register hooks, before other threads
 * begin.
 */
struct ku_found_hook {
	void (*found)(void);
	struct ku_found_hook *next;
};

void ku_session_on_found(struct ku_found_hook *hook);

/*
 * Locks the commands and returns a descriptor of the session that this thread uses. After an
 * error returns a negative errno, without the lock.
 */
int ku_command_begin(void);
/* Closes the descriptor and unlocks. Returns @ret. */
int ku_command_end(int fd, int ret);

/* Sets the name of the recording process in the trace. Lock held. */
void ku_set_process_name(const char *name);
/* Copies the process name; empty: none was set. Takes the lock. */
void ku_process_name(char *name, size_t size);

#endif
