// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records typed tracepoints, and has the functions that uapi/kutrace_point.h calls in other kernel
 * modules. definition.c writes the bytes of these modules.
 */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/string.h>

#include "point/point.h"
#include "record/all.h"
#include "uapi/kutrace_abi.h"
#include "uapi/kutrace_events.h"
#include "uapi/kutrace_point.h"

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

int kutrace_point_attach_kernel(struct kutrace_point *object)
{
	char text[KUTRACE_POINT_TEXT_BYTES];

	if (!kutrace_point_text(object->desc, text))
		return -EINVAL;
	return min(ku_point_define(text, NULL, object), 0);
}
EXPORT_SYMBOL_GPL(kutrace_point_attach_kernel);

void kutrace_point_detach_kernel(struct kutrace_point *object)
{
	ku_point_detach(object);
}
EXPORT_SYMBOL_GPL(kutrace_point_detach_kernel);

void kutrace_point_emit_kernel(const struct kutrace_point *point, const u64 *words,
			       u32 nwords)
{
	if (nwords <= KUTRACE_POINT_WORDS)
		ku_point_emit(point->id, words, nwords);
}
EXPORT_SYMBOL_GPL(kutrace_point_emit_kernel);
