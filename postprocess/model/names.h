/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of numbered things (pids, system calls, interrupts, locks ...), as a
 * trace defines them. What a name is valid for in time is the caller's matter:
 * a later definition replaces an earlier one. Used by rawtrace/ and reconstruct/.
 */
#ifndef KP_NAMES_H
#define KP_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vector.h"

struct kp_name {
	uint32_t base;
	uint32_t number;
	uint32_t len;		/* bytes */
	uint32_t room;		/* bytes at text; 0 = none yet */
	char *text;		/* NUL-terminated besides */
	uint32_t kind;		/* of a task: enum kutrace_task_kind; may come from another of its names */
};

struct kp_names {
	struct kp_map places;		/* (base, number) to the place in list */
	KP_VECTOR(struct kp_name) list;
};

/* Names thing number of kind base; replaces what it was. 0, or -1 without memory. */
int kp_names_set(struct kp_names *names, uint32_t base, uint32_t number,
		 const char *text, size_t len);

/* Sets the kind of the thing with this base and number. Does nothing if it has no name. */
void kp_names_set_kind(struct kp_names *names, uint32_t base, uint32_t number, uint32_t kind);

/* NULL when it has no name. Valid until the next kp_names_set(). */
const struct kp_name *kp_names_get(const struct kp_names *names, uint32_t base,
				   uint32_t number);

void kp_names_free(struct kp_names *names);

#endif
