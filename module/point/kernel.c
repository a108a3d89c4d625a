// SPDX-License-Identifier: GPL-2.0-only
/*
 * Typed tracepoints of other kernel modules: the functions that uapi/kutrace_point.h calls. Their
 * bytes are written by definition.c.
 */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/minmax.h>

#include "point/definition.h"
#include "point/record.h"
#include "uapi/kutrace_abi.h"
#include "uapi/kutrace_point.h"

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
