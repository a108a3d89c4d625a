// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes the execution of CPUs as rows. The rows of a CPU must not overlap or leave a gap, except
 * in pauses.
 */

#include "reconstruct/state.h"

/*
 * Typical exit latencies for rows -c-exit-: the time from the interrupt until an idle CPU runs
 * again, in units of 10 ns. "hint" is the argument of x86's mwait, whose high nibble is the
 * C-state; 255: halted without mwait, as on AMD. The last element is for all other models.
 */
static const struct {
	const char *model;	/* part of the name of the CPU model */
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

/* Returns the exit latency of an mwait hint or a cpuidle state, in units of 10 ns; 0: unknown. */
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

/* Writes the current span, [cpu->start, ts), as a row with the event of @frame. */
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
		row.arg0 = kp_rec_in_kernel(task);
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
		name = kp_rec_inferred_name(rec, &row, name);
	kp_rec_row(rec, &row, name);
}

/*
 * Writes the rows of [cpu->start, ts): idle, or low-power idle and its exit latency, if known.
 * @leaves: the CPU left the idle state at @ts.
 */
static void kp_idle_rows(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts,
			 uint32_t ipc, bool leaves)
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
	leaving = leaves ? kp_exit_latency(rec, cpu->idle_state) : 0;
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

void kp_rec_next_span(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts)
{
	cpu->start = ts;
	cpu->span_rpc = cpu->rpc;
	if (cpu->switching != KP_SWITCH_ARRIVING)
		return;
	cpu->switching = KP_SWITCH_ARRIVED;
	kp_rec_depart(rec, cpu->span_task, cpu->id, ts);
	if (cpu->task->cpu == cpu->id)
		kp_rec_arrive(rec, cpu->task, cpu->id, ts);
	cpu->span_task = cpu->task;
}

/*
 * Writes the span [cpu->start, ts), which is not empty. A span is inferred if the CPU's task is
 * unknown. It may be unknown whether a span is user code (enum kp_bottom).
 */
static void kp_write(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts,
		     const struct kp_frame *frame, int32_t retval, uint32_t ipc,
		     bool inferred, bool leaves_idle)
{
	bool user = frame->event == KP_EVENT_USER;

	inferred |= kp_rec_context_unknown(rec, cpu);
	if (user && cpu->span_task == &rec->idle && !inferred) {
		cpu->idled += ts - cpu->start;
		kp_idle_rows(rec, cpu, ts, ipc, leaves_idle);
	} else if (user && cpu->span_task->bottom != KP_BOTTOM_USER && !inferred) {
		struct kp_pending span = {
			.start = cpu->start, .dur = ts - cpu->start,
			.cpu = cpu->id, .rpc = cpu->span_rpc, .ipc = ipc,
		};

		kp_rec_pend(rec, cpu->span_task, &span);
	} else {
		kp_execution(rec, cpu, ts, frame, retval, ipc, inferred);
	}
}

void kp_rec_close_as(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts,
		     const struct kp_frame *as, int32_t retval, uint32_t ipc,
		     bool inferred)
{
	const struct kp_frame *frame = as ? as : kp_rec_top(cpu);

	if (ts > cpu->start) {
		if (cpu->split && cpu->split_from < ts) {
			if (cpu->split_from > cpu->start)
				kp_write(rec, cpu, cpu->split_from, frame, 0, ipc, inferred, false);
			cpu->start = cpu->split_to;
			cpu->split = false;
		}
		if (ts > cpu->start)
			kp_write(rec, cpu, ts, frame, retval, ipc, inferred, true);
		cpu->resumed = false;
		cpu->idle_state = 0;
	}
	kp_rec_next_span(rec, cpu, ts);
}

void kp_rec_split(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t from, int64_t to)
{
	/* A later event can show what the span is. Only one time can wait for it. */
	if (cpu->split) {
		if (cpu->split_from > cpu->start)
			kp_write(rec, cpu, cpu->split_from, kp_rec_top(cpu), 0, 0, false, false);
		cpu->start = cpu->split_to;
		/* The scheduler's span is written up to here, so the next task begins later. */
		if (cpu->switching == KP_SWITCH_ARRIVING)
			cpu->switch_time = cpu->start;
	}
	cpu->split = true;
	cpu->split_from = from;
	cpu->split_to = to;
}

void kp_rec_close(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts,
		  int32_t retval, uint32_t ipc, bool inferred)
{
	kp_rec_close_as(rec, cpu, ts, NULL, retval, ipc, inferred);
}

void kp_rec_pop(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts,
		int32_t retval, uint32_t ipc, bool inferred)
{
	kp_rec_close_as(rec, cpu, ts, NULL, retval, ipc, inferred);
	if (inferred) {
		rec->stats.missing_returns++;
		kp_rec_log(rec, cpu, ts, "return not recorded:", kp_rec_top(cpu)->name);
	}
	if (--cpu->depth < cpu->served.depth)
		cpu->served.row = 0;
}

/* The scheduler and a context switch cannot occur inside an interrupt. */
void kp_rec_end_irqs(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts)
{
	while (kp_holds_cpu(rec, kp_rec_top(cpu)->event))
		kp_rec_pop(rec, cpu, ts, 0, 0, true);
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
