/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One row of the span JSON as a record, the header before the rows, pauses, and a sink for rows and
 * header. spanjson/ reads and writes them as text.
 *
 *   [ 11.08612461, 0.00012654, 1, 47, 0, 65583, 0, 0, 0, "kutrace_control.47"],
 */
#ifndef KP_MODEL_SPAN_H
#define KP_MODEL_SPAN_H

/* Most callers need <inttypes.h> and <string.h>, and do not include them again. */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "kutrace_events.h"

/*
 * One line of event text as a record, and a sink for such records. eventtext/ writes and reads the
 * text.
 *
 *   1207652033 293 2087 0  51 0  44495 51 0 getpid (827)
 */

struct kp_event {
	/* 10 ns units since the start minute; -1: a name, which sorts first */
	int64_t ts;
	/* duration in 10 ns units; 0: a return, a switch, or a call with a separate return */
	int64_t dur;
	uint32_t event;		/* 12-bit event number */
	int32_t cpu;
	uint32_t pid;
	uint32_t rpc;
	uint32_t arg0;		/* argument: 16 bits; point events have 32 bits */
	int32_t retval;
	uint32_t ipc;
	const char *name;	/* name without NUL; valid until the sink's event() returns */
	size_t name_len;
};

/* A name definition: TS DUR EVENT NUMBER NAME. */
struct kp_namedef {
	int64_t ts;		/* time, as in kp_event.ts */
	uint32_t event;		/* 0x010..0x1FF; the middle digit is 1 + the length in words */
	uint32_t number;
	uint32_t kind;		/* enum kutrace_task_kind of a task; in event text, DUR - 1 */
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

/* idle; with a pid added: the thread's own code (a kernel thread's, if arg0 is 1) */
#define KP_EVENT_USER	65536
#define KP_EVENT_CEXIT	0x20000		/* exit from a deep idle state */
#define KP_EVENT_WAKEUP	(-3)
#define KP_EVENT_IPI	(-7)

struct kp_span {
	int64_t start;		/* start in 10 ns units since the trace base */
	int64_t dur;		/* duration in 10 ns units */
	int32_t cpu;		/* number of the CPU; -1: not on a CPU, such as a wait */
	int64_t pid;
	int64_t rpc;
	int64_t event;
	int64_t arg0;
	int64_t retval;
	int32_t ipc;
	const char *name;	/* name in UTF-8, unescaped, without NUL */
	size_t name_len;
};

/* Returns whether the filters inferred the row with this name: they append a ?. */
static inline bool kp_is_inferred(const char *name, size_t len)
{
	return len && name[len - 1] == '?';
}

/* Reasons of waits, as letters. The event of a wait is KP_WAIT(reason). */
#define KP_THROTTLED	'q'	/* the task's cgroup has used its quota of CPU time */
#define KP_DIRTY	'w'	/* the task has written faster than the disks */
#define KP_RECLAIM	'v'	/* the task frees memory for itself */
#define KP_WAIT(reason)	(KUTRACE_MADE_WAITA + (reason) - 'a')

/* One header key. The value keeps its original text, so that filters pass it on unchanged. */
struct kp_header_item {
	char *key;		/* name of the key, unescaped, with NUL */
	char *value;		/* JSON text of the value: "x", 3, true, {...} */
};

struct kp_span_sink {
	/* Called once, before the first span. */
	int (*header)(void *self, const struct kp_header_item *items, size_t count);
	int (*span)(void *self, const struct kp_span *span);
	/* Called once, after the last span, if the input is complete. */
	int (*end)(void *self);
	void *self;
	/*
	 * Receives the keys that follow the events in the JSON (views and callouts of original
	 * pages), if there are any, after the last span and before end(). NULL: ignored.
	 */
	int (*trailing)(void *self, const struct kp_header_item *items, size_t count);
};

/* Callbacks of a sink that ignores the header, the spans or the end. */
static inline int kp_span_ignore_header(void *self, const struct kp_header_item *items,
					size_t count)
{
	(void)self;
	(void)items;
	(void)count;
	return 0;
}

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

/* Returns true for rows of execution on a CPU. The execution rows of a CPU do not overlap. */
static inline bool kp_span_is_execution(const struct kp_span *span)
{
	int64_t e = span->event;

	return span->cpu >= 0 &&
	       (e >= KP_EVENT_USER || (e >= 0x400 && e < 0x1000));
}

/*
 * Returns true for rows of a time in which the CPU did not run: nothing executed, and the task and its
 * calls continue afterwards.
 */
static inline bool kp_span_is_stopped(const struct kp_span *span)
{
	return span->cpu >= 0 &&
	       (span->event == KUTRACE_MADE_STOPPED || span->event == KUTRACE_MADE_STOLEN);
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
 * Returns true for rows that every sum counts as idle: idle, and the exit from a deep idle state;
 * not an interrupt of the idle task. templates/js/base/kinds.ts does the same.
 */
static inline bool kp_span_is_idle(const struct kp_span *span)
{
	return span->cpu >= 0 && (span->event == KP_EVENT_USER || kp_span_leaves_idle(span));
}

/* Returns true if a part of the span is in start..stop (10 ns units): trimming retains it. */
static inline bool kp_span_overlaps(const struct kp_span *span, int64_t start, int64_t stop)
{
	if (span->start > stop)
		return false;
	return span->dur ? span->start + span->dur > start : span->start >= start;
}

/*
 * A pause of a recording. A trace has a fact "pause=OFF:ON" for each pause. Times are counts in a
 * raw trace, and units of 10 ns everywhere else.
 */
struct kp_pause {
	int64_t off, on;
};

#define KP_PAUSE_CHARS	60	/* size of the fact as text, with the NUL */

/* All zero at the beginning. */
struct kp_pauses {
	struct kp_pause *items;
	size_t count, room;
	size_t next;		/* index of the next pause to return */
	bool begun;		/* kp_pauses_next() was called: items are in order of time */
};

/*
 * In a Perfetto trace, CPU N runs a thread with this number + N and this name during a pause. No
 * task of Linux has such a number.
 */
#define KP_PAUSE_PID	0x400001
#define KP_PAUSE_NAME	"-pause-"

/*
 * Returns true if @text is a fact "pause=OFF:ON" or "partial=FROM:TO" (events of some CPUs are
 * missing), as @key selects. Sets *pause, or {0, 0} if the fact is invalid.
 */
bool kp_pause_parse(const char *key, const char *text, size_t len, struct kp_pause *pause);

/* Writes the fact with @key to @text. Returns its length. */
size_t kp_pause_text(const char *key, const struct kp_pause *pause, char text[KP_PAUSE_CHARS]);

/*
 * Adds a pause. After the first kp_pauses_next(), pauses must be added in order of time; a pause
 * that begins before the end of the last one is ignored. Returns 0, or -1 without memory.
 */
int kp_pauses_add(struct kp_pauses *pauses, const struct kp_pause *pause);

/*
 * Removes the next pause that begins at or before @time, together with all pauses that overlap it,
 * and sets *pause to their union. Returns false if there is none.
 */
bool kp_pauses_next(struct kp_pauses *pauses, int64_t time, struct kp_pause *pause);

void kp_pauses_free(struct kp_pauses *pauses);

/* The header of a span file: an ordered list of keys, whose values are JSON text. */
struct kp_header {
	struct kp_header_item *items;
	size_t count;
};

/* Returns the value (JSON text) of @key, or NULL. */
const char *kp_header_get(const struct kp_header_item *items, size_t count,
			  const char *key);

/* Sets @key to @value (JSON text); both are copied. Returns 0, or -1 without memory. */
int kp_header_set(struct kp_header *header, const char *key, const char *value);

/*
 * Adds @count to the omitted spans in "dropped", a header value {"cause": count, ...}: to the last
 * cause if this is @cause, otherwise as a new one. Returns 0, or -1 without memory.
 */
int kp_header_add_dropped(struct kp_header *header, const char *cause, uint64_t count);

/*
 * Records in "resolution_us" that spans shorter than @resolution (units of 10 ns) were merged or
 * left out, unless the header has a coarser one. Returns 0, or -1 without memory.
 */
int kp_header_coarser(struct kp_header *header, int64_t resolution);

/* Returns the resolution in units of 10 ns, or 0 if the spans have their full resolution. */
int64_t kp_header_resolution(const struct kp_header_item *items, size_t count);

/* Returns the value (JSON text) of the fact @name in the header's "coverage", or NULL. */
const char *kp_header_fact(const struct kp_header_item *items, size_t count, const char *name);
/* Returns the number of lost events of all causes; -1: the trace does not record it. */
int64_t kp_header_lost(const struct kp_header_item *items, size_t count);

/* Sets *partial to the interval (10 ns units) of a fact "partial". Returns false without one. */
bool kp_header_partial(const struct kp_header_item *items, size_t count, struct kp_pause *partial);

/* Makes a deep copy of @items, for kp_header_free(). Returns 0, or -1 without memory. */
int kp_header_copy(struct kp_header *header, const struct kp_header_item *items,
		   size_t count);
void kp_header_free(struct kp_header *header);

/*
 * Recognize the scheduler by its number in KUtrace 3 until 2023: the last 64-bit system call
 * (0x9FF, return 0xBFF), with the name -sched-. Today the scheduler is the last 32-bit system call.
 * The file version does not distinguish these two numbers.
 *
 * The caller must check that the trace can be so old: it has no facts (META), and no event has
 * today's number of the scheduler.
 */

#define KP_CALL_OLD_SCHED	(KUTRACE_CALL_SYSCALL64 + KUTRACE_COUNT_SYSCALL64 - 1)

/* Returns whether the event is the call or return of system call 511 with the name -sched-. */
static inline bool kp_is_old_sched(const struct kp_event *event)
{
	const bool back = event->event & KUTRACE_RETURN_BIT;

	return (event->event & ~(uint32_t)KUTRACE_RETURN_BIT) == KP_CALL_OLD_SCHED &&
	       event->name_len == 7U + back && (!back || event->name[0] == '/') &&
	       !memcmp(event->name + back, "-sched-", 7);
}

/* Returns whether the row is this call or return. Its name may end with a question mark. */
static inline bool kp_is_old_sched_span(const struct kp_span *span)
{
	return (span->event & ~(int64_t)KUTRACE_RETURN_BIT) == KP_CALL_OLD_SCHED &&
	       span->name_len >= 7 && !memcmp(span->name, "-sched-", 7);
}

/* Returns whether the event is the call or return of the scheduler, by today's number. */
static inline bool kp_is_sched(const struct kp_event *event)
{
	return (event->event & ~(uint32_t)KUTRACE_RETURN_BIT) == KUTRACE_CALL_SCHED;
}

#endif
