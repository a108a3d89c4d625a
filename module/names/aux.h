/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The auxiliary buffer: names of tasks, interrupts and other things, kept apart from
 * the blocks. A name stays as long as it names something that can be read: while what
 * it names lives, and until the last event of then has been overwritten. This is adding
 * them and making room; names.c finds out who lives and what can still be read.
 */
#ifndef KU_AUX_H
#define KU_AUX_H

#include "names/readable.h"
#include "uapi/kutrace_abi.h"
#include "uapi/kutrace_events.h"

/* No entry is shorter, so no two of them begin in the same 32 bytes. */
#define KU_AUX_MIN	32
/* Until when a name holds: it still does. */
#define KU_IN_FORCE	(~0ULL)

/* What is known of an entry besides what it says; one for each 32 bytes of buffer. */
struct ku_aux_note {
	u64 until;		/* counts: something else was named so then, or it ended */
				/* 0: no event has the entry's name */
	u32 next;		/* in the chain of its hash, index of note + 1; 0: last */
	u32 at;			/* where in the buffer it is */
};

/* In next: it is in no chain, for there is a newer name of the same thing. */
#define KU_AUX_OLD	(~0U)

/* One session's. Offsets run on for ever; where an entry is, is offset modulo the size. */
struct ku_aux {
	ku_spinlock lock;
	u32 bytes;		/* of the buffer, a power of two */
	u32 shift;		/* of the time counter, to counts */
	char *buffer;
	struct ku_aux_note *notes;
	u32 *heads;		/* of chains, bytes / 64 of them; index of note + 1 */
	u64 first, last;	/* the oldest entry, the next */
	u32 entries;		/* from first to last */
	u64 lost;		/* pushed out, and an event that can be read had that name */
	struct ku_readable *readable;	/* as names.c last saw it */
	u32 resets;		/* how often it has been emptied */
	bool begun;		/* recording has, since then */
	bool asked;		/* ask has been called, and that is not done yet */
	u32 since;		/* bytes added since the last refresh */
	/* What is of use is to be found out again. Any context but NMI. May be NULL. */
	void (*ask)(struct ku_aux *aux);

	struct ku_readable *spare;	/* for the next */
	char *kept;		/* copy of what lay at [kept_first, kept_last) */
	u64 kept_first, kept_last;
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
 * task has just been forked; its name is added even if an earlier task of that pid had the same
 * one. Otherwise as ku_aux_add().
 */
void ku_aux_add_task(struct ku_aux *aux, u32 pid, const char *comm, enum kutrace_task_kind kind,
		     bool new, u64 counts);
/*
 * Returns the length of @name without the zeros that pad it to @bytes bytes. The name may contain
 * a NUL.
 */
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
/* So many bytes at that offset, over the buffer's end to its start if need be. */
void ku_aux_copy_out(struct ku_aux *aux, void *to, u64 offset, size_t bytes);
/* Bytes of an entry with its name; 0: it is none, and where the next begins is unknown. */
u32 ku_aux_length(const struct kutrace_aux_entry *entry);
bool ku_aux_lives(struct ku_aux *aux, u64 *at, bool (*lives)(u32 pid));
struct ku_readable *ku_aux_readable(struct ku_aux *aux, u32 resets,
				    struct ku_readable *readable);

#endif
