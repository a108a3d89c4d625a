/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session: a ring with its own blocks, names, mask, filter and triggers, and the state of its
 * recording. This file declares the struct, the lock, and queries that are allowed at any time. Its
 * functions must not begin or end a recording.
 */
#ifndef KU_STATE_H
#define KU_STATE_H

#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/wait.h>

#include "core/clock.h"
#include "core/ring.h"
#include "names/names.h"
#include "uapi/kutrace_abi.h"

struct ku_filter;
struct ku_watch;
struct kutrace_anchor;
struct kutrace_anchor_piece;

struct ku_session {
	struct ku_ring ring;
	struct ku_names names;
	struct kutrace_meta_page *meta;
	u8 *bytes;		/* counter bits; allocated when first needed */
	u64 reserved;		/* bytes of memory, counted by pool.c */
	struct kutrace_anchor *anchor;	/* for crash dumps, anchor.c; or NULL */
	struct kutrace_anchor_piece *anchor_bytes;	/* list of the counter bits; or NULL */
	struct kref ref;
	u32 id;
	char name[32];
	bool dead;		/* destroyed: its open files can only be closed */
	bool keep;		/* outlives the file that created it; under ku_session_lock */
	kuid_t owner;
	pid_t owner_pid;
	char owner_comm[16];

	/* Read by the emit path, in any context. */
	u64 kinds;		/* recorded kinds: a bit for each enum kutrace_kind */
	struct ku_filter *filter; /* NULL: none */
	struct ku_watch *watch;	/* triggers; allocated with the first one */

	/*
	 * Held to read or change blocks and names while nothing is recorded, and to name all tasks.
	 * This can take long, but other sessions do not wait. Taken before ku_session_lock.
	 */
	struct mutex content_lock;

	/* State of the recording, under ku_session_lock. */
	bool on;
	bool starting;		/* on, but ku_session_on() still names all tasks */
	bool ever_on;		/* has been on since the reset */
	bool ended;		/* completely off, or never on; ku_session_ended() */
	bool inserted;		/* CPUs may have open blocks although the session is off */
	u64 flags;
	u64 changes;		/* under content_lock: incremented when readable content changes */
	u64 reset;		/* ku_sessions_resets() after its last reset */
	u32 restarts;		/* restarts of the counter before the first event */
	struct kutrace_pair start;
	struct kutrace_pair stop;
	/* in counts: the last time up to which all events were recorded */
	u64 whole_until;
	struct ku_clock_mark begun;	/* the clocks at @start */
	bool clock_bad;		/* the counter jumped, or became unstable, since @start */
	u32 start_cpu;
	u32 start_pid;
	char start_comm[16];
	u64 missed_before;	/* return probes missed before the reset */
	const void *bound;	/* file whose closing ends the recording; NULL: none */

	/* Data of a higher folder, and the function that frees it with the session. */
	void *view;
	void (*view_free)(void *view);
	wait_queue_head_t wait;
	struct irq_work filled;
};

/*
 * Serialises all changes of all sessions. Changes are rare, and all of them concern the hooks. The
 * emit path takes no lock.
 */
extern struct mutex ku_session_lock;

/* The sessions that record, by id, and a bit for each. */
extern struct ku_session *ku_recording[KUTRACE_SESSIONS];
extern u32 ku_recording_set;

/* Returns the first recording session from index *@i on, and increments *@i past it; or NULL. */
static inline struct ku_session *ku_next_recording(int *i)
{
	struct ku_session *session = NULL;

	while (*i < KUTRACE_SESSIONS && !session)
		session = READ_ONCE(ku_recording[(*i)++]);
	return session;
}

#define ku_each_recording(session, i) \
	for (i = 0; (session = ku_next_recording(&i)); )

/* Returns whether any session records. Any context. */
bool ku_sessions_recording(void);
/* Returns whether sessions may be created and turned on: between init and exit. Any context. */
bool ku_sessions_ready(void);
void ku_sessions_set_ready(bool ready);
/* Returns the number of resets of all sessions so far. Any context. */
u64 ku_sessions_resets(void);
void ku_session_count_reset(struct ku_session *session);

/* Returns whether the session records; any context. */
bool ku_session_is_on(const struct ku_session *session);
/*
 * Returns whether no recording is in progress, and nothing writes to the blocks any more.
 * ku_session_is_on() may differ while the session is being turned on or off. A reader that searches
 * for blocks after this function has returned true finds all blocks. Any context.
 */
bool ku_session_ended(const struct ku_session *session);
void ku_session_set_ended(struct ku_session *session, bool ended);
/*
 * Returns whether the counter has restarted since the recording began: then the recording cannot
 * continue. ku_session_lock held.
 */
bool ku_session_is_stale(const struct ku_session *session);
u64 ku_session_kinds(const struct ku_session *session);
u64 ku_session_used_blocks(struct ku_session *session);
bool ku_session_wrapped(struct ku_session *session);

/*
 * For reading blocks and names: between ku_session_hold() and ku_session_release(), nothing is
 * recorded, named or reset in this session. ku_session_hold() returns 0, or -EBUSY while the
 * session is on. Other sessions do not wait. The result of ku_session_changes() differs if blocks
 * or names have changed.
 */
int ku_session_hold(struct ku_session *session);
void ku_session_release(struct ku_session *session);
u64 ku_session_changes(struct ku_session *session);

static inline struct ku_ring *ku_session_ring(struct ku_session *session)
{
	return &session->ring;
}

static inline struct ku_aux *ku_session_aux(struct ku_session *session)
{
	return &session->names.aux;
}

#endif
