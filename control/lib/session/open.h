/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens the device for a session. */
#ifndef KU_LIB_SESSION_OPEN_H
#define KU_LIB_SESSION_OPEN_H

#include "kutrace_abi.h"

/*
 * Return a descriptor for commands: read-write if permitted, otherwise read-only. Return -ESRCH
 * if the session is gone.
 *
 *   ku_session_open_main()	the main session
 *   ku_session_open()		the session that this thread uses
 *   ku_session_open_own()	the same; creates the user's own session if needed
 *
 * A user who may not use the main session has a session of his own instead, called uid-NUMBER
 * (for example uid-1000). It outlives the descriptor. Until it exists, ku_session_open() returns
 * the main session, for queries.
 */
int ku_session_open(void);
int ku_session_open_own(void);
int ku_session_open_main(void);
/*
 * Attaches the file to the user's own session, and creates that if needed. Returns 0 or a
 * negative errno.
 */
int ku_session_attach_own(int fd, struct kutrace_session *session);

/*
 * A function that is called whenever a command finds the module, so that code which did not find
 * it can try again. It must not wait. Constructors register hooks, before other threads begin.
 */
struct ku_found_hook {
	void (*found)(void);
	struct ku_found_hook *next;
};

void ku_session_on_found(struct ku_found_hook *hook);

#endif
