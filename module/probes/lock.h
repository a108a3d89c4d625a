/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel's tracepoints tell of its locks. Called by the tracepoint back end. */
#ifndef KU_LOCK_H
#define KU_LOCK_H

#include <linux/types.h>

/*
 * Whether who lets go of a contended lock is seen. Any context, once tracepoints were looked
 * for.
 */
bool ku_lock_holders(void);

#endif
