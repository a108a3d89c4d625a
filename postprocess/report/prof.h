/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A profile of spans: by process and kind of execution, with waits and PC
 * samples, and folded stacks. Called by spantoprof and spandiff. Memory grows
 * with processes times kinds, and by eight bytes a call.
 *
 * A call that was interrupted, or that blocked, is several rows: it counts once, and
 * takes from its beginning to its end (report/calls.h).
 *
 * Where rows tell the frequency of a CPU, a process's clock cycles are its time at each
 * frequency: how fast the CPUs were for it.
 */
#ifndef KP_PROF_H
#define KP_PROF_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/map.h"
#include "model/lives.h"
#include "model/span.h"
#include "report/calls.h"

enum kp_prof_class { KP_PROF_CPU, KP_PROF_WAIT, KP_PROF_SAMPLE };

struct kp_prof_line {
	enum kp_prof_class class;
	uint32_t process;		/* index into processes */
	const struct kp_str *kind;	/* "user", "read", "wait_pipe", "PC=..." */
	struct kp_call_sum sum;		/* of user code, idle and waits: stretches */
};

struct kp_prof_process {
	int64_t pid;			/* 0: idle */
	uint32_t life;			/* threads that had the pid before */
	int32_t cpu;			/* of idle */
	const struct kp_str *name;	/* its last one: "work.51"; of a program: "work" */
	uint64_t threads;		/* of a program, see kp_prof_group(); of a thread 0 */
	int64_t cpu_time;
	int64_t idle;			/* of cpu_time */
	int64_t leaving_idle;		/* of idle; an estimate */
	int64_t clocked;		/* of it, with the frequency known */
	__int128 cycles;		/* in that: 10 ns units times MHz */
	uint64_t samples;
	struct kp_joiner calls;		/* what it is in */
};

/* A CPU's frequency, and its last row of execution, which may go on at another. */
struct kp_prof_clock {
	bool ran;			/* there was a row */
	int64_t mhz;			/* 0 = not known */
	int64_t end;
	uint32_t process;		/* index into processes */
};

struct kp_prof_fold {
	const struct kp_str *stack;	/* "read;page_fault" */
	uint32_t process;
	uint64_t value;			/* 10 ns units; of samples: their number */
};

struct kp_prof {
	bool fold, fold_samples;	/* set by the caller: also keep stacks */
	/*
	 * Set by the caller: calls are joined elsewhere, and come by kp_prof_call(); rows
	 * are time only.
	 */
	bool rows_only;
	/* Set by the caller, or NULL: told of each call, with the tag as of its first row. */
	int (*on_call)(void *self, const struct kp_prof_process *process, int32_t cpu,
		       const struct kp_joined_call *call);
	void *on_call_self;
	int64_t tag;
	/* Another profile's, if that takes all rows into its lives; NULL: own_lives. */
	const struct kp_lives *lives;
	struct kp_lives own_lives;
	struct kp_prof_line *lines;
	size_t line_count, line_cap;
	struct kp_prof_process *processes;
	size_t process_count, process_cap;
	struct kp_prof_fold *folds;
	size_t fold_count, fold_cap;
	struct kp_prof_clock *clocks;	/* by CPU */
	size_t clock_count;
	int64_t mhz_most;		/* highest frequency of any CPU, 0 = none is known */
	int64_t first, last;		/* of the execution */
	int64_t paused;			/* in between, when recording was off */
	bool any, no_memory;
	/* the core's own */
	int64_t pause;			/* start of the last row of a pause; 0: there was none */
	int64_t paused_until;		/* end of the last pause */
	int64_t paused_since;		/* pauses after the last row of execution */
	struct kp_strings strings;
	struct kp_map by_pid, by_line, by_fold;
};

/* prof: all zero but for what the caller sets. */
struct kp_span_sink kp_prof_sink(struct kp_prof *prof);
void kp_prof_free(struct kp_prof *prof);

/*
 * Adds a call of a process of another profile (of pid 0: of that CPU's idle), for rows_only.
 * 0, or -1 without memory.
 */
int kp_prof_call(struct kp_prof *prof, const struct kp_prof_process *of, int32_t cpu,
		 const struct kp_joined_call *call);

/*
 * Adds up the threads of each program: those with the same name except the number at its end. Each
 * CPU's idle stays. Call before kp_prof_sort(). 0, or -1 with no_memory.
 */
int kp_prof_group(struct kp_prof *prof);

/* The process's mean frequency, MHz, rounded; 0 = not known. */
int64_t kp_prof_mhz(const struct kp_prof_process *process);

/* Orders lines: processes by CPU time, in each the classes, then by time; and their sums' quantiles. */
void kp_prof_sort(struct kp_prof *prof);

#endif
