/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The four parts of the selftest, and their results. A part records only in the session that the
 * calling thread uses, and prints nothing on stdout. Each part returns 0 or a negative errno;
 * -ECANCELED: a signal came.
 */
#ifndef KU_CLI_SELFTEST_SELFTEST_H
#define KU_CLI_SELFTEST_SELFTEST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "kutrace_events.h"
#include "libkutrace.h"

/* A number of recorded events, and the number that an independent counter shows. */
struct selftest_count {
	char what[64];
	uint64_t low, high;	/* recorded between the inner marks, and between the outer marks */
	uint64_t counted;
	const char *inexact;	/* why the numbers may differ on this kernel; NULL: they must not */
	bool differs;
	char where[120];	/* the first difference; empty: none */
};
#define SELFTEST_COUNTS	32

/* The order of events on pairs of CPUs. */
struct selftest_order {
	unsigned int pairs;	/* pairs that were checked */
	unsigned int chosen_pairs;	/* pairs to check if the time suffices */
	unsigned int all_pairs;	/* pairs of the CPUs that this process may use */
	uint64_t passes;	/* passes of a token through memory */
	uint64_t wakeups;	/* wakeups of a sleeping process on the other CPU */
	uint64_t violations;	/* events that are more than one count earlier than their cause */
	uint64_t worst_ns;	/* largest difference among the violations */
	uint64_t lost;
};

/* The cost of one operation in one state, from repeated measurements. */
struct selftest_sample {
	uint64_t min_ps, median_ps;
	uint64_t noise_ps;	/* difference of the smallest two minima of the rounds */
	uint64_t cycles;	/* smallest number of cycles; 0: unknown */
};

enum selftest_operation {
	SELFTEST_CALL, SELFTEST_FAULT, SELFTEST_SWITCH, SELFTEST_MARK, SELFTEST_OPERATIONS
};

struct selftest_cost {
	struct selftest_sample idle, recording;
	int64_t added_ps;
	bool in_noise;		/* the difference is not larger than the noise of both states */
};

struct selftest_rate {
	uint64_t events_per_s;	/* largest rate of a step without loss; 0: none */
	uint64_t late_at;	/* smallest rate at which the stream falls behind; 0: at none */
	bool saturated;		/* the processes could not cause more events */
	unsigned int producers;	/* number of these processes */
};

/* The parts of the test, by bit. */
enum selftest_part {
	SELFTEST_COUNT_PART = 1, SELFTEST_ORDER_PART = 2, SELFTEST_COST_PART = 4,
	SELFTEST_RATE_PART = 8, SELFTEST_ALL = 15
};

struct selftest {
	unsigned int parts;	/* bits of the parts to run */
	bool own;		/* the session was created for this command */
	bool quick;
	bool only_json;		/* print the results as JSON, and no tables */
	bool progress;		/* print the progress on stderr */
	bool rt;		/* the kernel has PREEMPT_RT */
	struct kutrace_info info;	/* the session before the first part */
	int cpus[KUTRACE_CPUS];	/* CPUs that this process may use */
	unsigned int ncpus;
	struct selftest_count counts[SELFTEST_COUNTS];
	unsigned int ncounts;
	uint64_t lost;		/* lost events in the recording of the counts */
	struct selftest_order order;
	unsigned int rounds;	/* rounds of the costs */
	bool has_cycles;
	struct selftest_cost cost[SELFTEST_OPERATIONS];
	struct selftest_rate rate;
};

int selftest_counts(struct selftest *t);
int selftest_order(struct selftest *t);
int selftest_cost(struct selftest *t);
int selftest_rate(struct selftest *t);

/* --- the report (report.c) ----------------------------------------------------- */

/* Prints the properties of the machine, or one part. */
void selftest_print_machine(const struct selftest *t);
void selftest_print_counts(const struct selftest *t);
void selftest_print_order(const struct selftest *t);
void selftest_print_cost(const struct selftest *t);
void selftest_print_rate(const struct selftest *t);
/*
 * Writes the failures into @text, which is empty if there are none. Returns the number of failures.
 */
unsigned int selftest_failures(const struct selftest *t, char *text, size_t size);
/* Writes everything as JSON, without names of the machine, users and programs. */
void selftest_report(const struct selftest *t, FILE *out);

/* --- recordings (task.c) ------------------------------------------------------- */

/*
 * Empties the session's buffer and records. @wrap: overwrite the oldest events. The recording ends
 * with this process.
 */
int selftest_on(bool wrap);
/* Ends the recording. Returns -EBUSY if another session records at the end. */
int selftest_off(void);
/* Returns the number of lost events of the session's recording. */
uint64_t selftest_lost(void);
/* Converts counts to nanoseconds. */
uint64_t selftest_ns(const struct selftest *t, uint64_t counts);

/* --- processes and time (task.c) ----------------------------------------------- */

uint64_t selftest_now_ns(void);
/* Returns zeroed memory that children share, or NULL. */
void *selftest_share(size_t bytes);
/* Makes this process run only on @cpu. Returns false if that is not possible. */
bool selftest_pin(int cpu);
/* Makes this process run on all CPUs of @t again. */
void selftest_unpin(const struct selftest *t);
/* Forks a child that ends with this process. It runs on @cpu; -1: on any. It must call _exit(). */
pid_t selftest_fork(int cpu);
/* Waits for the children. Kills them after a signal. Returns -ECHILD if one has failed. */
int selftest_wait(const pid_t *pids, unsigned int count);
void selftest_kill(const pid_t *pids, unsigned int count);
/* Shows the progress on a terminal: "selftest: WHAT DONE of ALL". WHAT NULL: clears it. */
void selftest_progress(const struct selftest *t, const char *what, unsigned int done,
		       unsigned int all);

#endif
