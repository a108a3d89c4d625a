/* SPDX-License-Identifier: GPL-2.0-only */
/* Event numbers and names of device interrupts. */
#ifndef KU_IRQ_NUMBER_H
#define KU_IRQ_NUMBER_H

#include <linux/types.h>

struct irqaction;
struct irq_desc;

int ku_irq_init(void);
void ku_irq_exit(void);
/* Adds all names again at their next use. Numbers do not change. Sessions may be recording. */
void ku_irq_reset(void);
u32 ku_irq_event(int irq, const struct irqaction *action);
u32 ku_irq_event_of(struct irq_desc *desc);

#endif
