/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A simulated machine that has the truth, for the tests of the reconstruction. Its CPUs and
 * pids call, fault, are interrupted, switch and migrate. A recorder writes these events in the
 * format of the kernel (merged returns, late stores, gaps longer than a timestamp, a stale first
 * block), except what a test declares lost. truth.h includes it.
 */
#ifndef TRUTH_MACHINE_H
#define TRUTH_MACHINE_H

#include "raw_build.h"

#include <inttypes.h>
#include <stdbool.h>

#include "model/span.h"

#define CPUS		4
#define PIDS		9		/* number of pids, 1 .. PIDS - 1; 0 is idle */
#define DEPTH		6
#define EVENTS_MAX	700
#define SEGMENTS_MAX	(4 * EVENTS_MAX)
#define PRINTED		100000		/* length of the events printed around a failure */

/* ---- the simulated machine ---- */

struct pid {
	uint32_t stack[DEPTH];	/* event numbers of the pending calls; [0] is unused */
	int depth;		/* number of pending calls; 0: user code */
	bool running, seen;	/* running: runs now; seen: has run in the trace */
	bool left;		/* the pid has been switched out */
	bool called;		/* the pid has made a system call that was recorded */
	/* the pid is a new task, which starts without a return of the scheduler */
	bool fresh;
	bool before;		/* the pid is still in a system call that began before the trace */
	int pieces;		/* number of parts of that call */
	int settled;		/* number of system calls that ended since the last loss */
	int64_t ready;		/* earliest time of a switch to the pid */
};

struct cpu {
	uint32_t pid;
	uint32_t irqs[2];
	int irq_depth;
	int64_t time;		/* time of the CPU's next event */
	int64_t last;
	int64_t start;		/* start of the current code */
	uint32_t sched_next;	/* next pid, while the CPU is in the scheduler */
	/* state: 0 not in the scheduler, 1 called, 2 switched, 3 will not switch */
	int sched;
	/* number of context switches since the last lost event of the idle task */
	int settled;
	bool interrupted;	/* an interrupt came after the switch */
	bool begun;
};

struct event {
	int64_t time;
	uint32_t event, arg;
	uint32_t pid;		/* the running pid */
	int cpu;
	bool lost;
	bool cut;		/* a block was lost before this event, which begins a new block */
	bool merged;		/* the event is recorded in the word of its call */
};

/* An interval of execution, from the truth or from the spans. */
struct segment {
	int64_t start, end;
	int64_t event, pid;
	int cpu;
	bool marked;		/* the name of the span has a ? */
	bool open;		/* the stream does not determine the interval */
};

struct loss {
	int64_t time;
	uint32_t pid;
	int cpu;
};

static struct pid pids[PIDS];
static struct cpu cpus[CPUS];
static struct event events[EVENTS_MAX];
static struct segment truth[SEGMENTS_MAX], spans[SEGMENTS_MAX];
static struct loss losses[EVENTS_MAX], marks[SEGMENTS_MAX];
static size_t event_count, truth_count, span_count, loss_count, mark_count;
static int cpu_count;
static bool stock, lossy;
static char fact[64];		/* fact of the trace; empty: none */
static uint64_t random_state;

static uint32_t below(uint32_t limit)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(random_state >> 33) % limit;
}

static bool one_in(uint32_t n)
{
	return !below(n);
}

/* Returns the event number of the code that cpu runs now. */
static int64_t runs(const struct cpu *cpu)
{
	const struct pid *pid = &pids[cpu->pid];

	if (cpu->irq_depth)
		return cpu->irqs[cpu->irq_depth - 1];
	if (cpu->sched)
		return KUTRACE_CALL_SCHED;
	if (cpu->pid && pid->depth)
		return pid->stack[pid->depth];
	return KP_EVENT_USER + cpu->pid;
}

/*
 * Returns the pid to which the time belongs. Time in the scheduler belongs to its caller; after an
 * interrupt that follows the switch, to the next pid.
 */
static uint32_t owner_of(const struct cpu *cpu)
{
	return cpu->sched == 2 && cpu->interrupted ? cpu->sched_next : cpu->pid;
}

/* Ends the present segment at @now and begins another one, which belongs to @owner. */
static void transition(struct cpu *cpu, int64_t now, uint32_t owner)
{
	struct segment *s = &truth[truth_count];
	struct pid *pid = &pids[cpu->pid];

	if (cpu->begun && now > cpu->start) {
		assert_true(truth_count < SEGMENTS_MAX);
		truth_count++;
		*s = (struct segment){
			.start = cpu->start, .end = now, .event = runs(cpu), .pid = owner,
			.cpu = (int)(cpu - cpus),
		};
		if (pid->before && !cpu->irq_depth && !cpu->sched && pid->depth == 1) {
			s->open = true;		/* the state is open until the call returns */
			pid->pieces++;
		}
	}
	cpu->start = now;
	cpu->begun = true;
}

static void record(struct cpu *cpu, uint32_t event, uint32_t arg, bool lost)
{
	assert_true(event_count < EVENTS_MAX);
	events[event_count++] = (struct event){
		.time = cpu->time, .event = event, .arg = arg,
		.pid = cpu->sched == 2 ? cpu->sched_next : cpu->pid,
		.cpu = (int)(cpu - cpus), .lost = lost,
	};
	if (lost)
		losses[loss_count++] = (struct loss){ cpu->time, cpu->pid, (int)(cpu - cpus) };
}

static void call(struct cpu *cpu, uint32_t event, uint32_t arg, bool lost)
{
	struct pid *pid = &pids[cpu->pid];

	transition(cpu, cpu->time, owner_of(cpu));
	record(cpu, event, arg, lost);
	if (event >= KUTRACE_CALL_IRQ && event <= KUTRACE_CALL_BH) {
		cpu->irqs[cpu->irq_depth++] = event;
		cpu->interrupted = true;
	} else {
		pid->stack[++pid->depth] = event;
	}
}

static void give_back(struct cpu *cpu, bool lost)
{
	struct pid *pid = &pids[cpu->pid];
	uint32_t event = (uint32_t)runs(cpu);
	size_t i;

	transition(cpu, cpu->time, owner_of(cpu));
	record(cpu, event | KUTRACE_RETURN_BIT, 0, lost);
	if (cpu->irq_depth) {
		cpu->irq_depth--;
		return;
	}
	pid->depth--;
	pid->settled += !lost && !pid->depth && event >= KUTRACE_CALL_SYSCALL64;
	if (pid->before && !pid->depth) {
		/* the call is known now, if it has few enough parts */
		for (i = 0; i < truth_count && pid->pieces < 60; i++)
			if (truth[i].pid == cpu->pid)
				truth[i].open = false;
		pid->before = false;
	}
}

/* Returns another pid that can run on @cpu, or idle. */
static uint32_t choose_next(const struct cpu *cpu)
{
	uint32_t i, pid;

	for (i = 0; i < 4; i++) {
		pid = below(PIDS);
		if (pid != cpu->pid &&
		    (!pid || (!pids[pid].running && pids[pid].ready < cpu->time)))
			return pid;
	}
	return cpu->pid ? 0 : UINT32_MAX;
}

static void leave(struct cpu *cpu, uint32_t next, int64_t now)
{
	pids[cpu->pid].running = false;
	pids[cpu->pid].left = true;
	pids[cpu->pid].ready = now;
	cpu->settled++;
	cpu->pid = next;
	pids[next].running = true;
	pids[next].seen = true;
}

static void step_sched(struct cpu *cpu)
{
	uint32_t old = cpu->pid, next = cpu->sched_next;

	if (cpu->sched == 3) {
		transition(cpu, cpu->time, old);
		record(cpu, KUTRACE_RET_SCHED, 0, false);
		cpu->sched = 0;
		return;
	}
	if (cpu->sched == 1) {
		if (pids[next].fresh) {
			/* a fresh task starts at the switch */
			transition(cpu, cpu->time, old);
			record(cpu, KUTRACE_USERPID, next, false);
			cpu->sched = 0;
			pids[next].fresh = false;
			leave(cpu, next, cpu->time);
			return;
		}
		record(cpu, KUTRACE_USERPID, next, false);
		cpu->sched = 2;
		cpu->interrupted = false;
		return;
	}
	transition(cpu, cpu->time, owner_of(cpu));
	record(cpu, KUTRACE_RET_SCHED, 0, false);
	cpu->sched = 0;
	leave(cpu, next, cpu->time);
}

static void begin_switch(struct cpu *cpu)
{
	uint32_t next = choose_next(cpu);

	if (next == UINT32_MAX)
		return;
	if (stock) {
		transition(cpu, cpu->time, cpu->pid);
		record(cpu, KUTRACE_USERPID, next, false);
		pids[next].fresh = false;
		leave(cpu, next, cpu->time);
		return;
	}
	transition(cpu, cpu->time, cpu->pid);
	record(cpu, KUTRACE_CALL_SCHED, 0, false);
	if (one_in(8)) {
		cpu->sched = 3;
		return;
	}
	cpu->sched = 1;
	cpu->sched_next = next;
	pids[next].running = true;	/* no other CPU may switch to it */
}

/* Returns true if the next entry of cpu is lost. The test defines this function. */
static bool lose(struct cpu *cpu);

static void step(struct cpu *cpu)
{
	static const uint32_t irqs[] = { 0x5EC, 0x5FD, 0x51A };
	struct pid *pid = &pids[cpu->pid];
	uint32_t dice = below(16);
	bool lost;

	if (cpu->sched && !cpu->irq_depth) {
		if (dice < 13)
			step_sched(cpu);
		else
			call(cpu, irqs[below(3)], 0, false);
	} else if (cpu->irq_depth) {
		if (cpu->irq_depth == 1 && cpu->irqs[0] != KUTRACE_CALL_BH && dice < 5)
			call(cpu, KUTRACE_CALL_BH, below(9), false);
		else
			give_back(cpu, lose(cpu));
	} else if (dice < 3) {
		call(cpu, irqs[below(3)], 0, false);
	} else if (!cpu->pid || dice < 5) {
		begin_switch(cpu);
	} else if (!pid->depth) {
		if (dice < 13) {
			lost = lose(cpu);
			call(cpu, KUTRACE_CALL_SYSCALL64 + below(5), below(100), lost);
			pid->called |= !lost;
		} else {
			call(cpu, KUTRACE_CALL_TRAP + KUTRACE_PAGEFAULT, 4, false);
		}
	} else if (pid->stack[pid->depth] >= KUTRACE_CALL_SYSCALL64 && dice < 7) {
		call(cpu, KUTRACE_CALL_TRAP + KUTRACE_PAGEFAULT, 0, false);
	} else {
		/*
		 * on stock kernels, the end of a fault may be missing anyway, so the test loses no
		 * end of a fault
		 */
		bool fault = pid->stack[pid->depth] < KUTRACE_CALL_IRQ;

		give_back(cpu, !(fault && stock) && lose(cpu));
	}
}

static void simulate(uint64_t seed)
{
	uint32_t count, i;

	random_state = seed * 2654435761u + 1;
	below(2);
	memset(pids, 0, sizeof(pids));
	memset(cpus, 0, sizeof(cpus));
	event_count = truth_count = loss_count = 0;
	stock = seed & 1;
	lossy = seed & 2;
	cpu_count = 1 + (int)below(CPUS);
	for (i = 1; i < PIDS; i++) {
		if (one_in(3)) {
			pids[i].depth = 1;
			pids[i].stack[1] = KUTRACE_CALL_SYSCALL64 + 200 + below(4);
			pids[i].before = true;
		} else if (!stock && one_in(4)) {
			pids[i].fresh = true;
		}
	}
	for (i = 0; i < (uint32_t)cpu_count; i++)
		cpus[i].time = 100 + below(1000);
	count = 40 + below(400);
	while (event_count < count) {
		struct cpu *cpu = &cpus[0];
		int n;

		for (n = 1; n < cpu_count; n++)
			if (cpus[n].time < cpu->time)
				cpu = &cpus[n];
		step(cpu);
		cpu->last = cpu->time;
		/*
		 * short, long, longer than GAP_MAX (which needs a TSDELTA), longer than a
		 * timestamp
		 */
		cpu->time += 1 + below(one_in(3) ? 20 : one_in(40) ? 0x2FFFFF : 3000);
	}
}

/* ---- the recording ---- */

/* Writes the entries of a CPU into blocks of the trace. */
static void record_cpu(struct trace *trace, int cpu)
{
	/* times of the previous entry and of the entry before that */
	uint64_t before = 0, earlier = 0;
	bool first = true;
	size_t i, j;

	for (i = 0; i < event_count; i++) {
		const struct event *e = &events[i];
		uint64_t time = (uint64_t)e->time;
		uint32_t arg = e->arg, limit;

		if (e->cpu != cpu || e->lost || e->merged)
			continue;
		if (first || e->cut || trace->used + 3 > WORDS || one_in(100)) {
			/* no switch lies between the block's begin and its first entry */
			block(trace, (unsigned int)cpu, time, e->pid, "");
			earlier = before = time;
		}
		first = false;
		if (time - before > KUTRACE_GAP_MAX)
			entry(trace, time, KUTRACE_TSDELTA, (uint32_t)(time - before));
		/* Merge the return if it is the next event on this CPU and follows soon. */
		for (j = i + 1; j < event_count && events[j].cpu != cpu; j++)
			;
		limit = j < event_count ? (uint32_t)(events[j].time - e->time) : 0;
		if (e->event >= KUTRACE_CALL_TRAP && !(e->event & KUTRACE_RETURN_BIT) &&
		    j < event_count && !events[j].lost && limit <= KUTRACE_DELTA_MAX &&
		    events[j].event == (e->event | KUTRACE_RETURN_BIT)) {
			merged(trace, time, e->event, limit, 0, arg);
			events[j].merged = true;
			earlier = before;
			before = time;
			continue;
		}
		entry(trace, time, e->event, arg);
		/*
		 * A late store: this entry is placed after its successor, unless that needs a
		 * TSDELTA.
		 */
		if (before != time && time - before < KUTRACE_LATE_MAX &&
		    time - earlier <= KUTRACE_GAP_MAX && one_in(20) &&
		    trace->used > KUTRACE_FIRST_WORD + 2) {
			uint64_t *w = last_block(trace) + trace->used - 2, swap = w[0];

			if ((swap >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK) != KUTRACE_TSDELTA &&
			    (((w[1] >> 44) - (swap >> 44)) & KUTRACE_TS_MASK) < KUTRACE_LATE_MAX) {
				w[0] = w[1];
				w[1] = swap;
				/* the next gap is measured from the late entry */
				earlier = time;
				before = time - (((w[0] >> 44) - (swap >> 44)) & KUTRACE_TS_MASK);
				continue;
			}
		}
		earlier = before;
		before = time;
	}
}

static FILE *record_all(bool wrapped)
{
	struct trace trace;
	FILE *file;
	size_t i;
	int cpu;

	begin(&trace, wrapped ? 0x43 : 3);
	if (stock)
		name(&trace, 0, KUTRACE_NAME_META, 0, "backend=tracepoint");
	for (i = 0; i < 5; i++)
		name(&trace, 1 + i, KUTRACE_NAME_SYS64NAME, (uint32_t)i, "call");
	if (fact[0])
		name(&trace, 7, KUTRACE_NAME_META, 0, fact);
	if (wrapped) {
		/* stale entries: an old part of the first block that was not overwritten */
		entry(&trace, 50, KUTRACE_USERPID, 7);
		entry(&trace, 60, KUTRACE_CALL_SYSCALL64 + 3, 0);
		entry(&trace, 90, 0x5EC, 0);
	}
	for (cpu = 0; cpu < cpu_count; cpu++)
		record_cpu(&trace, cpu);
	file = as_file(&trace);
	done(&trace);
	return file;
}

/* To examine a failure: prints the last and next events of @cpu, or of @pid, around @time. */
static void print_events(int64_t time, int64_t pid, int cpu)
{
	size_t i;

	for (i = 0; i < event_count; i++)
		if ((events[i].cpu == cpu || events[i].pid == pid) &&
		    events[i].time > time - PRINTED && events[i].time < time + PRINTED)
			print_message("%10" PRId64 " CPU %d pid %u: %03x %u%s%s%s\n",
				      events[i].time, events[i].cpu, events[i].pid,
				      events[i].event, events[i].arg,
				      events[i].lost ? " lost" : "", events[i].cut ? " cut" : "",
				      events[i].merged ? " merged" : "");
}

#endif
