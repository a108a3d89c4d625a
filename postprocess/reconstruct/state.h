/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the reconstruction knows: CPUs, tasks, names, what waits for its other half; and
 * what every part of it does with that: rows out, failures, notes. Must never decide what
 * an event means. Used by the files of this folder only.
 */
#ifndef KP_RECONSTRUCT_STATE_H
#define KP_RECONSTRUCT_STATE_H

#include <stdio.h>

#include "base/map.h"
#include "kutrace_events.h"
#include "model/event.h"
#include "model/names.h"
#include "model/pause.h"
#include "model/span.h"
#include "reconstruct/queue.h"
#include "reconstruct/stats.h"

#define KP_DEPTH	16	/* frames of a CPU; 4 is what Linux needs */
#define KP_PENDING_MAX	64	/* spans of a pid kept undecided */
#define KP_MIN_WAIT	10	/* 10 ns units: shorter waits are left out */
#define KP_KTHREADD	2	/* pid of the thread that makes all kernel threads */
#define KP_IPIS_MAX	256	/* unanswered IPIs kept per CPU, and as many stores */

/* Something pending: user code (KP_EVENT_USER), or a call by its event number. */
struct kp_frame {
	uint32_t event;
	uint32_t arg0;
	const struct kp_str *name;	/* NULL for user code */
};

/* A span whose kind is not known yet: user code or a system call. */
struct kp_pending {
	int64_t start, dur;
	int32_t cpu;
	uint32_t rpc;
	uint32_t ipc;
};

/* Where a pid's name is from; a better source wins. */
enum kp_name_source {
	KP_NAMED_NOT,
	KP_NAMED_FRONT,		/* defined at time -1: perhaps a later name */
	KP_NAMED_SWITCH,	/* in the text of a context switch */
	KP_NAMED_TIME,		/* defined at its time */
};

/* A row that waits for the other half of what it belongs to; name NULL = none. */
struct kp_packet {
	uint32_t hash;
	struct kp_span row;
	const struct kp_str *name;
};

#define KP_PACKETS	4096	/* a power of two: see reconstruct/packet.c */
#define KP_IDLE_STATES	16

/* How long a task did not run, and what ended that. */
struct kp_absence {
	int64_t off;		/* when it stopped running, -1 = not seen */
	int64_t woken;		/* when it was made runnable, -1 = was not */
	uint32_t waker_pid, waker_rpc;
	int waker_cpu;
	char reason;
};

struct kp_task {
	uint32_t pid;
	const struct kp_str *name;	/* "work.51" */
	const struct kp_str *comm;	/* "work" */
	const struct kp_str *all;	/* "init+work", NULL while there is one name */
	enum kp_name_source named;
	int cpu;			/* runs there, -1 = does not run */

	/* the stack while it does not run; frame 0 is user code and not kept */
	struct kp_frame *saved;
	uint32_t saved_count, saved_room;
	/*
	 * Whether the bottom of its stack is user code or a system call entered
	 * before we saw it is not known; what it ran is kept until it is.
	 */
	bool undecided;
	bool ran;		/* has been seen to stop running */
	bool exiting;		/* its exit was recorded: when it is made again, another thread has its number */
	uint32_t life;		/* threads that had this number before, in the trace */
	uint8_t kind;		/* enum kutrace_task_kind, from the trace; if unknown, these three decide: */
	bool kernel_name;	/* its name is one of the kernel's threads */
	bool kernel_made;	/* kthreadd made it */
	bool user;		/* it did what only user code does */
	struct kp_pending *pending;
	uint32_t pending_count;
	/*
	 * The task was switched to for the first time, and an interrupt came: it is not
	 * known whether the scheduler ended at the switch. So its span is not out yet,
	 * nor are the rows of the absence that ends where the task's first span begins.
	 */
	struct kp_span deferred;		/* dur -1 = none */
	struct kp_frame deferred_frame;
	struct kp_absence deferred_absence;

	struct kp_absence away;

	uint32_t rpc, rpc_event;	/* being worked on, 0 = none */
	int64_t rpc_start;
	int rpc_cpu;
	const struct kp_str *rpc_name;
	struct kp_packet message;	/* of which user code has told a part */

	bool touched;			/* in the list of these, since the last pause */
	struct kp_task *next_touched;
};

/* What other CPUs sent to one and it has not answered. */
struct kp_ipis {
	struct kp_ipi {
		int64_t ts;
		int cpu;		/* sender */
	} list[KP_IPIS_MAX];
	uint32_t count;
};

struct kp_cpu {
	int id;
	bool started;		/* has had an event that counts, since the last pause */
	int64_t paused;		/* end of the last pause, if not started since; or -1 */
	struct kp_frame frames[KP_DEPTH];
	int depth;		/* at least 1 */
	struct kp_task *task;	/* whose stack this is; pid 0: idle */
	int64_t start;		/* of the span being built */
	int64_t last;		/* time of the last event */
	struct kp_task *span_task;	/* whom the span being built belongs to */
	uint32_t span_rpc;
	uint32_t rpc;		/* as the last event says */
	bool arriving;		/* task arrives when the scheduler's span ends */
	bool resumed;		/* the span being built began with task's arrival */
	bool switched;		/* since the scheduler was entered */
	bool preempted;		/* task was, before it came back: it is no new one */
	bool not_idle;		/* task is idle, but what was recorded since is not */
	int64_t switch_time;	/* of the last recorded context switch, -1 = none */
	uint32_t switch_from;	/* who ran before it; UINT32_MAX = not known */

	/* the return of a merged call, due unless something comes first */
	bool due;
	int64_t due_ts;
	uint32_t due_call, due_ipc;
	int32_t due_retval;

	uint32_t idle_state;	/* entered in this idle span; 0 = none */
	int64_t sampled;	/* time of the last PC sample, or of the first event */
	int64_t freq_since;	/* -1 = frequency not known */
	uint32_t freq_mhz;
	struct kp_ipis ipis;	/* interrupts */
	struct kp_ipis stores;	/* to the memory that it watches while it sleeps */
	char store_reason;	/* why who stored there wakes somebody; 0 = nobody did */
};

struct kp_lock_wait {
	int64_t tried, acquired;	/* -1 = not */
	uint32_t pid;
	uint32_t life;			/* of the task of that pid */
};

struct kp_reconstruct {
	struct kp_span_sink sink;
	struct kp_reconstruct_stats stats;
	int err;		/* sticky: first failure */
	char message[200];
	FILE *trace;		/* gets a line for what is inferred, or NULL */
	bool begun;		/* the header has been handed out */

	struct kp_cpu *cpus[256];
	struct kp_task **tasks;
	size_t task_count, task_room;
	struct kp_map task_map;		/* pid -> index */
	struct kp_task *touched;	/* tasks that have a state to forget in a pause */
	struct kp_task idle;
	struct kp_strings strings;
	struct kp_names names;		/* as of now */
	const struct kp_str *name_cache[4096];
	const struct kp_str *idle_name, *lowpower_name, *cexit_name, *ipi_name, *wakeup_name, *pause_name;
	signed char reasons[4096];	/* by call event; 0 = not looked up */

	/* locks by hash of lock and pid */
	struct kp_map lock_map;
	struct kp_lock_wait *locks;
	size_t lock_count, lock_room;
	struct kp_queues queues;
	uint32_t mbit;
	struct kp_packet packets[KP_PACKETS];	/* a third of a MiB: read only if packets_held */
	bool packets_held;

	struct kp_pauses pauses;
	int64_t resumes;	/* where the last pause ended; 0 = there was none */
	bool any;		/* there was an event */

	/* what the header is made of */
	char *title;
	char base[24];		/* "2026-11-20_08:50:00" */
	int64_t start_s;	/* time 0 in seconds since 1970, UTC; 0 = not said */
	char trace_id[37];	/* "" = not said */
	uint32_t version, flags;
	int64_t announced_first, announced_last;	/* 10 ns units */
	uint64_t dropped_first_block, dropped_words;
	char **meta_items;		/* "key=value", distinct */
	size_t meta_count, meta_room;
	bool tracepoints;	/* back end: see docs/reconstruction.md */
	bool preempt_rt;	/* likewise: softirqs run in threads */
	bool new_sched;		/* the scheduler's number of today has been seen */
	bool exit_latency;	/* idle states are x86 mwait hints */
	int64_t exit_units[KP_IDLE_STATES];	/* by idle state, as the trace says; 10 ns units */
	char scratch[512];
};

int kp_rec_fail(struct kp_reconstruct *rec, const char *what);
int kp_rec_no_memory(struct kp_reconstruct *rec);
/* The one copy of a name; on failure rec->err is set and "" comes back. */
const struct kp_str *kp_rec_str(struct kp_reconstruct *rec, const char *text, size_t len);
/* Counts row as inferred, and gives the name for it: with a ? behind it. */
const struct kp_str *kp_rec_mark(struct kp_reconstruct *rec, const struct kp_span *row,
				 const struct kp_str *name);
/* Hands a row to the sink; errors stick. */
void kp_rec_row(struct kp_reconstruct *rec, const struct kp_span *row,
		const struct kp_str *name);
struct kp_cpu *kp_rec_cpu(struct kp_reconstruct *rec, int id);
/* Forgets what the CPU was doing: all except its number, and paused. */
void kp_rec_cpu_reset(struct kp_reconstruct *rec, struct kp_cpu *cpu);
/* Says what was inferred, if somebody wants to know. */
void kp_rec_note(struct kp_reconstruct *rec, const struct kp_cpu *cpu, int64_t ts,
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

/* Interrupt or softirq. */
static inline bool kp_is_irq(uint32_t call)
{
	return call >= KUTRACE_CALL_IRQ && call <= KUTRACE_CALL_BH;
}

/* Whether no other thread gets the CPU within it. Softirqs of PREEMPT_RT run in threads. */
static inline bool kp_holds_cpu(const struct kp_reconstruct *rec, uint32_t call)
{
	return kp_is_irq(call) && !(rec->preempt_rt && call == KUTRACE_CALL_BH);
}

#endif
