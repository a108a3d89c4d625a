// SPDX-License-Identifier: GPL-2.0-only
/*
 * Start times of spans of tasks: a table without locks, by pid and trigger. If there is no free
 * entry for a span, the span is counted as missed.
 */
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "core/memory.h"
#include "session/triggers.h"

/*
 * The start of a task's span is one word, so that one exchange replaces it completely: the time in
 * units of 16 counts above KU_KEY_BITS, pid and trigger below. Time 0: the entry is free.
 */
#define KU_SLOT_BITS	14
#define KU_SLOT_TRIES	8
#define KU_KEY_BITS	26
#define KU_KEY_MASK	((1ULL << KU_KEY_BITS) - 1)
#define KU_UNIT_BITS	4

static u64 __kprobes ku_slot_key(u32 pid, u32 trigger)
{
	return (u64)pid << 3 | trigger;
}

/* Returns entry @i of the entries to search for @key, from 0 on. */
static u64 *__kprobes ku_slot_at(const struct ku_slots *slots, u64 key, u32 i)
{
	return &slots->at[(hash_64(key, KU_SLOT_BITS) + i) & ((1U << KU_SLOT_BITS) - 1)];
}

static u64 __kprobes ku_slot_time(u64 counts)
{
	u64 time = counts >> KU_UNIT_BITS << KU_KEY_BITS;

	return time ?: 1ULL << KU_KEY_BITS;
}

void __kprobes ku_slot_begin(struct ku_slots *slots, u32 pid, u32 trigger, u64 now)
{
	u64 key = ku_slot_key(pid, trigger);
	u64 *free = NULL;
	u64 was_free = 0;
	u32 i;

	for (i = 0; i < KU_SLOT_TRIES; i++) {
		u64 *slot = ku_slot_at(slots, key, i);
		u64 was = READ_ONCE(*slot);

		if ((was & KU_KEY_MASK) == key && was) {
			free = slot;
			was_free = was;
			break;
		}
		if (!free && !(was & ~KU_KEY_MASK)) {
			free = slot;
			was_free = was;
		}
	}
	if (!free || cmpxchg(free, was_free, ku_slot_time(now) | key) != was_free)
		this_cpu_inc(*slots->missed);
}

void __kprobes ku_slot_add(struct ku_slots *slots, u32 pid, u32 trigger, u64 now)
{
	u64 key = ku_slot_key(pid, trigger);
	u32 i;

	for (i = 0; i < KU_SLOT_TRIES; i++) {
		u64 *slot = ku_slot_at(slots, key, i);
		u64 was = READ_ONCE(*slot);

		if (!(was & ~KU_KEY_MASK) && cmpxchg(slot, was, ku_slot_time(now) | key) == was)
			return;
	}
	this_cpu_inc(*slots->missed);
}

u64 __kprobes ku_slot_end(struct ku_slots *slots, u32 pid, u32 trigger, u64 now)
{
	u64 key = ku_slot_key(pid, trigger);
	u32 i;

	for (i = 0; i < KU_SLOT_TRIES; i++) {
		u64 *slot = ku_slot_at(slots, key, i);
		u64 was = READ_ONCE(*slot);

		if ((was & KU_KEY_MASK) != key || !(was & ~KU_KEY_MASK))
			continue;
		if (cmpxchg(slot, was, 0) != was)
			return 0;
		return ((ku_slot_time(now) - (was & ~KU_KEY_MASK)) >> KU_KEY_BITS)
		       << KU_UNIT_BITS;
	}
	return 0;
}

int ku_slots_alloc(struct ku_slots *slots)
{
	slots->at = __vmalloc(sizeof(u64) << KU_SLOT_BITS, KU_LARGE_GFP);
	slots->missed = alloc_percpu(u64);
	return slots->at && slots->missed ? 0 : -ENOMEM;
}

void ku_slots_free(struct ku_slots *slots)
{
	vfree(slots->at);
	free_percpu(slots->missed);
}

void ku_slots_clear_trigger(struct ku_slots *slots, u32 trigger)
{
	u32 i;

	for (i = 0; i < 1U << KU_SLOT_BITS; i++) {
		u64 was = READ_ONCE(slots->at[i]);

		if (was & ~KU_KEY_MASK && (was & (KUTRACE_TRIGGERS - 1)) == trigger)
			(void)cmpxchg(&slots->at[i], was, 0);
	}
}

void ku_slots_clear(struct ku_slots *slots)
{
	memset(slots->at, 0, sizeof(u64) << KU_SLOT_BITS);
}

u64 ku_slots_missed(const struct ku_slots *slots)
{
	u64 missed = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		missed += READ_ONCE(*per_cpu_ptr(slots->missed, cpu));
	return missed;
}

void ku_slots_clear_missed(struct ku_slots *slots)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		u64 *missed = per_cpu_ptr(slots->missed, cpu);

		*missed = 0;
	}
}
