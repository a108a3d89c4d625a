/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One row of the span JSON as a record, the header in front of the rows, and
 * the sink that takes both. spanjson/ reads and writes them as text.
 *
 *   [ 11.08612461, 0.00012654, 1, 47, 0, 65583, 0, 0, 0, "kutrace_control.47"],
 *
 * Used by what makes, passes on or takes spans.
 */
#ifndef KP_SPAN_H
#define KP_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define KP_EVENT_USER	65536		/* + pid: user execution, arg0 1: of a kernel thread; 65536: idle */
#define KP_EVENT_CEXIT	0x20000		/* coming out of a deep idle state */
#define KP_EVENT_WAKEUP	(-3)
#define KP_EVENT_IPI	(-7)

struct kp_span {
	int64_t start;		/* 10 ns units since the trace base */
	int64_t dur;		/* 10 ns units */
	int32_t cpu;		/* -1: not on a CPU (waits) */
	int64_t pid;
	int64_t rpc;
	int64_t event;
	int64_t arg0;
	int64_t retval;
	int32_t ipc;
	const char *name;	/* UTF-8, unescaped, not NUL-terminated */
	size_t name_len;
};

/*
 * One header key. Values keep the text they were written with (a number stays
 * the same digits, a string its escapes), so that a filter passes on unchanged
 * what it does not know.
 */
struct kp_header_item {
	char *key;		/* unescaped, NUL-terminated */
	char *value;		/* JSON text: "x", 3, true, {...} */
};

struct kp_span_sink {
	/* called once, before the first span */
	int (*header)(void *self, const struct kp_header_item *items, size_t count);
	int (*span)(void *self, const struct kp_span *span);
	/* called once, after the last span: the input was whole */
	int (*end)(void *self);
	void *self;
	/*
	 * Keys that stand behind the events in the JSON (views and callouts of the
	 * original's pages), for a sink that passes on all it is given; or NULL.
	 * Called once, if there are any, after the last span and before end().
	 */
	int (*behind)(void *self, const struct kp_header_item *items, size_t count);
};

/* The header callback of a sink that wants only the spans. */
static inline int kp_span_ignore_header(void *self, const struct kp_header_item *items,
					size_t count)
{
	(void)self;
	(void)items;
	(void)count;
	return 0;
}

/* Those of one that wants neither spans nor to know that they have ended. */
static inline int kp_span_ignore_span(void *self, const struct kp_span *span)
{
	(void)self;
	(void)span;
	return 0;
}

static inline int kp_span_ignore_end(void *self)
{
	(void)self;
	return 0;
}

/* true for rows that are execution on a CPU: exactly one covers each instant. */
static inline bool kp_span_is_execution(const struct kp_span *span)
{
	int64_t e = span->event;

	return span->cpu >= 0 &&
	       (e >= KP_EVENT_USER || (e >= 0x400 && e < 0x1000));
}

/* Returns true if the row is a thread's own code, in user mode or, of a kernel thread, in the kernel. */
static inline bool kp_span_is_own(const struct kp_span *span)
{
	return span->pid && span->event >= KP_EVENT_USER;
}

/* Returns true if the row is the own code of a thread that never leaves the kernel. */
static inline bool kp_span_is_kernel_thread(const struct kp_span *span)
{
	return kp_span_is_own(span) && span->arg0 == 1;
}

/*
 * Returns true for a row in which a CPU comes out of a deep idle state. Its length is an
 * estimate. The name decides, because pid 65536's user code has the same event.
 */
static inline bool kp_span_leaves_idle(const struct kp_span *span)
{
	static const char name[] = "-c-exit-";

	return span->event == KP_EVENT_CEXIT && span->name_len >= sizeof(name) - 1 &&
	       !memcmp(span->name, name, sizeof(name) - 1);
}

/*
 * Returns true for rows that every sum counts as idle: idle of any depth, and the way out
 * of it. An interrupt in the idle task is work. templates/js/base/kinds.js has the same
 * definition.
 */
static inline bool kp_span_is_idle(const struct kp_span *span)
{
	return span->cpu >= 0 && (span->event == KP_EVENT_USER || kp_span_leaves_idle(span));
}

/* true when any of the span lies in start..stop (10 ns units): trimming keeps it. */
static inline bool kp_span_overlaps(const struct kp_span *span, int64_t start, int64_t stop)
{
	if (span->start > stop)
		return false;
	return span->dur ? span->start + span->dur > start : span->start >= start;
}

#endif
