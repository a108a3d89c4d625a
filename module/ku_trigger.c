// SPDX-License-Identifier: GPL-2.0-only
/*
 * Triggers: see ku_trigger.h. A span's start is kept per CPU where it ends on the
 * CPU where it began (interrupts, softirqs), else per task in a table without locks;
 * what finds no place there is counted as missed.
 */
#include <linux/hash.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "ku_emit.h"
#include "ku_kinds.h"
#include "ku_tracepoints.h"
#include "ku_trigger.h"

#define KU_ANY		(~0U)

/*
 * Where the start of a task's span is kept, one word, so that an exchange of it is all
 * or nothing: time above, in units of 16 counts, whose and which trigger's below. Time
 * 0: free.
 */
#define KU_SLOT_BITS	14
#define KU_SLOT_TRIES	8
#define KU_KEY_BITS	26
#define KU_KEY_MASK	((1ULL << KU_KEY_BITS) - 1)
#define KU_UNIT_BITS	4
/* Pids of the idle tasks, one per CPU. */
#define KU_IDLE_PID	KUTRACE_PID_OTHER

struct ku_span_start {
	u64 counts;
	u32 event;
};

struct ku_cpu_starts {
	struct ku_span_start at[KUTRACE_TRIGGERS];
};

struct ku_watch {
	struct ku_session *session;
	u32 count;
	u64 kinds;			/* of events to look at */
	struct kutrace_trigger triggers[KUTRACE_TRIGGERS];
	u64 over[KUTRACE_TRIGGERS];	/* over_ns in counts */
	u64 mark_at[KUTRACE_TRIGGERS];
	u64 *slots;
	struct ku_cpu_starts __percpu *starts;
	u64 __percpu *missed;
	/*
	 * What has fired; firing is 0 when the next may. fired_count goes up then, ending
	 * follows when its end is due, ended when that is done with or called off.
	 */
	u32 firing;
	u32 fired_count;
	u32 fired_base;			/* what it was when triggers were taken away */
	u32 ending;
	u32 ended;			/* under the lock */
	unsigned long due;		/* jiffies; of ending */
	u32 done_count;
	struct kutrace_fired next;	/* fired, but what is to follow is not all there */
	struct kutrace_fired fired;	/* done; under the lock */
	struct irq_work work;
	struct delayed_work end;
};

/* ---- spans ---- */

static u64 __kprobes ku_slot_key(u32 pid, u32 trigger)
{
	return (u64)pid << 3 | trigger;
}

static u64 __kprobes ku_slot_time(u64 counts)
{
	u64 time = counts >> KU_UNIT_BITS << KU_KEY_BITS;

	return time ?: 1ULL << KU_KEY_BITS;
}

static void __kprobes ku_slot_begin(struct ku_watch *watch, u32 pid, u32 trigger, u64 now)
{
	u64 key = ku_slot_key(pid, trigger);
	u32 at = hash_64(key, KU_SLOT_BITS);
	u64 *free = NULL;
	u64 was_free = 0;
	u32 i;

	for (i = 0; i < KU_SLOT_TRIES; i++) {
		u64 *slot = &watch->slots[(at + i) & ((1U << KU_SLOT_BITS) - 1)];
		u64 was = READ_ONCE(*slot);

		if ((was & KU_KEY_MASK) == key && was) {
			free = slot;
			was_free = was;
			break;
		}
		if (!free && !(was & ~KU_KEY_MASK)) {
			free = slot;
			was_free = was;
		}
	}
	if (!free || cmpxchg(free, was_free, ku_slot_time(now) | key) != was_free)
		this_cpu_inc(*watch->missed);
}

/* Counts since the start, and there is none any more; 0: there was none. */
static u64 __kprobes ku_slot_end(struct ku_watch *watch, u32 pid, u32 trigger, u64 now)
{
	u64 key = ku_slot_key(pid, trigger);
	u32 at = hash_64(key, KU_SLOT_BITS);
	u32 i;

	for (i = 0; i < KU_SLOT_TRIES; i++) {
		u64 *slot = &watch->slots[(at + i) & ((1U << KU_SLOT_BITS) - 1)];
		u64 was = READ_ONCE(*slot);

		if ((was & KU_KEY_MASK) != key || !(was & ~KU_KEY_MASK))
			continue;
		if (cmpxchg(slot, was, 0) != was)
			return 0;
		return ((ku_slot_time(now) - (was & ~KU_KEY_MASK)) >> KU_KEY_BITS)
		       << KU_UNIT_BITS;
	}
	return 0;
}

/* ---- firing ---- */

static void __kprobes ku_trigger_fire(struct ku_watch *watch, u32 trigger, u64 now, u64 counts,
				      u32 number, struct task_struct *task)
{
	struct kutrace_fired *fired = &watch->next;

	if (READ_ONCE(watch->firing) || cmpxchg(&watch->firing, 0, 1))
		return;
	fired->trigger = watch->triggers[trigger];
	fired->counts = now;
	fired->ns = ku_counts_to_ns(counts, watch->session->ring.shift);
	fired->number = number;
	fired->cpu = raw_smp_processor_id();
	fired->pid = (u32)task->pid;
	memcpy(fired->comm, task->comm, sizeof(fired->comm));
	fired->comm[sizeof(fired->comm) - 1] = 0;
	WRITE_ONCE(watch->fired_count, watch->fired_count + 1);
	/* May be in an NMI, or under the scheduler's locks. */
	irq_work_queue(&watch->work);
}

static void ku_trigger_work(struct irq_work *work)
{
	struct ku_watch *watch = container_of(work, struct ku_watch, work);
	const struct kutrace_fired *fired = &watch->next;
	char text[KUTRACE_NAME_MAX_BYTES];
	int len = scnprintf(text, sizeof(text), "fired=%u:%x %lluns pid %u",
			    fired->trigger.kind, fired->number, fired->ns, fired->pid);

	ku_aux_add(&watch->session->aux, KUTRACE_NAME_META, 0, text, (size_t)len,
		   fired->counts);
	watch->due = jiffies + msecs_to_jiffies(fired->trigger.after_ms);
	/* Whoever sees that it is to end sees when. Pairs with ku_trigger_end(). */
	smp_store_release(&watch->ending, READ_ONCE(watch->fired_count));
	schedule_delayed_work(&watch->end, msecs_to_jiffies(fired->trigger.after_ms));
}

/*
 * Whether something is to end now. One of these may have waited for the lock while what it
 * is about was called off and the next has fired: that has its own, later.
 */
static bool ku_trigger_is_due(struct ku_watch *watch)
{
	/* Pairs with the release in ku_trigger_work(). */
	u32 ending = smp_load_acquire(&watch->ending);

	if (ending == watch->ended || time_before(jiffies, watch->due))
		return false;
	watch->ended = ending;
	return true;
}

static void ku_trigger_end(struct work_struct *work)
{
	struct ku_watch *watch = container_of(to_delayed_work(work), struct ku_watch, end);
	struct ku_session *session = watch->session;

	mutex_lock(&ku_session_lock);
	if (!ku_trigger_is_due(watch))
		goto out;
	watch->fired = watch->next;
	watch->fired.done = 1;
	WRITE_ONCE(watch->done_count, watch->done_count + 1);
	if (watch->fired.trigger.flags & KUTRACE_TRIGGER_NOTIFY)
		WRITE_ONCE(watch->firing, 0);
	else
		ku_session_off_locked(session);
	wake_up_interruptible(&session->wait);
out:
	mutex_unlock(&ku_session_lock);
}

/* ---- what is seen ---- */

static u32 __kprobes ku_current_key(void)
{
	return current->pid ? (u32)current->pid : KU_IDLE_PID + raw_smp_processor_id();
}

static bool __kprobes ku_is_of(const struct kutrace_trigger *trigger, struct task_struct *task)
{
	return !trigger->pid || trigger->pid == (u32)task->pid ||
	       trigger->pid == (u32)task->tgid;
}

static void __kprobes ku_watch_task_span(struct ku_watch *watch, u32 i, u32 event, u32 call,
					 u64 now)
{
	const struct kutrace_trigger *trigger = &watch->triggers[i];
	u32 number = call - (trigger->kind == KUTRACE_TRIGGER_TRAP ? KUTRACE_CALL_TRAP : 0);
	u64 counts;

	if ((trigger->number != KU_ANY && trigger->number != number) ||
	    !ku_is_of(trigger, current))
		return;
	if (event == call) {
		ku_slot_begin(watch, ku_current_key(), i, now);
		return;
	}
	counts = ku_slot_end(watch, ku_current_key(), i, now);
	if (counts > watch->over[i])
		ku_trigger_fire(watch, i, now, counts, number, current);
}

static void __kprobes ku_watch_cpu_span(struct ku_watch *watch, u32 i, u64 entry, u32 event,
					u32 call, u64 now)
{
	const struct kutrace_trigger *trigger = &watch->triggers[i];
	struct ku_span_start *start = &this_cpu_ptr(watch->starts)->at[i];
	u32 number = trigger->kind == KUTRACE_TRIGGER_IRQ ? call - KUTRACE_CALL_IRQ :
							    (u32)(entry & KUTRACE_ARG0_MASK);

	if (event == call) {
		if (trigger->number != KU_ANY && trigger->number != number)
			return;
		start->counts = now;
		start->event = event << 16 | number;
		return;
	}
	if (start->event >> 16 != call)
		return;
	number = start->event & 0xFFFF;
	start->event = 0;
	if (now - start->counts > watch->over[i])
		ku_trigger_fire(watch, i, now, now - start->counts, number, current);
}

static void __kprobes ku_watch_runq(struct ku_watch *watch, u32 i, u32 event, u64 now)
{
	const struct kutrace_trigger *trigger = &watch->triggers[i];
	struct task_struct *task = this_cpu_read(ku_cpu.task);
	u64 counts;

	if (event == KUTRACE_RUNNABLE) {
		if (ku_is_of(trigger, task))
			ku_slot_begin(watch, (u32)task->pid, i, now);
		return;
	}
	/* Whoever still could run waits for a CPU from now on. */
	if (current->pid && task != current && READ_ONCE(current->__state) == TASK_RUNNING &&
	    ku_is_of(trigger, current))
		ku_slot_begin(watch, (u32)current->pid, i, now);
	if (!task->pid || !ku_is_of(trigger, task))
		return;
	counts = ku_slot_end(watch, (u32)task->pid, i, now);
	if (counts > watch->over[i])
		ku_trigger_fire(watch, i, now, counts, 0, task);
}

static void __kprobes ku_watch_marks(struct ku_watch *watch, u32 i, u64 entry, u64 now)
{
	const struct kutrace_trigger *trigger = &watch->triggers[i];
	u32 label = (u32)entry;
	u64 at = READ_ONCE(watch->mark_at[i]);

	if (!ku_is_of(trigger, current))
		return;
	if (trigger->kind == KUTRACE_TRIGGER_MARK) {
		if (label == trigger->number)
			ku_trigger_fire(watch, i, now, 0, label, current);
		return;
	}
	if (label == trigger->number2 && at) {
		WRITE_ONCE(watch->mark_at[i], 0);
		if (now > at && now - at > watch->over[i])
			ku_trigger_fire(watch, i, now, now - at, label, current);
	}
	if (label == trigger->number)
		WRITE_ONCE(watch->mark_at[i], now);
}

void __kprobes ku_trigger_watch(struct ku_session *session, u64 entry)
{
	struct ku_watch *watch = READ_ONCE(session->watch);
	u32 kind = ku_kind_of(entry);
	u32 event, call, i, count;
	u64 now;

	if (!(READ_ONCE(watch->kinds) >> kind & 1))
		return;
	event = entry >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK;
	call = event & ~KUTRACE_RETURN_BIT;
	now = ku_clock_by(session->ring.shift);
	/* Pairs with the release in ku_trigger_append(). */
	count = smp_load_acquire(&watch->count);
	for (i = 0; i < count; i++) {
		switch (watch->triggers[i].kind) {
		case KUTRACE_TRIGGER_SYSCALL:
			if (kind == KUTRACE_KIND_CALL_SYSCALL64 ||
			    kind == KUTRACE_KIND_CALL_SYSCALL32)
				ku_watch_task_span(watch, i, event, call, now);
			break;
		case KUTRACE_TRIGGER_TRAP:
			if (kind == KUTRACE_KIND_CALL_TRAP)
				ku_watch_task_span(watch, i, event, call, now);
			break;
		case KUTRACE_TRIGGER_SOFTIRQ:
			if (kind == KUTRACE_KIND_CALL_BH)
				ku_watch_cpu_span(watch, i, entry, event, call, now);
			break;
		case KUTRACE_TRIGGER_IRQ:
			if (kind == KUTRACE_KIND_CALL_IRQ || kind == KUTRACE_KIND_CALL_IPI)
				ku_watch_cpu_span(watch, i, entry, event, call, now);
			break;
		case KUTRACE_TRIGGER_RUNQ:
			if (kind == KUTRACE_KIND_RUNNABLE || kind == KUTRACE_KIND_USERPID)
				ku_watch_runq(watch, i, event, now);
			break;
		case KUTRACE_TRIGGER_MARKS:
		case KUTRACE_TRIGGER_MARK:
			if (kind == KUTRACE_KIND_MARKA || kind == KUTRACE_KIND_MARKB ||
			    kind == KUTRACE_KIND_MARKC)
				ku_watch_marks(watch, i, entry, now);
			break;
		}
	}
}

/* ---- signals and exits, by the kernel's tracepoints ---- */

static struct tracepoint *ku_signal_tp, *ku_exit_tp;
static bool ku_signal_on, ku_exit_on;

static void ku_trigger_thing(u32 kind, u32 number, struct task_struct *task)
{
	unsigned long flags;
	int s;
	u32 i;

	local_irq_save(flags);
	for (s = 0; s < KUTRACE_SESSIONS; s++) {
		struct ku_session *session = READ_ONCE(ku_recording[s]);
		struct ku_watch *watch = session ? READ_ONCE(session->watch) : NULL;
		u32 count;

		if (!watch)
			continue;
		/* Pairs with the release in ku_trigger_append(). */
		count = smp_load_acquire(&watch->count);
		for (i = 0; i < count; i++) {
			const struct kutrace_trigger *trigger = &watch->triggers[i];
			bool any = trigger->number == KU_ANY &&
				   (kind == KUTRACE_TRIGGER_SIGNAL || number);

			if (trigger->kind == kind && (any || trigger->number == number) &&
			    ku_is_of(trigger, task))
				ku_trigger_fire(watch, i,
						ku_clock_by(session->ring.shift), 0, number,
						task);
		}
	}
	local_irq_restore(flags);
}

static void ku_trigger_signal(void *data, int sig, struct kernel_siginfo *info,
			      struct task_struct *task, int group, int result)
{
	ku_trigger_thing(KUTRACE_TRIGGER_SIGNAL, (u32)sig, task);
}

/* The last thread of a process takes its status along. */
static void ku_trigger_exit_probe(void *data, KU_PROCESS_EXIT_ARGS)
{
	if (!atomic_read(&task->signal->live))
		ku_trigger_thing(KUTRACE_TRIGGER_EXIT, (u32)task->exit_code, task);
}

static int ku_trigger_probe(struct tracepoint *tp, void *probe, bool *on, bool wanted)
{
	int err = 0;

	KU_CHECK(signal_generate, ku_trigger_signal);
	KU_CHECK(sched_process_exit, ku_trigger_exit_probe);
	if (!tp || *on == wanted)
		return 0;
	if (wanted)
		err = tracepoint_probe_register(tp, probe, NULL);
	else
		tracepoint_probe_unregister(tp, probe, NULL);
	if (!err)
		*on = wanted;
	return err;
}

int ku_trigger_attach(void)
{
	bool signals = false, exits = false;
	int s, err;
	u32 i;

	for (s = 0; s < KUTRACE_SESSIONS; s++) {
		struct ku_watch *watch = ku_recording[s] ? ku_recording[s]->watch : NULL;

		for (i = 0; watch && i < watch->count; i++) {
			signals |= watch->triggers[i].kind == KUTRACE_TRIGGER_SIGNAL;
			exits |= watch->triggers[i].kind == KUTRACE_TRIGGER_EXIT;
		}
	}
	err = ku_trigger_probe(ku_signal_tp, ku_trigger_signal, &ku_signal_on, signals);
	if (!err)
		err = ku_trigger_probe(ku_exit_tp, ku_trigger_exit_probe, &ku_exit_on, exits);
	return err;
}

static void ku_trigger_match(struct tracepoint *tp, void *data)
{
	if (!strcmp(tp->name, "signal_generate"))
		ku_signal_tp = tp;
	if (!strcmp(tp->name, "sched_process_exit"))
		ku_exit_tp = tp;
}

void ku_trigger_init(void)
{
	for_each_kernel_tracepoint(ku_trigger_match, NULL);
}

/* Nothing records any more. */
void ku_trigger_exit(void)
{
	ku_trigger_probe(ku_signal_tp, ku_trigger_signal, &ku_signal_on, false);
	ku_trigger_probe(ku_exit_tp, ku_trigger_exit_probe, &ku_exit_on, false);
}

/* ---- adding and taking away ---- */

static struct ku_watch *ku_watch_new(struct ku_session *session)
{
	struct ku_watch *watch = kzalloc(sizeof(*watch), GFP_KERNEL_ACCOUNT);

	if (!watch)
		return NULL;
	watch->session = session;
	watch->slots = __vmalloc(sizeof(u64) << KU_SLOT_BITS, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	watch->starts = alloc_percpu(struct ku_cpu_starts);
	watch->missed = alloc_percpu(u64);
	init_irq_work(&watch->work, ku_trigger_work);
	INIT_DELAYED_WORK(&watch->end, ku_trigger_end);
	if (watch->slots && watch->starts && watch->missed)
		return watch;
	vfree(watch->slots);
	free_percpu(watch->starts);
	free_percpu(watch->missed);
	kfree(watch);
	return NULL;
}

static const u64 ku_trigger_needs[KUTRACE_TRIGGER_KINDS] = {
	[KUTRACE_TRIGGER_SYSCALL] = 1ULL << KUTRACE_KIND_CALL_SYSCALL64 |
				    1ULL << KUTRACE_KIND_CALL_SYSCALL32,
	[KUTRACE_TRIGGER_SOFTIRQ] = 1ULL << KUTRACE_KIND_CALL_BH,
	[KUTRACE_TRIGGER_IRQ] = 1ULL << KUTRACE_KIND_CALL_IRQ |
				1ULL << KUTRACE_KIND_CALL_IPI,
	[KUTRACE_TRIGGER_TRAP] = 1ULL << KUTRACE_KIND_CALL_TRAP,
	[KUTRACE_TRIGGER_RUNQ] = 1ULL << KUTRACE_KIND_RUNNABLE |
				 1ULL << KUTRACE_KIND_USERPID,
	[KUTRACE_TRIGGER_MARKS] = 1ULL << KUTRACE_KIND_MARKA | 1ULL << KUTRACE_KIND_MARKB |
				  1ULL << KUTRACE_KIND_MARKC,
	[KUTRACE_TRIGGER_MARK] = 1ULL << KUTRACE_KIND_MARKA | 1ULL << KUTRACE_KIND_MARKB |
				 1ULL << KUTRACE_KIND_MARKC,
};

static int ku_trigger_valid(const struct kutrace_trigger *wanted)
{
	int i;

	if (wanted->kind >= KUTRACE_TRIGGER_KINDS ||
	    wanted->flags & ~(u32)KUTRACE_TRIGGER_NOTIFY ||
	    wanted->after_ms > 24 * 3600 * 1000)
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(wanted->reserved); i++)
		if (wanted->reserved[i])
			return -EINVAL;
	if ((wanted->kind == KUTRACE_TRIGGER_SIGNAL && !ku_signal_tp) ||
	    (wanted->kind == KUTRACE_TRIGGER_EXIT && !ku_exit_tp))
		return -EOPNOTSUPP;
	return 0;
}

/* Under the lock. */
static int ku_trigger_append(struct ku_session *session, struct kutrace_trigger *wanted)
{
	struct ku_watch *watch = session->watch;
	u32 i;

	if (!watch) {
		watch = ku_watch_new(session);
		if (!watch)
			return -ENOMEM;
		/* Whoever sees it sees it whole. */
		smp_store_release(&session->watch, watch);
	}
	i = watch->count;
	if (i == KUTRACE_TRIGGERS)
		return -ENOSPC;
	wanted->index = i;
	watch->triggers[i] = *wanted;
	watch->over[i] = ku_ns_to_counts(wanted->over_ns, session->ring.shift);
	watch->mark_at[i] = 0;
	WRITE_ONCE(watch->kinds, watch->kinds | ku_trigger_needs[wanted->kind]);
	/* Whoever sees the number sees the trigger. */
	smp_store_release(&watch->count, i + 1);
	return ku_sessions_update();
}

int ku_trigger_add(struct ku_session *session, struct kutrace_trigger *wanted)
{
	int err = ku_trigger_valid(wanted);

	if (err)
		return err;
	mutex_lock(&ku_session_lock);
	if (wanted->kind == KUTRACE_TRIGGER_NONE) {
		ku_trigger_clear(session);
		err = ku_sessions_update();
	} else {
		err = ku_trigger_append(session, wanted);
	}
	mutex_unlock(&ku_session_lock);
	return err;
}

void ku_trigger_clear(struct ku_session *session)
{
	struct ku_watch *watch = session->watch;
	int cpu;

	if (!watch)
		return;
	WRITE_ONCE(watch->count, 0);
	WRITE_ONCE(watch->kinds, 0);
	/* Whoever still sees them is done; what has fired by then is called off. */
	if (session->on)
		ku_synchronize();
	irq_work_sync(&watch->work);
	cancel_delayed_work(&watch->end);
	watch->ended = watch->ending;
	WRITE_ONCE(watch->firing, 0);
	watch->fired_base = watch->fired_count;
	memset(&watch->fired, 0, sizeof(watch->fired));
	memset(watch->slots, 0, sizeof(u64) << KU_SLOT_BITS);
	for_each_possible_cpu(cpu) {
		memset(per_cpu_ptr(watch->starts, cpu), 0, sizeof(struct ku_cpu_starts));
		*per_cpu_ptr(watch->missed, cpu) = 0;
	}
}

/* Spans that were begun when recording was on before are none. */
void ku_trigger_start(struct ku_session *session)
{
	struct ku_watch *watch = session->watch;
	u32 i;

	if (!watch)
		return;
	memset(watch->slots, 0, sizeof(u64) << KU_SLOT_BITS);
	for (i = 0; i < watch->count; i++) {
		watch->over[i] = ku_ns_to_counts(watch->triggers[i].over_ns,
						 session->ring.shift);
		watch->mark_at[i] = 0;
	}
	/* Recording again after it has fired and ended: the next may. */
	irq_work_sync(&watch->work);
	if (watch->ended == watch->ending)
		WRITE_ONCE(watch->firing, 0);
}

u32 ku_trigger_fired(struct ku_session *session, struct kutrace_fired *fired)
{
	struct ku_watch *watch;
	u32 done;
	int cpu;

	mutex_lock(&ku_session_lock);
	watch = session->watch;
	memset(fired, 0, sizeof(*fired));
	if (watch) {
		*fired = watch->fired;
		fired->fired = READ_ONCE(watch->fired_count) - watch->fired_base;
		for_each_possible_cpu(cpu)
			fired->missed += READ_ONCE(*per_cpu_ptr(watch->missed, cpu));
	}
	fired->length = sizeof(*fired);
	done = ku_trigger_done(session);
	mutex_unlock(&ku_session_lock);
	return done;
}

u32 ku_trigger_done(const struct ku_session *session)
{
	const struct ku_watch *watch = READ_ONCE(session->watch);

	return watch ? READ_ONCE(watch->done_count) : 0;
}

void ku_trigger_info(struct ku_session *session, struct kutrace_info *info)
{
	const struct ku_watch *watch = session->watch;

	info->triggers = watch ? watch->count : 0;
	info->fired = watch ? READ_ONCE(watch->fired_count) - watch->fired_base : 0;
}

u64 ku_trigger_kinds(const struct ku_session *session)
{
	return session->watch ? session->watch->kinds : 0;
}

bool ku_trigger_any(const struct ku_session *session)
{
	return session->watch && session->watch->count;
}

void ku_trigger_free(struct ku_session *session)
{
	struct ku_watch *watch = session->watch;

	if (!watch)
		return;
	irq_work_sync(&watch->work);
	cancel_delayed_work_sync(&watch->end);
	vfree(watch->slots);
	free_percpu(watch->starts);
	free_percpu(watch->missed);
	kfree(watch);
	session->watch = NULL;
}
