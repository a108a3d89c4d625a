// SPDX-License-Identifier: BSD-3-Clause
/* Tasks. All idle tasks (pid 0) are one object, which never waits and has no saved stack. */

#include "reconstruct/state.h"

static void kp_name_task(struct kp_reconstruct *rec, struct kp_task *task,
			 const char *text, size_t len, enum kp_name_source source);

/* Returns the name "pid.51" for a pid without a name. */
static const struct kp_str *kp_number_name(struct kp_reconstruct *rec, uint32_t pid)
{
	int len = snprintf(rec->scratch, sizeof(rec->scratch), "pid.%u", pid);

	return kp_rec_str(rec, rec->scratch, (size_t)len);
}

static struct kp_task *kp_new_task(struct kp_reconstruct *rec, uint32_t pid)
{
	struct kp_task *task = calloc(1, sizeof(*task));
	const struct kp_name *front;

	if (!task)
		goto no_memory;
	if (KP_ROOM(rec->tasks, rec->task_count, rec->task_room))
		goto no_memory;
	if (kp_map_set(&rec->task_map, pid, (uint32_t)rec->task_count))
		goto no_memory;
	rec->tasks[rec->task_count++] = task;
	task->pid = pid;
	kp_rec_task_reset(rec, task);
	task->name = kp_number_name(rec, pid);
	front = kp_names_get(&rec->names, KUTRACE_NAME_PID, pid);
	if (front)
		kp_name_task(rec, task, front->text, front->len, KP_NAMED_FRONT);
	if (front)
		task->kind = (uint8_t)front->kind;
	return task;
no_memory:
	free(task);
	kp_rec_no_memory(rec);
	return NULL;
}

struct kp_task *kp_rec_task(struct kp_reconstruct *rec, uint32_t pid)
{
	struct kp_task *task;
	uint32_t index;

	if (!pid)
		task = &rec->idle;
	else if (kp_map_get(&rec->task_map, pid, &index))
		task = rec->tasks[index];
	else
		task = kp_new_task(rec, pid);
	if (task && !task->touched) {
		task->touched = true;
		task->next_touched = rec->touched;
		rec->touched = task;
	}
	return task;
}

void kp_rec_task_reset(struct kp_reconstruct *rec, struct kp_task *task)
{
	task->cpu = -1;
	task->saved_count = 0;
	task->bottom = task == &rec->idle ? KP_BOTTOM_USER : KP_BOTTOM_UNRESOLVED;
	task->ran = task == &rec->idle;
	task->away.off = -1;
	task->away.woken = -1;
	memset(task->quotas, 0, sizeof(task->quotas));
	task->dirty = false;
	task->reclaim = -1;
	task->touched = false;
	task->next_touched = NULL;
}

static bool kp_has_name(const struct kp_str *all, const struct kp_str *comm)
{
	const char *p = all->text, *end = all->text + all->len;

	while (p <= end) {
		const char *plus = memchr(p, '+', (size_t)(end - p));
		size_t len = (size_t)((plus ? plus : end) - p);

		if (len == comm->len && !memcmp(p, comm->text, len))
			return true;
		if (!plus)
			return false;
		p = plus + 1;
	}
	return false;
}

/* Adds a name to the list of the task's names, for the mark that shows all names. */
static void kp_add_name(struct kp_reconstruct *rec, struct kp_task *task,
			const struct kp_str *comm)
{
	const struct kp_str *all = task->all ? task->all : task->comm;
	int len;

	if (!all || kp_has_name(all, comm) || all->len + comm->len > 200)
		return;
	len = snprintf(rec->scratch, sizeof(rec->scratch), "%s+%s", all->text, comm->text);
	task->all = kp_rec_str(rec, rec->scratch, (size_t)len);
}

static void kp_name_task(struct kp_reconstruct *rec, struct kp_task *task,
			 const char *text, size_t len, enum kp_name_source source)
{
	bool guess = task->named == KP_NAMED_FRONT;
	const struct kp_str *comm;
	int dotted;

	if (task == &rec->idle || !len || source < task->named)
		return;
	task->named = source;
	if (len > 200)
		len = 200;
	if (task->comm && task->comm->len == len && !memcmp(task->comm->text, text, len))
		return;
	comm = kp_rec_str(rec, text, len);
	if (!guess)
		kp_add_name(rec, task, comm);
	task->comm = comm;
	task->kernel_name = kp_is_kernel_name(comm->text, comm->len);
	dotted = snprintf(rec->scratch, sizeof(rec->scratch), "%s.%u", comm->text, task->pid);
	task->name = kp_rec_str(rec, rec->scratch, (size_t)dotted);
}

static bool kp_has_comm(const struct kp_task *task, const struct kp_namedef *def)
{
	return task->comm && task->comm->len == def->name_len &&
	       !memcmp(task->comm->text, def->name, def->name_len);
}

bool kp_rec_names_next(const struct kp_task *task, const struct kp_namedef *def,
		       enum kp_name_source source)
{
	return task->exiting && (source == KP_NAMED_TIME || (source == KP_NAMED_SWITCH && !kp_has_comm(task, def)));
}

void kp_rec_task_name(struct kp_reconstruct *rec, const struct kp_namedef *def,
		      enum kp_name_source source)
{
	struct kp_task *task = kp_rec_task(rec, def->number);

	if (!task)
		return;
	if (kp_rec_names_next(task, def, source))
		task = kp_rec_next_life(rec, task);
	if (!task)
		return;
	kp_name_task(rec, task, def->name, def->name_len, source);
	if (def->kind)
		task->kind = (uint8_t)def->kind;
}

void kp_rec_task_unnamed(struct kp_reconstruct *rec, uint32_t pid)
{
	struct kp_task *task = kp_rec_task(rec, pid);

	if (!task || task->named != KP_NAMED_FRONT)
		return;
	task->named = KP_NAMED_NOT;
	task->kind = KUTRACE_TASK_UNKNOWN;
	task->comm = NULL;
	task->kernel_name = false;
	task->name = kp_number_name(rec, pid);
}

void kp_rec_save(struct kp_reconstruct *rec, struct kp_task *task,
		 const struct kp_frame *frames, int count)
{
	uint32_t keep = count > 1 ? (uint32_t)count - 1 : 0;

	task->saved_count = 0;
	if (task == &rec->idle || !keep)
		return;
	if (keep > task->saved_room) {
		struct kp_frame *bigger = realloc(task->saved, keep * sizeof(*bigger));

		if (!bigger) {
			kp_rec_no_memory(rec);
			return;
		}
		task->saved = bigger;
		task->saved_room = keep;
	}
	memcpy(task->saved, frames + 1, keep * sizeof(*frames));
	task->saved_count = keep;
}

/* ---- waits and wakeups ---- */

static void kp_wait_row(struct kp_reconstruct *rec, const struct kp_task *task,
			char reason, int64_t from, int64_t to, uint32_t arg0, bool inferred)
{
	static const struct {
		char letter;
		const char *name;
	} names[] = {
		{ 'c', "wait_cpu" }, { 'd', "wait_disk" }, { 'l', "wait_lock" },
		{ 'm', "wait_mem" }, { 'n', "wait_net" }, { 'p', "wait_pipe" },
		{ 't', "wait_time" }, { 'k', "wait_task" }, { 's', "wait_sche" },
		{ 'r', "wait_rcu" }, { KP_THROTTLED, "wait_throttled" },
		{ KP_DIRTY, "wait_writeback" }, { KP_RECLAIM, "wait_reclaim" }, { 'z', "wait_unk" },
	};
	struct kp_span row = {
		.start = from, .dur = to - from, .cpu = -1, .pid = task->pid,
		.rpc = task->rpc, .event = KUTRACE_MADE_WAITA + (reason - 'a'),
		.arg0 = arg0,
	};
	const struct kp_str *name;
	size_t i;

	/* Before partial.on, the task may have run on a CPU whose events are missing. */
	if (row.dur < KP_MIN_WAIT || from < rec->stats.partial.on)
		return;
	for (i = 0; names[i].letter != reason && names[i].letter != 'z'; i++)
		;
	rec->stats.waits++;
	name = kp_rec_str(rec, names[i].name, strlen(names[i].name));
	kp_rec_row(rec, &row, inferred ? kp_rec_inferred_name(rec, &row, name) : name);
}

/*
 * Writes the waits of a runnable task, which begins to run on @cpu at @to: for a CPU, or throttled.
 * A throttled task cannot move, except if its permitted CPUs change. So its CPU is @cpu, or the one
 * that it left.
 */
static void kp_runnable_rows(struct kp_reconstruct *rec, const struct kp_task *task,
			     const struct kp_absence *away, int cpu, int64_t from, int64_t to)
{
	/* If the trace has throttled cgroups, an inference needs one of them. */
	const struct kp_task *known = task;
	struct kp_throttle found;
	int at = cpu;
	uint32_t queue;

	if (away->throttled && !rec->any_quota) {
		kp_wait_row(rec, task, KP_THROTTLED, from, to, 0, true);
		return;
	}
	if (!kp_rec_throttled(rec, known, at, from, to, &found, &queue) && away->off >= 0)
		at = away->cpu;
	/* If the trace has throttled cgroups, one of them must agree with an inference. */
	if (away->throttled && !kp_rec_throttled(rec, known, at, from, to, &found, &queue))
		known = NULL;
	while (from < to && kp_rec_throttled(rec, known, at, from, to, &found, &queue)) {
		kp_wait_row(rec, task, 'c', from, found.since, 0, false);
		kp_wait_row(rec, task, KP_THROTTLED, found.since, found.until, queue, !known);
		from = found.until;
	}
	kp_wait_row(rec, task, 'c', from, to, 0, false);
}

/* Writes the waits and the wakeup of a task that begins to run on @cpu at @ts. */
static void kp_absence_rows(struct kp_reconstruct *rec, const struct kp_task *task,
			    const struct kp_absence *away, int cpu, int64_t ts)
{
	struct kp_span row = {
		.start = away->woken, .dur = ts - away->woken, .cpu = away->waker_cpu,
		.pid = away->waker_pid, .rpc = away->waker_rpc,
		.event = KP_EVENT_WAKEUP, .arg0 = cpu, .retval = task->pid,
	};

	if (away->woken < 0) {
		/* No wakeup was recorded: the task was runnable all the time. */
		if (away->off >= 0)
			kp_runnable_rows(rec, task, away, cpu, away->off, ts);
		return;
	}
	if (away->off >= 0 && away->woken > away->off)
		kp_wait_row(rec, task, away->reason, away->off, away->woken,
			    away->request ? away->request : away->timer,
			    away->request && !away->request_sure);
	kp_runnable_rows(rec, task, away, cpu, away->off > away->woken ? away->off : away->woken, ts);
	if (row.dur <= 0 || away->woken < rec->stats.partial.on)
		return;
	rec->stats.arcs++;
	kp_rec_row(rec, &row, rec->wakeup_name);
}

/* ---- unresolved spans: user code or a system call ---- */

void kp_rec_resolve(struct kp_reconstruct *rec, struct kp_task *task)
{
	if (task->bottom != KP_BOTTOM_DEFERRED)
		return;
	if (task->deferred.dur) {
		rec->stats.scheds++;
		kp_rec_row(rec, &task->deferred, task->deferred_frame.name);
	}
	kp_absence_rows(rec, task, &task->deferred_absence, task->deferred.cpu,
			task->deferred.start + task->deferred.dur);
	task->bottom = KP_BOTTOM_UNRESOLVED;
}

void kp_rec_resolve_scheduler(struct kp_reconstruct *rec, struct kp_task *task,
			      int32_t retval)
{
	const struct kp_pending *first = task->pending;
	const int64_t switched = task->deferred.start + task->deferred.dur;
	struct kp_task *caller = kp_rec_task(rec, (uint32_t)task->deferred.pid);

	/*
	 * The scheduler's span lasts until the interrupt: add the first unresolved span to it. If
	 * the caller has run again since the switch, the scheduler's span ends at the switch.
	 */
	if (caller && (caller == &rec->idle || caller->away.off == switched) && task->pending_count &&
	    first->start == switched) {
		if (caller != &rec->idle)
			caller->away.off = first->start + first->dur;
		task->deferred.dur = first->start + first->dur - task->deferred.start;
		if (--task->pending_count)
			memmove(&task->pending[0], &task->pending[1],
				task->pending_count * sizeof(*first));
		else
			task->deferred.retval = retval;
	}
	kp_rec_resolve(rec, task);
	for (uint32_t i = 0; i < task->pending_count; i++)
		rec->stats.scheds++;
	kp_rec_decide(rec, task, &task->deferred_frame, retval, false);
}

void kp_rec_decide(struct kp_reconstruct *rec, struct kp_task *task,
		   const struct kp_frame *frame, int32_t retval, bool inferred)
{
	const struct kp_str *name = frame ? frame->name : task->name;

	kp_rec_resolve(rec, task);
	for (uint32_t i = 0; i < task->pending_count; i++) {
		const struct kp_pending *span = &task->pending[i];
		struct kp_span row = {
			.start = span->start, .dur = span->dur, .cpu = span->cpu,
			.pid = task->pid, .rpc = span->rpc, .ipc = (int32_t)span->ipc,
			.event = (int64_t)KP_EVENT_USER + task->pid,
		};

		if (frame) {
			row.event = frame->event;
			row.arg0 = frame->arg0;
			if (i + 1 == task->pending_count)
				row.retval = retval;
			rec->stats.syscalls += kp_is_syscall(frame->event);
			rec->stats.traps += kp_is_trap(frame->event);
		} else {
			row.arg0 = kp_rec_in_kernel(task);
			rec->stats.user++;
		}
		kp_rec_row(rec, &row, inferred ? kp_rec_inferred_name(rec, &row, name) : name);
	}
	task->pending_count = 0;
}

void kp_rec_pend(struct kp_reconstruct *rec, struct kp_task *task,
		 const struct kp_pending *span)
{
	if (!task->pending) {
		task->pending = malloc(KP_PENDING_MAX * sizeof(*task->pending));
		if (!task->pending) {
			kp_rec_no_memory(rec);
			return;
		}
	}
	task->pending[task->pending_count++] = *span;
	/* After KP_PENDING_MAX spans without a sign of a system call, the task runs user code. */
	if (task->pending_count == KP_PENDING_MAX) {
		kp_rec_decide(rec, task, NULL, 0, false);
		task->bottom = KP_BOTTOM_USER;
	}
}

/* ---- running and waiting ---- */

static void kp_reborn(struct kp_reconstruct *rec, struct kp_task *task)
{
	kp_rec_task_end(rec, task);
	task->saved_count = 0;
	task->bottom = KP_BOTTOM_UNRESOLVED;
	task->ran = false;
	task->exiting = false;
	task->kernel_made = false;
	task->user = false;
	task->kind = KUTRACE_TASK_UNKNOWN;
	task->life++;
	memset(task->quotas, 0, sizeof(task->quotas));
	task->dirty = false;
	task->reclaim = -1;
	/* A wakeup after the last run belongs to the new thread. */
	if (task->away.woken < task->away.off)
		task->away.woken = -1;
	task->away.off = -1;
}

struct kp_task *kp_rec_next_life(struct kp_reconstruct *rec, struct kp_task *old)
{
	struct kp_task *task;

	if (old->cpu < 0) {
		kp_reborn(rec, old);
		return old;
	}
	if (!kp_new_task(rec, old->pid))
		return NULL;
	task = kp_rec_task(rec, old->pid);	/* also adds the task to rec->touched */
	task->life = old->life + 1;
	task->named = old->named;
	task->name = old->name;
	task->comm = old->comm;
	task->kernel_name = old->kernel_name;
	task->all = old->all;
	old->all = NULL;	/* one row has the names of all lives */
	task->away = old->away;
	old->away.woken = -1;
	return task;
}

void kp_rec_arrive(struct kp_reconstruct *rec, struct kp_task *task, int cpu, int64_t ts)
{
	const struct kp_absence away = task->away;

	if (task == &rec->idle)
		return;
	task->cpu = cpu;
	task->away.off = -1;
	task->away.woken = -1;
	if (task->bottom == KP_BOTTOM_DEFERRED)
		task->deferred_absence = away;
	else
		kp_absence_rows(rec, task, &away, cpu, ts);
}

void kp_rec_depart(struct kp_reconstruct *rec, struct kp_task *task, int cpu, int64_t ts)
{
	/* If a switch was not recorded, the task may already run on another CPU. */
	if (task == &rec->idle || task->cpu != cpu)
		return;
	task->cpu = -1;
	task->away.off = ts;
	task->away.cpu = cpu;
	task->away.idled = rec->cpus[cpu]->idled;
	task->away.throttled = false;
	task->ran = true;
}

/* ---- the wait reason depends on the code that wakes the task ---- */

static bool kp_begins(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

static char kp_syscall_reason(const char *name)
{
	static const struct {
		const char *prefix;
		char reason;
	} list[] = {
		{ "futex", 'l' },
		{ "mmap", 'm' }, { "munmap", 'm' }, { "mprotect", 'm' }, { "mremap", 'm' },
		{ "madvise", 'm' }, { "msync", 'm' }, { "brk", 'm' }, { "mlock", 'm' },
		{ "munlock", 'm' },
		{ "write", 'p' }, { "pwrite", 'p' }, { "send", 'p' }, { "open", 'p' },
		{ "creat", 'p' }, { "read", 'p' }, { "pread", 'p' }, { "close", 'p' },
		{ "splice", 'p' }, { "tee", 'p' }, { "vmsplice", 'p' }, { "copy_file", 'p' },
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		if (kp_begins(name, list[i].prefix))
			return list[i].reason;
	return 'z';
}

static char kp_softirq_reason(uint32_t number)
{
	static const char reasons[] = "ztnnddkstr";	/* HI, TIMER, NET_TX ... */

	return number < sizeof(reasons) - 1 ? reasons[number] : 'z';
}

static char kp_irq_reason(const char *name)
{
	static const char *const net[] = { "eth", "en", "wl", "net", "ib" };
	static const char *const disk[] = { "virtio", "nvme", "ahci", "sd", "ata", "mmc",
					    "scsi", "xvd" };

	if (kp_begins(name, "local_timer") || kp_begins(name, "timer") ||
	    kp_begins(name, "arch_timer") || kp_begins(name, "hpet"))
		return 't';
	if (strstr(name, "net"))
		return 'n';
	for (size_t i = 0; i < sizeof(net) / sizeof(net[0]); i++)
		if (kp_begins(name, net[i]))
			return 'n';
	for (size_t i = 0; i < sizeof(disk) / sizeof(disk[0]); i++)
		if (kp_begins(name, disk[i]))
			return 'd';
	return 'z';
}

char kp_rec_reason(struct kp_reconstruct *rec, const struct kp_cpu *cpu)
{
	/* search the innermost frame that shows a reason */
	for (int i = cpu->depth - 1; i > 0; i--) {
		const struct kp_frame *frame = &cpu->frames[i];
		signed char *cached = &rec->reasons[frame->event & 0xFFF];

		if (frame->event == KUTRACE_CALL_SCHED)
			continue;
		if (frame->event == KUTRACE_CALL_BH)
			return kp_softirq_reason(frame->arg0);
		if (kp_is_trap(frame->event))
			return 'm';
		if (!*cached)
			*cached = (signed char)(kp_is_syscall(frame->event) ?
				kp_syscall_reason(frame->name->text) :
				kp_irq_reason(frame->name->text));
		return (char)*cached;
	}
	if (cpu->task->comm && kp_begins(cpu->task->comm->text, "kworker") &&
	    cpu->task->kind != KUTRACE_TASK_USER)
		return 'p';
	return 'z';
}

bool kp_rec_makes_tasks(const struct kp_reconstruct *rec, const struct kp_cpu *cpu)
{
	static const char *const calls[] = { "clone", "clone3", "fork", "vfork" };
	const struct kp_frame *frame = &cpu->frames[cpu->depth - 1];

	if (frame->event == KUTRACE_CALL_SCHED && cpu->depth > 1)
		frame--;
	if (frame->event == KP_EVENT_USER)
		return cpu->task != &rec->idle && cpu->task->pid == KP_KTHREADD;
	for (size_t i = 0; kp_is_syscall(frame->event) && i < sizeof(calls) / sizeof(calls[0]); i++)
		if (!strcmp(frame->name->text, calls[i]))
			return true;
	return false;
}

/*
 * Returns the reason of the wait that a wakeup of @task on @cpu ends. The kernel wakes ksoftirqd when
 * an interrupt has ended, so the system call or the trap that was interrupted is no reason.
 */
static char kp_reason_of(struct kp_reconstruct *rec, struct kp_cpu *cpu, const struct kp_task *task)
{
	if (task->comm && kp_begins(task->comm->text, "ksoftirqd/") && !kp_is_irq(kp_rec_top(cpu)->event))
		return 'z';
	return kp_rec_reason(rec, cpu);
}

void kp_rec_irq_begins(struct kp_reconstruct *rec, struct kp_cpu *cpu)
{
	const char reason = kp_rec_reason(rec, cpu);

	if (kp_rec_top(cpu)->event == KUTRACE_CALL_BH) {
		cpu->balanced |= reason == 's';
		return;
	}
	for (int i = 1; i < cpu->depth - 1; i++) {
		if (!kp_is_irq(cpu->frames[i].event))
			continue;
		cpu->by_timer |= reason == 't';		/* inside another interrupt or softirq */
		return;
	}
	cpu->by_timer = reason == 't';
	cpu->balanced = false;
}

/*
 * The kernel never leaves a CPU idle that has a runnable task, except if the cgroup of the task has
 * used its quota. A timer renews the quota, and sets the task running again on the CPU that it left.
 * The load balancer can bring back a task that waited elsewhere, but not after KP_BALANCED.
 */
void kp_rec_seems_throttled(const struct kp_reconstruct *rec, const struct kp_cpu *cpu,
			    struct kp_task *next)
{
	struct kp_absence *away = &next->away;
	const int64_t idle = cpu->idled - away->idled;

	away->throttled = away->off >= 0 && away->woken < 0 && away->cpu == cpu->id && !next->exiting &&
			  next != &rec->idle && !kp_rec_in_kernel(next) && rec->any_wakeup &&
			  !rec->wakeups_missing && cpu->by_timer &&
			  idle >= (cpu->balanced ? KP_BALANCED : KP_IDLE_MIN);
}

void kp_rec_runnable(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		     const struct kp_event *event)
{
	struct kp_task *task = kp_rec_task(rec, event->arg0);
	bool makes;

	rec->any_wakeup = true;
	if (!task || task == &rec->idle)
		return;
	makes = kp_rec_makes_tasks(rec, cpu);
	if (makes && kp_rec_is_dead(task))
		task = kp_rec_next_life(rec, task);
	if (makes && cpu->task->pid == KP_KTHREADD && !task->ran && task->cpu < 0)
		task->kernel_made = true;
	/* A new task begins in the cgroups of its parent. */
	if (makes && !task->ran && task->cpu < 0 && !task->quotas[0])
		memcpy(task->quotas, cpu->task->quotas, sizeof(task->quotas));
	if (task->away.woken >= 0)
		return;
	task->away.woken = event->ts;
	task->away.waker_cpu = cpu->id;
	task->away.waker_pid = cpu->task->pid;
	task->away.waker_rpc = event->rpc;
	task->away.reason = kp_reason_of(rec, cpu, task);
	/* A store to monitored memory ended the idle state: the CPU that stored has the reason. */
	if (task->away.reason == 'z' && cpu->task == &rec->idle && cpu->store_reason)
		task->away.reason = cpu->store_reason;
	task->away.reason = kp_rec_disk_reason(cpu, task, task->away.reason);
	task->away.timer = kp_rec_timer_woke(rec, cpu, task, event->ts);
	/* A filter can have left out the interrupt that shows the reason. */
	if (task->away.timer && task->away.reason == 'z')
		task->away.reason = 't';
}

void kp_rec_task_names(struct kp_reconstruct *rec, const struct kp_task *task)
{
	struct kp_span row = {
		.start = rec->stats.first, .dur = 1, .pid = task->pid,
		.event = KUTRACE_MADE_LEFTMARK,
	};
	int len;

	if (!task->all)
		return;
	len = snprintf(rec->scratch, sizeof(rec->scratch), "%s.%u", task->all->text, task->pid);
	rec->stats.others++;
	kp_rec_row(rec, &row, kp_rec_str(rec, rec->scratch, (size_t)len));
}

void kp_rec_task_end(struct kp_reconstruct *rec, struct kp_task *task)
{
	/*
	 * If a span is deferred, the task may still be in the scheduler, so the spans are inferred.
	 */
	kp_rec_decide(rec, task, NULL, 0, task->bottom == KP_BOTTOM_DEFERRED);
}

void kp_rec_task_free(struct kp_reconstruct *rec)
{
	for (size_t i = 0; i < rec->task_count; i++) {
		free(rec->tasks[i]->saved);
		free(rec->tasks[i]->pending);
		free(rec->tasks[i]);
	}
	free(rec->tasks);
	kp_map_free(&rec->task_map);
}
