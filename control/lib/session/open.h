/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opening the device for a session, see open.c.
 */
#ifndef KU_LIB_SESSION_OPEN_H
#define KU_LIB_SESSION_OPEN_H

#include "kutrace_abi.h"

/*
 * A descriptor for commands: read-write where that is allowed, else read-only; of the
 * session that this thread uses (-ESRCH: it is gone), or of the main one. Who may not use that
 * has a session of his own in its place, which is called by his number, uid-1000, and stays when
 * he closes it: ku_session_open_own() makes it, ku_session_open() leaves it at the main session,
 * of which he may ask, as long as there is none.
 */
int ku_session_open(void);
int ku_session_open_own(void);
int ku_session_open_main(void);
/* The file is of that session from then on. 0 or a negative error. */
int ku_session_attach_own(int fd, struct kutrace_session *session);

/*
 * What is called whenever a command finds the module: who has looked for it in vain may look
 * again. Must not wait. To be registered by constructors, before other threads begin.
 */
struct ku_found_hook {
	void (*found)(void);
	struct ku_found_hook *next;
};

void ku_session_on_found(struct ku_found_hook *hook);

#endif
