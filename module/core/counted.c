// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records events with counter bits in the primary slot, for a ring that records alone: see aside.h.
 * Interrupts are off from reading the counters until the entry is stored. So this entry's bits
 * count everything since the previous entry. An NMI in between does not read the counters
 * (ku_count), takes no block and does not move base. If its entry comes before this one, this entry
 * takes the slow path, with the bits that were read.
 *
 * All functions are __kprobes, like the slow path.
 */
#include "core/aside.h"
#include "core/claim.h"

/* Returns the counter bits for the ring in the primary slot. Valid only while the slot is open. */
static __always_inline u8 ku_nibble_here(void)
{
	return (u8)ku_late_ask(ku_count, ku_cpu_here(), READ_ONCE(ku_resident)->bytes_flags);
}

static __always_inline void ku_put_counted(u64 entry, u8 nibble)
{
	struct ku_claim claim = ku_claim_of(ku_clock());
	struct ku_claimed claimed;
	u8 *bytes;

	if (unlikely(!ku_claim_at(KU_FIRST_PLACE, claim, 1, false, &claimed))) {
		ku_emit_counted_slow(entry, nibble);
		return;
	}
	bytes = ku_cpu_read(counters.bytes);
	/* NULL for a moment after another ring has taken the slot. */
	if (likely(bytes))
		WRITE_ONCE(bytes[claimed.index], nibble);
	/* The entry after its counter bits. Step o: see ku_claimed_store(). */
	ku_step('o');
	ku_store_last(&claimed.base[claimed.index], ku_claim_word(claim, 0, entry));
}

notrace void __kprobes ku_emit_counted(u64 entry)
{
	unsigned long flags;

	ku_irq_save(flags);
	if (likely(ku_cpu_read(slot.verdict) == KU_SELECTED))
		ku_put_counted(entry, ku_nibble_here());
	else
		ku_emit_slow(entry);
	ku_irq_restore(flags);
}

static __always_inline void ku_return_here(u32 call, s64 retval)
{
	u8 nibble = ku_nibble_here();
	u64 ts = ku_clock();

	barrier();
	ku_step('e');
	if (unlikely(!ku_merge_at(KU_FIRST_PLACE, ts, call, retval, nibble)))
		ku_put_counted(ku_return_entry(call, retval), nibble);
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
