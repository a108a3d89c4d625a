/* SPDX-License-Identifier: GPL-2.0-only */
/* Controls and describes sessions. Process context; may sleep. */
#ifndef KU_RECORD_H
#define KU_RECORD_H

#include <linux/list.h>

#include "session/state.h"

struct ku_aux;
struct ku_hooks;

/* ---- sessions.c: creates and destroys sessions, including the main one ---- */

int ku_sessions_init(unsigned int mb, const struct ku_hooks *hooks);
void ku_sessions_exit(void);

/* Returns a new session of @owner, with a reference for the caller, or ERR_PTR. */
struct ku_session *ku_session_create(const struct kutrace_session *wanted, kuid_t owner);
/* Stops a session and removes it. Returns 0, -EPERM for the main one, or -ENOENT if it is gone. */
int ku_session_destroy(struct ku_session *session);
/* Lets the session outlive the file that created it. Returns 0, or -ENODEV if it has ended. */
int ku_session_keep(struct ku_session *session);
/*
 * Called when the file that created @session is closed. Destroys the session, unless it is kept.
 */
void ku_session_leave(struct ku_session *session);

/* ---- session.c: reset, on, off, kinds, filter, triggers ---- */

/* All flags of a reset. */
#define KU_RESET_FLAGS \
	((u64)(KUTRACE_RESET_WRAP | KUTRACE_RESET_PERCPU | KUTRACE_RESET_IPC | KUTRACE_RESET_LLC))

/*
 * Empties the session and sets its mode. @clock_shift: right shift from the time counter to counts;
 * 0: the default of this machine. Returns 0 or -errno: -EBUSY while recording, -EINVAL for
 * unknown flags and for shares without wrap mode, or an error of ku_counters_probe(),
 * ku_pool_alloc_bytes() or ku_pool_share(). After an error the recording is as before.
 */
int ku_session_reset(struct ku_session *session, u64 flags, unsigned int clock_shift);
/*
 * Returns 0, also if the session is already on, or if another caller turned it off meanwhile.
 * -ESTALE: the time counter has restarted since the recording began. -ETIME: the kernel calls the
 * counter unstable. -ENODEV: the session or the module is going away. -errno from attaching the
 * hooks.
 */
int ku_session_on(struct ku_session *session);
void ku_session_off(struct ku_session *session);
/* Like ku_session_off(), with ku_session_lock held. */
void ku_session_off_locked(struct ku_session *session);
/*
 * Binds the recording to @file, so that ku_session_unbind() of the same @file ends it. Removes the
 * binding if @on is false. Returns 0, -EBUSY if it is bound to another file, or -ENODEV.
 */
int ku_session_bind(struct ku_session *session, const void *file, bool on);
void ku_session_unbind(struct ku_session *session, const void *file);

/* Sets the kinds to (old & ~mask) | (value & mask). Returns 0 or -errno. */
int ku_session_set_kinds(struct ku_session *session, u64 value, u64 mask);
/* Replaces the filter. Returns 0 or -errno. */
int ku_session_set_filter(struct ku_session *session, const struct kutrace_filter *wanted);
/* Adds a trigger and sets its index; KUTRACE_TRIGGER_NONE removes all. Returns 0 or -errno. */
int ku_session_add_trigger(struct ku_session *session, struct kutrace_trigger *wanted);

/* Add a point event (low 44 bits of its entry) and a name, also while recording is off. */
void ku_session_insert(struct ku_session *session, u64 entry);
void ku_session_insert_name(struct ku_session *session, u16 base, u32 number,
			    const char *name, size_t len);
/* Closes every CPU. Writers that were interrupted before their store may still store. */
void ku_session_close_blocks(struct ku_session *session);

/* ---- info.c ---- */

void ku_session_info(struct ku_session *session, struct kutrace_info *info);
/* Adds up the losses of each kind, into kinds[KUTRACE_KINDS]. */
void ku_session_lost(struct ku_session *session, u64 *kinds);
/* Updates the state for crash dumps. Must be called after each change; ku_session_lock held. */
void ku_session_anchor(struct ku_session *session);
/*
 * Sets clock_bad, until the next reset, if the counter is unusable or has not kept pace since the
 * recording began. ku_session_lock held.
 */
void ku_session_check_clock(struct ku_session *session);
/* Returns the clock pair with which the recording would end now. */
void ku_session_read_stop(struct ku_session *session, struct kutrace_pair *stop);
void ku_session_describe(struct ku_session *session, struct kutrace_session *what);

/* ---- update.c: listeners ---- */

/*
 * Listeners: code in higher folders, on which this folder must not depend. They learn when typed
 * tracepoints are recorded, and add names when a recording begins. ku_session_lock held.
 */
struct ku_listener {
	struct list_head node;
	/* @points: whether some session records typed tracepoints. Called after a change. */
	void (*changed)(bool points);
	/* Adds all names of the listener to a session's table, with the time @counts. */
	void (*name_all)(struct ku_aux *aux, u64 counts);
};

/* Must be called while nothing is recorded. */
void ku_notify_register(struct ku_listener *listener);
void ku_notify_unregister(struct ku_listener *listener);

void ku_notify_changed(bool points);
void ku_notify_name_all(struct ku_aux *aux, u64 counts);

#endif
