/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One row of the span JSON as a record, the header before the rows, and a sink for both. spanjson/
 * reads and writes them as text.
 *
 *   [ 11.08612461, 0.00012654, 1, 47, 0, 65583, 0, 0, 0, "kutrace_control.47"],
 */
#ifndef KP_SPAN_H
#define KP_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define KP_EVENT_USER	65536		/* + pid: own code; arg0 1: kernel thread; 65536: idle */
#define KP_EVENT_CEXIT	0x20000		/* exit from a deep idle state */
#define KP_EVENT_WAKEUP	(-3)
#define KP_EVENT_IPI	(-7)

struct kp_span {
	int64_t start;		/* 10 ns units since the trace base */
	int64_t dur;		/* 10 ns units */
	int32_t cpu;		/* -1: not on a CPU, as a wait */
	int64_t pid;
	int64_t rpc;
	int64_t event;
	int64_t arg0;
	int64_t retval;
	int32_t ipc;
	const char *name;	/* UTF-8, unescaped, without NUL */
	size_t name_len;
};

/*
 * One header key. The value keeps its original text (the digits of a number, the escapes of a
 * string), so that a filter passes unknown values on unchanged.
 */
struct kp_header_item {
	char *key;		/* unescaped, with NUL */
	char *value;		/* JSON text: "x", 3, true, {...} */
};

struct kp_span_sink {
	/* called once, before the first span */
	int (*header)(void *self, const struct kp_header_item *items, size_t count);
	int (*span)(void *self, const struct kp_span *span);
	/* called once, after the last span, if the input is complete */
	int (*end)(void *self);
	void *self;
	/*
	 * Passes on the keys that follow the events in the JSON (views and callouts of the
	 * original's pages). Called at most once, after the last span and before end(), and only if
	 * there are such keys. NULL: the sink ignores them.
	 */
	int (*behind)(void *self, const struct kp_header_item *items, size_t count);
};

/* The header callback of a sink that ignores the header. */
static inline int kp_span_ignore_header(void *self, const struct kp_header_item *items,
					size_t count)
{
	(void)self;
	(void)items;
	(void)count;
	return 0;
}

/* The span callback of a sink that ignores the spans. */
static inline int kp_span_ignore_span(void *self, const struct kp_span *span)
{
	(void)self;
	(void)span;
	return 0;
}

/* The end callback of a sink that ignores the end. */
static inline int kp_span_ignore_end(void *self)
{
	(void)self;
	return 0;
}

/* Returns true for rows of execution on a CPU. The execution rows of a CPU do not overlap. */
static inline bool kp_span_is_execution(const struct kp_span *span)
{
	int64_t e = span->event;

	return span->cpu >= 0 &&
	       (e >= KP_EVENT_USER || (e >= 0x400 && e < 0x1000));
}

/* Returns true for a thread's own code: user code, or the code of a kernel thread. */
static inline bool kp_span_is_own(const struct kp_span *span)
{
	return span->pid && span->event >= KP_EVENT_USER;
}

/* Returns true for the own code of a kernel thread. */
static inline bool kp_span_is_kernel_thread(const struct kp_span *span)
{
	return kp_span_is_own(span) && span->arg0 == 1;
}

/*
 * Returns true for a row in which a CPU leaves a deep idle state. Its duration is an estimate. The
 * name decides, because the user code of pid 65536 has the same event number.
 */
static inline bool kp_span_leaves_idle(const struct kp_span *span)
{
	static const char name[] = "-c-exit-";

	return span->event == KP_EVENT_CEXIT && span->name_len >= sizeof(name) - 1 &&
	       !memcmp(span->name, name, sizeof(name) - 1);
}

/*
 * Returns true for rows that every sum counts as idle: idle of any depth, and the exit from a deep
 * idle state. An interrupt of the idle task is work. templates/js/base/kinds.ts has the same
 * definition.
 */
static inline bool kp_span_is_idle(const struct kp_span *span)
{
	return span->cpu >= 0 && (span->event == KP_EVENT_USER || kp_span_leaves_idle(span));
}

/*
 * Returns true if a part of the span lies in start..stop (10 ns units), so that trimming retains
 * it.
 */
static inline bool kp_span_overlaps(const struct kp_span *span, int64_t start, int64_t stop)
{
	if (span->start > stop)
		return false;
	return span->dur ? span->start + span->dur > start : span->start >= start;
}

#endif
