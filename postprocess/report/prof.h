/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A profile of spans: by process and kind of execution, with waits and PC
 * samples, and folded stacks. Called by spantoprof and spandiff. Memory grows
 * with processes times kinds, not with the trace.
 *
 * A call that was interrupted, or that blocked, is several rows: it counts once,
 * and its length is the sum of its rows.
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
#include "model/span.h"

enum kp_prof_class { KP_PROF_CPU, KP_PROF_WAIT, KP_PROF_SAMPLE };

struct kp_prof_line {
	enum kp_prof_class class;
	uint32_t process;		/* index into processes */
	const struct kp_str *kind;	/* "user", "read", "wait_pipe", "PC=..." */
	uint64_t count;			/* calls; of user code, idle and waits: stretches */
	int64_t time;			/* 10 ns units */
	int64_t longest, longest_at;	/* CPU time of the longest call; its start */
};

#define KP_PROF_DEPTH 16

struct kp_prof_frame {
	int64_t event;
	int64_t start, time;
	uint32_t line;
};

struct kp_prof_process {
	int64_t pid;			/* 0: idle */
	const struct kp_str *name;	/* its last one: "work.51" */
	int64_t cpu_time;
	int64_t clocked;		/* of it, with the frequency known */
	__int128 cycles;		/* in that: 10 ns units times MHz */
	uint64_t samples;
	int depth;
	int64_t end;			/* of its last row */
	struct kp_prof_frame stack[KP_PROF_DEPTH];
};

/* A CPU's frequency, and its last row of execution, which may go on at another. */
struct kp_prof_clock {
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
	bool any, no_memory;
	/* the core's own */
	struct kp_strings strings;
	struct kp_map by_pid, by_line, by_fold;
};

/* prof: all zero but for what the caller sets. */
struct kp_span_sink kp_prof_sink(struct kp_prof *prof);
void kp_prof_free(struct kp_prof *prof);

/* The process's mean frequency, MHz, rounded; 0 = not known. */
int64_t kp_prof_mhz(const struct kp_prof_process *process);

/* Orders lines: processes by CPU time, in each the classes, then by time. */
void kp_prof_sort(struct kp_prof *prof);

#endif
