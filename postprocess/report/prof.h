/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A profile of spans by process and kind of execution, with waits, PC samples and folded stacks.
 * Memory grows with the number of processes times kinds, and with the number of different durations
 * of calls.
 *
 * An interrupted or blocked call has several rows, but counts once, from its beginning to its end
 * (report/calls.h).
 *
 * If rows report frequencies of CPUs, the profile also has the mean frequency at which each process
 * ran.
 */
#ifndef KP_REPORT_PROF_H
#define KP_REPORT_PROF_H

#include "common/report.h"
#include "model/names.h"
#include "report/calls.h"

enum kp_prof_class { KP_PROF_CPU, KP_PROF_WAIT, KP_PROF_SAMPLE };

struct kp_prof_line {
	enum kp_prof_class class;
	uint32_t process;		/* index into processes */
	const struct kp_str *kind;	/* "user", "read", "wait_pipe", "PC=..." */
	/* calls; for user code, idle and waits: intervals */
	struct kp_call_sum sum;
};

struct kp_prof_process {
	int64_t pid;			/* 0: idle */
	uint32_t life;			/* number of earlier threads with this pid */
	int32_t cpu;			/* CPU of the idle task */
	const struct kp_str *name;	/* last name of a thread: "work.51"; of a program: "work" */
	/* number of threads of a program (kp_prof_group()); 0 for a thread */
	uint64_t threads;
	int64_t cpu_time;
	int64_t idle;			/* idle part of cpu_time */
	int64_t leaving_idle;		/* part of idle in which the CPU was leaving idle; an estimate */
	int64_t clocked;		/* part of cpu_time in which the frequency is known */
	/* clock cycles during clocked, in units of 10 ns times MHz */
	__int128 cycles;
	uint64_t samples;
	struct kp_joiner calls;		/* pending calls of the process */
};

/* Frequency of a CPU, and its last row of execution, during which the frequency may change. */
struct kp_prof_clock {
	bool ran;			/* the CPU has had a row */
	int64_t mhz;			/* frequency of the CPU; 0: unknown */
	int64_t end;
	uint32_t process;		/* index into processes */
};

struct kp_prof_fold {
	const struct kp_str *stack;	/* "read;page_fault" */
	uint32_t process;
	uint64_t value;			/* time in units of 10 ns, or number of samples */
};

struct kp_prof {
	/* set by the caller */
	bool fold;			/* collect stacks with times */
	bool fold_samples;		/* collect stacks with numbers of samples */
	/* Set by the caller: rows only add time. The caller adds calls by kp_prof_call(). */
	bool rows_only;
	/* Set by the caller or NULL. A call has the tag that was set at its first row. */
	int (*on_call)(void *self, const struct kp_prof_process *process, int32_t cpu,
		       const struct kp_joined_call *call);
	void *on_call_self;
	int64_t tag;
	/* lives of another profile that gets all rows; NULL: use own_lives */
	const struct kp_lives *lives;
	struct kp_lives own_lives;
	struct kp_prof_line *lines;
	size_t line_count, line_cap;
	struct kp_prof_process *processes;
	size_t process_count, process_cap;
	struct kp_prof_fold *folds;
	size_t fold_count, fold_cap;
	struct kp_prof_clock *clocks;	/* clocks of the CPUs, by CPU */
	size_t clock_count;
	int64_t mhz_most;		/* highest frequency of any CPU; 0: none is known */
	int64_t first, last;		/* start and end of all execution */
	int64_t paused;			/* time between first and last in which recording was off */
	int64_t stopped;		/* time in which no CPU ran */
	bool stopped_inferred;		/* some of this time is inferred */
	int64_t stolen;			/* time in which one CPU did not run, of all CPUs */
	bool any, no_memory;
	/* private members: */
	int64_t pause;			/* start of the last pause row; 0: none */
	int64_t paused_until;		/* end of the last pause */
	int64_t stopped_until;		/* end of the last time in which no CPU ran */
	/* time of all pauses so far, and of those before first */
	int64_t off, off_before;
	struct kp_strings strings;
	struct kp_map by_pid, by_line, by_fold;
};

/* Returns a sink that fills @prof, which must be zeroed except the members set by the caller. */
struct kp_span_sink kp_prof_sink(struct kp_prof *prof);
void kp_prof_free(struct kp_prof *prof);

/*
 * Adds a call of process @of of another profile; rows_only must be set. If @of has pid 0, the call
 * belongs to the idle task of @cpu. Returns 0, or -1 without memory.
 */
int kp_prof_call(struct kp_prof *prof, const struct kp_prof_process *of, int32_t cpu,
		 const struct kp_joined_call *call);

/*
 * Adds up the threads of each program: threads whose names are equal without the pid at the end.
 * Does not change idle tasks. Must be called before kp_prof_sort(). Returns 0, or -1 with
 * no_memory.
 */
int kp_prof_group(struct kp_prof *prof);

/* Returns the mean frequency of the process in MHz, rounded; 0: unknown. */
int64_t kp_prof_mhz(const struct kp_prof_process *process);

/* Computes percentiles. Sorts lines by CPU time of their process, by class, and by time. */
void kp_prof_sort(struct kp_prof *prof);

/* Prints the profile. Of each list, prints only the @top rows with the most time (SIZE_MAX: all). */
void kp_prof_text(const struct kp_prof *prof, size_t top, FILE *out);
void kp_prof_json(const struct kp_prof *prof, FILE *out);
/* Prints lines "process;frame;frame value", where value is in ns or a number of samples. */
void kp_prof_folded(const struct kp_prof *prof, FILE *out);

/* Adds the members of the sum to the open object. */
void kp_call_sum_json(struct ku_report *r, const struct kp_call_sum *sum);

#endif
