/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One session's recording: reset, on, off, what it records. Called by ctl/ and sessions.c, in
 * process context; may sleep.
 */
#ifndef KU_SESSION_H
#define KU_SESSION_H

#include "session/state.h"

/*
 * 0 or -errno: -EBUSY while recording, -EOPNOTSUPP for unknown flags, -EINVAL for shares without
 * wrap mode, those of ku_counters_probe(), ku_pool_alloc_bytes() and ku_pool_share(). After a
 * refusal the recording is as before. The counts of the recording are those of the counter,
 * shifted; 0: as the machine wants it.
 */
int ku_session_reset(struct ku_session *session, u64 flags, unsigned int clock_shift);
/*
 * 0 also when already on, or when another caller turned it off meanwhile; -ESTALE: since the
 * recording began the time counter has begun anew; -ETIME: the kernel calls the counter unstable;
 * -errno from attaching the hooks.
 */
int ku_session_on(struct ku_session *session);
void ku_session_off(struct ku_session *session);
/* ku_session_lock is held. */
void ku_session_off_locked(struct ku_session *session);
/* The recording ends when ku_session_unbind() comes for the same @file. 0, -EBUSY, -ENODEV. */
int ku_session_bind(struct ku_session *session, const void *file, bool on);
void ku_session_unbind(struct ku_session *session, const void *file);

/* Kinds: new = (old & ~mask) | (value & mask). 0 or -errno. */
int ku_session_set_kinds(struct ku_session *session, u64 value, u64 mask);
/* Whose events. 0 or -errno. */
int ku_session_set_filter(struct ku_session *session, const struct kutrace_filter *wanted);
/* What to wait for; sets its index. KUTRACE_TRIGGER_NONE: nothing any more. 0 or -errno. */
int ku_session_add_trigger(struct ku_session *session, struct kutrace_trigger *wanted);

/* A point (low 44 bits of its entry), a name: also while recording is off. */
void ku_session_insert(struct ku_session *session, u64 entry);
void ku_session_insert_name(struct ku_session *session, u16 base, u32 number,
			    const char *name, size_t len);
/* Ends the blocks that inserting has left open; stores still under way end with what follows. */
void ku_session_close_blocks(struct ku_session *session);

#endif
