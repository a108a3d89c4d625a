// SPDX-License-Identifier: BSD-3-Clause
/*
 * Handles context switches, recorded or not: saves the stack of the previous task, and puts the
 * stack of the next task on the CPU. A task must never be on two CPUs.
 */
#include <string.h>

#include "reconstruct/execution.h"
#include "reconstruct/switch.h"
#include "reconstruct/task.h"

/* Puts the task's stack on the CPU, below the scheduler if that is running. */
static void kp_load(struct kp_cpu *cpu, struct kp_task *task, const struct kp_frame *sched)
{
	cpu->frames[0] = (struct kp_frame){ .event = KP_EVENT_USER };
	cpu->depth = 1;
	if (task->saved_count) {
		memcpy(&cpu->frames[1], task->saved,
		       task->saved_count * sizeof(*task->saved));
		cpu->depth += (int)task->saved_count;
	}
	task->saved_count = 0;
	if (sched)
		cpu->frames[cpu->depth++] = *sched;
	cpu->task = task;
	cpu->not_idle = false;
}

/*
 * Saves the task's frames, except the scheduler and interrupts on top: they cannot continue on
 * another CPU. Returns the number of frames left out.
 */
static int kp_keep(struct kp_reconstruct *rec, struct kp_task *task,
		   const struct kp_frame *frames, int depth)
{
	int over = 0;

	while (depth > 1 && (kp_holds_cpu(rec, frames[depth - 1].event) ||
			     frames[depth - 1].event == KUTRACE_CALL_SCHED)) {
		depth--;
		over++;
	}
	kp_rec_save(rec, task, frames, depth);
	return over;
}

/* Removes the task from another CPU, where its switch-out was not recorded. */
static void kp_unload_elsewhere(struct kp_reconstruct *rec, struct kp_cpu *cpu,
				struct kp_task *task)
{
	struct kp_cpu *other;

	if (task == &rec->idle || task->cpu < 0 || task->cpu == cpu->id)
		return;
	other = rec->cpus[task->cpu];
	task->cpu = -1;
	if (other && other->task == task)
		kp_keep(rec, task, other->frames, other->depth);
}

/*
 * Handles a switch to the task that runs already: the switch away from it was not recorded, so
 * events since then may belong to another task. If it is the idle task, no call is pending.
 */
static void kp_switch_again(struct kp_reconstruct *rec, struct kp_cpu *cpu,
			    const struct kp_event *event)
{
	struct kp_frame *top = kp_rec_top(cpu);

	if (cpu->start == event->ts && !cpu->arriving)
		return;		/* the header of this block has set the task */
	rec->stats.gaps++;
	kp_rec_note(rec, cpu, event->ts, "context switch not recorded, from", cpu->task->name);
	kp_rec_close(rec, cpu, event->ts, 0, 0, true);
	cpu->switch_time = event->ts;
	cpu->switched = top->event == KUTRACE_CALL_SCHED;
	if (cpu->task != &rec->idle)
		return;
	if (top->event == KUTRACE_CALL_SCHED && cpu->depth > 1) {
		cpu->frames[1] = *top;
		cpu->depth = 2;
	} else {
		cpu->depth = 1;
	}
}

/*
 * Returns whether an exec gives the calling thread the pid of its process's leader, which has
 * exited. The switch to that pid then comes from the call, without the scheduler, and the leader's
 * exit woke the thread.
 */
static bool kp_takes_number(const struct kp_reconstruct *rec, const struct kp_cpu *cpu,
			    const struct kp_task *next)
{
	const struct kp_frame *top = &cpu->frames[cpu->depth - 1];

	if (!kp_rec_is_dead(next) || !kp_is_syscall(top->event) ||
	    (strcmp(top->name->text, "execve") && strcmp(top->name->text, "execveat")))
		return false;
	return rec->new_sched || cpu->task->away.waker_pid == next->pid;
}

void kp_rec_switch(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		   const struct kp_event *event)
{
	struct kp_task *next = kp_rec_task(rec, event->arg0);
	struct kp_task *old = cpu->task;
	struct kp_frame sched;
	bool in_sched, unknown;

	if (!next)
		return;
	if (next == old && !kp_rec_context_unknown(rec, cpu)) {
		kp_switch_again(rec, cpu, event);
		return;
	}
	kp_rec_resolve(rec, old);
	kp_rec_resolve(rec, next);
	if (kp_takes_number(rec, cpu, next))
		kp_rec_reborn(rec, next);
	if (old == &rec->idle)
		cpu->store_reason = 0;
	cpu->switch_time = event->ts;
	cpu->switch_from = cpu->start < event->ts ? old->pid : UINT32_MAX;
	kp_rec_end_irqs(rec, cpu, event->ts);
	unknown = kp_rec_context_unknown(rec, cpu);
	in_sched = kp_rec_top(cpu)->event == KUTRACE_CALL_SCHED;
	if (in_sched)
		sched = *kp_rec_top(cpu);
	if (!in_sched || unknown)
		kp_rec_close(rec, cpu, event->ts, 0, event->ipc & 15, false);
	if (!unknown) {
		rec->stats.missing_returns += (uint64_t)kp_keep(rec, old, cpu->frames,
								cpu->depth - in_sched);
		old->ran = true;
	}
	/* No wakeup since it was switched out: a new thread with this pid would have had one. */
	cpu->preempted = next->saved_count && next->away.off >= 0 && next->away.woken < 0;
	kp_unload_elsewhere(rec, cpu, next);
	kp_load(cpu, next, in_sched ? &sched : NULL);
	cpu->switched = in_sched;
	if (in_sched && !unknown) {
		/* The scheduler's span continues; the next task begins after it. */
		cpu->arriving = next != cpu->span_task;
		next->cpu = cpu->id;
		return;
	}
	kp_rec_depart(rec, old, cpu->id, event->ts);
	kp_rec_arrive(rec, next, cpu->id, event->ts);
	cpu->span_task = next;
	cpu->resumed = true;
}

void kp_rec_gap(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		const struct kp_event *event)
{
	struct kp_task *next = kp_rec_task(rec, event->pid);
	struct kp_task *old = cpu->task;

	if (!next || next == old)
		return;
	rec->stats.gaps++;
	cpu->store_reason = 0;
	kp_rec_note(rec, cpu, event->ts, "context switch not recorded, to", next->name);
	/* The span is inferred in any case, even if it is idle or user code. */
	kp_rec_close(rec, cpu, event->ts, 0, 0, true);
	if (!kp_rec_context_unknown(rec, cpu)) {
		kp_rec_decide(rec, old, NULL, 0, true);
		old->saved_count = 0;
		old->undecided = true;
		old->ran = true;
	}
	kp_rec_depart(rec, old, cpu->id, event->ts);
	kp_rec_decide(rec, next, NULL, 0, true);
	next->saved_count = 0;
	next->undecided = true;
	next->ran = true;
	kp_load(cpu, next, NULL);
	kp_rec_arrive(rec, next, cpu->id, event->ts);
	cpu->span_task = next;
	cpu->resumed = true;
}
