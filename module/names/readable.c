// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds out which events of a ring are readable, because names are needed while a readable event
 * has them (names.c). All events since the oldest full block began are readable, and also events in
 * older blocks to which a CPU still writes. Such a block of a mostly idle CPU may have begun the
 * day before. It has few events, and they are pinned by pid. With shares, each share has an oldest
 * full block. All events since the latest of these blocks began are readable, and events in older
 * blocks of quiet CPUs are pinned.
 *
 * Context: any that allows a long run time. Also compiles in user space (core/env.h).
 */
#include "core/kinds.h"
#include "names/table.h"

#define KU_COUNTS_MASK	((1ULL << 56) - 1)

/* Returns the index of the pid's pin, or the index for a new one. */
static u32 ku_pin_at(const struct ku_pins *pins, u32 pid)
{
	u32 at = pid * 0x9E3779B1U >> 16;

	for (;; at++) {
		const struct ku_pin *pin = &pins->pin[at % KU_PINS];

		if (!pin->last || pin->pid == pid)
			return at % KU_PINS;
	}
}

static void ku_pin(struct ku_pins *pins, u32 pid, u64 counts)
{
	struct ku_pin *pin = &pins->pin[ku_pin_at(pins, pid)];

	if (!pin->last && pins->used == KU_PINS / 4 * 3)
		pin = &pins->others;
	else if (!pin->last)
		pins->used++;
	pin->pid = pid;
	if (!pin->last || counts < pin->first)
		pin->first = counts;
	if (counts > pin->last)
		pin->last = counts;
}

static bool ku_pin_meets(const struct ku_pin *pin, u64 from, u64 until)
{
	return pin->last && from <= pin->last && until >= pin->first;
}

bool ku_pinned(const struct ku_pins *pins, u32 pid, u64 from, u64 until)
{
	return ku_pin_meets(&pins->others, from, until) ||
	       ku_pin_meets(&pins->pin[ku_pin_at(pins, pid)], from, until);
}

/* Pins the pids of all tasks that run or are woken in a block. A CPU may be writing to it. */
static void ku_pin_block(struct ku_pins *pins, const u64 *block)
{
	struct ku_walk walk = { .words = block, .now = READ_ONCE(block[0]) & KU_COUNTS_MASK,
				.at = KUTRACE_FIRST_WORD };

	ku_pin(pins, (u32)READ_ONCE(block[2]), walk.now);
	while (ku_walk_next(&walk))
		if (walk.event == KUTRACE_USERPID || walk.event == KUTRACE_RUNNABLE)
			ku_pin(pins, (u32)walk.word, walk.now);
}

/* Returns when a block began; 0 if it has no content, or is just being taken. */
static u64 ku_block_counts(const struct ku_ring *ring, u32 i)
{
	/* Pairs with the write barrier in ku_block_take(), before seq is set. */
	if (!smp_load_acquire(&ring->table[i].seq))
		return 0;
	return READ_ONCE(ring->words[i][0]) & KU_COUNTS_MASK;
}

/* Begin of a share without a full block: later than any block. */
#define KU_NONE_FULL	(~0ULL)

/*
 * Returns when the oldest full block of a share began, or KU_NONE_FULL. Sets *@writing if a CPU
 * writes to one of the share's blocks.
 */
static u64 ku_share_begin(const struct ku_ring *ring, const struct ku_share *share, bool *writing)
{
	u64 begin = KU_NONE_FULL, counts;
	u32 i;

	for (i = share->first; i < share->first + share->count; i++) {
		counts = ku_block_counts(ring, i);
		if (READ_ONCE(ring->table[i].state) == KUTRACE_BLOCK_CURRENT)
			*writing = true;
		else if (counts && counts < begin)
			begin = counts;
		ku_relax();
	}
	return begin;
}

/*
 * A block that is taken again meanwhile has a later time, or none: its old content is not readable
 * any more. A block that becomes full only after the first loop has passed it is found by the
 * second loop, which reads all blocks that began before the oldest full one.
 */
void ku_readable(struct ku_ring *ring, struct ku_readable *what)
{
	u64 now = ku_clock_by(ring->shift), counts;
	bool wrapped = ku_ring_wrapped(ring);
	bool writing = false;
	u32 i = 0;

	memset(&what->pins, 0, sizeof(what->pins));
	what->begin = 0;
	what->end = ~0ULL;
	do {
		counts = ku_share_begin(ring, ku_ring_share(ring, i), &writing);
		if (wrapped && counts != KU_NONE_FULL && counts > what->begin)
			what->begin = counts;
	} while (++i < ring->nshares);
	if (wrapped && !what->begin)
		what->begin = now;
	what->oldest = what->begin;
	for (i = 0; i < ring->nblocks; i++) {
		counts = ku_block_counts(ring, i);
		if (counts && counts < what->begin)
			ku_pin_block(&what->pins, ring->words[i]);
		if (counts && counts < what->oldest)
			what->oldest = counts;
		ku_relax();
	}
	if (!ring->wrap && ku_ring_used(ring) == ring->nblocks && !writing)
		what->end = now;
}
