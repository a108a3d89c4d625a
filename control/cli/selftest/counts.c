// SPDX-License-Identifier: BSD-3-Clause
/*
 * Compares a recording with counters that do not depend on the module: a child's own count of its
 * system calls, its getrusage() and /proc/self/io, and the kernel's counters of all CPUs.
 *
 * A mark is made before and after each reading of the counters. The growth of a counter is at least
 * the number of events that were recorded between the inner marks, and at most the number between
 * the outer marks. Must not count an event twice.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/base/base.h"
#include "cli/selftest/counters.h"
#include "cli/selftest/selftest.h"

#define CALLS_MAX	512
#define PAGES		521
/*
 * Time between a reading and a mark. The kernel counts an event shortly before or after the module
 * records it. This time is longer, so that no mark comes between the two.
 */
#define APART_MS	5

/* --- the workload -------------------------------------------------------------- */

#define MARKS	4	/* before and after the first reading, before and after the last reading */

struct work {
	uint32_t tag;		/* number of the child's first mark; the parent's are MARKS higher */
	uint64_t made[CALLS_MAX];	/* system calls between the inner marks, by number */
	struct rusage usage[2];	/* the two readings */
	long page_bytes;
	bool has_io;
	char io[2][512];	/* /proc/self/io at the beginning and at the end */
};

static long counted_call(struct work *w, long number, long a, long b, long c, long d)
{
	w->made[number]++;
	return syscall(number, a, b, c, d);
}

/* @area: memory that has not been touched. @null: /dev/null. */
static void make_events(struct work *w, volatile char *area, int null, const int echo[2])
{
	const struct timespec nap = {.tv_nsec = 1000000};
	char byte = 0;

	for (int i = 0; i < 1009; i++)
		counted_call(w, SYS_getpid, 0, 0, 0, 0);
	for (int i = 0; i < 503; i++)
		counted_call(w, SYS_getppid, 0, 0, 0, 0);
	for (int i = 0; i < 223; i++)
		counted_call(w, SYS_write, null, (long)&byte, 1, 0);
	for (int i = 0; i < 101; i++)
		counted_call(w, SYS_close, -1, 0, 0, 0);
	for (int i = 0; i < 97; i++)
		counted_call(w, SYS_sched_yield, 0, 0, 0, 0);
	for (long i = 0; i < PAGES; i++)
		area[i * w->page_bytes] = 1;
	for (int i = 0; i < 17; i++)
		counted_call(w, SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, (long)&nap, 0);
	for (int i = 0; i < 307; i++) {
		counted_call(w, SYS_write, echo[1], (long)&byte, 1, 0);
		if (counted_call(w, SYS_read, echo[0], (long)&byte, 1, 0) != 1)
			_exit(1);
	}
}

/* Runs in a child. @echo: descriptors of a process that returns each byte. */
static _Noreturn void work(struct work *w, const int echo[2])
{
	const size_t bytes = PAGES * (size_t)w->page_bytes;
	int io = open("/proc/self/io", O_RDONLY | O_CLOEXEC);
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	char *area = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED || null < 0)
		_exit(1);
	madvise(area, bytes, MADV_NOHUGEPAGE);
	w->has_io = io >= 0 && pread(io, w->io[1], sizeof(w->io[1]) - 1, 0) > 0;
	kutrace_mark_d(w->tag);
	getrusage(RUSAGE_SELF, &w->usage[0]);
	kutrace_mark_d(w->tag + 1);
	if (w->has_io)
		counted_call(w, SYS_pread64, io, (long)w->io[0], sizeof(w->io[0]) - 1, 0);
	make_events(w, area, null, echo);
	if (w->has_io)
		counted_call(w, SYS_pread64, io, (long)w->io[1], sizeof(w->io[1]) - 1, 0);
	w->made[SYS_ioctl]++;	/* the next mark is recorded during its ioctl(), which began before the mark */
	kutrace_mark_d(w->tag + 2);
	getrusage(RUSAGE_SELF, &w->usage[1]);
	kutrace_mark_d(w->tag + 3);
	_exit(0);
}

static _Noreturn void echo_bytes(int from, int to)
{
	char byte;

	while (read(from, &byte, 1) == 1 && write(to, &byte, 1) == 1)
		;
	_exit(0);
}

static int run_work(struct work *w)
{
	int there[2], back[2], ret;
	pid_t pids[2];

	if (pipe2(there, O_CLOEXEC))
		return -errno;
	ret = pipe2(back, O_CLOEXEC) ? -errno : 0;
	if (!ret) {
		const int echo[] = {back[0], there[1]};

		pids[0] = selftest_fork(-1);
		if (!pids[0])
			work(w, echo);
		pids[1] = selftest_fork(-1);
		if (!pids[1]) {
			close(there[1]);
			echo_bytes(there[0], back[1]);
		}
		close(back[0]);
		close(back[1]);
	}
	close(there[0]);
	close(there[1]);
	return ret ?: selftest_wait(pids, 2);
}

/* --- the recording ------------------------------------------------------------- */

/* Numbers of the workload's events between two marks. */
struct own {
	uint64_t calls[CALLS_MAX], faults, switches;
	uint64_t reads, writes;	/* the calls that /proc/self/io counts */
};

struct recorded {
	const struct work *work;
	unsigned int marks, all_marks;	/* number of read marks of the child, and of the parent */
	uint32_t pid;		/* of the workload, in the initial pid namespace */
	/* [0] between the inner marks, [1] between the outer marks */
	struct own own[2];	/* between the child's marks */
	struct counters all[2];	/* of all tasks, between the parent's marks */
};

static void add_own(struct own *o, const struct kutrace_seen *seen)
{
	const uint32_t fault = KUTRACE_CALL_TRAP + KUTRACE_PAGEFAULT;
	const uint32_t call = seen->event - KUTRACE_CALL_SYSCALL64;

	if (call < CALLS_MAX) {
		o->calls[call]++;
		o->reads += call == SYS_read || call == SYS_pread64;
		o->writes += call == SYS_write;
	} else if (seen->event == KUTRACE_USERPID) {
		o->switches++;
	} else if (seen->event == fault) {
		/* the kernel repeats a fault with the value 1, and counts only the last attempt */
		o->faults += !(seen->returned && seen->value == 1);
	} else if (seen->event == (fault | KUTRACE_RETURN_BIT) && seen->value == 1) {
		o->faults--;
	}
}

static void add_interrupt(struct counters *c, const struct kutrace_seen *seen)
{
	static const uint8_t kinds[256] = {
		[KUTRACE_VECTOR_LOCAL_TIMER] = 1 + COUNTED_TIMER,
		[KUTRACE_VECTOR_RESCHEDULE] = 1 + COUNTED_RESCHEDULE,
		[KUTRACE_VECTOR_CALL_SINGLE] = 1 + COUNTED_CALL,
		[KUTRACE_VECTOR_CALL_FUNCTION] = 1 + COUNTED_CALL,
		[KUTRACE_VECTOR_IRQ_WORK] = 1 + COUNTED_WORK,
		[KUTRACE_VECTOR_NMI] = 1 + COUNTED_NMI,
	};
	const uint32_t vector = seen->event - KUTRACE_CALL_IRQ;

	/* the argument of VECTOR_OTHER is an irq, or a vector without an owner */
	if (kinds[vector] && !(seen->arg && vector == KUTRACE_VECTOR_LOCAL_TIMER))
		c->interrupt[kinds[vector] - 1][seen->cpu]++;
	else if (seen->arg && seen->arg < IRQS &&
		 !(vector == KUTRACE_VECTOR_OTHER && seen->arg >= KUTRACE_VECTOR_LOCAL_TIMER))
		c->irq[seen->arg]++;
}

static void add_all(struct counters *c, const struct kutrace_seen *seen)
{
	if (seen->event == KUTRACE_USERPID)
		c->switches++;
	else if (seen->event == KUTRACE_CALL_BH && seen->arg < SOFTIRQS)
		c->softirq[seen->arg][seen->cpu]++;
	else if (seen->event >= KUTRACE_CALL_IRQ && seen->event < KUTRACE_CALL_BH)
		add_interrupt(c, seen);
}

static int add_event(void *arg, const struct kutrace_seen *seen)
{
	struct recorded *r = arg;
	const uint32_t mark = seen->arg - r->work->tag;

	if (seen->event == KUTRACE_MARKD && mark == r->marks && mark < MARKS) {
		r->marks++;
		r->pid = seen->pid;
	} else if (seen->event == KUTRACE_MARKD && mark == MARKS + r->all_marks && mark < 2 * MARKS) {
		r->all_marks++;
	}
	for (unsigned int i = 0; i < 2; i++) {
		/* the interval begins after mark 2 - i, and ends at mark 3 + i */
		if (r->marks >= 2 - i && r->marks < 3 + i && seen->pid == r->pid)
			add_own(&r->own[i], seen);
		if (r->all_marks >= 2 - i && r->all_marks < 3 + i)
			add_all(&r->all[i], seen);
	}
	return cmd_interrupted() ? -ECANCELED : 0;
}

/* --- the comparison ------------------------------------------------------------ */

static struct selftest_count *add_row(struct selftest *t, const char *what, const char *inexact)
{
	struct selftest_count *row = &t->counts[t->ncounts];

	if (t->ncounts < SELFTEST_COUNTS - 1)
		t->ncounts++;
	memset(row, 0, sizeof(*row));
	snprintf(row->what, sizeof(row->what), "%s", what);
	row->inexact = inexact;
	return row;
}

/* Adds a comparison to the row. @where: the CPU or interrupt, or NULL. */
static void compare(struct selftest_count *row, const char *where, unsigned int number,
		    uint64_t counted, uint64_t low, uint64_t high)
{
	row->counted += counted;
	row->low += low;
	row->high += high;
	if (counted >= low && counted <= high)
		return;
	row->differs = true;
	if (!row->where[0] && where)
		snprintf(row->where, sizeof(row->where), "%s %u: recorded %llu to %llu, counted %llu",
			 where, number, (unsigned long long)low, (unsigned long long)high,
			 (unsigned long long)counted);
}

/* Adds a row with a single comparison. */
static void compare_one(struct selftest *t, const char *what, const char *inexact, uint64_t counted,
			uint64_t low, uint64_t high)
{
	compare(add_row(t, what, inexact), NULL, 0, counted, low, high);
}

static const char *call_name(uint32_t number, char *str, size_t size)
{
	static const struct {
		long number;
		const char *name;
	} names[] = {
		{SYS_getpid, "getpid"}, {SYS_getppid, "getppid"}, {SYS_write, "write"},
		{SYS_read, "read"}, {SYS_close, "close"}, {SYS_sched_yield, "sched_yield"},
		{SYS_clock_nanosleep, "clock_nanosleep"},
	};

	snprintf(str, size, "calls of number %u", number);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].number == (long)number)
			snprintf(str, size, "calls of %s", names[i].name);
	return str;
}

static void compare_calls(struct selftest *t, const struct recorded *r)
{
	const uint64_t *recorded = r->own[0].calls, *counted = r->work->made;
	uint64_t few_recorded = 0, few_counted = 0;
	char name[40];

	for (uint32_t i = 0; i < CALLS_MAX; i++)
		if (counted[i] >= 10) {
			compare_one(t, call_name(i, name, sizeof(name)), NULL, counted[i], recorded[i],
				    recorded[i]);
		} else {
			few_recorded += recorded[i];
			few_counted += counted[i];
		}
	compare_one(t, "other calls", NULL, few_counted, few_recorded, few_recorded);
}

/* Returns the growth of the value of "KEY: NUMBER" in /proc/self/io. */
static uint64_t io_growth(const struct work *w, const char *key)
{
	const char *first = strstr(w->io[0], key), *last = strstr(w->io[1], key);

	return first && last ? strtoull(last + strlen(key), NULL, 10) -
			       strtoull(first + strlen(key), NULL, 10) : 0;
}

static uint64_t used_switches(const struct rusage *usage)
{
	return (uint64_t)(usage->ru_nvcsw + usage->ru_nivcsw);
}

static uint64_t used_faults(const struct rusage *usage)
{
	return (uint64_t)(usage->ru_minflt + usage->ru_majflt);
}

static void compare_own(struct selftest *t, const struct recorded *r)
{
	const struct work *w = r->work;
	const struct own *o = r->own;
	const char *fault = t->info.caveats & KUTRACE_CAVEAT_FAULT_NONE ?
			    "no page faults are recorded here (fault_none)" :
			    t->info.kinds & kutrace_kind_bits(KUTRACE_KIND_USERPID) ? NULL :
			    "without context switches, faults of other programs count too (mask)";

	compare_one(t, "marks", NULL, 2 * MARKS, r->marks + r->all_marks, r->marks + r->all_marks);
	compare_calls(t, r);
	if (w->has_io) {
		/* the second reading is itself a read, which its text does not count yet */
		compare_one(t, "reads, by /proc/self/io", NULL, io_growth(w, "syscr: ") + 1, o[0].reads,
			    o[0].reads);
		compare_one(t, "writes, by /proc/self/io", NULL, io_growth(w, "syscw: "), o[0].writes,
			    o[0].writes);
	}
	compare_one(t, "page faults, by getrusage", fault,
		    used_faults(&w->usage[1]) - used_faults(&w->usage[0]), o[0].faults, o[1].faults);
	compare_one(t, "context switches, by getrusage", NULL,
		    used_switches(&w->usage[1]) - used_switches(&w->usage[0]), o[0].switches,
		    o[1].switches);
}

/* Compares the counts of each CPU. @slack: events that may be missing or too many on a CPU. */
static void compare_cpus(struct selftest_count *row, const uint64_t *before, const uint64_t *after,
			 const uint64_t *low, const uint64_t *high, unsigned int slack)
{
	for (unsigned int cpu = 0; cpu < KUTRACE_CPUS; cpu++)
		compare(row, "CPU", cpu, after[cpu] - before[cpu],
			low[cpu] > slack ? low[cpu] - slack : 0, high[cpu] ? high[cpu] + slack : 0);
}

static void compare_devices(struct selftest *t, const struct counters *c,
			    const struct counters *all)
{
	const bool actions = t->info.caveats & KUTRACE_CAVEAT_IRQ_ACTION;
	struct selftest_count *row = add_row(t, "device interrupts", actions ?
		"the kernel may call a handler again without counting (irq_action)" : NULL);

	for (unsigned int irq = 1; irq < IRQS; irq++) {
		uint64_t grown = c[1].irq[irq] - c[0].irq[irq];

		compare(row, "interrupt", irq, actions && grown ? grown * counters_handlers(irq) : grown,
			all[0].irq[irq], all[1].irq[irq]);
	}
}

static void compare_all(struct selftest *t, const struct recorded *r, const struct counters *c)
{
	const struct counters *all = r->all;
	const char *nmi = t->info.caveats & KUTRACE_CAVEAT_NMI_TIME ?
			  "each handler of an NMI gives an event (nmi_time)" : NULL;
	char name[40];

	compare_one(t, "context switches of all CPUs", NULL, c[1].switches - c[0].switches,
		    all[0].switches, all[1].switches);
	for (unsigned int i = 0; i < SOFTIRQS; i++) {
		snprintf(name, sizeof(name), "softirqs %s", softirq_names[i]);
		/* with PREEMPT_RT, a softirq's thread can be preempted before the tracepoint */
		compare_cpus(add_row(t, name, NULL), c[0].softirq[i], c[1].softirq[i],
			     all[0].softirq[i], all[1].softirq[i], t->rt);
	}
	for (unsigned int i = 0; i < COUNTED_INTERRUPTS; i++)
		compare_cpus(add_row(t, interrupt_names[i], i == COUNTED_NMI ? nmi : NULL),
			     c[0].interrupt[i], c[1].interrupt[i], all[0].interrupt[i],
			     all[1].interrupt[i], 0);
	compare_devices(t, c, all);
}

/* Reads the counters between the parent's marks @number and @number + 1. */
static int read_between_marks(const struct work *w, unsigned int number, struct counters *c)
{
	int ret;

	kutrace_mark_d(w->tag + MARKS + number);
	kutrace_msleep(APART_MS);
	ret = counters_read(c);
	kutrace_msleep(APART_MS);
	kutrace_mark_d(w->tag + MARKS + number + 1);
	return ret;
}

static int record(struct work *w, struct counters *c)
{
	int ret = selftest_on(false);

	if (ret)
		return ret;
	ret = read_between_marks(w, 0, &c[0]);
	ret = ret ?: run_work(w);
	ret = ret ?: read_between_marks(w, 2, &c[1]);
	return selftest_off() ?: ret;
}

int selftest_counts(struct selftest *t)
{
	struct counters *counted = calloc(2, sizeof(*counted));
	struct recorded *r = calloc(1, sizeof(*r));
	struct work *w = selftest_share(sizeof(*w));
	const struct kutrace_read_options options = {.event = add_event, .arg = r};
	int ret = counted && r && w ? 0 : -ENOMEM;

	selftest_progress(t, "counts", 1, 1);
	if (!ret) {
		w->page_bytes = sysconf(_SC_PAGESIZE);
		w->tag = (uint32_t)getpid() << 8;
		r->work = w;
		ret = record(w, counted);
	}
	if (!ret) {
		t->lost = selftest_lost();
		ret = kutrace_read(&options, NULL);
	}
	if (!ret) {
		compare_own(t, r);
		compare_all(t, r, counted);
	}
	free(counted);
	free(r);
	if (w)
		munmap(w, sizeof(*w));
	return ret;
}
