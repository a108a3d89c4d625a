// SPDX-License-Identifier: BSD-3-Clause
/*
 * Maintains a stack of pending calls for each CPU: a call pushes a frame, a return pops it, and a
 * context switch exchanges the stack. A task must never be on two CPUs.
 *
 * If a call or a return was not recorded, these functions first change the stack to a state in
 * which the event is possible. Each span that such a change infers must get a "?" after its name.
 */
#include "reconstruct/state.h"

/*
 * Returns true if the running task is known, but the bottom of its stack is not (enum kp_bottom).
 */
static bool kp_is_unresolved(const struct kp_reconstruct *rec, const struct kp_cpu *cpu)
{
	return cpu->task->bottom != KP_BOTTOM_USER && !kp_rec_context_unknown(rec, cpu);
}

/* Records that the running task did something that only user code can do. */
static void kp_is_user(const struct kp_reconstruct *rec, struct kp_cpu *cpu)
{
	if (!kp_rec_context_unknown(rec, cpu))
		cpu->task->user = true;
}

/*
 * Ends all pending calls at @ts, because only user code can cause the event at @ts. The calls ended
 * at or before @ts, but their returns were not recorded, so their spans are inferred.
 *
 * If nothing was recorded since the task was switched in (cpu->resumed), its system call or trap
 * most likely ended while it was off the CPU. The span up to @ts is then user code, and is
 * inferred.
 */
static void kp_to_user(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts,
		       uint32_t ipc)
{
	kp_is_user(rec, cpu);
	if (rec->quotas.count && !kp_rec_context_unknown(rec, cpu))
		kp_rec_quota_runs(rec, cpu->task, cpu->id);
	while (cpu->depth > 1) {
		uint32_t event = kp_rec_top(cpu)->event;

		if (cpu->resumed && (kp_is_syscall(event) || kp_is_trap(event))) {
			rec->stats.missing_returns += (uint64_t)cpu->depth - 1;
			kp_rec_log(rec, cpu, ts, "returned while it did not run:",
				   kp_rec_top(cpu)->name);
			cpu->depth = 1;
			kp_rec_close(rec, cpu, ts, 0, ipc, true);
			break;
		}
		kp_rec_pop(rec, cpu, ts, 0, ipc, true);
	}
	if (kp_is_unresolved(rec, cpu)) {
		kp_rec_close(rec, cpu, ts, 0, ipc, false);
		kp_rec_decide(rec, cpu->task, NULL, 0, false);
		cpu->task->bottom = KP_BOTTOM_USER;
	}
}

/* Discards a wakeup of the running task: the task has run since the wakeup. */
static void kp_progress_made(const struct kp_reconstruct *rec, struct kp_cpu *cpu)
{
	if (cpu->switching != KP_SWITCH_ARRIVING && !kp_rec_context_unknown(rec, cpu))
		cpu->task->away.woken = -1;
}

/* Returns the name of a call from its event. @back: a return event, with / before the name. */
static const struct kp_str *kp_call_name(struct kp_reconstruct *rec,
					 const struct kp_event *event, bool back)
{
	const char *text = event->name;
	size_t len = event->name_len;
	uint32_t slot = event->event;
	const struct kp_str *name;

	if (back && len && *text == '/') {
		text++;
		len--;
	}
	if (event->event == KUTRACE_CALL_BH)
		slot = event->arg0 & 0xFF;
	name = rec->name_cache[slot];
	if (name && name->len == len && !memcmp(name->text, text, len))
		return name;
	name = kp_rec_str(rec, text, len);
	rec->name_cache[slot] = name;
	return name;
}

static bool kp_never_returns(const struct kp_frame *frame)
{
	return kp_is_syscall(frame->event) && (!strcmp(frame->name->text, "exit") ||
					       !strcmp(frame->name->text, "exit_group"));
}

/* Returns whether the task to which the scheduler switched may be new, or have a reused pid. */
static bool kp_may_be_new(const struct kp_cpu *cpu)
{
	int below = cpu->depth - 2;	/* index of the frame below the scheduler's */

	return below > 0 ? kp_never_returns(&cpu->frames[below]) :
			   !cpu->task->ran && cpu->task->bottom != KP_BOTTOM_USER && !cpu->task->pending_count;
}

/*
 * Defers the scheduler's span, because it is not known yet whether the span ended at
 * cpu->switch_time.
 */
static void kp_defer(struct kp_reconstruct *rec, struct kp_cpu *cpu)
{
	struct kp_task *task = cpu->task;

	task->deferred_frame = *kp_rec_top(cpu);
	task->deferred = (struct kp_span){
		.start = cpu->start, .dur = cpu->switch_time - cpu->start, .cpu = cpu->id,
		.pid = cpu->span_task->pid, .rpc = cpu->span_rpc,
		.event = KUTRACE_CALL_SCHED, .arg0 = kp_rec_top(cpu)->arg0,
	};
	task->bottom = KP_BOTTOM_DEFERRED;
	kp_rec_next_span(rec, cpu, cpu->switch_time);
	cpu->depth--;
	cpu->resumed = true;
	cpu->switching = KP_SWITCH_NONE;
}

/* Returns whether kp_defer() can be called: the task may be new, or return from the scheduler later. */
static bool kp_can_defer(const struct kp_reconstruct *rec, const struct kp_cpu *cpu)
{
	return cpu->switching == KP_SWITCH_ARRIVING && kp_may_be_new(cpu) && !cpu->preempted &&
	       cpu->task != &rec->idle && cpu->depth == 2 && cpu->task->cpu == cpu->id;
}

void kp_rec_leave_dead(struct kp_reconstruct *rec, struct kp_cpu *cpu)
{
	if (cpu->switching != KP_SWITCH_ARRIVING || !cpu->span_task->exiting || cpu->task == cpu->span_task)
		return;
	if (kp_rec_top(cpu)->event != KUTRACE_CALL_SCHED)
		return;
	if (kp_can_defer(rec, cpu))
		kp_defer(rec, cpu);
	else
		kp_rec_close(rec, cpu, cpu->switch_time, 0, 0, false);
}

/*
 * Handles the first event after a switch inside the scheduler, if that event is not the scheduler's
 * return. There are two explanations:
 *  - The task is new, or its pid is in use again. A new task does not return from the scheduler:
 *    the scheduler's span ended at the switch.
 *  - The event is an interrupt just before the scheduler's return. If the task may also be new, the
 *    scheduler's span is deferred until the events after the interrupt show which case it is.
 */
static void kp_begins_new(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts,
			  uint32_t call)
{
	bool before = cpu->start <= cpu->switch_time;

	if (cpu->switching == KP_SWITCH_NONE || kp_rec_top(cpu)->event != KUTRACE_CALL_SCHED ||
	    (kp_is_irq(call) && (!kp_may_be_new(cpu) || cpu->preempted)))
		return;
	if (before && kp_is_irq(call) && kp_can_defer(rec, cpu)) {
		kp_defer(rec, cpu);
		return;
	}
	if (before && kp_may_be_new(cpu)) {
		kp_rec_close_as(rec, cpu, cpu->switch_time, NULL, 0, 0, false);
		cpu->depth--;
	} else {
		/* The return is missing, or an earlier interrupt has ended the scheduler's span. */
		kp_rec_leave_dead(rec, cpu);
		kp_rec_pop(rec, cpu, ts, 0, 0, true);
	}
	cpu->resumed = true;
	cpu->switching = KP_SWITCH_NONE;
}

/*
 * Resolves a deferred span: the scheduler returns only now, so its span did not end at the switch.
 * Returns false if no span is deferred, or if a call other than an interrupt is pending.
 */
static bool kp_was_in_scheduler(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts,
				int32_t retval, uint32_t ipc)
{
	if (cpu->task->bottom != KP_BOTTOM_DEFERRED || kp_rec_context_unknown(rec, cpu))
		return false;
	kp_rec_end_irqs(rec, cpu, ts);
	if (cpu->depth > 1)
		return false;
	kp_rec_close(rec, cpu, ts, 0, ipc, false);
	kp_rec_resolve_scheduler(rec, cpu->task, retval);
	cpu->resumed = true;
	return true;
}

/* Ends the pending calls that must have returned before the call @event begins. */
static void kp_before_call(struct kp_reconstruct *rec, struct kp_cpu *cpu,
			   const struct kp_event *event)
{
	uint32_t call = event->event, top = kp_rec_top(cpu)->event, ipc = event->ipc & 15;

	if (kp_is_syscall(call)) {
		cpu->not_idle |= cpu->task == &rec->idle;
		kp_to_user(rec, cpu, event->ts, ipc);
		kp_progress_made(rec, cpu);
	} else if (kp_is_trap(call) && rec->tracepoints) {
		/* Stock kernels may miss the end of a fault. ARG0 bit 2: in user mode. */
		if (call == KUTRACE_CALL_TRAP + KUTRACE_PAGEFAULT && (event->arg0 & 4))
			kp_to_user(rec, cpu, event->ts, ipc);
		else if (kp_is_trap(top))
			kp_rec_pop(rec, cpu, event->ts, 0, ipc, true);
	} else if (call == KUTRACE_CALL_SCHED) {
		if (top == KUTRACE_CALL_SCHED)
			kp_rec_pop(rec, cpu, event->ts, 0, ipc, true);
		kp_rec_end_irqs(rec, cpu, event->ts);
		cpu->switching = KP_SWITCH_NONE;
	}
}

/* Returns true if the CPU's return is due before an event of CPU @id at @ts. */
static bool kp_due_before(const struct kp_cpu *cpu, int64_t ts, int id)
{
	return cpu->due_ts < ts || (cpu->due_ts == ts && cpu->id < id);
}

/* Adds the return of the merged call @event to the returns that are due. */
static void kp_set_due(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		       const struct kp_event *event)
{
	struct kp_cpu **at = &rec->due;

	cpu->due = true;
	cpu->due_ts = event->ts + event->dur;
	cpu->due_call = event->event;
	cpu->due_retval = event->retval & 0xFFFF;
	cpu->due_ipc = event->ipc >> 4;
	while (*at && kp_due_before(*at, cpu->due_ts, cpu->id))
		at = &(*at)->next_due;
	cpu->next_due = *at;
	*at = cpu;
}

/* Pushes the call. If the event is merged, its return is due later. */
void kp_rec_call(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		 const struct kp_event *event)
{
	kp_begins_new(rec, cpu, event->ts, event->event);
	if (!kp_is_irq(event->event))
		kp_rec_resolve(rec, cpu->task);
	kp_before_call(rec, cpu, event);
	if (cpu->depth == KP_DEPTH) {
		rec->stats.too_deep++;
		kp_rec_pop(rec, cpu, event->ts, 0, 0, true);
	}
	kp_rec_close(rec, cpu, event->ts, 0, event->ipc & 15, false);
	cpu->frames[cpu->depth++] = (struct kp_frame){
		.event = event->event, .arg0 = event->arg0,
		.name = kp_call_name(rec, event, false),
	};
	if (event->dur)
		kp_set_due(rec, cpu, event);
}

/* ---- returns without a call on the stack ---- */

/* Counts a call whose beginning was not recorded, unless the span before @ts is empty. */
static void kp_missing_call(struct kp_reconstruct *rec, const struct kp_cpu *cpu,
			    int64_t ts, const struct kp_frame *frame, bool inferred)
{
	if (!inferred || ts <= cpu->start)
		return;
	rec->stats.missing_calls++;
	kp_rec_log(rec, cpu, ts, "call not recorded:", frame->name);
}

/* Handles a return while no call is pending, so the stack shows only user code. */
static void kp_stray_to_user(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts,
			     const struct kp_frame *frame, int32_t retval, uint32_t ipc)
{
	struct kp_task *task = cpu->task;
	bool irq = kp_is_irq(frame->event);

	if (task != &rec->idle && !irq && kp_is_unresolved(rec, cpu)) {
		/* The task was in this call during all its unresolved spans. */
		kp_rec_close(rec, cpu, ts, 0, ipc, false);
		kp_rec_decide(rec, task, frame, retval, false);
		task->bottom = kp_is_trap(frame->event) ? KP_BOTTOM_UNRESOLVED : KP_BOTTOM_USER;
		return;
	}
	/* The task was in user code, or was just switched in: the call is missing. */
	kp_missing_call(rec, cpu, ts, frame, true);
	kp_rec_close_as(rec, cpu, ts, frame, retval, ipc, true);
}

static bool kp_in_syscall(const struct kp_cpu *cpu)
{
	for (int i = cpu->depth - 1; i > 0; i--)
		if (kp_is_syscall(cpu->frames[i].event))
			return true;
	return false;
}

/* Handles a return whose call is not on the stack. */
static void kp_stray_return(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts,
			    const struct kp_frame *frame, int32_t retval, uint32_t ipc)
{
	bool inferred;

	if (kp_is_trap(frame->event) && rec->tracepoints) {
		rec->stats.stray_returns++;
		kp_rec_log(rec, cpu, ts, "return ignored:", frame->name);
		return;
	}
	if (frame->event == KUTRACE_CALL_SCHED) {
		kp_missing_call(rec, cpu, ts, frame, true);
		kp_rec_close_as(rec, cpu, ts, frame, retval, ipc, true);
		kp_rec_end_irqs(rec, cpu, ts);
		return;
	}
	if (kp_rec_top(cpu)->event == KUTRACE_CALL_SCHED)
		kp_rec_pop(rec, cpu, ts, 0, ipc, true);
	if (cpu->depth == 1) {
		kp_stray_to_user(rec, cpu, ts, frame, retval, ipc);
		return;
	}
	/*
	 * A task that was just switched in may return from another system call than the one on its
	 * stack: after an exec by another thread, or if its pid is in use again. Then the span is
	 * not inferred.
	 */
	inferred = !cpu->resumed || !kp_is_syscall(frame->event) || !kp_in_syscall(cpu);
	kp_missing_call(rec, cpu, ts, frame, inferred);
	kp_rec_close_as(rec, cpu, ts, frame, retval, ipc, inferred);
	if (!kp_is_syscall(frame->event))
		return;
	rec->stats.missing_returns += (uint64_t)cpu->depth - 1;
	cpu->depth = 1;
	if (cpu->task != &rec->idle && kp_is_unresolved(rec, cpu)) {
		/* The unresolved spans most likely were in this call. */
		kp_rec_decide(rec, cpu->task, frame, 0, true);
		cpu->task->bottom = KP_BOTTOM_USER;
	}
}

/* Pops the call that returns, and ends the calls above it. */
void kp_rec_return(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		   const struct kp_event *event, int64_t ts, uint32_t call,
		   int32_t retval, uint32_t ipc)
{
	int i;

	if (call != KUTRACE_CALL_SCHED)
		kp_begins_new(rec, cpu, ts, call);
	if (kp_is_syscall(call)) {
		kp_is_user(rec, cpu);
		/* A call that must not sleep records the event of kp_rec_dirty() too. */
		cpu->task->dirty = false;
	}
	cpu->not_idle |= cpu->task == &rec->idle && kp_is_syscall(call);
	if (call == KUTRACE_CALL_SCHED && kp_was_in_scheduler(rec, cpu, ts, retval, ipc))
		return;
	if (!kp_is_irq(call))
		kp_rec_resolve(rec, cpu->task);
	i = cpu->depth - 1;
	while (i > 0 && cpu->frames[i].event != call)
		i--;
	if (i > 0) {
		while (cpu->depth - 1 > i)
			kp_rec_pop(rec, cpu, ts, 0, 0, true);
		kp_rec_pop(rec, cpu, ts, retval, ipc, false);
	} else {
		struct kp_frame frame = { .event = call };

		frame.name = event ? kp_call_name(rec, event, true) : kp_rec_str(rec, "", 0);
		kp_stray_return(rec, cpu, ts, &frame, retval, ipc);
	}
	if (call == KUTRACE_CALL_SCHED) {
		if (cpu->switching != KP_SWITCH_NONE)
			cpu->resumed = true;
		else
			kp_progress_made(rec, cpu);
		cpu->switching = KP_SWITCH_NONE;
	} else if (kp_is_syscall(call)) {
		kp_progress_made(rec, cpu);
	}
}

void kp_rec_due(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts)
{
	struct kp_cpu **at = &rec->due;

	if (!cpu->due)
		return;
	cpu->due = false;
	while (*at != cpu)
		at = &(*at)->next_due;
	*at = cpu->next_due;
	if (cpu->due_ts > ts) {
		rec->stats.clipped++;
		cpu->due_ts = ts;
	}
	if (cpu->stores.count)
		kp_rec_stores_seen(rec, cpu, cpu->due_ts);
	kp_rec_return(rec, cpu, NULL, cpu->due_ts, cpu->due_call, cpu->due_retval, cpu->due_ipc);
	if (cpu->due_ts > cpu->last)
		cpu->last = cpu->due_ts;
	if (cpu->due_ts > rec->ran_until)
		rec->ran_until = cpu->due_ts;
}

void kp_rec_all_due(struct kp_reconstruct *rec, int64_t ts, int id)
{
	while (rec->due && kp_due_before(rec->due, ts, id))
		kp_rec_due(rec, rec->due, ts);
}

/*
 * ---- context switches, recorded or not ----
 *
 * A switch saves the stack of the previous task, and puts the stack of the next task on the CPU.
 */

/* Puts the task's stack on the CPU, and then @sched, the scheduler's frame, unless it is NULL. */
static void kp_load(struct kp_cpu *cpu, struct kp_task *task, const struct kp_frame *sched)
{
	cpu->frames[0] = (struct kp_frame){ .event = KP_EVENT_USER };
	cpu->depth = 1;
	if (task->saved_count) {
		memcpy(&cpu->frames[1], task->saved, task->saved_count * sizeof(*task->saved));
		cpu->depth += (int)task->saved_count;
	}
	task->saved_count = 0;
	if (sched)
		cpu->frames[cpu->depth++] = *sched;
	cpu->task = task;
	cpu->not_idle = false;
}

/*
 * Saves the task's frames. Omits the scheduler and interrupts on top of the stack. Returns the
 * number of omitted frames.
 */
static int kp_save_stack(struct kp_reconstruct *rec, struct kp_task *task,
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
		kp_save_stack(rec, task, other->frames, other->depth);
}

/*
 * Handles a switch to the task that runs already. The switch away from this task was not recorded,
 * so events since then may belong to another task. If the task is the idle task, it has no pending
 * call except the scheduler.
 */
static void kp_switch_again(struct kp_reconstruct *rec, struct kp_cpu *cpu,
			    const struct kp_event *event)
{
	struct kp_frame *top = kp_rec_top(cpu);

	if (cpu->start == event->ts && cpu->switching != KP_SWITCH_ARRIVING)
		return;		/* the header of this block has set the task */
	rec->stats.gaps++;
	kp_rec_log(rec, cpu, event->ts, "context switch not recorded, from", cpu->task->name);
	kp_rec_close(rec, cpu, event->ts, 0, 0, true);
	cpu->switch_time = event->ts;
	cpu->switching = top->event == KUTRACE_CALL_SCHED ? KP_SWITCH_ARRIVED : KP_SWITCH_NONE;
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
 * Returns whether the switch to @next is an exec by a thread that is not the leader of its process:
 * the thread gets the leader's pid. The exit of the leader has woken the thread. The switch occurs
 * in the system call exec, not in the scheduler.
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

/*
 * Returns whether the switch goes to a new thread with the pid of @next: @next has exited, but no
 * switch away from @next was recorded.
 */
static bool kp_is_on_its_way_out(struct kp_reconstruct *rec, const struct kp_cpu *cpu,
				 const struct kp_task *next, int64_t ts)
{
	struct kp_cpu *at = next->exiting && next->cpu >= 0 ? rec->cpus[next->cpu] : NULL;

	return at && at->task == next && !kp_rec_context_unknown(rec, at) &&
	       (at != cpu || cpu->start < ts);
}

void kp_rec_switch(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		   const struct kp_event *event)
{
	struct kp_task *next = kp_rec_task(rec, event->arg0);
	struct kp_task *old = cpu->task;
	struct kp_frame sched;
	bool in_sched, unknown;

	if (next && kp_is_on_its_way_out(rec, cpu, next, event->ts))
		next = kp_rec_next_life(rec, next);
	if (!next)
		return;
	if (next == old && !kp_rec_context_unknown(rec, cpu)) {
		kp_switch_again(rec, cpu, event);
		return;
	}
	kp_rec_resolve(rec, old);
	kp_rec_resolve(rec, next);
	if (kp_takes_number(rec, cpu, next))
		next = kp_rec_next_life(rec, next);
	if (next)
		kp_rec_seems_throttled(rec, cpu, next);
	cpu->by_timer = false;
	cpu->served.row = 0;
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
		rec->stats.missing_returns += (uint64_t)kp_save_stack(rec, old, cpu->frames,
								      cpu->depth - in_sched);
		old->ran = true;
	}
	/* No wakeup since the switch away: a new thread with this pid would have had one. */
	cpu->preempted = next->saved_count && next->away.off >= 0 && next->away.woken < 0;
	kp_unload_elsewhere(rec, cpu, next);
	kp_load(cpu, next, in_sched ? &sched : NULL);
	cpu->switching = in_sched ? KP_SWITCH_ARRIVED : KP_SWITCH_NONE;
	if (in_sched && !unknown) {
		/* The scheduler's span continues; the next task begins after it. */
		if (next != cpu->span_task)
			cpu->switching = KP_SWITCH_ARRIVING;
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
	kp_rec_log(rec, cpu, event->ts, "context switch not recorded, to", next->name);
	/* The span is inferred in any case, even if it is idle or user code. */
	kp_rec_close(rec, cpu, event->ts, 0, 0, true);
	if (!kp_rec_context_unknown(rec, cpu)) {
		kp_rec_decide(rec, old, NULL, 0, true);
		old->saved_count = 0;
		old->bottom = KP_BOTTOM_UNRESOLVED;
		old->ran = true;
	}
	kp_rec_depart(rec, old, cpu->id, event->ts);
	kp_rec_decide(rec, next, NULL, 0, true);
	next->saved_count = 0;
	next->bottom = KP_BOTTOM_UNRESOLVED;
	next->ran = true;
	kp_load(cpu, next, NULL);
	kp_rec_arrive(rec, next, cpu->id, event->ts);
	cpu->span_task = next;
	cpu->resumed = true;
}
