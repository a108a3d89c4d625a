/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Definitions of typed tracepoints by their id, put together out of a trace's names and read
 * when they are asked for. Called by rawtrace/name.c.
 */
#ifndef KP_RAWTRACE_TPOINT_H
#define KP_RAWTRACE_TPOINT_H

#include <stdint.h>

#include "common/tpoint_text.h"
#include "model/names.h"

/* Definitions by id, as far as asked for. Zeroed, it is empty. */
struct kp_points {
	struct ku_tpoint_def **defs;	/* by id, NULL = not looked up, or changed */
	uint64_t unknown;		/* events without a definition */
};

/* A name has been defined or changed: if it is a piece of a definition, forget that. */
void kp_points_changed(struct kp_points *points, uint32_t base, uint32_t number);

/* Definition id out of names, NULL: there is none. */
const struct ku_tpoint_def *kp_points_get(struct kp_points *points,
					 const struct kp_names *names, uint32_t id);

void kp_points_free(struct kp_points *points);

#endif
