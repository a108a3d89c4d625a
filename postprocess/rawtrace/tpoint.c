// SPDX-License-Identifier: BSD-3-Clause
/*
 * Definitions of typed tracepoints from a trace, see rawtrace/tpoint.h. common/tpoint_text
 * interprets them.
 */
#include "rawtrace/tpoint.h"

#include <stdlib.h>
#include <string.h>

#define KP_POINT_IDS	65536

void kp_points_changed(struct kp_points *points, uint32_t base, uint32_t number)
{
	uint32_t id = number & (KP_POINT_IDS - 1);

	if (base != KUTRACE_NAME_EVENTDEF || number < KP_POINT_IDS || !points->defs)
		return;
	free(points->defs[id]);
	points->defs[id] = NULL;
}

/* Joins the parts of definition @id in @text. Returns the length. */
static size_t kp_pieces(const struct kp_names *names, uint32_t id, char *text, size_t room)
{
	size_t used = 0;
	uint32_t piece;

	for (piece = 0; piece < KUTRACE_POINT_PIECES; piece++) {
		const struct kp_name *name = kp_names_get(names, KUTRACE_NAME_EVENTDEF,
							  KUTRACE_POINT_NUMBER(id, piece));

		if (!name || used + name->len > room)
			break;
		memcpy(text + used, name->text, name->len);
		used += name->len;
		if (name->len < KUTRACE_NAME_MAX_BYTES)
			break;	/* the last part */
	}
	return used;
}

const struct ku_tpoint_def *kp_points_get(struct kp_points *points,
					 const struct kp_names *names, uint32_t id)
{
	char text[KUTRACE_POINT_PIECES * KUTRACE_NAME_MAX_BYTES];
	struct ku_tpoint_def *def;
	size_t len;

	id &= KP_POINT_IDS - 1;
	if (points->defs && points->defs[id])
		return points->defs[id];
	len = kp_pieces(names, id, text, sizeof(text));
	if (!len)
		return NULL;
	if (!points->defs)
		points->defs = calloc(KP_POINT_IDS, sizeof(struct ku_tpoint_def *));
	def = points->defs ? malloc(sizeof(*def)) : NULL;
	if (!def || ku_tpoint_parse(def, text, len)) {
		free(def);
		return NULL;
	}
	points->defs[id] = def;
	return def;
}

void kp_points_free(struct kp_points *points)
{
	uint32_t id;

	for (id = 0; points->defs && id < KP_POINT_IDS; id++)
		free(points->defs[id]);
	free(points->defs);
	points->defs = NULL;
}
