/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session: a ring with its own blocks, names, mask, filter and triggers, and what is
 * known of its recording. ku_sessions.c has the table of them, ku_session.c records.
 *
 * Everything here is process context and may sleep, unless it says otherwise.
 */
#ifndef KU_SESSION_H
#define KU_SESSION_H

#include <linux/cred.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/mm_types.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "ku_aux.h"
#include "ku_ring.h"
#include "uapi/kutrace_abi.h"

struct ku_filter;
struct ku_hooks;
struct ku_view;
struct ku_watch;

struct ku_session {
	struct ku_ring ring;
	struct ku_aux aux;
	struct kutrace_meta_page *meta;
	u8 *bytes;		/* of counters; made when first asked for, freed with it */
	u64 reserved;		/* bytes of memory, ku_pool.c */
	struct kref ref;
	u32 id;
	char name[32];
	bool dead;		/* destroyed: files that are of it may only let go */
	bool keep;		/* outlives the file that created it */
	kuid_t owner;
	pid_t owner_pid;
	char owner_comm[16];

	/* Read by the emit path, in any context. */
	u64 kinds;		/* KUTRACE_KIND bits recorded */
	struct ku_filter *filter; /* NULL: none */
	struct ku_watch *watch;	/* triggers; made with the first, freed with the session */

	/* State of the recording, under ku_session_lock. */
	bool on;
	bool ever_on;		/* since the reset */
	u64 flags;
	u64 changes;		/* what could be read while it is off is another now */
	u64 reset;		/* ku_sessions_resets() after the last one */
	struct kutrace_pair start;
	struct kutrace_pair stop;
	u32 start_cpu;
	u32 start_pid;
	char start_comm[16];
	u64 missed_before;	/* return probes missed before the reset */
	const void *attended;	/* by which file; NULL: by nobody */

	struct ku_view *view;	/* ku_call.c: what is being read; may be NULL */
	wait_queue_head_t wait;
	struct irq_work filled;
	struct irq_work names_ask;	/* ku_names.c */
	struct work_struct names_look;
};

/* Serialises all changes of sessions; the emit path takes no lock. */
extern struct mutex ku_session_lock;

/* ---- the table (ku_sessions.c) ---- */

int ku_sessions_init(unsigned int mb, const char *backend);
void ku_sessions_exit(void);
/* Between init and exit; before that nothing else here may be called. Any context. */
bool ku_sessions_ready(void);

/* That is always there; no reference is taken. */
struct ku_session *ku_session_main(void);
/* With a reference, to be given back with put; NULL: there is none of that name. */
struct ku_session *ku_session_find(const char *name);
struct ku_session *ku_session_get(struct ku_session *session);
void ku_session_put(struct ku_session *session);
/* The one with the lowest id from @id on, with a reference, or NULL. */
struct ku_session *ku_session_next(u32 id);
/* New, with a reference for the caller, or ERR_PTR. */
struct ku_session *ku_session_create(const struct kutrace_session *wanted);
/* Stops it and takes it out of the table. 0, -EPERM: the main one; -ENOENT: gone. */
int ku_session_destroy(struct ku_session *session);
void ku_session_describe(struct ku_session *session, struct kutrace_session *what);

/* ---- all that record (ku_sessions.c) ---- */

/* Any context but NMI, preemption off. Only while one records. */
void ku_sessions_name(u16 base, u32 number, const char *name, size_t len);
/* An entry of up to 8 words, the first without timestamp. Likewise. */
void ku_sessions_emit(const u64 *words, u32 nwords);
/*
 * How many resets of whichever session there have been; any context. How many after the last
 * one of the session that has not been reset for longest, of those that can hold events; may
 * sleep.
 */
u64 ku_sessions_resets(void);
u64 ku_sessions_first_reset(void);
void ku_session_count_reset(struct ku_session *session);
/* A mark was not recorded because its user makes too many. Preemption off. */
void ku_sessions_rate_lost(u32 kind);
/* Whether any does. Any context. */
bool ku_sessions_recording(void);
/* Its fast or its own state of a CPU; held, or with ku_session_lock. */
struct ku_cpu *ku_session_cpu(struct ku_session *session, int cpu);

/*
 * After a change of on, kinds, filter or triggers: attaches and detaches hooks, decides
 * who is resident. ku_session_lock is held. 0 or -errno from attaching, the session
 * then is not on.
 */
int ku_sessions_start(struct ku_session *session);
void ku_sessions_stop(struct ku_session *session);
int ku_sessions_update(void);
/*
 * Until whoever records now is done, in whatever context: also where RCU does not look,
 * which is the idle loop with interrupts off and a CPU that goes offline. May sleep.
 */
void ku_synchronize(void);
/* Marks and typed tracepoints are to be made, or no longer. */
void ku_sessions_tell(void);

/* Flags of a reset that want counters (ku_counters.h). */
#define KU_RESET_COUNTED ((u64)(KUTRACE_RESET_IPC | KUTRACE_RESET_LLC))

/* What marks can be: events that user space may record. */
#define KU_USER_CATEGORIES \
	(KUTRACE_MASK_MARK | KUTRACE_MASK_LOCK | KUTRACE_MASK_NET)

extern const struct ku_hooks *ku_hooks;
/* Those that record, by id, and a bit for each. */
extern struct ku_session *ku_recording[KUTRACE_SESSIONS];
extern u32 ku_recording_set;

/* ---- one session (ku_session.c) ---- */

/*
 * 0 or -errno: -EBUSY while recording, -EOPNOTSUPP for unknown flags, those of
 * ku_counters_probe() and of ku_pool_alloc_bytes(). The counts of the recording are those
 * of the counter, shifted; 0: as the machine wants it.
 */
int ku_session_reset(struct ku_session *session, u64 flags, unsigned int clock_shift);
/* 0 also when already on; -errno from attaching the hooks. */
int ku_session_on(struct ku_session *session);
void ku_session_off(struct ku_session *session);
void ku_session_off_locked(struct ku_session *session);
/* Any context. */
bool ku_session_is_on(const struct ku_session *session);
u64 ku_session_used_blocks(struct ku_session *session);
bool ku_session_wrapped(struct ku_session *session);
void ku_session_info(struct ku_session *session, struct kutrace_info *info);
/* Kinds: new = (old & ~mask) | (value & mask). 0 or -errno. */
int ku_session_set_kinds(struct ku_session *session, u64 value, u64 mask);
u64 ku_session_kinds(const struct ku_session *session);
/* Adds up what was lost of each kind, to kinds[KUTRACE_KINDS]; may sleep. */
void ku_session_lost(struct ku_session *session, u64 *kinds);
/* The recording ends when ku_session_leave() comes for the same @file. 0, -EBUSY. */
int ku_session_attend(struct ku_session *session, const void *file, bool on);
void ku_session_leave(struct ku_session *session, const void *file);

/* A point (low 44 bits of its entry), a name: also while recording is off. */
void ku_session_insert(struct ku_session *session, u64 entry);
void ku_session_insert_name(struct ku_session *session, u16 base, u32 number,
			    const char *name, size_t len);

/*
 * To read blocks and names: between hold (0, or -EBUSY while recording) and release
 * nothing is recorded, named or reset. changes() says whether what is there is what
 * was there before; close_blocks() ends the blocks that inserting has left open.
 */
int ku_session_hold(struct ku_session *session);
void ku_session_release(struct ku_session *session);
u64 ku_session_changes(struct ku_session *session);
void ku_session_close_blocks(struct ku_session *session);
void ku_session_info_held(struct ku_session *session, struct kutrace_info *info);

/* Finds the clock, and measures what an event costs with the first session. */
int ku_session_clock_init(void);
void ku_session_measure(struct ku_session *session);
/* Counts of a ring; what does not fit is the largest number. Any context. */
u64 ku_ns_to_counts(u64 ns, u32 shift);
u64 ku_counts_to_ns(u64 counts, u32 shift);
u32 ku_finest_shift(void);

static inline struct ku_ring *ku_session_ring(struct ku_session *session)
{
	return &session->ring;
}

static inline struct ku_aux *ku_session_aux(struct ku_session *session)
{
	return &session->aux;
}

/* ---- its memory (ku_pool.c) ---- */

/* MiB that all sessions may have together; 0: half of the machine's. */
extern unsigned int ku_pool_limit_mb;
/*
 * 0; -EDQUOT: all sessions would have more than they may; -ENOMEM; -EINTR: the caller is
 * being killed. The first two are said in the log.
 */
int ku_pool_alloc(struct ku_session *session, unsigned int mb);
void ku_pool_free(struct ku_session *session);
/* Makes the bytes of counters, if they are not there, without any lock. As above. */
int ku_pool_alloc_bytes(struct ku_session *session);
/* For mapping: the page at that byte offset, NULL beyond the end. */
struct page *ku_pool_meta_page(struct ku_session *session, u64 offset);
struct page *ku_pool_block_page(struct ku_session *session, u64 offset);
struct page *ku_pool_bytes_page(struct ku_session *session, u64 offset);
u64 ku_pool_meta_bytes(struct ku_session *session);
u64 ku_pool_block_bytes(struct ku_session *session);
/* 0: there are none. */
u64 ku_pool_bytes_size(struct ku_session *session);

#endif
