// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notes of calls that come back without their number: see numberless.h. A table
 * without locks, by pid: a task's note is written and taken by itself. Tasks are between
 * call and return of such a call for some hundred instructions, so few are in it.
 */
#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "probes/numberless.h"

#define KU_NOTE_BITS	9
#define KU_NOTES	BIT(KU_NOTE_BITS)
#define KU_NOTE_TRIES	16

/* Pid above, event below; 0: free. */
static u64 ku_notes[KU_NOTES];

static u64 * __kprobes ku_note_at(u32 try)
{
	return &ku_notes[(hash_32((u32)current->pid, KU_NOTE_BITS) + try) & (KU_NOTES - 1)];
}

static bool __kprobes ku_note_is_mine(u64 note)
{
	return note >> 32 == (u32)current->pid;
}

void __kprobes ku_numberless_begin(u32 event)
{
	u64 note = (u64)current->pid << 32 | event;
	u32 i;

	for (i = 0; i < KU_NOTE_TRIES; i++) {
		u64 *at = ku_note_at(i);
		u64 was = READ_ONCE(*at);

		if (was && !ku_note_is_mine(was))
			continue;
		if (cmpxchg(at, was, note) == was)
			return;
	}
	/* No room: the return will be shown as that of the usual call. */
}

u32 __kprobes ku_numberless_end(u32 usual)
{
	u32 i;

	for (i = 0; i < KU_NOTE_TRIES; i++) {
		u64 *at = ku_note_at(i);
		u64 was = READ_ONCE(*at);

		if (!was || !ku_note_is_mine(was))
			continue;
		/* Only this task writes to its own note. */
		WRITE_ONCE(*at, 0);
		return (u32)was;
	}
	return usual;
}

void ku_numberless_reset(void)
{
	memset(ku_notes, 0, sizeof(ku_notes));
}
