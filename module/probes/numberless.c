// SPDX-License-Identifier: GPL-2.0-only
/*
 * System calls that return without their number. After sigreturn, and after a call with number -1,
 * the number is -1. After an exec that changed the task's ABI, the number belongs to the other
 * ABI's table. So the functions below save the event at the call.
 *
 * The table is indexed by pid and needs no lock, because a task writes and removes only its own
 * element. A task executes some hundred instructions between such a call and its return, so the
 * table has few elements.
 */
#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "probes/shared.h"

#define KU_NOTE_BITS	9
#define KU_NOTES	BIT(KU_NOTE_BITS)
#define KU_NOTE_TRIES	16

/* Pid in the upper half, event in the lower half; 0: free. */
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
	/* The table is full: the return is recorded as a return of the usual call. */
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
