// SPDX-License-Identifier: GPL-2.0-only
/*
 * The slow path of recording: announces gaps, takes blocks (core/block.c), counts losses. The
 * second half of this file has the dual path, the path with counter bits, and the timed path.
 * Context: any. Must not sleep, print, or wait for another CPU; in an NMI, must not take a block.
 *
 * All functions are __kprobes, and so are all functions of the module that they call: a breakpoint
 * here would be an exception to record, which would run this code again.
 */
#include "core/block.h"
#include "core/emit.h"
#include "core/kinds.h"

/*
 * Largest and smallest value of a TSDELTA, and the maximum number of TSDELTAs for a gap: if a gap
 * needs more, a new block is cheaper.
 */
#define KU_TSDELTA_MAX	1999999999LL
#define KU_TSDELTA_MIN	(-0x7FFFFFFFLL)
#define KU_TSDELTA_RUN	64

struct ku_ring *ku_primary;
struct ku_ring *ku_secondary;

ku_key_define(ku_other_paths);
u8 ku_paths[KUTRACE_EVENT_MASK + 1];
u64 ku_timed_limit;
ku_late_define(ku_dispatch, void, (const u64 *words, u32 nwords, u32 room, u64 past));
ku_late_define(ku_on_switch, void, (u64 entry));
ku_late_define(ku_count, u32, (struct ku_cpu *cpu, u32 flags));

/* Returns the number of TSDELTAs for @gap. If it exceeds KU_TSDELTA_RUN, take a new block. */
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

/* Writes @count TSDELTA entries at @p, which lead from time @last to @last + @gap. */
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

/* Returns the counter bits for the next entry; 0 without counter bits. */
static __always_inline u32 ku_counter_bits(const struct ku_ring *ring, struct ku_cpu *cpu)
{
	return unlikely(ring->bytes) ? ku_late_ask(ku_count, cpu, ring->bytes_flags) : 0;
}

/* Implements ku_ring_put(); inlined for callers with constant arguments. */
static __always_inline bool ku_put(struct ku_ring *ring, struct ku_cpu *cpu, const u64 *words,
				   u32 nwords, u32 room, u64 past, u32 bits)
{
	u64 state, claimed, end, ts, last;
	u32 gap_words;
	u8 *bytes;
	u64 *p;
	s64 gap;

	past >>= ring->shift;
	do {
		for (;;) {
			state = READ_ONCE(cpu->at.state);
			p = READ_ONCE(cpu->at.base) + (state & KU_INDEX_MASK);
			bytes = READ_ONCE(cpu->counters.bytes);
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
				ku_count_up(&cpu->lost.causes[KUTRACE_LOST_NESTED]);
				return false;
			}
			if (!ku_block_next_part(ring, cpu, state) && !ku_block_take(ring, cpu))
				return false;
		}
		claimed = (ts << KU_INDEX_BITS) + end;
	} while (!ku_local_try_cmpxchg(&cpu->at.state, state, claimed));
	ku_step('j');
	last = ts - (u64)gap;
	ku_store_gap(p, gap_words, last, gap);
	p += gap_words;
	/* Store the bits first: a reader that sees the word sees its counter bits. */
	if (unlikely(bytes))
		WRITE_ONCE(bytes[(state & KU_INDEX_MASK) + gap_words], (u8)bits);
	while (--nwords)
		WRITE_ONCE(p[nwords], words[nwords]);
	ku_store_last(&p[0], ts << KUTRACE_TS_SHIFT | words[0]);
	return true;
}

/**
 * ku_ring_put() - record an entry
 * @ring: ring
 * @cpu: the ring's state of this CPU
 * @words: words of the entry, the first without timestamp
 * @nwords: number of @words, 1 to 8
 * @room: words to claim; those after @nwords stay NOPs
 * @past: how long ago the event happened, in units of the counter; the entry's time is not before
 *	the CPU's last entry
 *
 * Announces a gap that 20 bits cannot hold. Takes a block if this one is full or the CPU has none.
 * In an NMI takes no block, but uses the words at the end of a block that other contexts leave
 * free.
 *
 * Returns false if the entry cannot be recorded; counts the loss by cause. Context: any, interrupts
 * off; an NMI may come at any instruction.
 */
bool __kprobes ku_ring_put(struct ku_ring *ring, struct ku_cpu *cpu, const u64 *words,
			   u32 nwords, u32 room, u64 past)
{
	return ku_put(ring, cpu, words, nwords, room, past, ku_counter_bits(ring, cpu));
}

/* Implements ku_ring_record(); inlined for callers with constant arguments. */
static __always_inline void ku_record(struct ku_ring *ring, struct ku_cpu *cpu, const u64 *words,
				      u32 nwords, u32 room, u64 past, u32 bits)
{
	if (unlikely(!ku_put(ring, cpu, words, nwords, room, past, bits)))
		ku_count_up(&cpu->lost.kinds[ku_kind_of(words[0])]);
}

/* Records an entry like ku_ring_put(), and counts a loss also by kind. */
void __kprobes ku_ring_record(struct ku_ring *ring, struct ku_cpu *cpu, const u64 *words,
			      u32 nwords, u32 room, u64 past)
{
	ku_record(ring, cpu, words, nwords, room, past, ku_counter_bits(ring, cpu));
}

/*
 * Merges a return, whose @entry has no timestamp, into its call, like ku_merge_return(). An entry
 * has 16 bits of the value: -1 and 65535 would look the same. So only values from 0 to 127 are
 * merged. Returns false if the return was not merged.
 *
 * Context: any, interrupts off. Steps: see ku_merge_return().
 */
bool __kprobes ku_ring_merge(struct ku_ring *ring, struct ku_cpu *cpu, u64 entry)
{
	u64 now = ku_clock_by(ring->shift) << KU_INDEX_BITS;
	u64 call = entry & ~(KU_EVENT(KUTRACE_RETURN_BIT) | KUTRACE_ARG0_MASK);
	s64 retval = (s64)(entry & KUTRACE_ARG0_MASK);
	u64 state, delta;
	u64 *base, *before;

	barrier();
	base = READ_ONCE(cpu->at.base);
	/* State after base: see ku_merge_at(). */
	barrier();
	state = READ_ONCE(cpu->at.state);
	before = base + (state & KU_INDEX_MASK) - 1;
	delta = ku_counts_since(state, now);
	if (((READ_ONCE(*before) ^ call) & KU_UNMERGED_MASK) ||
	    !ku_delta_fits(delta, retval) || retval > 127 ||
	    (KU_COARSE_CLOCK && !delta && base != READ_ONCE(cpu->at.base)))
		return false;
	if (unlikely(READ_ONCE(cpu->counters.bytes)))
		ku_byte_merge(cpu->counters.bytes, state, ku_counter_bits(ring, cpu));
	ku_word_merge(before, delta, (s64)ku_retval_field(delta, retval));
	return true;
}

/* Returns whether the filter excludes the running task. Then only inspected events are recorded. */
static __always_inline bool ku_is_hidden(void)
{
	return unlikely(ku_cpu_read(slot.verdict) == KU_EXCLUDED);
}

/*
 * Records an event in the primary slot. Passes it to ku_dispatch if the slot is closed or
 * unresolved, and drops it if the slot is hidden. Returns false if the slot is not open: then the
 * caller need not record the event in another ring.
 */
static __always_inline bool ku_emit_any(const u64 *words, u32 nwords, u32 room, u64 past)
{
	struct ku_ring *ring;
	unsigned long flags;
	bool open;

	ku_irq_save(flags);
	ring = READ_ONCE(ku_primary);
	open = ku_cpu_read(slot.verdict) == KU_SELECTED;
	if (unlikely(!open)) {
		if (!ku_is_hidden())
			ku_late_call(ku_dispatch, words, nwords, room, past);
	} else if (ring && READ_ONCE(ring->active)) {
		ku_record(ring, ku_cpu_here(), words, nwords, room, past,
			  ku_counter_bits(ring, ku_cpu_here()));
	}
	ku_irq_restore(flags);
	return open;
}

/*
 * Records an entry of one word, without timestamp, that the fast path has not recorded: the block
 * is full, the slot is not open, nothing records, the gap is too long for the fast path, or an
 * interrupt has recorded in between. Counts an event that cannot be recorded. Context: any.
 */
noinline void __kprobes ku_emit_slow(u64 entry)
{
	/* Test this first, so that tasks that a filter excludes pay little. */
	if (ku_is_hidden())
		return;
	ku_emit_any(&entry, 1, 1, 0);
}

/* Records an entry like ku_emit_slow(), with counter bits. Interrupts off, primary slot open. */
void __kprobes ku_emit_counted_slow(u64 entry, u32 bits)
{
	struct ku_ring *ring = READ_ONCE(ku_primary);

	if (ring && READ_ONCE(ring->active))
		ku_record(ring, ku_cpu_here(), &entry, 1, 1, 0, bits);
}

/*
 * Records a call like ku_emit_slow(). ku_emit_call_return() will not merge the return of this call.
 */
noinline void __kprobes ku_emit_call_slow(u64 entry)
{
	ku_cpu_write(at.call, 0);
	ku_emit_slow(entry);
}

/* Passes an inspected event to ku_dispatch. Arguments: see ku_ring_put(). Context: any. */
void __kprobes ku_emit_inspected(const u64 *words, u32 nwords, u32 room, u64 past)
{
	unsigned long flags;

	ku_irq_save(flags);
	ku_late_call(ku_dispatch, words, nwords, room, past);
	ku_irq_restore(flags);
}

/* Passes an inspected event of one word to ku_dispatch. Context: any. */
noinline void __kprobes ku_emit_inspected_one(u64 entry)
{
	ku_emit_inspected(&entry, 1, 1, 0);
}

/* Calls ku_emit_any() for an entry of several words, or of a past time. Context: any. */
bool __kprobes ku_emit_words_fast(const u64 *words, u32 nwords, u32 room, u64 past)
{
	return ku_emit_any(words, nwords, room, past);
}

/* Records two words and a NOP that ku_emit2() has not recorded. Context: any. */
void __kprobes ku_emit2_slow(u64 entry, u64 second)
{
	u64 words[2] = { entry, second };

	ku_emit_any(words, 2, 3, 0);
}

/* ---- dual ---- */

/*
 * Stores an entry in the primary slot, then in the secondary slot, with the same time. The rings
 * are independent. An interrupt in between records in both, before the second ring's entry; that
 * entry then takes the slow path and gets its own time.
 *
 * Each event is recorded once in each ring, also while the rings enter or leave their slots on this
 * CPU (record/slots.c). The primary slot decides at the moment of the claim. If it is open, this
 * code also records the entry in the second ring, wherever that ring's state is by then. If it is
 * not open, ku_dispatch handles the event for all rings, and this code does nothing more.
 */

/* Records in the second ring, wherever its state of this CPU is. */
static noinline void __kprobes ku_secondary_slow(const u64 *words, u32 nwords, u32 room, u64 past)
{
	unsigned long flags;
	struct ku_ring *ring;

	ku_irq_save(flags);
	ring = READ_ONCE(ku_secondary);
	if (ring && READ_ONCE(ring->active))
		ku_ring_record(ring, ku_ring_cpu_here(ring), words, nwords, room, past);
	ku_irq_restore(flags);
}

void __kprobes ku_emit_words_other(const u64 *words, u32 nwords, u32 room, u64 past)
{
	enum ku_path path = ku_path_of(ku_event_of(words[0]));

	if (path == KU_PATH_INSPECTED || path == KU_PATH_SWITCH)
		ku_emit_inspected(words, nwords, room, past);
	else if (ku_emit_words_fast(words, nwords, room, past))
		ku_secondary_slow(words, nwords, room, past);
}

/*
 * Rare cases are in functions of their own, called last, so that the frequent paths need no stack
 * frame. Step H: recorded in the first ring, not yet in the second.
 */
noinline void __kprobes ku_emit_secondary(u64 entry)
{
	ku_secondary_slow(&entry, 1, 1, 0);
}

static __always_inline void ku_put_secondary(struct ku_claim claim, u64 entry)
{
	if (unlikely(!ku_put_at(KU_SECONDARY_SLOT, claim, entry, false)))
		ku_emit_secondary(entry);
}

static __always_inline void ku_then_secondary(struct ku_claim claim, u64 entry)
{
	ku_step('H');
	ku_put_secondary(claim, entry);
}

static noinline void __kprobes ku_emit_dual_slow(struct ku_claim claim, u64 entry)
{
	if (ku_emit_words_fast(&entry, 1, 1, 0))
		ku_then_secondary(claim, entry);
}

notrace void __kprobes ku_emit_dual(u64 entry)
{
	struct ku_claim claim = ku_claim_of(ku_clock());

	barrier();
	if (likely(ku_put_at(KU_PRIMARY_SLOT, claim, entry, false)))
		ku_then_secondary(claim, entry);
	else
		ku_emit_dual_slow(claim, entry);
}

static noinline void __kprobes ku_return_secondary(u64 ts, u32 call, s64 retval)
{
	ku_put_secondary(ku_claim_of(ts), ku_return_entry(call, retval));
}

static noinline void __kprobes ku_return_primary_slow(u64 ts, u32 call, s64 retval)
{
	u64 entry = ku_return_entry(call, retval);

	if (ku_emit_words_fast(&entry, 1, 1, 0) &&
	    !ku_merge_at(KU_SECONDARY_SLOT, ts, call, retval, KU_NO_BITS))
		ku_return_secondary(ts, call, retval);
}

static noinline void __kprobes ku_return_primary(u64 ts, u32 call, s64 retval)
{
	u64 entry = ku_return_entry(call, retval);

	if (unlikely(!ku_put_at(KU_PRIMARY_SLOT, ku_claim_of(ts), entry, false))) {
		ku_return_primary_slow(ts, call, retval);
		return;
	}
	ku_step('H');
	if (!ku_merge_at(KU_SECONDARY_SLOT, ts, call, retval, KU_NO_BITS))
		ku_return_secondary(ts, call, retval);
}

notrace void __kprobes ku_return_dual(u32 call, s64 retval)
{
	u64 ts = ku_clock();

	barrier();
	ku_step('e');
	if (unlikely(!ku_merge_at(KU_PRIMARY_SLOT, ts, call, retval, KU_NO_BITS))) {
		ku_return_primary(ts, call, retval);
		return;
	}
	ku_step('H');
	if (unlikely(!ku_merge_at(KU_SECONDARY_SLOT, ts, call, retval, KU_NO_BITS)))
		ku_return_secondary(ts, call, retval);
}

/* ---- with counter bits ---- */

/*
 * Interrupts are off from reading the counters until the entry is stored. So this entry's bits
 * count everything since the previous entry. An NMI in between does not read the counters
 * (ku_count), takes no block and does not move base. If the NMI's entry comes before this one, this
 * entry takes the slow path, with the bits that were read.
 */

/* Returns the counter bits for the ring in the primary slot. Valid only while the slot is open. */
static __always_inline u8 ku_counter_bits_here(void)
{
	return (u8)ku_late_ask(ku_count, ku_cpu_here(), READ_ONCE(ku_primary)->bytes_flags);
}

static __always_inline void ku_put_counted(u64 entry, u8 bits)
{
	struct ku_claim claim = ku_claim_of(ku_clock());
	struct ku_claimed claimed;
	u8 *bytes;

	if (unlikely(!ku_claim_at(KU_PRIMARY_SLOT, claim, 1, false, &claimed))) {
		ku_emit_counted_slow(entry, bits);
		return;
	}
	bytes = ku_cpu_read(counters.bytes);
	/* NULL for a moment after another ring has taken the slot. */
	if (likely(bytes))
		WRITE_ONCE(bytes[claimed.index], bits);
	/* Store the entry after its counter bits. Step o: see ku_claimed_store(). */
	ku_step('o');
	ku_store_last(&claimed.base[claimed.index], ku_claim_word(claim, 0, entry));
}

notrace void __kprobes ku_emit_counted(u64 entry)
{
	unsigned long flags;

	ku_irq_save(flags);
	if (likely(ku_cpu_read(slot.verdict) == KU_SELECTED))
		ku_put_counted(entry, ku_counter_bits_here());
	else
		ku_emit_slow(entry);
	ku_irq_restore(flags);
}

static __always_inline void ku_return_here(u32 call, s64 retval)
{
	u8 bits = ku_counter_bits_here();
	u64 ts = ku_clock();

	barrier();
	ku_step('e');
	if (unlikely(!ku_merge_at(KU_PRIMARY_SLOT, ts, call, retval, bits)))
		ku_put_counted(ku_return_entry(call, retval), bits);
}

notrace void __kprobes ku_return_counted(u32 call, s64 retval)
{
	unsigned long flags;

	ku_irq_save(flags);
	if (likely(ku_cpu_read(slot.verdict) == KU_SELECTED))
		ku_return_here(call, retval);
	else
		ku_emit_slow(ku_return_entry(call, retval));
	ku_irq_restore(flags);
}

/* ---- timed ---- */

/*
 * Each call stores its start in ku_cpu.hook.began. At a context switch, session/trigger_watch.c
 * saves it with the task. A merged return comes at most 255 counts after its call. No limit is
 * shorter, so a merged return needs no check. Any other return is inspected if it comes after the
 * limit.
 */

static __always_inline void ku_put_timed(u64 now, u64 entry, bool keep)
{
	if (unlikely(!ku_put_at(KU_PRIMARY_SLOT, ku_claim_of(now), entry, keep)))
		ku_emit_call_slow(entry);
}

/*
 * Nothing else on this CPU writes hook.began before the call is recorded: system calls do not nest,
 * and the caller does not migrate. Saves the call's state for ku_emit_call_return(), for any kind
 * of hook.
 */
notrace void __kprobes ku_timed_call(u64 entry)
{
	u64 now = ku_clock();

	barrier();
	ku_cpu_write(hook.began, now);
	ku_put_timed(now, entry, true);
}

/*
 * Records the return of a timed call. If the start of the call is unknown (0), the return counts as
 * late, and ku_dispatch decides.
 */
notrace void __kprobes ku_timed_return(u64 entry)
{
	u64 now = ku_clock();

	barrier();
	/*
	 * The return is late if it comes after the call's start + the limit; the sum cannot
	 * overflow. The addition reads the limit, an aligned word, once, as its memory operand:
	 * READ_ONCE() would cost a separate load.
	 */
	if (unlikely(now > ku_cpu_read(hook.began) + data_race(ku_timed_limit)))
		ku_emit_inspected_one(entry);
	else
		ku_put_timed(now, entry, false);
}
