/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Definitions of typed tracepoints by their id. They are composed from a trace's names and parsed
 * when they are first needed.
 */
#ifndef KP_RAWTRACE_TPOINT_H
#define KP_RAWTRACE_TPOINT_H

#include <stdint.h>

#include "common/tpoint_text.h"
#include "model/names.h"

/* Definitions by id. All zero: empty. */
struct kp_points {
	struct ku_tpoint_def **defs;	/* by id; NULL = not parsed yet, or changed */
	uint64_t unknown;		/* events without a definition */
};

/* Discards a definition if one of its parts has been named or changed. */
void kp_points_changed(struct kp_points *points, uint32_t base, uint32_t number);

/* Returns the definition of @id from @names, or NULL if there is none. */
const struct ku_tpoint_def *kp_points_get(struct kp_points *points,
					 const struct kp_names *names, uint32_t id);

void kp_points_free(struct kp_points *points);

#endif
