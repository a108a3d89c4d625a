/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session: a ring with its own blocks, names, mask, filter and triggers, and what is known
 * of its recording. The struct, the lock, and what can be asked of it at any time; it must
 * do nothing by itself. Everything in session/, record/ and above uses it.
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
	u8 *bytes;		/* of counters; made when first asked for, freed with it */
	u64 reserved;		/* bytes of memory, pool.c */
	struct kutrace_anchor *anchor;	/* for crash dumps, anchor.c; NULL: there is none */
	struct kutrace_anchor_piece *anchor_bytes;	/* where the counters' bytes are; or NULL */
	struct kref ref;
	u32 id;
	char name[32];
	bool dead;		/* destroyed: files that are of it may only let go */
	bool keep;		/* outlives the file that created it */
	kuid_t owner;
	pid_t owner_pid;
	char owner_comm[16];

	/* Read by the emit path, in any context. */
	u64 kinds;		/* kinds recorded: a bit for each enum kutrace_kind */
	struct ku_filter *filter; /* NULL: none */
	struct ku_watch *watch;	/* triggers; made with the first, freed with the session */

	/*
	 * Held to read or change blocks and names while nothing is recorded, and to name all
	 * tasks. That can take long, and only callers of this session wait. Taken before
	 * ku_session_lock.
	 */
	struct mutex content_lock;

	/* State of the recording, under ku_session_lock. */
	bool on;
	bool starting;		/* on, but all tasks are being named before the first event */
	bool ever_on;		/* since the reset */
	bool ended;		/* off is complete, or it has not been on; ku_session_ended() */
	bool inserted;		/* CPUs may have open blocks although it is off */
	u64 flags;
	u64 changes;		/* goes up when what can be read while it is off has changed */
	u64 reset;		/* ku_sessions_resets() after the last one */
	u32 restarts;		/* of the counter, when it began: ku_session_is_stale() */
	struct kutrace_pair start;
	struct kutrace_pair stop;
	/* counts; recording was complete up to here when it last went off */
	u64 whole_until;
	struct ku_clock_mark begun;	/* with @start */
	bool clock_bad;		/* the counter jumped, or became unstable, since @start */
	u32 start_cpu;
	u32 start_pid;
	char start_comm[16];
	u64 missed_before;	/* return probes missed before the reset */
	const void *bound;	/* the file that recording ends with; NULL: none */

	/* What a higher part keeps of it, and how that is freed with the session. */
	void *view;
	void (*view_free)(void *view);
	wait_queue_head_t wait;
	struct irq_work filled;
};

/*
 * Serialises all changes of all sessions: they are rare, and all of them concern the hooks.
 * The emit path takes no lock.
 */
extern struct mutex ku_session_lock;

/* Those that record, by id, and a bit for each. */
extern struct ku_session *ku_recording[KUTRACE_SESSIONS];
extern u32 ku_recording_set;

/* Whether any does. Any context. */
bool ku_sessions_recording(void);
/* Sessions may be begun and turned on: between init and exit. Any context. */
bool ku_sessions_ready(void);
void ku_sessions_set_ready(bool ready);
/* How many resets of whichever session there have been. Any context. */
u64 ku_sessions_resets(void);
void ku_session_count_reset(struct ku_session *session);

/* Whether it records; any context. */
bool ku_session_is_on(const struct ku_session *session);
/*
 * Whether recording is over, if there was one, and nobody writes to its blocks any more. Not the
 * opposite of ku_session_is_on(): in between it is being turned on or off. Who looks for blocks
 * after this was true finds all that there are. Any context.
 */
bool ku_session_ended(const struct ku_session *session);
void ku_session_set_ended(struct ku_session *session, bool ended);
/*
 * Whether the counter has begun anew since the recording did: it cannot go on. ku_session_lock
 * is held.
 */
bool ku_session_is_stale(const struct ku_session *session);
u64 ku_session_kinds(const struct ku_session *session);
u64 ku_session_used_blocks(struct ku_session *session);
bool ku_session_wrapped(struct ku_session *session);

/*
 * To read blocks and names: between hold (0, or -EBUSY while recording) and release
 * nothing is recorded, named or reset. Other sessions do not wait. ku_session_changes() returns a
 * number that differs if blocks or names have changed.
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
