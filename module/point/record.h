/* SPDX-License-Identifier: GPL-2.0-only */
/* Recording an event of a typed tracepoint. Called by device.c and kernel.c. */
#ifndef KU_POINT_RECORD_H
#define KU_POINT_RECORD_H

#include <linux/types.h>

/* At most KUTRACE_POINT_WORDS of payload. Any context but NMI. */
void ku_point_emit(u32 id, const u64 *payload, u32 nwords);

#endif
