/* SPDX-License-Identifier: GPL-2.0-only */
/* By what number locks of the kernel are known in a trace. Called by the static hooks. */
#ifndef KU_LOCK_NUMBER_H
#define KU_LOCK_NUMBER_H

#include <linux/types.h>

/* Process context, before locks are recorded. */
void ku_lock_number_init(void);
/* Any context. */
u32 ku_lock_number(const void *lock);

#endif
