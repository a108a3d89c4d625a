// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event numbers for device interrupts; see irq_number.h. A trace has 255 of them, Linux any
 * number of irqs, so an irq gets a number when it is first seen: its own low
 * byte where that is free, else the next free one. Numbers of vectors with a
 * meaning of their own are never given away. Once all are taken the rest share
 * KUTRACE_VECTOR_OTHER; the entry's arg0 says the irq in any case.
 */
#include <linux/bitmap.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "arch/entry.h"
#include "core/ring.h"
#include "probes/irq_number.h"
#include "record/all.h"

#define KU_MAX_IRQ	65536
#define KU_IRQ_CODES	256
#define KU_IRQ_ASSIGNED	0x8000	/* in the table: low byte is valid */
#define KU_IRQ_NAMED	0x4000	/* and its name is in the aux buffer */

static u16 *ku_irq_table;
static DEFINE_RAW_SPINLOCK(ku_irq_lock);
static DECLARE_BITMAP(ku_irq_used, KU_IRQ_CODES);

/* "virtio0,i8042": all that share the line. Returns the length. */
static size_t __kprobes ku_irq_compose(char name[KUTRACE_NAME_MAX_BYTES],
				       const struct irqaction *action)
{
	size_t len = 0;

	name[0] = 0;
	for (; action; action = READ_ONCE(action->next)) {
		len += scnprintf(name + len, KUTRACE_NAME_MAX_BYTES - len, "%s%s",
				 len ? "," : "", action->name ?: "unnamed");
	}
	return len;
}

/*
 * The event number; *name: whether its name has to be given, which is up to the caller.
 * @action: the first of the line, if it is known.
 */
static u32 __kprobes ku_irq_assign(int irq, const struct irqaction *action, bool *name)
{
	u32 code = (u32)irq & (KU_IRQ_CODES - 1);
	u32 vector = action ? ku_arch_irq_vector((u32)irq, action) : 0;
	unsigned long flags;

	*name = false;
	raw_spin_lock_irqsave(&ku_irq_lock, flags);
	if (vector) {
		/* That number has its name. */
		code = vector;
		WRITE_ONCE(ku_irq_table[irq], KU_IRQ_ASSIGNED | KU_IRQ_NAMED | code);
	} else if (ku_irq_table[irq] & KU_IRQ_ASSIGNED) {
		code = ku_irq_table[irq] & (KU_IRQ_CODES - 1);
	} else {
		code = find_next_zero_bit(ku_irq_used, KU_IRQ_CODES, code);
		if (code >= KU_IRQ_CODES)
			code = find_first_zero_bit(ku_irq_used, KU_IRQ_CODES);
		if (code >= KU_IRQ_CODES)
			code = KUTRACE_VECTOR_OTHER;
		else
			__set_bit(code, ku_irq_used);
	}
	if (!(ku_irq_table[irq] & KU_IRQ_NAMED)) {
		*name = code != KUTRACE_VECTOR_OTHER;
		WRITE_ONCE(ku_irq_table[irq],
			   KU_IRQ_ASSIGNED | KU_IRQ_NAMED | code);
	}
	raw_spin_unlock_irqrestore(&ku_irq_lock, flags);
	return code;
}

static __always_inline bool ku_irq_known(int irq, u32 *code)
{
	u16 known;

	if (unlikely((u32)irq >= KU_MAX_IRQ)) {
		*code = KUTRACE_VECTOR_OTHER;
		return true;
	}
	known = READ_ONCE(ku_irq_table[irq]);
	*code = known & (KU_IRQ_CODES - 1);
	return known & KU_IRQ_NAMED;
}

/**
 * ku_irq_event() - the interrupt number to record for a Linux irq
 * @irq: Linux interrupt number
 * @action: the action that runs, the first of its line when first seen
 *
 * Context: hard interrupt, within the handling of @irq: free_irq() waits for that
 * before it frees an action. Names the interrupt on its first use after a reset.
 */
u32 __kprobes ku_irq_event(int irq, const struct irqaction *action)
{
	char name[KUTRACE_NAME_MAX_BYTES];
	bool is_new;
	u32 code;

	if (likely(ku_irq_known(irq, &code)))
		return code;
	code = ku_irq_assign(irq, action, &is_new);
	if (is_new)
		ku_sessions_name(KUTRACE_NAME_IRQNAME, code, name,
				 ku_irq_compose(name, action));
	return code;
}

/**
 * ku_irq_event_of() - the interrupt number to record for an interrupt not yet handled
 * @desc: its descriptor
 *
 * Context: hard interrupt, before or after its handling. So free_irq() does not wait
 * for us; but it takes actions out of the line under desc->lock, which is taken here
 * to name them, and on some architectures to know the timer's. No interrupt arrives at a CPU
 * that holds that lock, but an NMI does, which must not come here.
 */
u32 __kprobes ku_irq_event_of(struct irq_desc *desc)
{
	int irq = (int)irq_desc_get_irq(desc);
	char name[KUTRACE_NAME_MAX_BYTES];
	bool is_new;
	size_t len;
	u32 code;

	if (likely(ku_irq_known(irq, &code)))
		return code;
	raw_spin_lock(&desc->lock);
	code = ku_irq_assign(irq, desc->action, &is_new);
	len = is_new ? ku_irq_compose(name, desc->action) : 0;
	raw_spin_unlock(&desc->lock);
	if (is_new)
		ku_sessions_name(KUTRACE_NAME_IRQNAME, code, name, len);
	return code;
}

void ku_irq_reset(void)
{
	unsigned long flags;
	u32 irq;

	for (irq = 0; irq < KU_MAX_IRQ; irq++) {
		if (!(READ_ONCE(ku_irq_table[irq]) & KU_IRQ_NAMED))
			continue;
		raw_spin_lock_irqsave(&ku_irq_lock, flags);
		WRITE_ONCE(ku_irq_table[irq], ku_irq_table[irq] & ~KU_IRQ_NAMED);
		raw_spin_unlock_irqrestore(&ku_irq_lock, flags);
	}
}

static const u8 ku_irq_reserved[] = {
#define KU_VECTOR(id, number, label) (number),
#include "uapi/kutrace_events.def"
};

int ku_irq_init(void)
{
	int i;

	ku_irq_table = vzalloc(KU_MAX_IRQ * sizeof(*ku_irq_table));
	if (!ku_irq_table)
		return -ENOMEM;
	bitmap_zero(ku_irq_used, KU_IRQ_CODES);
	for (i = 0; i < ARRAY_SIZE(ku_irq_reserved); i++)
		__set_bit(ku_irq_reserved[i], ku_irq_used);
	return 0;
}

void ku_irq_exit(void)
{
	vfree(ku_irq_table);
}
