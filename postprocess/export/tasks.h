/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is known of tasks while events pass by: their names, and where they last ran. Used by
 * exporters that take events.
 */
#ifndef KP_EXPORT_TASKS_H
#define KP_EXPORT_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vector.h"
#include "model/event.h"

#define KP_TASK_NAME	16	/* bytes, as the kernel has them, with a NUL */

struct kp_task {
	uint32_t pid;
	int32_t last_cpu;	/* where it last ran, -1: not seen */
	uint64_t away_at;	/* the user's: where its leaving a CPU stands; UINT64_MAX: nowhere */
	int32_t away_cpu;
	bool named, used;	/* by the trace; it had an event, or is to have one */
	bool exiting, off;	/* the user's: exit was recorded; has left its CPU */
	bool making, made;	/* in a call that makes a task; made, and not woken yet */
	char name[KP_TASK_NAME];	/* valid UTF-8, no control characters, NULs behind it */
};

struct kp_tasks {
	struct kp_map places;	/* pid to the place in list */
	KP_VECTOR(struct kp_task) list;
};

/* The task, made if it is new: then it is called pidN. Valid until the next call. NULL without memory. */
struct kp_task *kp_tasks_get(struct kp_tasks *tasks, uint32_t pid);

/*
 * A definition of a pid's name, others are passed over. Those at time -1 are in order of time:
 * the first counts until there is one in time. 0, or -1 without memory.
 */
int kp_tasks_name(struct kp_tasks *tasks, const struct kp_namedef *def);

void kp_tasks_free(struct kp_tasks *tasks);

/* text as far as it fits into room bytes with a NUL, fit to be shown; NULs behind it. Its length. */
size_t kp_plain_text(char *out, size_t room, const char *text, size_t len);

#endif
