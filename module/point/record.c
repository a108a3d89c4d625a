// SPDX-License-Identifier: GPL-2.0-only
/* Records an event of a typed tracepoint: see record.h. */
#include <linux/preempt.h>
#include <linux/string.h>

#include "point/record.h"
#include "record/all.h"
#include "uapi/kutrace_abi.h"
#include "uapi/kutrace_events.h"

void ku_point_emit(u32 id, const u64 *payload, u32 nwords)
{
	u64 words[1 + KUTRACE_POINT_WORDS];
	u64 event = KUTRACE_NAME_TPOINT | (nwords + 1) << KUTRACE_NAME_LEN_SHIFT;

	words[0] = event << KUTRACE_EVENT_SHIFT | id;
	memcpy(words + 1, payload, nwords * sizeof(*words));
	preempt_disable_notrace();
	ku_sessions_emit(words, nwords + 1);
	preempt_enable_notrace();
}
