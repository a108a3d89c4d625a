/* SPDX-License-Identifier: GPL-2.0-only */
/* Event numbers for the interrupts of devices, and their names. Called by both back ends. */
#ifndef KU_IRQ_NUMBER_H
#define KU_IRQ_NUMBER_H

#include <linux/types.h>

struct irqaction;
struct irq_desc;

int ku_irq_init(void);
void ku_irq_exit(void);
/* Names are to be given again, also while others record; numbers stay as they are. */
void ku_irq_reset(void);
u32 ku_irq_event(int irq, const struct irqaction *action);
u32 ku_irq_event_of(struct irq_desc *desc);

#endif
