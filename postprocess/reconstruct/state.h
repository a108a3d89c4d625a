/* SPDX-License-Identifier: BSD-3-Clause */
/* State of the reconstruction, and the functions that its files share (first: state.c). */
#ifndef KP_RECONSTRUCT_STATE_H
#define KP_RECONSTRUCT_STATE_H

#include <stdio.h>

#include "model/names.h"
#include "reconstruct/stats.h"

/*
 * An RPC in a queue. Links are indexes + 1; 0: none. Adding and removing an item take constant
 * time.
 */
struct kp_queued {
	int64_t ts;
	uint32_t queue, rpc, pid;
	int cpu;
	const struct kp_str *name;	/* name of the queue */
	uint32_t next, prev;		/* next and previous item of the queue, oldest first */
	uint32_t next_same;		/* next item with the same queue and RPC, oldest first */
};

struct kp_queue_list {
	uint32_t first, last;
};

/* Queues of RPCs. An empty table is all zeros. */
struct kp_queues {
	KP_VECTOR(struct kp_queued) items;
	uint32_t unused;		/* first unused item, linked by next */
	KP_VECTOR(struct kp_queue_list) lists;
	struct kp_map by_queue;		/* map from a queue to the list of its items */
	struct kp_map by_rpc;		/* map from queue and RPC to the list of its items */
};

/* Adds a copy of @item, whose links are ignored. Returns 0, or -1 without memory. */
int kp_queues_put(struct kp_queues *queues, const struct kp_queued *item);
/*
 * Removes the oldest item of @queue with @rpc, or the oldest item of @queue if none has @rpc, and
 * copies it to @item. Returns false if the queue is empty.
 */
bool kp_queues_take(struct kp_queues *queues, uint32_t queue, uint32_t rpc, struct kp_queued *item);
/* Empties all queues. */
void kp_queues_free(struct kp_queues *queues);

#define KP_DEPTH	16	/* maximum number of frames of a CPU's stack */
#define KP_PENDING_MAX	64	/* maximum number of struct kp_pending of a task */
#define KP_MIN_WAIT	10	/* units of 10 ns; shorter waits have no row */
/* maximum number of IPIs or stores to a CPU that the CPU has not handled */
#define KP_IPIS_MAX	256

/* A frame of the stack: user code (KP_EVENT_USER), or a pending call with its event number. */
struct kp_frame {
	uint32_t event;
	uint32_t arg0;
	const struct kp_str *name;	/* NULL for user code */
};

/*
 * A span that is user code or a system call. A later event shows which of the two
 * (KP_BOTTOM_UNRESOLVED).
 */
struct kp_pending {
	int64_t start, dur;
	int32_t cpu;
	uint32_t rpc;
	uint32_t ipc;
};

/* Source of a task's name. A later source in this list replaces an earlier one. */
enum kp_name_source {
	KP_NAMED_NOT,
	/* definition at time -1, before all events; the task may have got this name later */
	KP_NAMED_FRONT,
	KP_NAMED_SWITCH,	/* text of a context switch */
	KP_NAMED_TIME,		/* definition with the time at which the task got the name */
};

/* A packet or message that waits for its counterpart. If name is NULL, the struct is unused. */
struct kp_packet {
	uint32_t hash;
	struct kp_span row;
	const struct kp_str *name;
};

#define KP_PACKETS	4096	/* 2^12, because kp_slot() returns 12 bits of a hash */
#define KP_IDLE_STATES	16

/* The time in which a task did not run, and the wakeup that ended it. */
struct kp_absence {
	int64_t off;		/* time at which the task stopped running; -1: not recorded */
	int64_t woken;		/* time at which the task became runnable; -1: not recorded */
	uint32_t waker_pid, waker_rpc;
	int waker_cpu;
	char reason;
};

/*
 * State of the bottom frame of a task's stack. A task that is new in the trace runs user code, or a
 * system call that began earlier. Its spans are unresolved until a later event shows which of the
 * two it ran.
 *
 *	the task is new,             an interrupt follows
 *	or its switch was missed     its first switch
 *	  ------------> KP_BOTTOM_UNRESOLVED ------------> KP_BOTTOM_DEFERRED
 *	                    |            <------------------
 *	                    |         another event follows: kp_rec_resolve(),
 *	                    |         or the scheduler returns: kp_rec_resolve_scheduler()
 *	                    v
 *	              KP_BOTTOM_USER: an event shows which, and kp_rec_decide() writes the spans
 *
 * A deferred span is a span of the scheduler that may have ended at the switch or later. So this
 * span and the rows of the wait before the task's first span are not written yet.
 */
enum kp_bottom { KP_BOTTOM_USER, KP_BOTTOM_UNRESOLVED, KP_BOTTOM_DEFERRED };

struct kp_task {
	uint32_t pid;
	const struct kp_str *name;	/* name in rows: "work.51" */
	const struct kp_str *comm;	/* name of the task: "work" */
	/* all names of the task: "init+work"; NULL while there is one name */
	const struct kp_str *all;
	enum kp_name_source named;
	int cpu;			/* number of the CPU that runs the task; -1: none */

	/* stack while the task does not run, without frame 0 (user code) */
	struct kp_frame *saved;
	uint32_t saved_count, saved_room;
	enum kp_bottom bottom;
	bool ran;		/* the task was seen to stop running */
	/* the exit of the task was recorded: a new thread may get its pid */
	bool exiting;
	uint32_t life;		/* number of earlier threads with this pid in the trace */
	/* enum kutrace_task_kind; if it is unknown, the next three members decide */
	uint8_t kind;
	bool kernel_name;	/* the name of the task is the name of a kernel thread */
	bool kernel_made;	/* kthreadd created the task */
	bool user;		/* the task did something that only user code can do */
	struct kp_pending *pending;
	uint32_t pending_count;
	/* if KP_BOTTOM_DEFERRED: the scheduler's span, and the wait before the task's first span */
	struct kp_span deferred;
	struct kp_frame deferred_frame;
	struct kp_absence deferred_absence;

	struct kp_absence away;

	uint32_t rpc;			/* current RPC; 0: none */
	int64_t rpc_start;
	int rpc_cpu;
	const struct kp_str *rpc_name;
	/* a sent message that waits for its packet, or a received packet that waits for its message */
	struct kp_packet message;

	/* the task is in the list rec->touched */
	bool touched;
	struct kp_task *next_touched;
};

/*
 * IPIs to a CPU, or stores to the memory that the CPU monitors, that the CPU has not handled yet.
 */
struct kp_ipis {
	struct kp_ipi {
		int64_t ts;
		int cpu;		/* number of the sending CPU */
	} list[KP_IPIS_MAX];
	uint32_t count;
};

/*
 * State of a context switch on a CPU. A span of the scheduler belongs to the previous task
 * (span_task) until the span ends; then the next task (task) arrives.
 *
 *	         a switch in the scheduler          the scheduler's span ends, by its
 *	                                            return or by an interrupt
 *	KP_SWITCH_NONE ------------> KP_SWITCH_ARRIVING ------------> KP_SWITCH_ARRIVED
 *	      ^ |                                                         ^  |
 *	      | +--- a switch in the scheduler to the task of its span ---+  |
 *	      +--------------------------------------------------------------+
 *	        the scheduler begins or returns, the task is found to be new,
 *	        or a switch outside the scheduler
 */
enum kp_switching { KP_SWITCH_NONE, KP_SWITCH_ARRIVING, KP_SWITCH_ARRIVED };

struct kp_cpu {
	int id;
	/* the CPU has had an event other than a block header since the last pause */
	bool started;
	int64_t paused;		/* end of the last pause, until the CPU's next event; then -1 */
	struct kp_frame frames[KP_DEPTH];
	int depth;		/* number of frames, at least 1 */
	struct kp_task *task;	/* task of this stack; pid 0: idle */
	int64_t start;		/* start of the current span */
	int64_t last;		/* time of the last event */
	struct kp_task *span_task;	/* task of the current span */
	uint32_t span_rpc;
	uint32_t rpc;		/* RPC of the last event */
	enum kp_switching switching;
	bool resumed;		/* the current span began when task arrived */
	bool preempted;		/* task had no wakeup since its last run, so it is not new */
	bool not_idle;		/* the idle task made a system call, so another task runs */
	int64_t switch_time;	/* time of the last recorded context switch; -1: none */
	uint32_t switch_from;	/* pid before that switch; UINT32_MAX: unknown */

	/* return of a merged call, which is handled before the next later event of any CPU */
	bool due;
	struct kp_cpu *next_due;
	int64_t due_ts;
	uint32_t due_call, due_ipc;
	int32_t due_retval;

	uint32_t idle_state;	/* idle state in the current span; 0: none */
	int64_t sampled;	/* time of the last PC sample, or of the first event */
	int64_t freq_since;	/* time of the last frequency event; -1: frequency unknown */
	uint32_t freq_mhz;
	struct kp_ipis ipis;	/* IPIs to the CPU */
	struct kp_ipis stores;	/* stores to the memory that the sleeping CPU monitors */
	char store_reason;	/* wait reason of a wakeup by such a store; 0: none */
};

struct kp_lock_wait {
	int64_t tried, acquired;	/* times of these operations; -1: none */
	uint32_t pid;
	uint32_t life;			/* number of earlier threads with the pid */
};

struct kp_reconstruct {
	struct kp_span_sink sink;
	struct kp_reconstruct_stats stats;
	int err;		/* first error, as returned by the functions */
	char message[200];
	FILE *trace;		/* output for a line about each inference; NULL: no lines */
	bool begun;		/* the header was written */

	struct kp_cpu *cpus[KUTRACE_CPUS];
	struct kp_cpu *due;	/* list of the CPUs with a return that is due, earliest first */
	struct kp_task **tasks;
	size_t task_count, task_room;
	struct kp_map task_map;		/* pid -> index */
	struct kp_task *touched;	/* list of tasks whose state a pause resets */
	struct kp_task idle;
	struct kp_strings strings;
	struct kp_names names;		/* names that are valid at the current time */
	const struct kp_str *name_cache[4096];
	const struct kp_str *idle_name, *lowpower_name, *cexit_name, *ipi_name, *wakeup_name, *pause_name;
	signed char reasons[4096];	/* wait reason of each call event; 0: not computed yet */

	/* states of locks, by lock hash and pid */
	struct kp_map lock_map;
	struct kp_lock_wait *locks;
	size_t lock_count, lock_room;
	struct kp_queues queues;
	uint32_t mbit;
	/* hash table of packets that wait; not searched if packets_held is false */
	struct kp_packet packets[KP_PACKETS];
	bool packets_held;

	struct kp_pauses pauses;
	int64_t resumes;	/* end of the last pause; 0: there was none */
	bool any;		/* true after the first event */

	/* members for the header */
	char *title;
	char base[24];		/* "2026-11-20_08:50:00" */
	int64_t start_s;	/* time 0 in seconds since 1970, UTC; 0: unknown */
	char trace_id[37];	/* id of the trace; "": unknown */
	uint32_t version, flags;
	/* times of the first and last event in the comments, 10 ns units */
	int64_t announced_first, announced_last;
	uint64_t dropped_first_block, dropped_words;
	char **meta_items;		/* distinct facts "key=value" */
	size_t meta_count, meta_room;
	/* true if tracepoints are the back end: see docs/design/reconstruction.md */
	bool tracepoints;
	bool preempt_rt;	/* true if softirqs run in threads */
	bool new_sched;		/* true if an event had the present number of the scheduler */
	bool exit_latency;	/* true if idle states are arguments of x86 mwait */
	/* exit latency of each idle state, from the trace; 10 ns units */
	int64_t exit_units[KP_IDLE_STATES];
	char scratch[512];
};

int kp_rec_fail(struct kp_reconstruct *rec, const char *what);
int kp_rec_no_memory(struct kp_reconstruct *rec);
/* Returns the only copy of @text in rec->strings. Without memory, sets rec->err and returns "". */
const struct kp_str *kp_rec_str(struct kp_reconstruct *rec, const char *text, size_t len);
/* Counts @row as inferred. Returns its name with a ? appended. */
const struct kp_str *kp_rec_inferred_name(struct kp_reconstruct *rec, const struct kp_span *row,
					  const struct kp_str *name);
/* Writes a row to the sink. After an error, writes nothing. */
void kp_rec_row(struct kp_reconstruct *rec, const struct kp_span *row,
		const struct kp_str *name);
struct kp_cpu *kp_rec_cpu(struct kp_reconstruct *rec, int id);
/* Resets the state of the CPU, except the members id and paused. */
void kp_rec_cpu_reset(struct kp_reconstruct *rec, struct kp_cpu *cpu);
/* Prints an inference to rec->trace, if it is set. */
void kp_rec_log(struct kp_reconstruct *rec, const struct kp_cpu *cpu, int64_t ts,
		const char *what, const struct kp_str *name);

static inline bool kp_is_syscall(uint32_t call)
{
	return call >= KUTRACE_CALL_SYSCALL64 && call != KUTRACE_CALL_SCHED &&
	       call < KP_EVENT_USER;
}

static inline bool kp_is_trap(uint32_t call)
{
	return call >= KUTRACE_CALL_TRAP && call < KUTRACE_CALL_IRQ;
}

/* Returns true for an interrupt or a softirq. */
static inline bool kp_is_irq(uint32_t call)
{
	return call >= KUTRACE_CALL_IRQ && call <= KUTRACE_CALL_BH;
}

/* Returns true if no thread can preempt @call. With PREEMPT_RT, softirqs run in threads. */
static inline bool kp_holds_cpu(const struct kp_reconstruct *rec, uint32_t call)
{
	return kp_is_irq(call) && !(rec->preempt_rt && call == KUTRACE_CALL_BH);
}

/*
 * ---- execution.c ----
 *
 * Between the first and the last event of a CPU, exactly one span covers each instant, except in
 * pauses. Each span begins where the previous one ends.
 */

static inline struct kp_frame *kp_rec_top(struct kp_cpu *cpu)
{
	return &cpu->frames[cpu->depth - 1];
}

/*
 * Returns true if the CPU's task is unknown after a switch that was not recorded, until the next
 * recorded switch. The signs are: the task was seen on another CPU, or the idle task made a system
 * call.
 */
static inline bool kp_rec_context_unknown(const struct kp_reconstruct *rec, const struct kp_cpu *cpu)
{
	if (cpu->switching == KP_SWITCH_ARRIVING)
		return false;
	return cpu->task == &rec->idle ? cpu->not_idle : cpu->task->cpu != cpu->id;
}

/* Ends the span of the top frame at @ts, with @retval and @ipc. The next span begins at @ts. */
void kp_rec_close(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts,
		  int32_t retval, uint32_t ipc, bool inferred);
/*
 * Ends the span like kp_rec_close(), but the row has the event of @as instead of the top frame's,
 * unless @as is NULL.
 */
void kp_rec_close_as(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts,
		     const struct kp_frame *as, int32_t retval, uint32_t ipc, bool inferred);
/* Ends the span of the top frame, and pops the frame. */
void kp_rec_pop(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts,
		int32_t retval, uint32_t ipc, bool inferred);
/* Begins the next span at @ts, and completes a context switch in the scheduler. */
void kp_rec_next_span(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts);
/* Pops the interrupts from the top of the stack. */
void kp_rec_end_irqs(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts);
/* Handles the start or the end of an idle state. */
void kp_rec_idle_state(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		       const struct kp_event *event);

/* ---- task.c: names, saved stacks, waits and wakeups ---- */

/* Returns the task of @pid, created if needed; for pid 0 &rec->idle; NULL without memory. */
struct kp_task *kp_rec_task(struct kp_reconstruct *rec, uint32_t pid);
/* Resets the task's state. Its unresolved and deferred spans must have been written before. */
void kp_rec_task_reset(struct kp_reconstruct *rec, struct kp_task *task);
/* Sets the name of thread def->number, and its kind if @def has one. */
void kp_rec_task_name(struct kp_reconstruct *rec, const struct kp_namedef *def,
		      enum kp_name_source source);
/*
 * Begins the life of a new thread with the pid, and at first the name, of @old, which has exited.
 * Returns the new thread's task: @old, or a new one if @old is still on a CPU; NULL without memory.
 */
struct kp_task *kp_rec_next_life(struct kp_reconstruct *rec, struct kp_task *old);
/* Returns true if the task has exited and left its CPU: only a new thread of its pid can run. */
static inline bool kp_rec_is_dead(const struct kp_task *task)
{
	return task->exiting && task->cpu < 0;
}
/*
 * Records that a context switch to @pid has no name, so the name of @pid at time -1 belongs to a
 * later thread.
 */
void kp_rec_task_unnamed(struct kp_reconstruct *rec, uint32_t pid);
/* Returns true for a kernel thread. Infers this if the trace does not record the task's kind. */
static inline bool kp_rec_in_kernel(const struct kp_task *task)
{
	if (task->kind != KUTRACE_TASK_UNKNOWN)
		return task->kind != KUTRACE_TASK_USER;
	return (task->kernel_name || task->kernel_made) && !task->user;
}
void kp_rec_arrive(struct kp_reconstruct *rec, struct kp_task *task, int cpu,
		   int64_t ts);
/* Records that the task has left @cpu, unless it was seen on another CPU. */
void kp_rec_depart(struct kp_reconstruct *rec, struct kp_task *task, int cpu, int64_t ts);
void kp_rec_runnable(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		     const struct kp_event *event);
/* Returns the wait reason of a task that @cpu wakes now, as a letter; z: unknown. */
char kp_rec_reason(struct kp_reconstruct *rec, const struct kp_cpu *cpu);
/* Saves frames[1..count-1] until the task runs again. */
void kp_rec_save(struct kp_reconstruct *rec, struct kp_task *task,
		 const struct kp_frame *frames, int count);
void kp_rec_pend(struct kp_reconstruct *rec, struct kp_task *task,
		 const struct kp_pending *span);
/*
 * Writes the unresolved spans as spans of @frame; NULL: as user code. The last span gets @retval.
 */
void kp_rec_decide(struct kp_reconstruct *rec, struct kp_task *task,
		   const struct kp_frame *frame, int32_t retval, bool inferred);
/* Resolves the deferred span of the scheduler, if there is one: the span ended at the switch. */
void kp_rec_resolve(struct kp_reconstruct *rec, struct kp_task *task);
/* Resolves the deferred span: the unresolved spans since the switch belong to the scheduler. */
void kp_rec_resolve_scheduler(struct kp_reconstruct *rec, struct kp_task *task, int32_t retval);
/*
 * Writes the unresolved spans as user code, because no event follows that could show a system call.
 */
void kp_rec_task_end(struct kp_reconstruct *rec, struct kp_task *task);
/* Writes a mark at the beginning of the trace, if the task has had more than one name. */
void kp_rec_task_names(struct kp_reconstruct *rec, const struct kp_task *task);
void kp_rec_task_free(struct kp_reconstruct *rec);

/* ---- stack.c: calls, returns and context switches ---- */

void kp_rec_call(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		 const struct kp_event *event);
/* Handles a return. @event is the event of the return, or NULL if the return was merged. */
void kp_rec_return(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		   const struct kp_event *event, int64_t ts, uint32_t call,
		   int32_t retval, uint32_t ipc);
/* Handles the return of a merged call, if it is due. The call ends at @ts at the latest. */
void kp_rec_due(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts);
/* Handles all returns that are due before an event of CPU @id at @ts, in order of time. */
void kp_rec_all_due(struct kp_reconstruct *rec, int64_t ts, int id);

void kp_rec_switch(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		   const struct kp_event *event);
/* Handles an event that shows that a context switch to event->pid was not recorded. */
void kp_rec_gap(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		const struct kp_event *event);

/* ---- point.c: IPIs, samples, frequencies, RPCs, locks, queues, messages, packets ---- */

void kp_rec_point(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		  const struct kp_event *event);
/* Ends the IPI arcs to @cpu, if the interrupt on top of its stack is an IPI. */
void kp_rec_ipi_taken(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts);
/* Ends the arcs of stores to memory that @cpu monitors: the CPU runs and has seen them. */
void kp_rec_stores_seen(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts);
void kp_rec_point_end(struct kp_reconstruct *rec, struct kp_cpu *cpu);
/* Writes the row of an event in a pause. Changes no state. */
void kp_rec_point_alone(struct kp_reconstruct *rec, const struct kp_event *event);
/* Forgets locks and queues. */
void kp_rec_point_forget(struct kp_reconstruct *rec);
void kp_rec_rpc_end(struct kp_reconstruct *rec, struct kp_task *task, int64_t ts);
void kp_rec_point_free(struct kp_reconstruct *rec);

/* Writes the row of a packet in the kernel or in user code, or holds it for its counterpart. */
void kp_rec_packet(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		   const struct kp_span *row, const struct kp_str *name);
/* Handles a message that user code received or sent at row->start. */
void kp_rec_packet_message(struct kp_reconstruct *rec, struct kp_cpu *cpu,
			   struct kp_span *row, const struct kp_str *name);
/* Write the rows of kernel packets, or of a task's message, that have no counterpart. */
void kp_rec_packet_end(struct kp_reconstruct *rec);
void kp_rec_packet_task_end(struct kp_reconstruct *rec, struct kp_task *task);

/* ---- header.c: the header of the span JSON, from comments and names of the trace ---- */

void kp_rec_comment(struct kp_reconstruct *rec, const char *text, size_t len);
void kp_rec_meta(struct kp_reconstruct *rec, const char *text, size_t len);
void kp_rec_header(struct kp_reconstruct *rec);
void kp_rec_header_free(struct kp_reconstruct *rec);

#endif
