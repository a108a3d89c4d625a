/* SPDX-License-Identifier: GPL-2.0-only */
/* Properties of the kernel's lock tracepoints. */
#ifndef KU_LOCK_H
#define KU_LOCK_H

#include <linux/types.h>

/*
 * Returns whether the release of a contended lock is recorded. Valid after the search for
 * tracepoints. Any context.
 */
bool ku_lock_holders(void);

#endif
