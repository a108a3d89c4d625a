/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The name table: names of tasks, interrupts and other objects, separate from the blocks. A name
 * stays as long as a readable event may have it: while its object exists, and until the last event
 * of that time has been overwritten. aux.c adds and evicts names; names.c finds out which tasks
 * exist and which events are readable.
 */
#ifndef KU_NAMES_TABLE_H
#define KU_NAMES_TABLE_H

#include "core/ring.h"
#include "uapi/kutrace_abi.h"
#include "uapi/kutrace_events.h"
#include "uapi/kutrace_task.h"

struct page;

#define KU_PINS	4096

/* Time from the first to the last event of a pid in blocks that began before all full ones. */
struct ku_pin {
	u64 first;
	u64 last;		/* 0: no event */
	u32 pid;
};

struct ku_pins {
	u32 used;
	struct ku_pin others;	/* for all other pids, if the pins are used up */
	struct ku_pin pin[KU_PINS];
};

/* Returns whether the pid has a pinned event from @from to @until. Any context. */
bool ku_pinned(const struct ku_pins *pins, u32 pid, u64 from, u64 until);

struct ku_readable {
	/* counts: no earlier event is readable, except pinned events of quiet CPUs */
	u64 begin;
	u64 oldest;		/* counts: no earlier event is readable at all */
	u64 end;		/* counts: nothing was recorded later */
	struct ku_pins pins;
};

/* Finds out which events are readable. CPUs may record meanwhile. */
void ku_readable(struct ku_ring *ring, struct ku_readable *what);

/* ---- aux.c ---- */

/* No entry is shorter, so no two of them begin in the same 32 bytes. */
#define KU_AUX_MIN	32
/* End of a name that is still in force. */
#define KU_IN_FORCE	(~0ULL)

/* State of an entry besides its content; one for each 32 bytes of the buffer. */
struct ku_aux_note {
	u64 until;		/* counts: the object ended or got another name */
				/* 0: no event has this name */
	u32 next;		/* next in the hash chain, index of note + 1; 0: last */
	u32 at;			/* position of the entry in the buffer */
};

/* Value of @next: in no chain, because the object has a newer name. */
#define KU_AUX_OLD	(~0U)

/* The name table of a session. The position of an entry is its offset modulo the size. */
struct ku_aux {
	ku_spinlock lock;
	u32 bytes;		/* size of the buffer, a power of two */
	u32 shift;		/* right shift from the time counter to counts */
	char *buffer;
	struct ku_aux_note *notes;
	u32 *heads;		/* heads of the bytes / 64 hash chains: index of a note + 1 */
	u64 key;		/* odd factor of the hash; secret, see ku_aux_chain() */
	u64 first, last;	/* offsets of the oldest and of the next entry */
	u32 entries;		/* number of entries */
	u64 lost;		/* evicted entries that a readable event may have */
	struct ku_readable *readable;	/* found by the last refresh */
	u32 resets;		/* number of times it was emptied */
	bool begun;		/* a recording has begun since the last reset */
	bool asked;		/* ask was called, and the refresh is not done yet */
	u32 since;		/* bytes added since the last refresh */
	/* Requests a refresh of readable. Any context but NMI. May be NULL. */
	void (*ask)(struct ku_aux *aux);

	struct ku_readable *spare;	/* for the next refresh */
	char *copy;		/* copy of the bytes at [copy_first, copy_last) */
	u64 copy_first, copy_last;
};

/* An entry and its name, NUL-padded. */
struct ku_aux_full {
	struct kutrace_aux_entry entry;
	char name[KUTRACE_NAME_MAX_BYTES];
};

void ku_aux_add(struct ku_aux *aux, u16 base, u32 number, const char *name, size_t len,
		u64 counts);
/*
 * Adds the name and the kind of a task. Only the first 15 bytes of @comm are recorded. @new: the
 * task has just been forked; its name is added even if an earlier task with this pid had the same
 * one. Otherwise like ku_aux_add().
 */
void ku_aux_add_task(struct ku_aux *aux, u32 pid, const char *comm, enum kutrace_task_kind kind,
		     bool new, u64 counts);
/*
 * Adds the priority of a task, like ku_aux_add(). Adds KUTRACE_PRIORITY_USUAL only if the pid has
 * another priority.
 */
void ku_aux_add_priority(struct ku_aux *aux, u32 pid, const char *text, size_t len, u64 counts);

/* The identity of a task, see uapi/kutrace_task.h. 0: no value. */
struct ku_identity {
	u64 start;		/* ns since boot */
	u32 parent, process;	/* pids in the initial namespace */
	u32 own, level;		/* pid in its own namespace, if @level is not 0 */
	u32 cgroup;		/* KUTRACE_QUOTA_CGROUP bits of its id */
	u32 before;		/* pid before exec; 0: the same */
	char reason;		/* KUTRACE_TASK_* */
};

/*
 * Adds the identity of a task. Identities give way to names when space is low, and are not counted
 * as lost then: a task without identity shows the loss. Counts an identity as lost only if it is
 * not added and the pid has an older one. Otherwise like ku_aux_add().
 */
void ku_aux_add_identity(struct ku_aux *aux, u32 pid, const struct ku_identity *identity,
			 u64 counts);

/* Returns whether a name with this base belongs to a task: its number is the pid. */
static inline bool ku_aux_is_of_task(u16 base)
{
	return base == KUTRACE_NAME_PID || base == KUTRACE_NAME_PRIORITY ||
	       base == KUTRACE_NAME_TASK;
}

/* Returns the length of @name without its padding zeros. The name may contain a NUL. */
static inline u32 ku_aux_unpadded(const char *name, u32 bytes)
{
	while (bytes && !name[bytes - 1])
		bytes--;
	return bytes;
}

/* Marks the newest name of an object as unused: no event has it. Any context except NMI. */
void ku_aux_forget(struct ku_aux *aux, u16 base, u32 number);
void ku_aux_bounds(struct ku_aux *aux, u64 *first, u64 *last, u64 *lost);
void ku_aux_empty(struct ku_aux *aux, u32 shift);
/* Copies @bytes bytes at @offset out of the buffer, and wraps at its end. */
void ku_aux_copy_out(struct ku_aux *aux, void *to, u64 offset, size_t bytes);
/* Returns the length of an entry with its name; 0 if the entry is invalid. */
u32 ku_aux_length(const struct kutrace_aux_entry *entry);
bool ku_aux_lives(struct ku_aux *aux, u64 *at, bool (*lives)(u32 pid));
struct ku_readable *ku_aux_readable(struct ku_aux *aux, u32 resets,
				    struct ku_readable *readable);

/* ---- read.c ---- */

void ku_aux_keep(struct ku_aux *aux);
/* Empties the table, for a recording with clock shift @shift. Nothing may add names. */
void ku_aux_reset(struct ku_aux *aux, u32 shift);
int ku_aux_each(struct ku_aux *aux,
		int (*take)(void *arg, const struct kutrace_aux_entry *entry,
			    const char *name, u32 len), void *arg);
void ku_aux_copy(struct ku_aux *aux, char *to, u64 *first, u64 *last, u64 *lost);
/* Returns the page at byte @offset, for mapping; NULL beyond the end. */
struct page *ku_aux_page(struct ku_aux *aux, u64 offset);

#endif
