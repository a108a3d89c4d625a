/* SPDX-License-Identifier: GPL-2.0-only */
/* An open file of /dev/kutrace/control: what device.c and map.c share. */
#ifndef KU_CONTROL_FILE_H
#define KU_CONTROL_FILE_H

#include <linux/mutex.h>
#include <linux/spinlock.h>

#include "point/point.h"
#include "session/state.h"
#include "session/table.h"

/* An open file: of one session, with a reference to it. */
struct ku_file {
	struct ku_session *session;
	bool control;		/* may change and read recordings of its own */
	bool owns_main;		/* and that of the main session; as of open() */
	bool used;		/* mapped or waited for: it stays with this session */
	bool temporary;		/* the session goes with this file */
	u64 seen_blocks;	/* taken blocks at the last INFO */
	u32 seen_fired;		/* triggers done at the last FIRED */
	/*
	 * Of the session that the file is of, against changes. ku_session_lock is taken inside
	 * it, so it must not be taken inside mmap_lock.
	 */
	struct mutex lock;
	/* Of session and used, for mmap(), which must not wait. Nothing is taken inside it. */
	spinlock_t use;
	struct ku_point_file points;
};

/*
 * Whether this session's recording may be changed and read by this file. Only the main session is
 * a file's without having been asked for: of any other the owner was asked for when it became it.
 */
static inline bool ku_file_owns(const struct ku_file *mine, const struct ku_session *session)
{
	return mine->owns_main || session != ku_session_main();
}

/* Its session, and it stays with that from now on. mmap_lock may be held. */
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
