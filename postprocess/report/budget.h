/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Divides an interval of a thread, or the time of all CPUs, into categories. The categories add up
 * to the interval exactly. Inferred and unknown times have categories of their own.
 */
#ifndef KP_REPORT_BUDGET_H
#define KP_REPORT_BUDGET_H

#include "report/idle.h"

/*
 * KP_CATEGORY(ID, key, text): @key is the name in JSON. The text is a sentence about the thread, to
 * which the object and the other thread of the line are added.
 */
#define KP_CATEGORIES \
	KP_CATEGORY(USER,	 "user",	"ran user code") \
	KP_CATEGORY(KERNEL,	 "kernel",	"ran as a kernel thread") \
	KP_CATEGORY(SYSCALL,	 "syscall",	"ran in the system call") \
	KP_CATEGORY(FAULT,	 "fault",	"ran in the fault") \
	KP_CATEGORY(IRQ,	 "interrupt",	"was interrupted by") \
	KP_CATEGORY(SOFTIRQ,	 "softirq",	"was interrupted by the softirq") \
	KP_CATEGORY(SCHED,	 "scheduler",	"ran in the scheduler") \
	KP_CATEGORY(OTHER,	 "other",	"ran in") \
	KP_CATEGORY(IDLE,	 "idle",	"the CPU was idle") \
	KP_CATEGORY(STOPPED,	 "stopped",	"the machine did not run") \
	KP_CATEGORY(STOLEN,	 "stolen",	"the CPU did not run") \
	KP_CATEGORY(PREEMPTED,	 "preempted",	"was preempted by") \
	KP_CATEGORY(QUEUED,	 "queued",	"was woken, but waited for the CPU of") \
	KP_CATEGORY(IDLE_BESIDE, "idle_beside",	"was runnable beside an idle CPU, and waited for the CPU of") \
	KP_CATEGORY(CPU_IDLE,	 "cpu_idle",	"was runnable while its next CPU was still idle") \
	KP_CATEGORY(THROTTLED,	 "throttled",	"was throttled") \
	KP_CATEGORY(LOCK,	 "lock",	"waited for the lock") \
	KP_CATEGORY(WAIT,	 "wait",	"waited for") \
	KP_CATEGORY(UNKNOWN,	 "unknown",	"did not run, reason unknown") \
	KP_CATEGORY(OFF,	 "off",		"recording was off") \
	KP_CATEGORY(MISSING,	 "missing",	"events of some CPUs are missing") \
	KP_CATEGORY(ABSENT,	 "absent",	"has no rows: before its first run or after its last")

enum kp_category {
#define KP_CATEGORY(id, key, text) KP_CATEGORY_##id,
	KP_CATEGORIES
#undef KP_CATEGORY
	KP_CATEGORY_COUNT
};

struct kp_budget_line {
	enum kp_category category;
	bool inferred;			/* the filters inferred this time */
	/* call, lock or reason; NULL: none */
	const struct kp_str *what;
	/* index into why->pids of the other thread: it had the CPU, or its wakeup ended the wait; -1: none */
	int64_t other;
	int64_t time;
	uint64_t count;
};

struct kp_budget {
	struct kp_why *why;
	const struct kp_idle *idle;
	KP_VECTOR(struct kp_budget_line) lines;
	struct kp_map place;		/* hash of category, what and other thread -> index in lines */
	int64_t total;			/* length of all added intervals */
};

/* Prepares a budget. @why and @idle must live as long as the budget. */
void kp_budget_init(struct kp_budget *budget, struct kp_why *why, const struct kp_idle *idle);
/* Adds an interval of the thread @index. Returns 0, or -1 without memory or after an interrupt. */
int kp_budget_thread(struct kp_budget *budget, size_t index, int64_t start, int64_t end);
/* Adds an interval of each CPU. Returns 0, or -1 without memory or after an interrupt. */
int kp_budget_cpus(struct kp_budget *budget, int64_t start, int64_t end);
/* Sorts the lines: the most time first. */
void kp_budget_sort(struct kp_budget *budget);
/* Returns the key of a category in JSON. */
const char *kp_category_key(enum kp_category category);
/* Returns the words of a category in text. */
const char *kp_category_text(enum kp_category category);
void kp_budget_free(struct kp_budget *budget);

/* Print the budget of the thread @index; -1: of all CPUs. @call: the call of the interval, or NULL. */
void kp_budget_text(struct kp_budget *budget, int64_t index, const struct kp_str *call, int64_t start, int64_t end,
		    size_t top, FILE *out);
void kp_budget_json(struct kp_budget *budget, int64_t index, const struct kp_str *call, int64_t start, int64_t end,
		    FILE *out);

#endif
