// SPDX-License-Identifier: GPL-2.0-only
/*
 * The slow path of recording: taking blocks, announcing gaps, counting what is
 * lost. Called from core/emit.h in any context; must not sleep, print, or wait
 * for another CPU, and in an NMI must not take a block either.
 *
 * All of it is __kprobes, as is everything that it calls in the module: a
 * breakpoint here would be an exception to record, and so come here again.
 */
#include "core/kinds.h"
#include "core/ring.h"
#include "core/word.h"

/* What a TSDELTA can say, and how many of them are still cheaper than a block. */
#define KU_TSDELTA_MAX	1999999999LL
#define KU_TSDELTA_MIN	(-0x7FFFFFFFLL)
#define KU_TSDELTA_RUN	64

struct ku_ring *ku_resident;
struct ku_ring *ku_second;
u64 *ku_closed_block;
#ifdef __KERNEL__
DEFINE_PER_CPU_ALIGNED(struct ku_cpu, ku_cpu);
DEFINE_PER_CPU_ALIGNED(struct ku_cpu, ku_cpu2);
#endif

ku_key_define(ku_aside);
u8 ku_ways[KUTRACE_EVENT_MASK + 1];
u64 ku_timed_limit;
ku_late_define(ku_route, void, (const u64 *words, u32 nwords, u32 room, u64 past));

/* Against an NMI that loses something, too. */
static void __kprobes ku_count(u64 *count)
{
	u64 old;

	do {
		old = READ_ONCE(*count);
	} while (!ku_local_try_cmpxchg(count, old, old + 1));
}

static __kprobes u8 *ku_ring_bytes(struct ku_ring *ring, u32 block)
{
	return ring->bytes + (size_t)block * KUTRACE_IPC_BYTES;
}

static void __kprobes ku_clear_block(struct ku_ring *ring, u32 block)
{
	memset(ring->words[block], 0, KUTRACE_BLOCK_BYTES);
	if (ring->bytes)
		memset(ku_ring_bytes(ring, block), 0, KUTRACE_IPC_BYTES);
	ku_step('v');
}

static void __kprobes ku_lose(struct ku_cpu *cpu, enum kutrace_lost_cause cause)
{
	ku_count(&cpu->lost[cause]);
}

/* TSDELTA entries needed to announce this gap; more than a run: a new block. */
static u32 __kprobes ku_gap_words(s64 gap)
{
	if (gap >= -(s64)KUTRACE_LATE_MAX && gap <= (s64)KU_GAP_MAX)
		return 0;
	if (gap < 0)
		return gap >= KU_TSDELTA_MIN ? 1 : KU_TSDELTA_RUN + 1;
	if (gap > KU_TSDELTA_MAX * KU_TSDELTA_RUN)
		return KU_TSDELTA_RUN + 1;
	return (u32)(((u64)gap + KU_TSDELTA_MAX - 1) / KU_TSDELTA_MAX);
}

/* Writes count TSDELTAs at p that lead from time last to last + gap. */
static void __kprobes ku_store_gap(u64 *p, u32 count, u64 last, s64 gap)
{
	while (count--) {
		s64 step = count ? KU_TSDELTA_MAX : gap;

		last += (u64)step;
		gap -= step;
		WRITE_ONCE(*p++, last << KUTRACE_TS_SHIFT |
			   KU_EVENT(KUTRACE_TSDELTA) | (u32)step);
	}
}

/*
 * Picks a block from the pool, ~0 if there is none. Blocks are handed out round
 * robin; in wrap mode one that is still some CPU's current block is passed
 * over, so an interrupted writer's store cannot land in a stranger's block.
 */
static u32 __kprobes ku_pick_block(struct ku_ring *ring, u64 *seq)
{
	u32 tries;

	if (!ring->wrap) {
		u64 n;

		/* Not to count up for ever once full. */
		if ((u64)ku_atomic64_read(&ring->taken) >= ring->nblocks)
			return KU_NO_BLOCK;
		n = ku_atomic64_fetch_inc(&ring->taken);
		if (n >= ring->nblocks)
			return KU_NO_BLOCK;
		*seq = n + 1;
		return (u32)n;
	}
	for (tries = 0; tries < ring->nblocks; tries++) {
		u64 n = ku_atomic64_fetch_inc(&ring->taken);
		u32 block = (u32)(n % ring->nblocks);
		u32 was = READ_ONCE(ring->table[block].state);

		if (was == KUTRACE_BLOCK_CURRENT ||
		    cmpxchg(&ring->table[block].state, was,
			    KUTRACE_BLOCK_CURRENT) != was)
			continue;
		*seq = n + 1;
		return block;
	}
	return KU_NO_BLOCK;
}

static void __kprobes ku_finish_block(struct ku_ring *ring, u32 block)
{
	if (block == KU_NO_BLOCK)
		return;
	/*
	 * Pairs with the acquire of readers: who sees the block done sees its words, but for
	 * those of a writer that was interrupted between claim and store.
	 */
	smp_store_release(&ring->table[block].state, KUTRACE_BLOCK_DONE);
}

/*
 * Not while switching: it may send this CPU an interrupt, which is an event where
 * sending is hooked.
 */
static void __kprobes ku_notify_filled(struct ku_ring *ring, u32 block)
{
	if (block != KU_NO_BLOCK && ring->filled)
		ring->filled(ring);
}

/*
 * Gives this CPU a fresh block. Interrupts are off; an NMI finds the CPU
 * closed, comes to ku_emit_slow(), sees switching and counts a loss.
 *
 * Returns true when there is one; else the loss has been counted.
 */
static noinline bool __kprobes ku_take_block(struct ku_ring *ring, struct ku_cpu *cpu)
{
	struct kutrace_block *entry;
	u32 full = cpu->block;
	u64 seq = 0;
	u64 *words;
	u64 ts;
	u32 block;

	WRITE_ONCE(cpu->switching, 1);
	barrier();
	ku_local_xchg(&cpu->state, KU_INDEX_CLOSED);
	ku_step('h');
	ku_finish_block(ring, full);
	WRITE_ONCE(cpu->block, KU_NO_BLOCK);
	WRITE_ONCE(cpu->base, ku_closed_block);
	WRITE_ONCE(cpu->bytes, NULL);

	block = ku_pick_block(ring, &seq);
	if (block == KU_NO_BLOCK) {
		ku_lose(cpu, ring->wrap ? KUTRACE_LOST_NOBLOCK :
					       KUTRACE_LOST_FULL);
		barrier();
		WRITE_ONCE(cpu->switching, 0);
		ku_notify_filled(ring, full);
		return false;
	}

	entry = &ring->table[block];
	words = ring->words[block];
	WRITE_ONCE(entry->state, KUTRACE_BLOCK_CURRENT);
	if (entry->seq) {
		WRITE_ONCE(entry->seq, 0);
		/* A reader that copies it now finds another seq afterwards. */
		smp_wmb();
		ku_clear_block(ring, block);
	}
	ts = ku_clock_by(ring->shift);
	words[0] = (u64)ku_this_cpu_number() << 56 | (ts & ((1ULL << 56) - 1));
	words[1] = (u64)ring->bytes_flags << 56;
	words[2] = (u64)ku_cpu_read(mhz) << 32 | ku_task_pid();
	ku_task_comm((char *)&words[4]);
	if (unlikely(ring->filtered))
		ring->header(ring, words);
	WRITE_ONCE(entry->cpu, ku_this_cpu_number());
	/* Header and zeroes before the number that vouches for them. */
	smp_wmb();
	WRITE_ONCE(entry->seq, seq);

	WRITE_ONCE(cpu->block, block);
	WRITE_ONCE(cpu->base, words);
	WRITE_ONCE(cpu->bytes, ring->bytes ? ku_ring_bytes(ring, block) : NULL);
	barrier();
	ku_step('i');
	WRITE_ONCE(cpu->state, ts << KU_INDEX_BITS | KU_FIRST_INDEX);
	barrier();
	WRITE_ONCE(cpu->switching, 0);
	ku_notify_filled(ring, full);
	return true;
}

/* See ku_ring_put(); inlined where numbers are known. */
static __always_inline bool ku_put(struct ku_ring *ring, struct ku_cpu *cpu,
				   const u64 *words, u32 nwords, u32 room, u64 past)
{
	u64 state, claimed, end, ts, last;
	u32 gap_words;
	u8 *bytes;
	u64 *p;
	s64 gap;

	past >>= ring->shift;
	do {
		for (;;) {
			state = READ_ONCE(cpu->state);
			p = READ_ONCE(cpu->base) + (state & KU_INDEX_MASK);
			bytes = READ_ONCE(cpu->bytes);
			ts = ku_clock_by(ring->shift);
			gap = (s64)((ts << KU_INDEX_BITS) - (state & ~KU_INDEX_MASK)) >>
			      KU_INDEX_BITS;
			if (past && gap > 0) {
				u64 back = past < (u64)gap ? past : (u64)gap;

				ts -= back;
				gap -= (s64)back;
			}
			gap_words = ku_gap_words(gap);
			end = (state & KU_INDEX_MASK) + gap_words + room;
			if (gap_words <= KU_TSDELTA_RUN &&
			    (end <= KU_BLOCK_END ||
			     (end <= KUTRACE_BLOCK_WORDS && ku_in_nmi())))
				break;
			if (READ_ONCE(cpu->switching) || ku_in_nmi()) {
				ku_lose(cpu, KUTRACE_LOST_NESTED);
				return false;
			}
			if (!ku_take_block(ring, cpu))
				return false;
		}
		claimed = (ts << KU_INDEX_BITS) + end;
	} while (!ku_local_try_cmpxchg(&cpu->state, state, claimed));
	ku_step('j');
	last = ts - (u64)gap;
	ku_store_gap(p, gap_words, last, gap);
	p += gap_words;
	/* Before the word: who sees that has the byte, too. */
	if (unlikely(bytes))
		WRITE_ONCE(bytes[(state & KU_INDEX_MASK) + gap_words], (u8)cpu->nibble);
	while (--nwords)
		WRITE_ONCE(p[nwords], words[nwords]);
	WRITE_ONCE(p[0], ts << KUTRACE_TS_SHIFT | words[0]);
	return true;
}

/**
 * ku_ring_put() - record an entry, whatever it takes
 * @ring: where
 * @cpu: its state of this CPU
 * @words: the first without timestamp
 * @nwords: 1 to 8
 * @room: words it takes; those behind @nwords stay NOPs
 * @past: so long ago it happened, in units of the counter; not before the CPU's
 *	last entry
 *
 * Announces a gap too long for 20 bits, takes a block when this one is full or the
 * CPU closed. In an NMI it takes none, but uses the words that others leave at the end of
 * a block. Context: any, interrupts off; an NMI may come at any instruction.
 * Returns false when it cannot be recorded; that is counted.
 */
bool __kprobes ku_ring_put(struct ku_ring *ring, struct ku_cpu *cpu, const u64 *words,
			   u32 nwords, u32 room, u64 past)
{
	return ku_put(ring, cpu, words, nwords, room, past);
}

/* See ku_ring_record(). */
static __always_inline void ku_record(struct ku_ring *ring, struct ku_cpu *cpu, const u64 *words,
				      u32 nwords, u32 room, u64 past)
{
	if (unlikely(!ku_put(ring, cpu, words, nwords, room, past)))
		ku_count(&cpu->lost_kinds[ku_kind_of(words[0])]);
}

/**
 * ku_ring_record() - ku_ring_put(), and what cannot be recorded is counted by its kind, too
 * @ring: likewise
 * @cpu: likewise
 * @words: likewise
 * @nwords: likewise
 * @room: likewise
 * @past: likewise
 *
 * Context: likewise.
 */
void __kprobes ku_ring_record(struct ku_ring *ring, struct ku_cpu *cpu, const u64 *words,
			      u32 nwords, u32 room, u64 past)
{
	ku_record(ring, cpu, words, nwords, room, past);
}

/**
 * ku_ring_merge() - merge a return into its call, as ku_merge_return()
 * @ring: where
 * @cpu: its state of this CPU
 * @entry: of the return, without timestamp
 *
 * An entry has 16 bits of the value, so it cannot tell -1 from 65535: neither is
 * merged, which is what tells them apart.
 *
 * Context: any, interrupts off. The steps are those of ku_merge_return().
 */
bool __kprobes ku_ring_merge(struct ku_ring *ring, struct ku_cpu *cpu, u64 entry)
{
	u64 ts = ku_clock_by(ring->shift);
	u64 call = entry & ~(KU_EVENT(KUTRACE_RETURN_BIT) | KUTRACE_ARG0_MASK);
	u64 retval = entry & KUTRACE_ARG0_MASK;
	u64 state, word, delta;
	u64 *before;
	u8 *bytes;

	barrier();
	state = READ_ONCE(cpu->state);
	before = READ_ONCE(cpu->base) + (state & KU_INDEX_MASK) - 1;
	word = READ_ONCE(*before);
	delta = ku_since(state, ts, KU_INDEX_MASK) >> KU_INDEX_BITS;
	if (((word ^ call) & KU_UNMERGED_MASK) ||
	    delta - 1 >= KUTRACE_DELTA_MAX || retval > 127)
		return false;
	bytes = READ_ONCE(cpu->bytes);
	if (unlikely(bytes))
		bytes[(state & KU_INDEX_MASK) - 1] |= (u8)(cpu->nibble << 4);
	word |= retval << KUTRACE_RETVAL_SHIFT;
	word |= delta << KUTRACE_DELTA_SHIFT;
	WRITE_ONCE(*before, word);
	return true;
}

/* Nobody wants what happens on this CPU now, but for events that are inspected. */
static __always_inline bool ku_is_hidden(void)
{
	return unlikely(ku_cpu_read(routed) == KU_HIDDEN);
}

/* Returns false where ku_route has had the event, for all rings. */
static __always_inline bool ku_emit_any(const u64 *words, u32 nwords, u32 room, u64 past)
{
	struct ku_ring *ring;
	unsigned long flags;
	bool open;

	ku_irq_save(flags);
	ring = READ_ONCE(ku_resident);
	open = ku_cpu_read(routed) == KU_OPEN;
	if (unlikely(!open)) {
		if (!ku_is_hidden())
			ku_late_call(ku_route, words, nwords, room, past);
	} else if (ring && READ_ONCE(ring->active)) {
		ku_record(ring, ku_cpu_here(), words, nwords, room, past);
	}
	ku_irq_restore(flags);
	return open;
}

/**
 * ku_emit_slow() - record an entry of one word when ku_emit() cannot
 * @entry: without timestamp
 *
 * Comes here because the block is full, the CPU is closed, nothing is being
 * recorded, or the gap to the entry before is too long for 20 bits. Context: any.
 * What cannot be recorded is counted.
 */
void __kprobes ku_emit_slow(u64 entry)
{
	/* At once, for the sake of all whom a filter leaves out. */
	if (ku_is_hidden())
		return;
	ku_emit_any(&entry, 1, 1, 0);
}

/**
 * ku_emit_inspected() - an event that is inspected
 * @words: as of ku_ring_put()
 * @nwords: likewise
 * @room: likewise
 * @past: likewise
 *
 * Context: any.
 */
void __kprobes ku_emit_inspected(const u64 *words, u32 nwords, u32 room, u64 past)
{
	unsigned long flags;

	ku_irq_save(flags);
	ku_late_call(ku_route, words, nwords, room, past);
	ku_irq_restore(flags);
}

/* Likewise, of one word. */
void __kprobes ku_emit_inspected_one(u64 entry)
{
	ku_emit_inspected(&entry, 1, 1, 0);
}

/**
 * ku_emit_straight() - record an entry of several words, or of the past, in the resident
 * @words: as of ku_ring_put()
 * @nwords: likewise
 * @room: likewise
 * @past: likewise
 *
 * Context: any. What cannot be recorded is counted. Returns false where the resident's place is
 * not open here: ku_route has had the event then, for all rings.
 */
bool __kprobes ku_emit_straight(const u64 *words, u32 nwords, u32 room, u64 past)
{
	return ku_emit_any(words, nwords, room, past);
}

/* Likewise, two words and a NOP, when ku_emit2() cannot. */
void __kprobes ku_emit_straight2(u64 entry, u64 second)
{
	u64 words[2] = { entry, second };

	ku_emit_any(words, 2, 3, 0);
}

/**
 * ku_ring_init_cpu() - a CPU's state before its first entry, its losses zero
 * @cpu: state of a CPU that does not record
 */
void ku_ring_init_cpu(struct ku_cpu *cpu)
{
	u32 i;

	WRITE_ONCE(cpu->state, KU_INDEX_CLOSED);
	WRITE_ONCE(cpu->base, ku_closed_block);
	cpu->call = 0;
	cpu->block = KU_NO_BLOCK;
	cpu->switching = 0;
	cpu->wanted = 0;
	cpu->filter = 0;
	cpu->began = 0;
	for (i = 0; i < KUTRACE_LOST_CAUSES; i++)
		cpu->lost[i] = 0;
	for (i = 0; i < KUTRACE_KINDS; i++)
		cpu->lost_kinds[i] = 0;
	cpu->bytes = NULL;
	cpu->nibble = 0;
	for (i = 0; i < KU_COUNTERS; i++)
		cpu->counted[i] = 0;
}

/**
 * ku_ring_close_cpu() - end a CPU's block; the next entry takes another
 * @ring: whose
 * @cpu: its state of this CPU, or of one that is offline
 *
 * Context: interrupts off. A writer interrupted between claim and store still
 * completes its store: wait for it (synchronize_rcu) before reading the block.
 */
void __kprobes ku_ring_close_cpu(struct ku_ring *ring, struct ku_cpu *cpu)
{
	u32 last = cpu->block;

	WRITE_ONCE(cpu->switching, 1);
	barrier();
	ku_local_xchg(&cpu->state, KU_INDEX_CLOSED);
	ku_finish_block(ring, last);
	WRITE_ONCE(cpu->block, KU_NO_BLOCK);
	WRITE_ONCE(cpu->base, ku_closed_block);
	WRITE_ONCE(cpu->bytes, NULL);
	barrier();
	WRITE_ONCE(cpu->switching, 0);
	ku_notify_filled(ring, last);
}

/*
 * The state of a CPU goes from one place to another: @to is closed, @from is then. An NMI in
 * between records where it looks, or counts a loss there:
 *  s  nothing is moved: in @from, or, as its block is full, a loss.
 *  t  both are closed: a loss.
 *  u  moved: in @to, or a loss in @from.
 * Context: interrupts off, or the CPU is offline.
 */
static void __kprobes ku_ring_move_cpu(struct ku_cpu *to, struct ku_cpu *from)
{
	u64 state;

	WRITE_ONCE(to->switching, 1);
	WRITE_ONCE(from->switching, 1);
	barrier();
	ku_step('s');
	state = ku_local_xchg(&from->state, KU_INDEX_CLOSED);
	ku_step('t');
	to->block = from->block;
	to->call = 0;
	to->wanted = from->wanted;
	to->filter = from->filter;
	WRITE_ONCE(to->base, from->base);
	barrier();
	WRITE_ONCE(to->state, state);
	ku_step('u');
	from->block = KU_NO_BLOCK;
	from->call = 0;
	WRITE_ONCE(from->base, ku_closed_block);
	barrier();
	WRITE_ONCE(from->switching, 0);
	WRITE_ONCE(to->switching, 0);
}

/**
 * ku_ring_move_losses() - count a CPU's losses elsewhere
 * @to: here
 * @from: and no longer here
 *
 * Context: as of ku_ring_leave_fast(), behind it.
 */
void __kprobes ku_ring_move_losses(struct ku_cpu *to, struct ku_cpu *from)
{
	u32 i;

	for (i = 0; i < KUTRACE_LOST_CAUSES; i++) {
		to->lost[i] += from->lost[i];
		from->lost[i] = 0;
	}
	for (i = 0; i < KUTRACE_KINDS; i++) {
		to->lost_kinds[i] += from->lost_kinds[i];
		from->lost_kinds[i] = 0;
	}
}

/* A call that a return may still be merged into. */
static bool __kprobes ku_is_open_call(u64 word)
{
	u32 event = word >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK;

	return event >= KUTRACE_CALL_TRAP && !(event & KUTRACE_RETURN_BIT) &&
	       !(word >> KUTRACE_DELTA_SHIFT & KUTRACE_DELTA_MAX);
}

/**
 * ku_ring_break() - no return is merged into what has been recorded
 * @ring: whose
 * @cpu: its state of this CPU, or of one that is offline
 *
 * To be called where another task may go on and its context switch is not recorded: else the
 * return of that task's call could be merged into this one's. Where the last entry is a call, a
 * word is claimed behind it, which stays a NOP. The time of the last entry does not change, so
 * that the gap before the next one is what a reader sees.
 *
 * Context: interrupts off, not in an NMI. An NMI that records between the steps:
 *  A  state read: its entries come behind the call. The exchange fails, and we look again.
 *  B  claimed: its entries come behind the NOP.
 */
void __kprobes ku_ring_break(struct ku_ring *ring, struct ku_cpu *cpu)
{
	u64 state;

	do {
		state = READ_ONCE(cpu->state);
		if (!ku_is_open_call(READ_ONCE(cpu->base)[(state & KU_INDEX_MASK) - 1]))
			return;
		ku_step('A');
		/* What is behind the end is for NMIs. */
		if ((state & KU_INDEX_MASK) >= KU_BLOCK_END) {
			ku_ring_close_cpu(ring, cpu);
			return;
		}
	} while (!ku_local_try_cmpxchg(&cpu->state, state, state + 1));
	ku_step('B');
}

/**
 * ku_ring_enter_fast() - the ring has the fast path of a CPU from here on
 * @ring: whose
 * @fast: ku_cpu of this CPU (or of one that is offline), closed, and not KU_OPEN while the
 *	ring is active
 * @own: the ring's state of that CPU, which goes on in @fast, and is closed then
 *
 * Context: interrupts off, not in an NMI; one in between is routed, and recorded in @own or
 * counted as lost there. A ring with bytes of counters never has the fast path.
 */
void __kprobes ku_ring_enter_fast(struct ku_ring *ring, struct ku_cpu *fast, struct ku_cpu *own)
{
	ku_ring_break(ring, own);
	ku_ring_move_cpu(fast, own);
	barrier();
	ku_step('C');
	WRITE_ONCE(fast->routed, KU_OPEN);
}

/**
 * ku_ring_leave_fast() - it has it no longer
 * @fast: ku_cpu of this CPU (or of one that is offline), which is KU_OPEN
 * @own: the ring's state of that CPU, closed, which goes on here
 *
 * On return events are routed (KU_UNSETTLED); losses stay where they were counted. Context:
 * as of ku_ring_enter_fast().
 */
void __kprobes ku_ring_leave_fast(struct ku_cpu *fast, struct ku_cpu *own)
{
	/* First, so that what an NMI loses meanwhile is counted where it is added up. */
	WRITE_ONCE(fast->routed, KU_UNSETTLED);
	barrier();
	ku_step('D');
	ku_ring_move_cpu(own, fast);
}

/**
 * ku_ring_reset() - empty the pool
 * @ring: whose CPUs are all closed, and which does not record
 * @wrap: overwrite the oldest block when all are used
 *
 * Zeroes what was used, so may take milliseconds: process context.
 */
void ku_ring_reset(struct ku_ring *ring, bool wrap)
{
	u32 i;

	WRITE_ONCE(ring->resets, ring->resets + 1);
	/* Pairs with smp_rmb() in ku_cpu_next(): who reads a new number reads the new count. */
	smp_wmb();
	for (i = 0; i < ring->nblocks; i++) {
		struct kutrace_block *entry = &ring->table[i];
		bool used = entry->seq;

		WRITE_ONCE(entry->seq, 0);
		/* Pairs with the reader's: what it copies now has another seq afterwards. */
		smp_wmb();
		if (used)
			ku_clear_block(ring, i);
		WRITE_ONCE(entry->cpu, 0);
		WRITE_ONCE(entry->state, KUTRACE_BLOCK_FREE);
		ku_relax();
	}
	ku_atomic64_set(&ring->taken, 0);
	ring->wrap = wrap;
}
