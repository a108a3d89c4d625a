// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests triggers on events: spans that take too long, and marks. For a session in a slot, gets the
 * inspected events; for other sessions, all events, whether recorded or not. Must neither sleep nor
 * take a lock.
 *
 * While system calls are timed (KU_PATH_TIMED), gets only their late returns. At a context switch,
 * the start of a task's call is then saved or restored.
 *
 * A span that ends on the CPU on which it began (interrupts, softirqs) has a start time per CPU.
 * Other spans have a start time per task (trigger_slots.c).
 */
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/sched.h>

#include "compat/version.h"
#include "core/kinds.h"
#include "session/triggers.h"

/* The first of the keys of the idle tasks, one for each CPU. */
#define KU_IDLE_PID	KUTRACE_PID_OTHER

static u32 __kprobes ku_current_key(void)
{
	return current->pid ? (u32)current->pid : KU_IDLE_PID + raw_smp_processor_id();
}

static void __kprobes ku_watch_task_span(struct ku_watch *watch, u32 i, u32 event, u32 call,
					 u64 now)
{
	const struct kutrace_trigger *trigger = &watch->triggers[i];
	u32 number = call - (trigger->kind == KUTRACE_TRIGGER_TRAP ? KUTRACE_CALL_TRAP : 0);
	u64 counts;

	if ((trigger->number != KU_ANY && trigger->number != number) ||
	    !ku_trigger_is_of(trigger, current))
		return;
	if (event == call) {
		ku_slot_begin(&watch->slots, ku_current_key(), i, now);
		return;
	}
	counts = ku_slot_end(&watch->slots, ku_current_key(), i, now);
	if (counts > watch->over[i])
		ku_trigger_fire(watch, i, now, counts, number, current);
}

/* Returns when the task's call began, if calls were not timed yet at that time; otherwise 0. */
static u64 __kprobes ku_watch_untimed(struct ku_watch *watch, u64 now)
{
	u64 counts = ku_slot_end(&watch->slots, ku_current_key(), watch->timed_by, now);

	return counts ? now - counts : 0;
}

/* Tests a late return of a system call. ku_cpu.hook.began is its start (core/emit.c). */
static void __kprobes ku_watch_timed(struct ku_watch *watch, u32 i, u32 event, u32 call, u64 now)
{
	const struct kutrace_trigger *trigger = &watch->triggers[i];
	u64 began = this_cpu_read(ku_cpu.hook.began);

	/* While paths change, calls may not take the path KU_PATH_TIMED yet. */
	if (event == call)
		this_cpu_write(ku_cpu.hook.began, now);
	else if (!began)
		began = ku_watch_untimed(watch, now);
	if (event == call || !began ||
	    (trigger->number != KU_ANY && trigger->number != call) ||
	    !ku_trigger_is_of(trigger, current))
		return;
	if (now > began && now - began > watch->over[i])
		ku_trigger_fire(watch, i, now, now - began, call, current);
}

/*
 * On a context switch, saves the start of prev's call by pid, unless prev is dead, because its pid
 * may be used again. Restores the start of next's call, and removes its entry. So a running task
 * has no entry, and ku_slot_add() need not search for one.
 */
static void __kprobes ku_watch_switch(struct ku_watch *watch, u64 now)
{
	struct task_struct *next = this_cpu_read(ku_cpu.hook.task);
	u64 began = this_cpu_read(ku_cpu.hook.began), counts = 0;

	if (began && current->pid && !(READ_ONCE(current->__state) & TASK_DEAD))
		ku_slot_add(&watch->slots, (u32)current->pid, watch->timed_by, began);
	/* Threads that never run in user space make no system calls. */
	if (!(next->flags & KU_PF_NOT_USER))
		counts = ku_slot_end(&watch->slots, (u32)next->pid, watch->timed_by, now);
	this_cpu_write(ku_cpu.hook.began, counts ? now - counts : 0);
}

void __kprobes ku_trigger_switch(struct ku_session *session, u64 now)
{
	struct ku_watch *watch = READ_ONCE(session->watch);

	if (watch && READ_ONCE(watch->timed))
		ku_watch_switch(watch, now);
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
	struct task_struct *task = this_cpu_read(ku_cpu.hook.task);
	u64 counts;

	if (event == KUTRACE_RUNNABLE) {
		if (ku_trigger_is_of(trigger, task))
			ku_slot_begin(&watch->slots, (u32)task->pid, i, now);
		return;
	}
	/* A preempted task waits for a CPU from now on. */
	if (current->pid && task != current && READ_ONCE(current->__state) == TASK_RUNNING &&
	    ku_trigger_is_of(trigger, current))
		ku_slot_begin(&watch->slots, (u32)current->pid, i, now);
	if (!task->pid || !ku_trigger_is_of(trigger, task))
		return;
	counts = ku_slot_end(&watch->slots, (u32)task->pid, i, now);
	if (counts > watch->over[i])
		ku_trigger_fire(watch, i, now, counts, 0, task);
}

static void __kprobes ku_watch_marks(struct ku_watch *watch, u32 i, u64 entry, u64 now)
{
	const struct kutrace_trigger *trigger = &watch->triggers[i];
	u32 label = (u32)entry;
	u64 at = READ_ONCE(watch->mark_at[i]);

	if (!ku_trigger_is_of(trigger, current))
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
	bool timed = READ_ONCE(watch->timed);
	u32 kind = ku_kind_of(entry);
	u32 event, call, i, count;
	u64 now;

	if (timed && kind == KUTRACE_KIND_USERPID)
		ku_watch_switch(watch, ku_clock_by(session->ring.shift));
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
			if (kind != KUTRACE_KIND_CALL_SYSCALL64 &&
			    kind != KUTRACE_KIND_CALL_SYSCALL32)
				break;
			if (timed)
				ku_watch_timed(watch, i, event, call, now);
			else
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
