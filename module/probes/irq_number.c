// SPDX-License-Identifier: GPL-2.0-only
/*
 * Assigns event numbers to device interrupts. A trace has 255 numbers for them, but Linux can have
 * more irqs. So an irq gets a number when it is first recorded: its own low byte if that is free,
 * otherwise the next free number. Numbers of vectors with a fixed meaning are not assigned. When
 * all numbers are used, other irqs share KUTRACE_VECTOR_OTHER. arg0 of the entry always has the
 * irq.
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
#include "probes/shared.h"
#include "record/all.h"

#define KU_MAX_IRQ	65536
#define KU_IRQ_CODES	256
/* bits of an entry of ku_irq_table */
#define KU_IRQ_ASSIGNED	0x8000	/* the irq has a code, in the low byte */
#define KU_IRQ_NAMED	0x4000	/* the name is in the name tables */

static u16 *ku_irq_table;
static DEFINE_RAW_SPINLOCK(ku_irq_lock);
static DECLARE_BITMAP(ku_irq_used, KU_IRQ_CODES);

/* Joins the names of all actions of the irq, such as "virtio0,i8042". Returns the length. */
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
 * Returns the event number of @irq, and assigns one if necessary. Sets *@name if the caller must
 * add the number's name. @action: first action of the irq, or NULL if unknown.
 */
static u32 __kprobes ku_irq_assign(int irq, const struct irqaction *action, bool *name)
{
	u32 code = (u32)irq & (KU_IRQ_CODES - 1);
	u32 vector = action ? ku_arch_irq_vector((u32)irq, action) : 0;
	unsigned long flags;

	*name = false;
	raw_spin_lock_irqsave(&ku_irq_lock, flags);
	if (vector) {
		/* The number of this vector has a fixed name. */
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
 * ku_irq_event() - get the event number of an irq
 * @irq: Linux interrupt number
 * @action: running action; on the first call for @irq, its first action
 *
 * Adds the name of the interrupt on its first use after a reset.
 *
 * Context: hard interrupt, while @irq is being handled: free_irq() waits for that before it frees
 * an action.
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
 * ku_irq_event_of() - get the event number of an interrupt that is not being handled yet
 * @desc: descriptor of the interrupt
 *
 * Context: hard interrupt, before or after the handling. free_irq() does not wait for that. But it
 * removes actions under desc->lock, which is taken here to read their names and, on some
 * architectures, to recognize the timer. A CPU that holds this lock takes no interrupts. It may
 * take an NMI, which must not call this function.
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
