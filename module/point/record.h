/* SPDX-License-Identifier: GPL-2.0-only */
/* Records an event of a typed tracepoint. */
#ifndef KU_POINT_RECORD_H
#define KU_POINT_RECORD_H

#include <linux/types.h>

/* @nwords: at most KUTRACE_POINT_WORDS. Context: any except NMI. */
void ku_point_emit(u32 id, const u64 *payload, u32 nwords);

#endif
