/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Begins and ends exporters of rows: reads the raw trace and the names of its tasks, and prints a
 * summary. Exits the program after an error. Also joins calls.
 */
#ifndef KP_EXPORT_SOURCE_H
#define KP_EXPORT_SOURCE_H

#include "report/calls.h"
#include "transform/trace.h"

/* ---- tasks: names, and the CPU on which each task last ran ---- */

#define KP_TASK_NAME	16	/* size of a name in the kernel, with the NUL */

struct kp_task {
	uint32_t pid;
	int32_t last_cpu;	/* CPU on which the task last ran; -1: none yet */
	uint64_t away_at;	/* for CTF: file offset of the state with which the task left
				 * its CPU; UINT64_MAX: none */
	int32_t away_cpu;
	bool named;		/* the trace has the name of the task */
	int32_t priority;	/* own priority in the kernel's numbers, see kp_kernel_priority() */
	uint32_t process, parent;	/* for CTF: pids, from the task's identity; 0: unknown */
	uint8_t inherited;	/* for CTF: as in an event of KUTRACE_PRIORITY_PI */
	bool ended;		/* the priorities are those of an exited task; a later owner of the pid does not get them */
	/* for CTF: the task's exit was recorded; the task has left its CPU */
	bool exiting, off;
	bool making;		/* the task is in a call that creates a task */
	bool made;		/* a new task has got this pid, but was not woken and has not run yet */
	char name[KP_TASK_NAME];	/* valid UTF-8 without control characters, padded with
					 * NULs */
};

#define KP_PRIORITY_USUAL	120	/* nice 0, in the kernel's numbers */

/*
 * Returns the number that the kernel has for a policy and priority, such as "FIFO 50" or "nice -5
 * inherited" (kutrace_priority.h): -1 deadline, 0 to 98 for RT priority 99 to 1, 100 to 139 for nice
 * -20 to 19. Returns KP_PRIORITY_USUAL for a text that it does not know.
 */
int32_t kp_kernel_priority(const char *text, size_t len);

struct kp_tasks {
	struct kp_map index;	/* pid -> index in list */
	KP_VECTOR(struct kp_task) list;
};

/* Returns the task, or a new one named "pidN"; NULL without memory. Valid until the next call. */
struct kp_task *kp_tasks_get(struct kp_tasks *tasks, uint32_t pid);
/* Forgets the priorities of a task that has exited, because another task has its pid. */
void kp_task_forget_priority(struct kp_task *task);
/* Stores a recorded priority of the task that has the pid now. */
void kp_task_set_priority(struct kp_task *task, const char *text, size_t len);

/*
 * Sets the name of a pid from its definition. Ignores other definitions. Of several definitions at
 * time -1, the first one applies until a definition with a time. Returns 0, or -1 without memory.
 */
int kp_tasks_name(struct kp_tasks *tasks, const struct kp_namedef *def);

void kp_tasks_free(struct kp_tasks *tasks);

/*
 * Copies @text to @out, with ? for each character that cannot be shown. Cuts it to @room - 1 bytes,
 * and pads @out with NULs. Returns the length of the copy.
 */
size_t kp_plain_text(char *out, size_t room, const char *text, size_t len);

struct kp_source {
	struct kp_trace trace;		/* the caller may set title before kp_source_open() */
	struct kp_tasks tasks;		/* names at the start of the trace */
	struct kp_raw_about about;
};

/* Opens @path (NULL: standard input), and reads the machine and the time of the recording. */
void kp_source_open(struct kp_source *source, const char *path);
/* Reads the whole trace, whose rows kp_trace_replay() then passes on. */
void kp_source_read(struct kp_source *source);
/*
 * If @err is nonzero, reports why the export failed; @why is the message of the sink, or "".
 * Otherwise prints "tool: 12 events, 13 spans, COUNT WHAT" and the losses to standard error, and
 * keeps the output even if the trace is damaged. Returns the exit status.
 */
int kp_source_status(const struct kp_source *source, int err, const char *why, const char *tool,
		     uint64_t count, const char *what);
void kp_source_free(struct kp_source *source);

/*
 * ---- one thread's calls as slices that nest ----
 *
 * report/calls.h decides which spans belong to one call. The sink gets the beginning and the end of
 * each call in time order, with inner calls between them.
 */

/* maximum number of items that wait until an end is resolved */
#define KP_CALLS_WAIT	4096

struct kp_call {
	bool inferred;		/* some of the call's spans are inferred */
	int64_t arg0, retval;
	int64_t at;		/* time of the beginning or of the end, in units of 10 ns */
	const struct kp_str *name;	/* name without a ? at the end */
};

/* The beginning or the end of a call. */
struct kp_calls_item {
	bool is_end;
	bool unresolved;		/* an end that is invalid if the call continues */
	bool retracted;		/* a removed end: the call has continued */
	struct kp_call call;
};

/* The calls of one thread. All zero before the first span. */
struct kp_calls {
	struct kp_joiner joiner;
	KP_VECTOR(struct kp_calls_item) items;	/* waiting and passed-on items */
	/* number of first items that were passed on already */
	size_t told;
	/* index + 1 of each call's unresolved end; 0: none */
	size_t end[KP_JOINER_DEPTH];
	bool lasts[KP_JOINER_DEPTH];		/* decide() assumed that the call continues */
	int64_t last;				/* time of the last item */
	bool any;
};

struct kp_calls_sink {
	void (*begin)(void *self, const struct kp_call *call);
	void (*end)(void *self, const struct kp_call *call);
	void *self;
};

/*
 * Adds the next execution span of the thread, in time order. Interrupts and softirqs are not calls
 * of the thread. @paused: as in struct kp_joiner_sink. @strings stores the names. Returns 0, or -1
 * without memory.
 */
int kp_calls_span(struct kp_calls *calls, const struct kp_span *span, int64_t paused,
		  struct kp_strings *strings, const struct kp_calls_sink *sink);

/* Ends the thread: open calls end with their last spans. Returns 0, or -1 without memory. */
int kp_calls_end(struct kp_calls *calls, const struct kp_calls_sink *sink);

void kp_calls_free(struct kp_calls *calls);

#endif
