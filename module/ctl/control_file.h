/* SPDX-License-Identifier: GPL-2.0-only */
/* State of an open file of /dev/kutrace/control, shared by device.c and map.c. */
#ifndef KU_CONTROL_FILE_H
#define KU_CONTROL_FILE_H

#include <linux/mutex.h>
#include <linux/spinlock.h>

#include "point/point.h"
#include "session/state.h"
#include "session/table.h"

/* An open file. Refers to one session, and holds a reference to it. */
struct ku_file {
	struct ku_session *session;
	bool control;		/* may change and read recordings of its own sessions */
	bool owns_main;		/* also those of the main session; decided at open() */
	bool used;		/* mapped or polled: cannot change its session */
	bool temporary;		/* the session ends when the file is closed */
	u64 seen_blocks;	/* number of taken blocks at the last INFO */
	u32 seen_fired;		/* number of completed triggers at the last FIRED */
	/*
	 * Protects @session and @temporary. ku_session_lock is taken inside it, so it must not be
	 * taken inside mmap_lock.
	 */
	struct mutex lock;
	/* Protects @session and @used for mmap(), which must not sleep. Innermost lock. */
	spinlock_t use;
	struct ku_point_file points;
};

/*
 * Returns true if the file may change and read the recording of @session. Ownership of any other
 * session than the main session was checked when the file selected it.
 */
static inline bool ku_file_owns(const struct ku_file *mine, const struct ku_session *session)
{
	return mine->owns_main || session != ku_session_main();
}

/* Returns the file's session, and fixes it from now on. mmap_lock may be held. */
static inline struct ku_session *ku_file_use(struct ku_file *mine)
{
	struct ku_session *session;

	spin_lock(&mine->use);
	session = mine->session;
	mine->used = true;
	spin_unlock(&mine->use);
	return session;
}

#endif
