/* SPDX-License-Identifier: BSD-3-Clause */
/* State of the reconstruction, and the functions that its files share (first: state.c). */
#ifndef KP_RECONSTRUCT_STATE_H
#define KP_RECONSTRUCT_STATE_H

#include <stdio.h>

#include "common/disk_text.h"
#include "common/entry.h"
#include "common/timer_text.h"
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

#define KP_QUOTAS	4	/* maximum number of cgroups with a quota that a task is known to be in */

/* A time in which a cgroup was throttled on a CPU. */
struct kp_throttle {
	int64_t since;
	int64_t until;		/* INT64_MAX: not over */
};

/* The queue of a cgroup on a CPU: the argument of its events without KUTRACE_QUOTA_OWN. */
struct kp_quota {
	uint32_t queue;
	KP_VECTOR(struct kp_throttle) throttles;	/* sorted by time */
};

/* A throttling that is over. */
struct kp_quota_end {
	struct kp_throttle throttle;
	uint32_t queue;
};

/* The policy and the priority of a thread. */
struct kp_priority {
	uint32_t pid;
	uint32_t inherited;	/* inherited priority (kutrace_priority.h); KUTRACE_PRIORITY_OWN: none */
	int64_t since;		/* time from which the thread has the priority; -1: before all events */
	const struct kp_str *own;	/* its own policy and priority: "FIFO 50"; NULL: the usual one */
};

#define KP_IDLE_MIN	1000	/* least idle time of a CPU beside a throttled task; units of 10 ns */
/* idle time within which the load balancer moves a waiting task to the idle CPU; units of 10 ns */
#define KP_BALANCED	1000000

/* State of a request with a number. A later request of the disk gets the same number. */
enum kp_disk_state { KP_DISK_NONE, KP_DISK_ISSUED, KP_DISK_REQUEUED };

struct kp_disk_request {
	enum kp_disk_state state;
	uint32_t pid;		/* the owner: the thread that queued the request, or else that issued it */
	int cpu;		/* number of the CPU on which it did */
	bool owned;		/* the owner is known to have queued the request */
	int64_t queued;		/* time; -1: not recorded */
	int64_t issued;
	uint32_t left;		/* bytes that are not done yet */
	uint32_t depth;		/* number of requests that the disk served then, with this one */
	uint32_t row;		/* number of the request in the rows */
	struct ku_disk disk;
};

struct kp_disks {
	struct kp_map device_map;		/* map from a device number to its index */
	KP_VECTOR(uint32_t) in_service;		/* number of issued requests, by index of the device */
	/* requests that are not issued yet, in a list for each device and first sector; rpc: pid */
	struct kp_queues queues;
	struct kp_map sectors;			/* map from device and first sector to the list */
	uint32_t lists;
	uint32_t waiting;			/* number of requests in all lists */
	KP_VECTOR(struct kp_disk_request) requests;
	struct kp_map numbers;			/* map from device and number to the request */
	uint32_t rows;				/* number of requests so far */
};

/* The last request that a CPU has completed in the current interrupt, softirq or call; row 0: none. */
struct kp_served {
	uint32_t row;
	uint32_t pid;		/* owner of the request */
	bool owned;
	int depth;		/* depth of the CPU's stack */
};

#define KP_TIMER_IRQS	4	/* number of stored timer interrupts of a CPU */

/* Times of the interrupts of a CPU. An empty struct is all zeros. */
struct kp_timer_irqs {
	int64_t at[KP_TIMER_IRQS];	/* the last timer interrupts; the newest is (count - 1) % KP_TIMER_IRQS */
	uint32_t count;
	int64_t last;			/* the last interrupt of any kind */
};

/* A timer whose callback is about to wake a thread. */
struct kp_timer {
	uint32_t pid;		/* pid of the thread; 0: none */
	int64_t ts;		/* time of the event */
	struct ku_timer timer;
};

/* The time in which a task did not run, and the wakeup that ended it. */
struct kp_absence {
	int64_t off;		/* time at which the task stopped running; -1: not recorded */
	int64_t woken;		/* time at which the task became runnable; -1: not recorded */
	uint32_t waker_pid, waker_rpc;
	int waker_cpu;
	char reason;
	uint32_t request;	/* number of the disk's request that ended the wait; 0: none */
	bool request_sure;	/* the task is the owner of the request */
	uint32_t timer;		/* number of the timer that ended the wait; 0: none */
	int cpu;		/* number of the CPU that the task left */
	int64_t idled;		/* idle time of this CPU up to @off (struct kp_cpu) */
	/* the task runs again as if the quota of its cgroup had stopped it (kp_rec_seems_throttled()) */
	bool throttled;
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
	/* low bits of the ids of the last throttled cgroups that the task is in; 0: none */
	uint32_t quotas[KP_QUOTAS];

	bool dirty;		/* the task is about to sleep, because it has written faster than the disks */
	int64_t reclaim;	/* time at which it began to free memory for itself; -1: it does not */

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
		bool by_timer;		/* this CPU was in a timer interrupt */
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

#define KP_TICKS	8	/* number of stored intervals between timer interrupts */

/* The last intervals between timer interrupts on busy CPUs. An empty struct is all zeros. */
struct kp_ticks {
	int64_t interval[KP_TICKS];	/* 10 ns units; the newest is (count - 1) % KP_TICKS */
	uint32_t count;
};

struct kp_cpu {
	int id;
	/* the CPU has had an event other than a block header since the last pause */
	bool started;
	int64_t paused;		/* end of the last pause, until the CPU's next event; then -1 */
	struct kp_frame frames[KP_DEPTH];
	int depth;		/* number of frames, at least 1 */
	struct kp_task *task;	/* task of this stack; pid 0: idle */
	int64_t start;		/* start of the current span */
	/* the CPU did not run from split_from to split_to, in the current span */
	bool split;
	int64_t split_from, split_to;
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
	bool sampled_user;	/* that sample was in user code */
	/* time of the last timer interrupt since the CPU left idle; -1: none */
	int64_t ticked;
	struct kp_ticks ticks;	/* intervals since the last context switch */
	int64_t freq_since;	/* time of the last frequency event; -1: frequency unknown */
	uint32_t freq_mhz;
	struct kp_ipis ipis;	/* IPIs to the CPU */
	struct kp_ipis stores;	/* stores to the memory that the sleeping CPU monitors */
	char store_reason;	/* wait reason of a wakeup by such a store; 0: none */

	int64_t idled;		/* total time of the idle task's own code; 10 ns units */
	/* the last interrupt, or the last store to monitored memory, comes from a timer */
	bool by_timer;
	struct kp_served served;
	struct kp_timer_irqs timer_irqs;
	struct kp_timer timer;	/* valid until the next call, return or switch of the CPU */
	bool balanced;		/* after this interrupt, the load balancer ran (softirq sched) */
};

struct kp_lock_wait {
	int64_t tried, acquired;	/* times of these operations; -1: none */
	uint32_t pid;
	uint32_t life;			/* number of earlier threads with the pid */
};

/* Identities of tasks, all with the same time. */
struct kp_identity_queue {
	int64_t ts;
	KP_VECTOR(struct kp_identity_def) list;
};

struct kp_identity_def {
	uint32_t pid;
	const struct kp_str *text;
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
	const struct kp_str *stopped_name, *maybe_stopped_name, *stolen_name;
	signed char reasons[4096];	/* wait reason of each call event; 0: not computed yet */

	/* states of locks, by lock hash and pid */
	struct kp_map lock_map;
	struct kp_lock_wait *locks;
	size_t lock_count, lock_room;
	struct kp_queues queues;
	bool any_quota;			/* an event was the throttling of a cgroup, or its end */
	KP_VECTOR(struct kp_quota) quotas;	/* queues that have had an event since the last pause */
	struct kp_map quota_map;	/* map from kp_quota.queue to the index */
	/* throttlings of all queues, by CPU, in the order in which they ended */
	KP_VECTOR(struct kp_quota_end) quota_ends[KUTRACE_CPUS];
	struct kp_disks disks;
	uint32_t timer_rows;		/* number of rows of timers so far */
	KP_VECTOR(struct kp_priority) priorities;	/* threads that have, or had, an unusual priority */
	struct kp_map priority_map;	/* map from a pid to the index */
	const struct kp_str *usual_priority;	/* priority of all other threads; NULL: unknown */
	uint32_t mbit;
	/* hash table of packets that wait; not searched if packets_held is false */
	struct kp_packet packets[KP_PACKETS];
	bool packets_held;

	struct kp_identity_queue identities;	/* identities whose rows are not written yet */
	struct kp_map cgroups;		/* cgroups whose names were written */
	struct kp_pauses pauses;
	int64_t resumes;	/* end of the last pause; 0: there was none */
	bool any;		/* true after the first event */
	int64_t ran_until;	/* time of the last event of any CPU */
	struct kp_ticks ticks;	/* intervals of all CPUs */
	signed char timers[4096];	/* 1: timer interrupt, -1: not; 0: not computed yet */
	bool calls_recorded;	/* true after the first event of a system call */

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
	/* true if wakeups can be missing: some were lost, or excluded by a mask or a filter */
	bool wakeups_missing;
	bool any_wakeup;	/* an event was a wakeup */
	bool any_ipi;		/* an event was the sending of an IPI */
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
/* Writes a row with its own name, which is not stored, because most of these names differ. */
void kp_rec_row_once(struct kp_reconstruct *rec, const struct kp_span *row);
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
/*
 * Divides the current span: from @from to @to, the CPU did not run. kp_rec_close_as() writes both
 * parts. The task and its calls do not change.
 */
void kp_rec_split(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t from, int64_t to);
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
/*
 * Returns whether @task has exited, and @def names the next thread with its pid: after the exit, a
 * definition or another name in a switch does.
 */
bool kp_rec_names_next(const struct kp_task *task, const struct kp_namedef *def,
		       enum kp_name_source source);
/*
 * Takes the identity of a task. Writes its row when a later event or name comes, because names with
 * the same time may follow, and only after the header.
 */
void kp_rec_identity(struct kp_reconstruct *rec, const struct kp_namedef *def);
/* Writes the identities before @ts, if the header was written. */
void kp_rec_identities(struct kp_reconstruct *rec, int64_t ts);
void kp_rec_identities_free(struct kp_reconstruct *rec);

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
/* Records whether the interrupt on top of the stack of @cpu, which begins, comes from a timer. */
void kp_rec_irq_begins(struct kp_reconstruct *rec, struct kp_cpu *cpu);
/*
 * Records whether @cpu switches to @next as if a timer had ended the throttling of the task's cgroup.
 * Must be called before the switch changes the state of @cpu.
 */
void kp_rec_seems_throttled(const struct kp_reconstruct *rec, const struct kp_cpu *cpu,
			    struct kp_task *next);
/* Returns true if @cpu is in a call that makes a new task runnable, or runs kthreadd. */
bool kp_rec_makes_tasks(const struct kp_reconstruct *rec, const struct kp_cpu *cpu);
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

/* ---- quota.c: throttled cgroups ---- */

/* Handles an event that a cgroup is throttled on a CPU, or not any more. */
void kp_rec_quota(struct kp_reconstruct *rec, const struct kp_cpu *cpu, const struct kp_event *event);
/*
 * Finds the first time after @from in which a cgroup of the task was throttled on @cpu, and which ended
 * before @to. If @task is NULL: any cgroup. Returns false if there is none. Sets *@found to the part of
 * this time after @from, and *@queue to the queue.
 *
 * If the task runs while its cgroup is throttled, it was not throttled before: from Linux 6.18 on, a
 * task in the kernel runs until it returns to user code.
 */
bool kp_rec_throttled(const struct kp_reconstruct *rec, const struct kp_task *task, int cpu,
		      int64_t from, int64_t to, struct kp_throttle *found, uint32_t *queue);
/* The task runs user code on @cpu: forgets its cgroups that are throttled there. It has left them. */
void kp_rec_quota_runs(const struct kp_reconstruct *rec, struct kp_task *task, int cpu);
/* Forgets all throttled cgroups. */
void kp_rec_quota_forget(struct kp_reconstruct *rec);
void kp_rec_quota_free(struct kp_reconstruct *rec);

/* ---- timer.c: timers that wake threads ---- */

/* Records an interrupt of @cpu, which begins at @ts. @by_timer: it is a timer's. */
void kp_rec_timer_irq(struct kp_cpu *cpu, int64_t ts, bool by_timer);
/* Handles the event of a timer. Returns false if the event needs a row of its own. */
bool kp_rec_timer(struct kp_cpu *cpu, const struct kp_event *event);
/*
 * Handles the wakeup of @task on @cpu at @ts. Writes the row of the timer that woke it. Returns the number of
 * the row; 0: no timer woke the task.
 */
uint32_t kp_rec_timer_woke(struct kp_reconstruct *rec, struct kp_cpu *cpu, const struct kp_task *task, int64_t ts);

/* ---- disk.c: requests of disks ---- */

/* Handles an event about a request. Returns false if the event needs a row of its own. */
bool kp_rec_disk(struct kp_reconstruct *rec, struct kp_cpu *cpu, const struct kp_event *event);
/* Handles an event that the running task sleeps after too many writes. */
void kp_rec_dirty(struct kp_reconstruct *rec, struct kp_cpu *cpu);
/* Handles the beginning or end of direct reclaim. Returns false if the event needs a row of its own. */
bool kp_rec_reclaim(struct kp_reconstruct *rec, struct kp_cpu *cpu, const struct kp_event *event);
/*
 * Returns the reason of the wait that a wakeup of @task on @cpu ends; otherwise @reason. Sets the
 * request that ends the wait.
 */
char kp_rec_disk_reason(const struct kp_cpu *cpu, struct kp_task *task, char reason);
/* Forgets all requests, and counts those that are not done. */
void kp_rec_disk_forget(struct kp_reconstruct *rec);
void kp_rec_disk_free(struct kp_reconstruct *rec);

/* ---- priority.c: policies and priorities ---- */

/* Handles the definition of a priority. Its time must be known. */
void kp_rec_priority_name(struct kp_reconstruct *rec, const struct kp_namedef *def);
/* Handles an event that a thread inherits a priority, or has its own again. */
void kp_rec_priority_event(struct kp_reconstruct *rec, const struct kp_event *event);
/* Writes the rows of the last priorities of all threads in the trace. */
void kp_rec_priorities_end(struct kp_reconstruct *rec);
void kp_rec_priorities_free(struct kp_reconstruct *rec);

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

/*
 * Ends the scheduler's span of a thread that has exited, at the switch away from the thread. Does
 * nothing if the CPU has no such span.
 */
void kp_rec_leave_dead(struct kp_reconstruct *rec, struct kp_cpu *cpu);

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

/* ---- stopped.c: times in which the machine or a CPU did not run ---- */

/*
 * Makes rows for the time before @event in which all CPUs, or the CPU of the event, did not run.
 * Must be called before the event is handled.
 */
void kp_rec_stopped(struct kp_reconstruct *rec, struct kp_cpu *cpu, const struct kp_event *event);
/* Learns the period of the tick from @event. Must be called before the event is handled. */
void kp_rec_tick(struct kp_reconstruct *rec, struct kp_cpu *cpu, const struct kp_event *event);

/* ---- header.c: the header of the span JSON, from comments and names of the trace ---- */

void kp_rec_comment(struct kp_reconstruct *rec, const char *text, size_t len);
void kp_rec_meta(struct kp_reconstruct *rec, const char *text, size_t len);
void kp_rec_header(struct kp_reconstruct *rec);
/*
 * Returns true if the facts so far show that a time without events can have other causes: lost
 * events, a filter, or an unreliable clock.
 */
bool kp_rec_silence_unreliable(const struct kp_reconstruct *rec);
void kp_rec_header_free(struct kp_reconstruct *rec);

#endif
