/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Start times of spans of tasks: a table without locks, by pid and trigger. A span that finds no
 * free entry is counted as missed. Any context.
 */
#ifndef KU_TRIGGER_SLOTS_H
#define KU_TRIGGER_SLOTS_H

#include <linux/types.h>

struct ku_slots {
	u64 *at;
	u64 __percpu *missed;
};

/* Saves @now, in counts, as the start of a task's span for a trigger. */
void ku_slot_begin(struct ku_slots *slots, u32 pid, u32 trigger, u64 now);
/* Does the same for a pid and trigger that have no entry, without searching for one. */
void ku_slot_add(struct ku_slots *slots, u32 pid, u32 trigger, u64 now);
/* Removes an entry. Returns the counts since its start; 0: there was no entry. */
u64 ku_slot_end(struct ku_slots *slots, u32 pid, u32 trigger, u64 now);

/* Returns 0, or -ENOMEM: ku_slots_free() then frees what was allocated. May sleep. */
int ku_slots_alloc(struct ku_slots *slots);
void ku_slots_free(struct ku_slots *slots);
/* Nothing may use the table meanwhile, unless its results do not matter. */
void ku_slots_clear(struct ku_slots *slots);
u64 ku_slots_missed(const struct ku_slots *slots);
void ku_slots_clear_missed(struct ku_slots *slots);

#endif
