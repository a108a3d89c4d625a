// SPDX-License-Identifier: BSD-3-Clause
/*
 * What each CPU runs: a stack of pending calls per CPU, pushed by calls, popped
 * by returns, exchanged at context switches. From a CPU's first event to its
 * last, exactly one execution span covers every instant: every function here
 * that ends a span begins the next one at the same time. Where a call or return
 * is missing, the stack is brought into a state that the event is possible in,
 * and what was inferred is marked by a ? behind the name.
 */
#include <string.h>

#include "kp_rec.h"

/*
 * Time from the interrupt until a CPU in this state runs again, 10 ns units, for
 * the mwait hints of x86 (the C-state in the high nibble; 255: halted without one, as
 * AMD's are): typical values; what is drawn with them is called -c-exit-. The last
 * table is for all other models.
 */
static const struct {
	const char *model;	/* part of the CPU model's name */
	struct {
		uint8_t hint;
		int32_t units;
	} state[9];
} kp_exit_table[] = {
	{ "AMD", { { 0x00, 100 }, { 0xFF, 1330 } } },
	{ "", {
		{ 0x00, 200 }, { 0x01, 1000 }, { 0x10, 7000 }, { 0x20, 8500 },
		{ 0x30, 12400 }, { 0x40, 20000 }, { 0x50, 48000 }, { 0x60, 89000 },
		{ 0xFF, 1330 },
	} },
};

/* Where the trace has the kernel's own latencies, states are its cpuidle's numbers. */
static int64_t kp_exit_latency(const struct kp_reconstruct *rec, uint32_t state)
{
	const struct kp_name *name = kp_names_get(&rec->names, KUTRACE_NAME_CPUMODEL, 0);
	size_t i = 0, j;

	if (!rec->exit_latency)
		return state < KP_IDLE_STATES ? rec->exit_units[state] : 0;
	while (*kp_exit_table[i].model &&
	       !(name && name->len && strstr(name->text, kp_exit_table[i].model)))
		i++;
	for (j = 0; j < sizeof(kp_exit_table[i].state) / sizeof(kp_exit_table[i].state[0]); j++)
		if (kp_exit_table[i].state[j].units && kp_exit_table[i].state[j].hint == state)
			return kp_exit_table[i].state[j].units;
	return 0;
}

static struct kp_frame *kp_top(struct kp_cpu *cpu)
{
	return &cpu->frames[cpu->depth - 1];
}

/*
 * The pid that this CPU is thought to run has been seen to go on elsewhere, or idle makes
 * system calls: a context switch is missing here. Who runs is not known until the next
 * one that is recorded.
 */
static bool kp_astray(const struct kp_reconstruct *rec, const struct kp_cpu *cpu)
{
	if (cpu->arriving)
		return false;
	return cpu->task == &rec->idle ? cpu->not_idle : cpu->task->cpu != cpu->id;
}

/* A row for [cpu->start, ts) of the span being built, as frame. */
static void kp_execution(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts,
			 const struct kp_frame *frame, int32_t retval, uint32_t ipc,
			 bool inferred)
{
	const struct kp_task *task = cpu->span_task;
	struct kp_span row = {
		.start = cpu->start, .dur = ts - cpu->start, .cpu = cpu->id,
		.pid = task->pid, .rpc = cpu->span_rpc, .event = frame->event,
		.arg0 = frame->arg0, .retval = retval, .ipc = (int32_t)ipc,
	};
	const struct kp_str *name = frame->name;

	if (frame->event == KP_EVENT_USER) {
		row.event += task->pid;
		name = task->name;
		rec->stats.user++;
	} else if (frame->event == KUTRACE_CALL_SCHED) {
		rec->stats.scheds++;
	} else if (kp_is_syscall(frame->event)) {
		rec->stats.syscalls++;
	} else if (kp_is_irq(frame->event)) {
		rec->stats.irqs++;
	} else {
		rec->stats.traps++;
	}
	if (inferred)
		name = kp_rec_mark(rec, &row, name);
	kp_rec_row(rec, &row, name);
}

/*
 * Idle, [cpu->start, ts): low-power idle after an idle state was entered, the
 * end of it the time it takes to come back, where that is known.
 */
static void kp_idle_rows(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts,
			 uint32_t ipc)
{
	struct kp_span row = {
		.start = cpu->start, .dur = ts - cpu->start, .cpu = cpu->id,
		.event = KP_EVENT_USER, .ipc = (int32_t)ipc,
	};
	int64_t leaving;

	rec->stats.idle++;
	if (!cpu->idle_state) {
		kp_rec_row(rec, &row, rec->idle_name);
		return;
	}
	leaving = kp_exit_latency(rec, cpu->idle_state);
	if (leaving > row.dur)
		leaving = row.dur;
	row.dur -= leaving;
	row.arg0 = 1;
	if (row.dur)
		kp_rec_row(rec, &row, rec->lowpower_name);
	if (!leaving)
		return;
	row.start += row.dur;
	row.dur = leaving;
	row.event = KP_EVENT_CEXIT;
	row.arg0 = 0;
	kp_rec_row(rec, &row, rec->cexit_name);
}

/* The next span begins at ts. */
static void kp_next_span(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts)
{
	cpu->start = ts;
	cpu->span_rpc = cpu->rpc;
	if (!cpu->arriving)
		return;
	cpu->arriving = false;
	kp_rec_depart(rec, cpu->span_task, cpu->id, ts);
	if (cpu->task->cpu == cpu->id)
		kp_rec_arrive(rec, cpu->task, cpu->id, ts);
	cpu->span_task = cpu->task;
}

/*
 * Ends the span being built at ts and begins the next there. It is what is on
 * top of the stack, or as, if that is given.
 */
static void kp_close_as(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts,
			const struct kp_frame *as, int32_t retval, uint32_t ipc,
			bool inferred)
{
	const struct kp_frame *frame = as ? as : kp_top(cpu);
	bool user = frame->event == KP_EVENT_USER;

	inferred |= kp_astray(rec, cpu);
	if (ts > cpu->start) {
		if (user && cpu->span_task == &rec->idle && !inferred) {
			kp_idle_rows(rec, cpu, ts, ipc);
		} else if (user && cpu->span_task->undecided && !inferred) {
			struct kp_pending span = {
				.start = cpu->start, .dur = ts - cpu->start,
				.cpu = cpu->id, .rpc = cpu->span_rpc, .ipc = ipc,
			};

			kp_rec_pend(rec, cpu->span_task, &span);
		} else {
			kp_execution(rec, cpu, ts, frame, retval, ipc, inferred);
		}
		cpu->resumed = false;
		cpu->idle_state = 0;
	}
	kp_next_span(rec, cpu, ts);
}

void kp_rec_close(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts,
		  int32_t retval, uint32_t ipc, bool inferred)
{
	kp_close_as(rec, cpu, ts, NULL, retval, ipc, inferred);
}

static void kp_pop(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts,
		   int32_t retval, uint32_t ipc, bool inferred)
{
	kp_close_as(rec, cpu, ts, NULL, retval, ipc, inferred);
	if (inferred) {
		rec->stats.missing_returns++;
		kp_rec_note(rec, cpu, ts, "return not recorded:", kp_top(cpu)->name);
	}
	cpu->depth--;
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
	while (cpu->depth > 1) {
		uint32_t event = kp_top(cpu)->event;

		if (cpu->resumed && (kp_is_syscall(event) || kp_is_trap(event))) {
			rec->stats.missing_returns += (uint64_t)cpu->depth - 1;
			kp_rec_note(rec, cpu, ts, "returned while it did not run:",
				    kp_top(cpu)->name);
			cpu->depth = 1;
			kp_rec_close(rec, cpu, ts, 0, ipc, true);
			break;
		}
		kp_pop(rec, cpu, ts, 0, ipc, true);
	}
	if (cpu->task->undecided && !kp_astray(rec, cpu)) {
		kp_rec_close(rec, cpu, ts, 0, ipc, false);
		kp_rec_decide(rec, cpu->task, NULL, 0, false);
		cpu->task->undecided = false;
	}
}

/* Neither the scheduler nor a context switch comes inside an interrupt: it is over. */
static void kp_end_irqs(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts)
{
	while (kp_is_irq(kp_top(cpu)->event))
		kp_pop(rec, cpu, ts, 0, 0, true);
}

/* The running pid got somewhere, so an earlier wakeup of it is spent. */
static void kp_progress_made(const struct kp_reconstruct *rec, struct kp_cpu *cpu)
{
	if (!cpu->arriving && !kp_astray(rec, cpu))
		cpu->task->woken = -1;
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

/* What the scheduler was, until the switch at cpu->switch_time or longer: held. */
static void kp_hold(struct kp_reconstruct *rec, struct kp_cpu *cpu)
{
	struct kp_task *task = cpu->task;

	task->held_frame = *kp_top(cpu);
	task->held = (struct kp_span){
		.start = cpu->start, .dur = cpu->switch_time - cpu->start, .cpu = cpu->id,
		.pid = cpu->span_task->pid, .rpc = cpu->span_rpc,
		.event = KUTRACE_CALL_SCHED, .arg0 = kp_top(cpu)->arg0,
	};
	kp_next_span(rec, cpu, cpu->switch_time);
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

	if (!cpu->switched || kp_top(cpu)->event != KUTRACE_CALL_SCHED ||
	    (kp_is_irq(call) && !kp_may_be_new(cpu)))
		return;
	if (before && kp_is_irq(call) && cpu->arriving && cpu->task != &rec->idle &&
	    cpu->depth == 2 && cpu->task->cpu == cpu->id) {
		kp_hold(rec, cpu);
		cpu->depth--;
	} else if (before && kp_may_be_new(cpu)) {
		kp_close_as(rec, cpu, cpu->switch_time, NULL, 0, 0, false);
		cpu->depth--;
	} else {
		/* Its return is missing; or an interrupt came first, and its span is out. */
		kp_pop(rec, cpu, ts, 0, 0, true);
	}
	cpu->resumed = true;
	cpu->switched = false;
}

/* The scheduler returned after all, see kp_begins_new(). */
static bool kp_was_in_scheduler(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts,
				int32_t retval, uint32_t ipc)
{
	if (cpu->task->held.dur < 0 || kp_astray(rec, cpu))
		return false;
	kp_end_irqs(rec, cpu, ts);
	if (cpu->depth > 1)
		return false;
	kp_rec_close(rec, cpu, ts, 0, ipc, false);
	kp_rec_settle_scheduler(rec, cpu->task, retval);
	cpu->resumed = true;
	return true;
}

/* What a call says about what must be over by now. */
static void kp_before_call(struct kp_reconstruct *rec, struct kp_cpu *cpu,
			   const struct kp_event *event)
{
	uint32_t call = event->event, top = kp_top(cpu)->event, ipc = event->ipc & 15;

	if (kp_is_syscall(call)) {
		cpu->not_idle |= cpu->task == &rec->idle;
		kp_to_user(rec, cpu, event->ts, ipc);
		kp_progress_made(rec, cpu);
	} else if (kp_is_trap(call) && rec->tracepoints) {
		/* Ends of faults are not reliable there, but ARG0 is the error code. */
		if (call == KUTRACE_CALL_TRAP + KUTRACE_PAGEFAULT && (event->arg0 & 4))
			kp_to_user(rec, cpu, event->ts, ipc);
		else if (kp_is_trap(top))
			kp_pop(rec, cpu, event->ts, 0, ipc, true);
	} else if (call == KUTRACE_CALL_SCHED) {
		if (top == KUTRACE_CALL_SCHED)
			kp_pop(rec, cpu, event->ts, 0, ipc, true);
		kp_end_irqs(rec, cpu, event->ts);
		cpu->switched = false;
	}
}

void kp_rec_call(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		 const struct kp_event *event)
{
	kp_begins_new(rec, cpu, event->ts, event->event);
	if (!kp_is_irq(event->event))
		kp_rec_settle(rec, cpu->task);
	kp_before_call(rec, cpu, event);
	if (cpu->depth == KP_DEPTH) {
		rec->stats.too_deep++;
		kp_pop(rec, cpu, event->ts, 0, 0, true);
	}
	kp_rec_close(rec, cpu, event->ts, 0, event->ipc & 15, false);
	cpu->frames[cpu->depth++] = (struct kp_frame){
		.event = event->event, .arg0 = event->arg0,
		.name = kp_call_name(rec, event, false),
	};
	if (kp_is_irq(event->event))
		kp_rec_ipi_taken(rec, cpu, event->ts);
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

	if (task != &rec->idle && task->undecided && !irq && !kp_astray(rec, cpu)) {
		/* It was in there all the time. */
		kp_rec_close(rec, cpu, ts, 0, ipc, false);
		kp_rec_decide(rec, task, frame, retval, false);
		task->undecided = kp_is_trap(frame->event);
		return;
	}
	/* It was seen to be in user code, also if it has just come back to it. */
	kp_missing_call(rec, cpu, ts, frame, true);
	kp_close_as(rec, cpu, ts, frame, retval, ipc, true);
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
		kp_close_as(rec, cpu, ts, frame, retval, ipc, true);
		kp_end_irqs(rec, cpu, ts);
		return;
	}
	if (kp_top(cpu)->event == KUTRACE_CALL_SCHED)
		kp_pop(rec, cpu, ts, 0, ipc, true);
	if (cpu->depth == 1) {
		kp_stray_to_user(rec, cpu, ts, frame, retval, ipc);
		return;
	}
	/* A pid just come back may be in another call than it left in: exec, a pid used again. */
	guess = !cpu->resumed || !kp_is_syscall(frame->event) || !kp_in_syscall(cpu);
	kp_missing_call(rec, cpu, ts, frame, guess);
	kp_close_as(rec, cpu, ts, frame, retval, ipc, guess);
	if (!kp_is_syscall(frame->event))
		return;
	rec->stats.missing_returns += (uint64_t)cpu->depth - 1;
	cpu->depth = 1;
	if (cpu->task->undecided && cpu->task != &rec->idle && !kp_astray(rec, cpu)) {
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
	cpu->not_idle |= cpu->task == &rec->idle && kp_is_syscall(call);
	if (call == KUTRACE_CALL_SCHED && kp_was_in_scheduler(rec, cpu, ts, retval, ipc))
		return;
	if (!kp_is_irq(call))
		kp_rec_settle(rec, cpu->task);
	i = cpu->depth - 1;
	while (i > 0 && cpu->frames[i].event != call)
		i--;
	if (i > 0) {
		while (cpu->depth - 1 > i)
			kp_pop(rec, cpu, ts, 0, 0, true);
		kp_pop(rec, cpu, ts, retval, ipc, false);
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

/* ---- context switches ---- */

/* Puts task's stack on the CPU, below the scheduler if that is running. */
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
 * Keeps frames for when task runs again, but for interrupts and the scheduler: neither
 * goes on elsewhere. Returns how many of them there were.
 */
static int kp_keep(struct kp_reconstruct *rec, struct kp_task *task,
		   const struct kp_frame *frames, int depth)
{
	int over = 0;

	while (depth > 1 && (kp_is_irq(frames[depth - 1].event) ||
			     frames[depth - 1].event == KUTRACE_CALL_SCHED)) {
		depth--;
		over++;
	}
	kp_rec_save(rec, task, frames, depth);
	return over;
}

/* A pid cannot be on two CPUs: the other one has not told us that it left. */
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
 * A switch to who is there already: the one away from it is missing, so what was recorded
 * since may be another's. Of idle it is known that nothing is pending.
 */
static void kp_switch_again(struct kp_reconstruct *rec, struct kp_cpu *cpu,
			    const struct kp_event *event)
{
	struct kp_frame *top = kp_top(cpu);

	if (cpu->start == event->ts && !cpu->arriving)
		return;		/* the header of this block said it */
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

void kp_rec_switch(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		   const struct kp_event *event)
{
	struct kp_task *next = kp_rec_task(rec, event->arg0);
	struct kp_task *old = cpu->task;
	struct kp_frame sched;
	bool in_sched, astray;

	if (!next)
		return;
	if (next == old && !kp_astray(rec, cpu)) {
		kp_switch_again(rec, cpu, event);
		return;
	}
	kp_rec_settle(rec, old);
	kp_rec_settle(rec, next);
	if (old == &rec->idle)
		cpu->store_reason = 0;
	cpu->switch_time = event->ts;
	cpu->switch_from = cpu->start < event->ts ? old->pid : UINT32_MAX;
	kp_end_irqs(rec, cpu, event->ts);
	astray = kp_astray(rec, cpu);
	in_sched = kp_top(cpu)->event == KUTRACE_CALL_SCHED;
	if (in_sched)
		sched = *kp_top(cpu);
	if (!in_sched || astray)
		kp_rec_close(rec, cpu, event->ts, 0, event->ipc & 15, false);
	if (!astray) {
		rec->stats.missing_returns += (uint64_t)kp_keep(rec, old, cpu->frames,
								cpu->depth - in_sched);
		old->ran = true;
	}
	kp_unload_elsewhere(rec, cpu, next);
	kp_load(cpu, next, in_sched ? &sched : NULL);
	cpu->switched = in_sched;
	if (in_sched && !astray) {
		/* The scheduler's span goes on; who is switched to begins behind it. */
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
	/* Marked whatever it is, idle and user code included. */
	kp_rec_close(rec, cpu, event->ts, 0, 0, true);
	if (!kp_astray(rec, cpu)) {
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

void kp_rec_idle_state(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		       const struct kp_event *event)
{
	bool enters = event->event == KUTRACE_MWAIT;

	if (cpu->task != &rec->idle || cpu->depth != 1 || (!enters && !cpu->idle_state))
		return;
	kp_rec_close(rec, cpu, event->ts, 0, event->ipc & 15, false);
	cpu->idle_state = enters ? event->arg0 : 0;
}
