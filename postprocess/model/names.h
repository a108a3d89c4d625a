/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of numbered objects (pids, system calls, interrupts, locks ...) in a trace. The last
 * definition replaces the others: the caller decides for which time a name is valid.
 */
#ifndef KP_NAMES_H
#define KP_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

struct kp_name {
	uint32_t base;
	uint32_t number;
	uint32_t len;		/* bytes */
	uint32_t room;		/* bytes allocated at text; 0 = no name yet */
	char *text;		/* with a NUL after it */
	uint32_t kind;		/* of a task: enum kutrace_task_kind; later names keep it */
};

struct kp_names {
	struct kp_map places;		/* from (base, number) to the index in list */
	KP_VECTOR(struct kp_name) list;
};

/* Sets the name of object @number of kind @base. Returns 0, or -1 without memory. */
int kp_names_set(struct kp_names *names, uint32_t base, uint32_t number,
		 const char *text, size_t len);

/* Sets the task kind of this object. Does nothing if the object has no name. */
void kp_names_set_kind(struct kp_names *names, uint32_t base, uint32_t number, uint32_t kind);

/* Returns the object's name, or NULL. The pointer is valid until the next kp_names_set(). */
const struct kp_name *kp_names_get(const struct kp_names *names, uint32_t base,
				   uint32_t number);

void kp_names_free(struct kp_names *names);

#endif
