/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opening the device for a session, see open.c.
 */
#ifndef KU_LIB_SESSION_OPEN_H
#define KU_LIB_SESSION_OPEN_H

/*
 * A descriptor for commands: read-write where that is allowed, else read-only; of the
 * session that this thread uses (-ESRCH: it is gone), or of the main one.
 */
int ku_session_open(void);
int ku_session_open_main(void);

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
