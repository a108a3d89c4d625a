/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When spans of tasks have begun: a table without locks, by task and trigger. What finds no
 * place in it is counted as missed. Called by trigger_watch.c, in any context.
 */
#ifndef KU_TRIGGER_SLOTS_H
#define KU_TRIGGER_SLOTS_H

#include <linux/types.h>

struct ku_slots {
	u64 *at;
	u64 __percpu *missed;
};

/* The span of that trigger begins for the task at that time, in counts. */
void ku_slot_begin(struct ku_slots *slots, u32 pid, u32 trigger, u64 now);
/* Likewise, where the table has none of the two: it is not looked for. */
void ku_slot_add(struct ku_slots *slots, u32 pid, u32 trigger, u64 now);
/* Counts since it began, and it is not in the table any more; 0: it was not. */
u64 ku_slot_end(struct ku_slots *slots, u32 pid, u32 trigger, u64 now);

/* 0, -ENOMEM: what has been had by then is for ku_slots_free(). These may sleep. */
int ku_slots_alloc(struct ku_slots *slots);
void ku_slots_free(struct ku_slots *slots);
/* Nobody uses it meanwhile, or it does not matter what they find. */
void ku_slots_clear(struct ku_slots *slots);
u64 ku_slots_missed(const struct ku_slots *slots);
void ku_slots_clear_missed(struct ku_slots *slots);

#endif
