/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers that identify kernel locks in a trace. */
#ifndef KU_LOCK_NUMBER_H
#define KU_LOCK_NUMBER_H

#include <linux/types.h>

/* Process context. Must be called before locks are recorded. */
void ku_lock_number_init(void);
/* Any context. */
u32 ku_lock_number(const void *lock);

#endif
