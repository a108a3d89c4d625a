/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Begins and ends exporters of rows: reads the raw trace and the names of its tasks, and prints a
 * summary. Exits the program after an error.
 */
#ifndef KP_EXPORT_SOURCE_H
#define KP_EXPORT_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "model/event.h"
#include "rawtrace/raw.h"
#include "transform/trace.h"

/* ---- tasks while events pass by: their names, and where they last ran ---- */

#define KP_TASK_NAME	16	/* size of a name in the kernel, with the NUL */

struct kp_task {
	uint32_t pid;
	int32_t last_cpu;	/* CPU on which it last ran; -1: none yet */
	uint64_t away_at;	/* for the exporter: offset of the state in which it left its
				 * CPU; UINT64_MAX: none */
	int32_t away_cpu;
	bool named, used;	/* by the trace; it has an event, or will have one */
	bool exiting, off;	/* for the exporter: exit was recorded; has left its CPU */
	bool making, made;	/* in a call that makes a task; made, and not woken yet */
	char name[KP_TASK_NAME];	/* valid UTF-8 without control characters, padded with
					 * NULs */
};

struct kp_tasks {
	struct kp_map index;	/* pid -> index in list */
	KP_VECTOR(struct kp_task) list;
};

/*
 * Returns the task, which is added as "pidN" if it is new; NULL without memory. Valid until the
 * next call.
 */
struct kp_task *kp_tasks_get(struct kp_tasks *tasks, uint32_t pid);

/*
 * Takes the definition of a pid's name; ignores other definitions. Those at time -1 are in time
 * order: the first one is valid until a definition with a time. Returns 0, or -1 without memory.
 */
int kp_tasks_name(struct kp_tasks *tasks, const struct kp_namedef *def);

void kp_tasks_free(struct kp_tasks *tasks);

/*
 * Copies @text to @out, with ? for what cannot be shown, as far as it fits with a NUL. Pads it with
 * NULs. Returns its length.
 */
size_t kp_plain_text(char *out, size_t room, const char *text, size_t len);

/* ---- the trace ---- */

struct kp_source {
	struct kp_trace trace;		/* title may be set before kp_source_open() */
	struct kp_tasks tasks;		/* names at the start of the trace */
	struct kp_raw_about about;
};

/*
 * Opens the file @path (NULL: standard input), and reads on which machine and when it was recorded.
 */
void kp_source_open(struct kp_source *source, const char *path);
/* Reads the whole trace. Then kp_trace_replay() has its rows. */
void kp_source_read(struct kp_source *source);
/* Reports why the rows ended early. @why: the message of the sink, or "". */
void kp_source_failed(const struct kp_source *source, const char *why);
/* Prints "tool: 12 events, 13 spans, COUNT WHAT" and the loss on standard error. */
void kp_source_summary(const struct kp_source *source, const char *tool, uint64_t count,
		       const char *what);
void kp_source_free(struct kp_source *source);

#endif
