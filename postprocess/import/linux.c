// SPDX-License-Identifier: BSD-3-Clause
/*
 * Converts Linux's tracepoints to KUtrace's events (import/linux.h). Examples:
 *
 *	sys_enter id=39		becomes	2087 getpid
 *	irq_handler_entry irq=27	becomes	1307 virtio0-input.0
 *	sched_switch next_pid=51	becomes	 512 work.51
 */
#include "import/linux.h"

#include <stdio.h>

#include "base/memory.h"
#include "common/event_name.h"

#define EVENTS		4096
#define NAME_MAX_BYTES	96
#define IDLE_LEFT	UINT32_MAX
#define NO_CALL		0
#define NS_A_UNIT	10
#define COMM_BYTES	15	/* maximum length of a task name in the kernel */

/* Bits of prev_state. The value 64 is TASK_DEAD before Linux 4.14, and TASK_PARKED from 4.14 on. */
enum { STATE_EXIT_DEAD = 16, STATE_EXIT_ZOMBIE = 32, STATE_TASK_DEAD = 64 };

struct kp_linux {
	struct kp_feed *feed;
	bool surveyed;
	char *names[EVENTS];		/* names of calls, by event number */
	struct kp_strings texts;
	struct kp_map by_text;		/* key: address of a call's name, and its table -> event number */
	struct kp_map irqs;		/* Linux's interrupt number -> KUtrace's */
	bool irq_used[256];
	struct kp_map pending;		/* key of runs_on() -> pending system call of the thread */
	uint32_t idle[KP_FEED_CPUS];	/* idle state of the CPU + 1; 0: not idle */
	uint32_t running[KP_FEED_CPUS];	/* running thread; 0: idle or unknown */
	bool switched[KP_FEED_CPUS];	/* the CPU had a context switch or a gap */
	/*
	 * Number of births of threads so far. If the last birth of a pid is later than the switch
	 * to the running thread with this pid, the running thread is not the thread that was born
	 * last.
	 */
	uint32_t births;
	struct kp_map born;		/* pid -> value of births at its last birth */
	/* value of births when the running thread got its CPU */
	uint32_t births_at[KP_FEED_CPUS];
	uint32_t cpu_end;		/* highest CPU with a context switch, + 1 */
	enum kp_calls_of calls;		/* names of calls that have only a number in the trace */
	int64_t dead;			/* prev_state bits of a task that does not run again */
	uint64_t wakings, wakeups, irq_count, faults, idles, idle_ends, others;
	uint64_t nameless;		/* number of returns of calls that began before the trace */
	/* number of events omitted because the number of the task is out of range */
	uint64_t numberless;
};

struct kp_linux *kp_linux_new(struct kp_feed *feed)
{
	struct kp_linux *linux_ = kp_allocated(calloc(1, sizeof(*linux_)));

	if (!linux_)
		return NULL;
	linux_->feed = feed;
	linux_->dead = STATE_EXIT_DEAD | STATE_EXIT_ZOMBIE;
	return linux_;
}

void kp_linux_free(struct kp_linux *linux_)
{
	if (!linux_)
		return;
	for (size_t i = 0; i < EVENTS; i++)
		free(linux_->names[i]);
	kp_strings_free(&linux_->texts);
	kp_map_free(&linux_->by_text);
	kp_map_free(&linux_->irqs);
	kp_map_free(&linux_->pending);
	kp_map_free(&linux_->born);
	free(linux_);
}

/* Stores the name of a call and adds it to the names of the trace, unless the call has a name. */
static void name_event(struct kp_linux *linux_, uint32_t event, struct kp_text name)
{
	const struct ku_call_name where = ku_call_name(event);

	if (linux_->names[event] || !name.len)
		return;
	linux_->names[event] = kp_allocated(strndup(name.text, name.len < NAME_MAX_BYTES ? name.len :
												NAME_MAX_BYTES));
	if (where.base && linux_->names[event])
		kp_feed_name(linux_->feed, where.base, where.number, linux_->names[event],
			     strlen(linux_->names[event]));
}

static int put(struct kp_linux *linux_, const struct kp_feed_at *at, struct kp_event *event,
	       const char *name)
{
	event->name = name;
	event->name_len = strlen(name);
	return kp_feed_event(linux_->feed, at, event);
}

/* Passes on a call or its return, with the name of the call. */
static int put_call(struct kp_linux *linux_, const struct kp_feed_at *at, uint32_t call, bool back,
		    uint64_t value)
{
	struct kp_event event = { .event = back ? call | KUTRACE_RETURN_BIT : call };
	char name[NAME_MAX_BYTES + 8];

	if (back)
		event.retval = (int32_t)(value & 0xFFFF);
	else
		event.arg0 = (uint32_t)(value & 0xFFFF);
	snprintf(name, sizeof(name), "%s%s", back ? "/" : "",
		 linux_->names[call] ? linux_->names[call] : "?");
	return put(linux_, at, &event, name);
}

static int put_point(struct kp_linux *linux_, const struct kp_feed_at *at, uint32_t number, uint32_t arg,
		     const char *name)
{
	struct kp_event event = { .event = number, .dur = 1, .arg0 = arg };

	return put(linux_, at, &event, name);
}

/* Returns whether @pid can be the number of a task; 0 is idle, which is no task. */
static bool in_range(int64_t pid)
{
	return pid > 0 && pid <= INT32_MAX;
}

/* Returns in_range(). If false, counts an event that the caller must omit. */
static bool is_task(struct kp_linux *linux_, int64_t pid)
{
	if (in_range(pid))
		return true;
	linux_->numberless += pid && pid != KP_LINUX_NO_TASK && !linux_->surveyed;
	return false;
}

int kp_linux_name(struct kp_linux *linux_, const struct kp_feed_at *at, int64_t pid, struct kp_text name)
{
	return is_task(linux_, pid) ? kp_feed_task(linux_->feed, at, (uint32_t)pid, name.text, name.len) : 0;
}

int kp_linux_exec(struct kp_linux *linux_, const struct kp_feed_at *at, int64_t pid, struct kp_text path)
{
	const char *slash = path.len ? memrchr(path.text, '/', path.len) : NULL;

	if (slash)
		path = (struct kp_text){ slash + 1, path.len - (size_t)(slash + 1 - path.text) };
	path.len = path.len < COMM_BYTES ? path.len : COMM_BYTES;
	return is_task(linux_, pid) ? kp_feed_exec(linux_->feed, at, (uint32_t)pid, path.text, path.len) : 0;
}

/* Returns a CPU other than @but on which @pid runs; KP_FEED_CPUS if there is none. */
static uint32_t cpu_of(const struct kp_linux *linux_, int64_t pid, uint32_t but)
{
	for (uint32_t cpu = 0; cpu < linux_->cpu_end; cpu++)
		if (linux_->running[cpu] == pid && cpu != but)
			return cpu;
	return KP_FEED_CPUS;
}

static int note_birth(struct kp_linux *linux_, int64_t pid)
{
	return kp_map_set(&linux_->born, (uint64_t)pid, ++linux_->births);
}

/* Names a thread that was just created, and sets its kind. */
static int name_new(struct kp_linux *linux_, const struct kp_feed_at *at, int64_t parent, int64_t pid,
		    struct kp_text name)
{
	return in_range(parent) ?
		       kp_feed_task_of(linux_->feed, at, (uint32_t)pid, (uint32_t)parent, name.text, name.len) :
		       kp_feed_task_new(linux_->feed, at, (uint32_t)pid, name.text, name.len);
}

/*
 * Returns whether thread @pid, which ran on the CPU, freed its number before it left the CPU, and a
 * newer thread has the number.
 */
static bool has_successor(const struct kp_linux *linux_, uint32_t cpu, int64_t pid)
{
	uint32_t born;

	if (cpu >= KP_FEED_CPUS)
		return false;
	/*
	 * if the switch to the thread was not recorded, it is unknown whether the last birth was
	 * before this switch
	 */
	if (linux_->switched[cpu] && linux_->running[cpu] != pid)
		return false;
	return kp_map_get(&linux_->born, (uint64_t)pid, &born) && born > linux_->births_at[cpu];
}

/*
 * Begins a life of @pid. If an older thread with this number still runs, first passes on its exit,
 * because the exit has freed the number.
 */
static int born(struct kp_linux *linux_, const struct kp_feed_at *at, int64_t parent, int64_t pid,
		struct kp_text name)
{
	const struct kp_feed_at before = { at->time_ns - NS_A_UNIT, cpu_of(linux_, pid, KP_FEED_CPUS) };
	bool is_second;		/* the trace has two events of the birth */

	if (!linux_->surveyed)
		return name_new(linux_, at, parent, pid, name);
	is_second = has_successor(linux_, before.cpu, pid);
	if (note_birth(linux_, pid))
		return -1;
	if (before.cpu < KP_FEED_CPUS && !is_second && kp_feed_life(linux_->feed, (uint32_t)pid) == KP_FEED_ALIVE &&
	    kp_linux_exit(linux_, &before, pid))
		return -1;
	return name_new(linux_, at, parent, pid, name);
}

int kp_linux_made(struct kp_linux *linux_, const struct kp_feed_at *at, int64_t parent, int64_t pid,
		  struct kp_text name)
{
	return is_task(linux_, pid) ? born(linux_, at, parent, pid, name) : 0;
}

int kp_linux_listed(struct kp_linux *linux_, const struct kp_feed_at *at, int64_t pid, uint32_t kind,
		    struct kp_text name)
{
	if (!is_task(linux_, pid))
		return 0;
	return kp_feed_task_listed(linux_->feed, at, (uint32_t)pid, kind, name.text, name.len);
}

/*
 * Returns the key under which pending has the running thread's call: the thread's number. If the
 * CPU is idle or its thread is unknown (before the first context switch, after a gap), returns a
 * key of the CPU.
 */
static uint32_t runs_on(const struct kp_linux *linux_, const struct kp_feed_at *at)
{
	const uint32_t running = at->cpu < KP_FEED_CPUS ? linux_->running[at->cpu] : 0;

	return running ? running : 1u << 31 | at->cpu;
}

/*
 * Moves a pending call from the key of the CPU to the key @prev, when a context switch shows that
 * @prev has run.
 */
static int keep_pending(struct kp_linux *linux_, const struct kp_feed_at *at, int64_t prev)
{
	const uint32_t key = runs_on(linux_, at);
	uint32_t event;

	if (prev <= 0 || prev > INT32_MAX || key < 1u << 31 || !kp_map_get(&linux_->pending, key, &event))
		return 0;
	return kp_map_set(&linux_->pending, (uint64_t)prev, event) || kp_map_set(&linux_->pending, key, NO_CALL) ? -1 : 0;
}

void kp_linux_set_release(struct kp_linux *linux_, const char *release)
{
	unsigned int major, minor;

	if (sscanf(release, "%u.%u", &major, &minor) == 2 && (major < 4 || (major == 4 && minor < 14)))
		linux_->dead |= STATE_TASK_DEAD;
}

static void set_running(struct kp_linux *linux_, uint32_t cpu, uint32_t pid)
{
	if (cpu >= KP_FEED_CPUS)
		return;
	linux_->running[cpu] = pid;
	linux_->switched[cpu] = true;
	linux_->births_at[cpu] = linux_->births;
	linux_->cpu_end = cpu < linux_->cpu_end ? linux_->cpu_end : cpu + 1;
}

void kp_linux_gap(struct kp_linux *linux_, uint32_t cpu)
{
	set_running(linux_, cpu, 0);
}

int kp_linux_gone(struct kp_linux *linux_, const struct kp_feed_at *at, int64_t pid)
{
	if (!in_range(pid))
		return 0;
	if (!linux_->surveyed) {
		kp_feed_recorded(linux_->feed, KUTRACE_TASKEXIT);
	} else if (kp_feed_life(linux_->feed, (uint32_t)pid) == KP_FEED_ALIVE && kp_linux_exit(linux_, at, pid)) {
		/* the trace lacks the exit, which happened before now */
		return -1;
	}
	return kp_feed_gone(linux_->feed, (uint32_t)pid);
}

/* Ends task @prev 10 ns before the switch, if @state shows that the task does not run again. */
static int end_dead(struct kp_linux *linux_, const struct kp_feed_at *at, int64_t prev, int64_t state)
{
	const struct kp_feed_at before = { at->time_ns - NS_A_UNIT, at->cpu };

	if (state < 0 || !(state & linux_->dead) || at->cpu >= KP_FEED_CPUS)
		return 0;
	return kp_linux_gone(linux_, &before, prev);
}

/*
 * Stores a birth of @pid that has no event: @pid gets a CPU while an older thread with this number
 * runs on another CPU. The stored birth has no effect if the older thread only seems to run,
 * because a switch away from it was not recorded.
 */
static int find_birth(struct kp_linux *linux_, const struct kp_feed_at *at, uint32_t pid, struct kp_text comm)
{
	if (!pid || !linux_->surveyed || cpu_of(linux_, pid, at->cpu) == KP_FEED_CPUS)
		return 0;
	if (note_birth(linux_, pid))
		return -1;
	return kp_feed_life(linux_->feed, pid) == KP_FEED_EXITED ?
		       kp_feed_task_new(linux_->feed, at, pid, comm.text, comm.len) : 0;
}

int kp_linux_switch(struct kp_linux *linux_, const struct kp_feed_at *at, int64_t prev,
		    struct kp_text prev_comm, int64_t state, int64_t next, struct kp_text next_comm)
{
	const bool known = !next || is_task(linux_, next), given = prev != KP_LINUX_NO_TASK;
	bool succeeded;

	if (!given && at->cpu < KP_FEED_CPUS)
		prev = linux_->running[at->cpu];
	succeeded = in_range(prev) && has_successor(linux_, at->cpu, prev);
	if (known && given && prev >= 0 && prev <= INT32_MAX &&
	    (kp_feed_runs(linux_->feed, at, (uint32_t)prev) ||
	     (!succeeded && kp_feed_task(linux_->feed, at, (uint32_t)prev, prev_comm.text, prev_comm.len))))
		return -1;
	if (!succeeded && end_dead(linux_, at, prev, state))
		return -1;
	if (!known) {
		kp_linux_gap(linux_, at->cpu);
		return 0;
	}
	if (find_birth(linux_, at, (uint32_t)next, next_comm) ||
	    kp_feed_task(linux_->feed, at, (uint32_t)next, next_comm.text, next_comm.len) ||
	    (given && keep_pending(linux_, at, prev)))
		return -1;
	set_running(linux_, at->cpu, (uint32_t)next);
	return kp_feed_switch(linux_->feed, at, (uint32_t)next, 0);
}

int kp_linux_wakeup(struct kp_linux *linux_, const struct kp_feed_at *at, enum kp_linux_wakeup how,
		    int64_t pid, struct kp_text comm)
{
	char name[32];

	if (!linux_->surveyed) {
		linux_->wakings += how == KP_LINUX_WAKING;
		linux_->wakeups += how == KP_LINUX_WAKEUP;
	}
	/* sched_waking precedes each sched_wakeup, but not sched_wakeup_new */
	if ((how == KP_LINUX_WAKEUP && linux_->wakings) || !is_task(linux_, pid))
		return 0;
	if (how == KP_LINUX_WAKEUP_NEW && born(linux_, at, KP_LINUX_NO_TASK, pid, comm))
		return -1;
	if (how != KP_LINUX_WAKEUP_NEW &&
	    kp_feed_task(linux_->feed, at, (uint32_t)pid, comm.text, comm.len))
		return -1;
	snprintf(name, sizeof(name), "%s.%" PRId64, ku_point_label(KUTRACE_RUNNABLE), pid);
	return put_point(linux_, at, KUTRACE_RUNNABLE, (uint32_t)pid, name);
}

int kp_linux_exit(struct kp_linux *linux_, const struct kp_feed_at *at, int64_t pid)
{
	char name[32];

	if (!is_task(linux_, pid))
		return 0;
	/* begins another life if the number is free: this is the exit of the next task */
	if (kp_feed_task(linux_->feed, at, (uint32_t)pid, NULL, 0))
		return -1;
	snprintf(name, sizeof(name), "%s.%" PRId64, ku_point_label(KUTRACE_TASKEXIT), pid);
	return put_point(linux_, at, KUTRACE_TASKEXIT, (uint32_t)pid, name);
}

/* Returns the highest event number in the range of table @of that no call has. */
static uint32_t free_number(const struct kp_linux *linux_, enum kp_calls_of of)
{
	const uint32_t base = of == KP_CALLS_32 ? KUTRACE_CALL_SYSCALL32 : KUTRACE_CALL_SYSCALL64;
	const uint32_t count = of == KP_CALLS_32 ? KUTRACE_COUNT_SYSCALL32 : KUTRACE_COUNT_SYSCALL64;

	for (uint32_t i = count; i-- > 0;)
		if (!linux_->names[base + i] && !kp_syscall_name(of, i))
			return base + i;
	return KUTRACE_CALL_SYSOTHER;
}

static uint32_t event_of(enum kp_calls_of of, int64_t number)
{
	if (number < 0)
		return NO_CALL;
	if (of == KP_CALLS_32)
		return number < KUTRACE_COUNT_SYSCALL32 ? KUTRACE_CALL_SYSCALL32 + (uint32_t)number : NO_CALL;
	return number < KUTRACE_COUNT_SYSCALL64 ? KUTRACE_CALL_SYSCALL64 + (uint32_t)number : NO_CALL;
}

uint32_t kp_linux_syscall_named(struct kp_linux *linux_, enum kp_calls_of of, struct kp_text name)
{
	const struct kp_str *text = kp_strings_add(&linux_->texts, name.text, name.len);
	const uint64_t key = (uint64_t)(uintptr_t)text << 1 | (of == KP_CALLS_32);
	uint32_t event;

	if (text && kp_map_get(&linux_->by_text, key, &event))
		return event;
	event = event_of(of, kp_syscall_number(of, name.text, name.len));
	if (event == NO_CALL || linux_->names[event])
		event = free_number(linux_, of);
	name_event(linux_, event, name);
	if (text)
		kp_map_set(&linux_->by_text, key, event);
	return event;
}

uint32_t kp_linux_syscall_numbered(struct kp_linux *linux_, enum kp_calls_of of, uint64_t number)
{
	uint32_t event = event_of(of, number <= INT32_MAX ? (int64_t)number : -1);
	const char *name;
	char other[32];

	if (event == NO_CALL)
		event = KUTRACE_CALL_SYSOTHER;
	if (linux_->names[event])
		return event;
	name = event == KUTRACE_CALL_SYSOTHER ? ku_call_name(event).label : kp_syscall_name(of, number);
	snprintf(other, sizeof(other), "syscall#%" PRIu64, number);
	name = name ? name : other;
	name_event(linux_, event, (struct kp_text){ name, strlen(name) });
	return event;
}

int kp_linux_syscall(struct kp_linux *linux_, const struct kp_feed_at *at, uint32_t event, bool back,
		     uint64_t value)
{
	if (kp_map_set(&linux_->pending, runs_on(linux_, at), back ? NO_CALL : event))
		return -1;
	return put_call(linux_, at, event, back, value);
}

int kp_linux_syscall_end(struct kp_linux *linux_, const struct kp_feed_at *at, uint64_t value)
{
	uint32_t event;

	if (!kp_map_get(&linux_->pending, runs_on(linux_, at), &event) || event == NO_CALL) {
		linux_->nameless += !linux_->surveyed;
		event = kp_linux_syscall_numbered(linux_, linux_->calls, UINT64_MAX);
	}
	return kp_linux_syscall(linux_, at, event, true, value);
}

/*
 * Returns KUtrace's number of an interrupt. This is Linux's number if that number has at most eight
 * bits, is not used yet, and is no vector of the processor. Otherwise it is the highest free
 * number.
 */
static uint32_t irq_number(struct kp_linux *linux_, uint32_t irq)
{
	uint32_t number, i;

	if (kp_map_get(&linux_->irqs, irq, &number))
		return number;
	number = irq < 256 && !ku_vector_label(irq) && !linux_->irq_used[irq] ? irq : 256;
	for (i = 255; number == 256 && i > 0; i--)
		if (!ku_vector_label(i) && !linux_->irq_used[i])
			number = i;
	if (number == 256)
		number = KUTRACE_VECTOR_OTHER;
	linux_->irq_used[number] = true;
	return kp_map_set(&linux_->irqs, irq, number) ? KUTRACE_VECTOR_OTHER : number;
}

int kp_linux_irq(struct kp_linux *linux_, const struct kp_feed_at *at, uint32_t irq, struct kp_text name,
		 bool back, uint64_t value)
{
	const uint32_t call = KUTRACE_CALL_IRQ + irq_number(linux_, irq);
	char other[32];

	linux_->irq_count += !linux_->surveyed;
	if (!name.len) {
		snprintf(other, sizeof(other), "irq#%u", irq);
		name = (struct kp_text){ other, strlen(other) };
	}
	/*
	 * in the first pass, a return must not set a default name, because a later call may have a name
	 */
	if (!back || linux_->surveyed)
		name_event(linux_, call, name);
	return put_call(linux_, at, call, back, back ? value : irq);
}

static const struct { const char *name; uint32_t number; } vectors[] = {
	{ "local_timer", KUTRACE_VECTOR_LOCAL_TIMER }, { "spurious_apic", KUTRACE_VECTOR_SPURIOUS },
	{ "deferred_error_apic", KUTRACE_VECTOR_DEFERRED_ERROR }, { "irq_work", KUTRACE_VECTOR_IRQ_WORK },
	{ "x86_platform_ipi", KUTRACE_VECTOR_PLATFORM_IPI }, { "threshold_apic", KUTRACE_VECTOR_THRESHOLD },
	{ "thermal_apic", KUTRACE_VECTOR_THERMAL }, { "call_function_single", KUTRACE_VECTOR_CALL_SINGLE },
	{ "call_function", KUTRACE_VECTOR_CALL_FUNCTION }, { "reschedule", KUTRACE_VECTOR_RESCHEDULE },
	{ "error_apic", KUTRACE_VECTOR_APIC_ERROR },
};

int kp_linux_vector(struct kp_linux *linux_, const struct kp_feed_at *at, struct kp_text name, bool back)
{
	uint32_t number = KUTRACE_VECTOR_OTHER;
	const char *label;

	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
		if (strlen(vectors[i].name) == name.len && !memcmp(vectors[i].name, name.text, name.len))
			number = vectors[i].number;
	label = number == KUTRACE_VECTOR_OTHER ? NULL : ku_vector_label(number);
	if (label)
		name = (struct kp_text){ label, strlen(label) };
	name_event(linux_, KUTRACE_CALL_IRQ + number, name);
	return put_call(linux_, at, KUTRACE_CALL_IRQ + number, back, 0);
}

int kp_linux_softirq(struct kp_linux *linux_, const struct kp_feed_at *at, uint32_t vec, bool back)
{
	struct kp_event event = { .event = back ? KUTRACE_RET_BH : KUTRACE_CALL_BH,
				  .arg0 = back ? 0 : vec & 0xFFFF };
	const char *label = ku_softirq_label(vec);
	char name[32];

	if (label)
		snprintf(name, sizeof(name), "%sBH%s%s", back ? "/" : "", back ? "" : ":", back ? "" : label);
	else
		snprintf(name, sizeof(name), back ? "/BH" : "BH:%u", vec);
	return put(linux_, at, &event, name);
}

int kp_linux_fault(struct kp_linux *linux_, const struct kp_feed_at *at, uint64_t error)
{
	struct kp_event event = { .event = KUTRACE_CALL_TRAP + KUTRACE_PAGEFAULT, .dur = 1,
				  .arg0 = (uint32_t)(error & 0xFFFF) };

	linux_->faults += !linux_->surveyed;
	return put(linux_, at, &event, ku_trap_label(KUTRACE_PAGEFAULT));
}

int kp_linux_idle(struct kp_linux *linux_, const struct kp_feed_at *at, uint32_t state)
{
	uint32_t *now;

	if (at->cpu >= KP_FEED_CPUS)
		return 0;
	now = &linux_->idle[at->cpu];
	if (state != IDLE_LEFT) {
		linux_->idles += !linux_->surveyed;
		*now = state + 1;
		return put_point(linux_, at, KUTRACE_MWAIT, state, ku_point_label(KUTRACE_MWAIT));
	}
	linux_->idle_ends += !linux_->surveyed;
	if (!*now)
		return 0;
	state = *now - 1;
	*now = 0;
	return put_point(linux_, at, KUTRACE_MONITOREX, state, ku_point_label(KUTRACE_MONITOREX));
}

int kp_linux_frequency(struct kp_linux *linux_, const struct kp_feed_at *at, uint64_t khz)
{
	const uint64_t mhz = khz / 1000;

	if (!mhz || mhz > 1000000)
		return 0;
	return put_point(linux_, at, KUTRACE_PSTATE2, (uint32_t)mhz, "-freq-");
}

int kp_linux_packet(struct kp_linux *linux_, const struct kp_feed_at *at, bool sent, uint64_t hash)
{
	const uint32_t event = sent ? KUTRACE_TX_PKT : KUTRACE_RX_PKT;

	return put_point(linux_, at, event, (uint32_t)(hash ^ hash >> 32), ku_point_label(event));
}

int kp_linux_mark(struct kp_linux *linux_, const struct kp_feed_at *at, struct kp_text text)
{
	struct kp_event event = { .event = KUTRACE_NAME_TPOINT, .dur = 1 };

	while (text.len && (text.text[text.len - 1] == '\n' || text.text[text.len - 1] == '\0'))
		text.len--;
	if (!text.len)
		return 0;
	event.name = text.text;
	event.name_len = text.len < 240 ? text.len : 240;
	return kp_feed_event(linux_->feed, at, &event);
}

void kp_linux_other(struct kp_linux *linux_)
{
	linux_->others += !linux_->surveyed;
}

uint64_t kp_linux_others(const struct kp_linux *linux_)
{
	return linux_->others;
}

uint64_t kp_linux_numberless(const struct kp_linux *linux_)
{
	return linux_->numberless;
}

uint64_t kp_linux_nameless(const struct kp_linux *linux_)
{
	return linux_->nameless;
}

void kp_linux_set_calls(struct kp_linux *linux_, enum kp_calls_of calls)
{
	linux_->calls = calls;
}

enum kp_calls_of kp_linux_calls(const struct kp_linux *linux_)
{
	return linux_->calls;
}

int kp_linux_facts(struct kp_linux *linux_)
{
	const uint32_t recorded = kp_feed_categories(linux_->feed);
	const uint64_t far = kp_feed_counts(linux_->feed)->far_cpus;
	const struct { bool holds; const char *name; } caveats[] = {
		{ recorded & 1u << KUTRACE_CAT_SCHED, "sched_entry" },
		{ linux_->irq_count > 0, "irq_action" },
		{ recorded & 1u << KUTRACE_CAT_IPI, "ipi_send" },
		{ linux_->faults > 0, "fault_begin" },
		{ linux_->faults > 0, "traps_none" },
		{ linux_->idles > 0 && !linux_->idle_ends, "idle_no_exit" },
		{ linux_->wakeups > 0 && !linux_->wakings, "wakeup_target" },
		{ linux_->others > 0, "other_events" },
	};

	for (size_t i = 0; i < sizeof(caveats) / sizeof(caveats[0]); i++)
		if (caveats[i].holds && kp_feed_meta(linux_->feed, "caveat=%s", caveats[i].name))
			return -1;
	if (linux_->numberless && kp_feed_meta(linux_->feed, "lost_task_numbers=%" PRIu64, linux_->numberless))
		return -1;
	if (far && kp_feed_meta(linux_->feed, "lost_far_cpus=%" PRIu64, far))
		return -1;
	linux_->surveyed = true;
	kp_map_free(&linux_->pending);
	memset(&linux_->pending, 0, sizeof(linux_->pending));
	memset(linux_->idle, 0, sizeof(linux_->idle));
	memset(linux_->running, 0, sizeof(linux_->running));
	memset(linux_->switched, 0, sizeof(linux_->switched));
	return kp_feed_meta(linux_->feed, "cats=0x%x", recorded);
}
