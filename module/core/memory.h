/* SPDX-License-Identifier: GPL-2.0-only */
/* Flags for memory whose size a user chooses, such as blocks and names. Process context. */
#ifndef KU_MEMORY_H
#define KU_MEMORY_H

#include <linux/gfp.h>

/*
 * Zeroed, and charged to the memory cgroup of the caller. If memory is short, the allocation fails,
 * and no process of the machine or of the cgroup is killed for it.
 */
#define KU_LARGE_GFP \
	(GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN | __GFP_RETRY_MAYFAIL)

#endif
