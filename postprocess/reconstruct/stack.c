// SPDX-License-Identifier: BSD-3-Clause
/*
 * What each CPU runs: a stack of pending calls per CPU, pushed by calls, popped by returns
 * (and exchanged at context switches, see switch.c). Where a call or return is missing, the
 * stack is brought into a state that the event is possible in, and what was inferred is
 * marked by a ? behind the name. Called by the dispatcher (reconstruct.c).
 */
#include <string.h>

#include "reconstruct/execution.h"
#include "reconstruct/stack.h"
#include "reconstruct/task.h"

/* Notes that the running pid did what only user code does. */
static void kp_is_user(const struct kp_reconstruct *rec, struct kp_cpu *cpu)
{
	if (!kp_rec_context_unknown(rec, cpu))
		cpu->task->user = true;
}

/*
 * At ts comes what only user code can do, so everything above it is over. When,
 * nobody saw: at the latest now. But if a pid has just been given the CPU and
 * has not shown what it does since, it came back to user code, not to the call
 * that it was in: that call ended while it was away. Likely, not certain: marked.
 */
static void kp_to_user(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts,
		       uint32_t ipc)
{
	kp_is_user(rec, cpu);
	while (cpu->depth > 1) {
		uint32_t event = kp_rec_top(cpu)->event;

		if (cpu->resumed && (kp_is_syscall(event) || kp_is_trap(event))) {
			rec->stats.missing_returns += (uint64_t)cpu->depth - 1;
			kp_rec_note(rec, cpu, ts, "returned while it did not run:",
				    kp_rec_top(cpu)->name);
			cpu->depth = 1;
			kp_rec_close(rec, cpu, ts, 0, ipc, true);
			break;
		}
		kp_rec_pop(rec, cpu, ts, 0, ipc, true);
	}
	if (cpu->task->undecided && !kp_rec_context_unknown(rec, cpu)) {
		kp_rec_close(rec, cpu, ts, 0, ipc, false);
		kp_rec_decide(rec, cpu->task, NULL, 0, false);
		cpu->task->undecided = false;
	}
}

/* The running pid made progress: discards a stale wakeup. */
static void kp_progress_made(const struct kp_reconstruct *rec, struct kp_cpu *cpu)
{
	if (!cpu->arriving && !kp_rec_context_unknown(rec, cpu))
		cpu->task->away.woken = -1;
}

/* The name of a call, from an event's text; a return's has a / in front. */
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

/* Could the pid on this CPU be one that has never run before? */
static bool kp_may_be_new(const struct kp_cpu *cpu)
{
	int below = cpu->depth - 2;	/* the scheduler is on top */

	return below > 0 ? kp_never_returns(&cpu->frames[below]) :
			   !cpu->task->ran && cpu->task->undecided && !cpu->task->pending_count;
}

/* What the scheduler was, until the switch at cpu->switch_time or longer: deferred. */
static void kp_defer(struct kp_reconstruct *rec, struct kp_cpu *cpu)
{
	struct kp_task *task = cpu->task;

	task->deferred_frame = *kp_rec_top(cpu);
	task->deferred = (struct kp_span){
		.start = cpu->start, .dur = cpu->switch_time - cpu->start, .cpu = cpu->id,
		.pid = cpu->span_task->pid, .rpc = cpu->span_rpc,
		.event = KUTRACE_CALL_SCHED, .arg0 = kp_rec_top(cpu)->arg0,
	};
	kp_rec_next_span(rec, cpu, cpu->switch_time);
}

/*
 * The scheduler switched to a pid, and what comes next is not its return. Then
 * the pid is a new one (or one used again), which begins without returning from
 * anything: the scheduler was left at the switch. But interrupts come in there,
 * too, just before the scheduler returns: then it is told by what follows them.
 */
static void kp_begins_new(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts,
			  uint32_t call)
{
	bool before = cpu->start <= cpu->switch_time;

	if (!cpu->switched || kp_rec_top(cpu)->event != KUTRACE_CALL_SCHED ||
	    (kp_is_irq(call) && (!kp_may_be_new(cpu) || cpu->preempted)))
		return;
	if (before && kp_is_irq(call) && cpu->arriving && cpu->task != &rec->idle &&
	    cpu->depth == 2 && cpu->task->cpu == cpu->id) {
		kp_defer(rec, cpu);
		cpu->depth--;
	} else if (before && kp_may_be_new(cpu)) {
		kp_rec_close_as(rec, cpu, cpu->switch_time, NULL, 0, 0, false);
		cpu->depth--;
	} else {
		/* Its return is missing; or an interrupt came first, and its span is out. */
		kp_rec_pop(rec, cpu, ts, 0, 0, true);
	}
	cpu->resumed = true;
	cpu->switched = false;
}

/* The scheduler returned after all, see kp_begins_new(). */
static bool kp_was_in_scheduler(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts,
				int32_t retval, uint32_t ipc)
{
	if (cpu->task->deferred.dur < 0 || kp_rec_context_unknown(rec, cpu))
		return false;
	kp_rec_end_irqs(rec, cpu, ts);
	if (cpu->depth > 1)
		return false;
	kp_rec_close(rec, cpu, ts, 0, ipc, false);
	kp_rec_resolve_scheduler(rec, cpu->task, retval);
	cpu->resumed = true;
	return true;
}

/* What a call says about what must be over by now. */
static void kp_before_call(struct kp_reconstruct *rec, struct kp_cpu *cpu,
			   const struct kp_event *event)
{
	uint32_t call = event->event, top = kp_rec_top(cpu)->event, ipc = event->ipc & 15;

	if (kp_is_syscall(call)) {
		cpu->not_idle |= cpu->task == &rec->idle;
		kp_to_user(rec, cpu, event->ts, ipc);
		kp_progress_made(rec, cpu);
	} else if (kp_is_trap(call) && rec->tracepoints) {
		/* Ends of faults are not reliable there, but ARG0 is the error code. */
		if (call == KUTRACE_CALL_TRAP + KUTRACE_PAGEFAULT && (event->arg0 & 4))
			kp_to_user(rec, cpu, event->ts, ipc);
		else if (kp_is_trap(top))
			kp_rec_pop(rec, cpu, event->ts, 0, ipc, true);
	} else if (call == KUTRACE_CALL_SCHED) {
		if (top == KUTRACE_CALL_SCHED)
			kp_rec_pop(rec, cpu, event->ts, 0, ipc, true);
		kp_rec_end_irqs(rec, cpu, event->ts);
		cpu->switched = false;
	}
}

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
	if (!event->dur)
		return;
	cpu->due = true;
	cpu->due_ts = event->ts + event->dur;
	cpu->due_call = event->event;
	cpu->due_retval = event->retval & 0xFFFF;
	cpu->due_ipc = event->ipc >> 4;
}

/* ---- returns that fit nothing on the stack ---- */

static void kp_missing_call(struct kp_reconstruct *rec, const struct kp_cpu *cpu,
			    int64_t ts, const struct kp_frame *frame, bool guess)
{
	if (!guess || ts <= cpu->start)
		return;
	rec->stats.missing_calls++;
	kp_rec_note(rec, cpu, ts, "call not recorded:", frame->name);
}

/* From user code, or what looks like it. */
static void kp_stray_to_user(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts,
			     const struct kp_frame *frame, int32_t retval, uint32_t ipc)
{
	struct kp_task *task = cpu->task;
	bool irq = kp_is_irq(frame->event);

	if (task != &rec->idle && task->undecided && !irq && !kp_rec_context_unknown(rec, cpu)) {
		/* It was in there all the time. */
		kp_rec_close(rec, cpu, ts, 0, ipc, false);
		kp_rec_decide(rec, task, frame, retval, false);
		task->undecided = kp_is_trap(frame->event);
		return;
	}
	/* It was seen to be in user code, also if it has just come back to it. */
	kp_missing_call(rec, cpu, ts, frame, true);
	kp_rec_close_as(rec, cpu, ts, frame, retval, ipc, true);
}

static bool kp_in_syscall(const struct kp_cpu *cpu)
{
	int i;

	for (i = cpu->depth - 1; i > 0; i--)
		if (kp_is_syscall(cpu->frames[i].event))
			return true;
	return false;
}

static void kp_stray_return(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts,
			    const struct kp_frame *frame, int32_t retval, uint32_t ipc)
{
	bool guess;

	if (kp_is_trap(frame->event) && rec->tracepoints) {
		rec->stats.stray_returns++;
		kp_rec_note(rec, cpu, ts, "return ignored:", frame->name);
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
	/* A pid just come back may be in another call than it left in: exec, a pid used again. */
	guess = !cpu->resumed || !kp_is_syscall(frame->event) || !kp_in_syscall(cpu);
	kp_missing_call(rec, cpu, ts, frame, guess);
	kp_rec_close_as(rec, cpu, ts, frame, retval, ipc, guess);
	if (!kp_is_syscall(frame->event))
		return;
	rec->stats.missing_returns += (uint64_t)cpu->depth - 1;
	cpu->depth = 1;
	if (cpu->task->undecided && cpu->task != &rec->idle && !kp_rec_context_unknown(rec, cpu)) {
		/* Below what is pending it was in that call, or entered it unseen. */
		kp_rec_decide(rec, cpu->task, frame, 0, true);
		cpu->task->undecided = false;
	}
}

void kp_rec_return(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		   const struct kp_event *event, int64_t ts, uint32_t call,
		   int32_t retval, uint32_t ipc)
{
	int i;

	if (call != KUTRACE_CALL_SCHED)
		kp_begins_new(rec, cpu, ts, call);
	if (kp_is_syscall(call))
		kp_is_user(rec, cpu);
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
		if (cpu->switched)
			cpu->resumed = true;
		else
			kp_progress_made(rec, cpu);
		cpu->switched = false;
	} else if (kp_is_syscall(call)) {
		kp_progress_made(rec, cpu);
	}
}

void kp_rec_due(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts)
{
	if (!cpu->due)
		return;
	cpu->due = false;
	if (cpu->due_ts > ts) {
		rec->stats.clipped++;
		cpu->due_ts = ts;
	}
	kp_rec_return(rec, cpu, NULL, cpu->due_ts, cpu->due_call, cpu->due_retval,
		      cpu->due_ipc);
	if (cpu->due_ts > cpu->last)
		cpu->last = cpu->due_ts;
}
