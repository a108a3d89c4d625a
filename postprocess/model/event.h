/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One line of event text as a record, and a sink for such records. eventtext/ writes and reads the
 * text; eventtospan is another sink.
 *
 *   1207652033 293 2087 0  51 0  44495 51 0 getpid (827)
 */
#ifndef KP_EVENT_H
#define KP_EVENT_H

#include <stddef.h>
#include <stdint.h>

struct kp_event {
	int64_t ts;		/* 10 ns units since the start minute; -1 = name, sorts first */
	int64_t dur;		/* 10 ns units; 0: return, switch, call that is not merged */
	uint32_t event;		/* 12-bit event number */
	int32_t cpu;
	uint32_t pid;
	uint32_t rpc;
	uint32_t arg0;		/* 16 bits, or 32 of a point event */
	int32_t retval;
	uint32_t ipc;
	const char *name;	/* without NUL; valid until the sink's event() returns */
	size_t name_len;
};

/* A name definition: TS DUR EVENT NUMBER NAME. */
struct kp_namedef {
	int64_t ts;		/* as kp_event.ts */
	uint32_t event;		/* 0x010..0x1FF; the middle digit is the length in words + 1 */
	uint32_t number;
	uint32_t kind;		/* of a task: enum kutrace_task_kind; in event text, DUR - 1 */
	const char *name;
	size_t name_len;
};

/* A receiver of events. A comment is a line that begins with #; some contain facts of the trace. */
struct kp_event_sink {
	int (*event)(void *self, const struct kp_event *event);
	int (*namedef)(void *self, const struct kp_namedef *def);
	int (*comment)(void *self, const char *text, size_t len);
	void *self;
};

#endif
