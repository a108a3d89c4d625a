/* SPDX-License-Identifier: GPL-2.0-only */
/* Controls one session: reset, on, off, kinds, filter, triggers. Process context; may sleep. */
#ifndef KU_SESSION_H
#define KU_SESSION_H

#include "session/state.h"

/*
 * Empties the session and sets its mode. @clock_shift: right shift from the time counter to counts;
 * 0: the default of this machine. Returns 0 or -errno: -EBUSY while recording, -EOPNOTSUPP for
 * unknown flags, -EINVAL for shares without wrap mode, or an error of ku_counters_probe(),
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
 * Binds the recording to @file, so that ku_session_unbind() of the same @file ends it; with @on
 * false, removes this. Returns 0, -EBUSY if it is bound to another file, or -ENODEV.
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

#endif
