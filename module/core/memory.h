/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How memory is asked for whose size a user has chosen: the blocks of a session, its names, what
 * is read of them. Included by whatever allocates more than a few pages; process context.
 */
#ifndef KU_MEMORY_H
#define KU_MEMORY_H

#include <linux/gfp.h>

/*
 * Zeroed, charged to the memory cgroup of whoever asks. It fails, and no process, of the machine
 * or of that cgroup, is killed for it.
 */
#define KU_LARGE_GFP \
	(GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN | __GFP_RETRY_MAYFAIL)

#endif
