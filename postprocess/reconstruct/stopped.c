// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds times in which the machine, or a CPU, did not run: a virtual machine was stopped, its host ran
 * something else, or the firmware took the CPU. Must not change tasks or calls.
 *
 * The witness is a busy CPU. The kernel interrupts it once in a tick, which is 1 to 10 ms. If the tick
 * is missing for several periods, either the CPU did not run, or one of these is the case:
 *
 *  - The CPU was in kernel code with interrupts off. So user code is a better witness: interrupts
 *    are always on there.
 *  - The kernel stopped the tick, because the CPU runs a single task (nohz_full). But another CPU
 *    then keeps its tick, even if idle. So this cannot be the case if no CPU has an event. On a
 *    single CPU, the kernel would have stopped the tick soon after the last context switch. So the
 *    CPU must have had several ticks since then.
 *  - The events are missing: kp_rec_silence_unreliable(). The next block header can also show this.
 *
 * The time begins when the first missing tick was due, so it is too short by at most one period. It
 * ends 10 ns before the next event: this event may end a span, which then has a last part.
 */
#include "reconstruct/state.h"

/*
 * Shortest time of a row, in units of 10 ns. 50 ms are at least five ticks. Shorter times occur in
 * each virtual machine whose host is busy, and while a kernel has interrupts off.
 */
#define KP_STOPPED_MIN	5000000
/* shortest time if the only witness is kernel code, in units of 10 ns */
#define KP_STOPPED_KERNEL_MIN	(2 * KP_STOPPED_MIN)

#define KP_INTERVALS	4	/* minimum number of intervals for a period */
/* range of the tick's period, with a tolerance: 1000 to 100 times a second, units of 10 ns */
#define KP_PERIOD_MIN	90000
#define KP_PERIOD_MAX	1100000

/* ---- the period of the tick ---- */

static void kp_add_interval(struct kp_ticks *ticks, int64_t interval)
{
	ticks->interval[ticks->count++ % KP_TICKS] = interval;
}

/* Returns the median of the stored intervals, or 0 if they do not come from a tick. */
static int64_t kp_period(const struct kp_ticks *ticks)
{
	const uint32_t count = ticks->count < KP_TICKS ? ticks->count : KP_TICKS;
	int64_t sorted[KP_TICKS];

	if (count < KP_INTERVALS)
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = i;

		for (; at && sorted[at - 1] > ticks->interval[i]; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = ticks->interval[i];
	}
	return sorted[count / 2] >= KP_PERIOD_MIN && sorted[count / 2] <= KP_PERIOD_MAX ?
		       sorted[count / 2] : 0;
}

static bool kp_is_timer(struct kp_reconstruct *rec, const struct kp_event *event)
{
	signed char *cached = &rec->timers[event->event & 0xFFF];

	if (event->event < KUTRACE_CALL_IRQ || event->event >= KUTRACE_CALL_BH)
		return false;
	/* local_timer on x86, arch_timer on arm64, riscv-timer */
	if (!*cached)
		*cached = event->name_len && memmem(event->name, event->name_len, "timer", 5) ? 1 : -1;
	return *cached > 0;
}

void kp_rec_tick(struct kp_reconstruct *rec, struct kp_cpu *cpu, const struct kp_event *event)
{
	if (event->ts > rec->ran_until)
		rec->ran_until = event->ts;
	if (event->event == KUTRACE_USERPID) {
		cpu->ticks.count = 0;
		if (!event->arg0 || cpu->task == &rec->idle)
			cpu->ticked = -1;
		return;
	}
	rec->calls_recorded |= kp_is_syscall(event->event);
	if (cpu->task == &rec->idle || !kp_is_timer(rec, event))
		return;
	if (cpu->ticked >= 0) {
		kp_add_interval(&cpu->ticks, event->ts - cpu->ticked);
		kp_add_interval(&rec->ticks, event->ts - cpu->ticked);
	}
	cpu->ticked = event->ts;
}

/* ---- times in which nothing ran ---- */

enum kp_witness { KP_WITNESS_NONE, KP_WITNESS_KERNEL, KP_WITNESS_USER };

/*
 * Returns whether the CPU is busy, and where. A task whose bottom is unresolved is in user code if the
 * last sample was: the task has made no call since the trace began.
 */
static enum kp_witness kp_witness(const struct kp_reconstruct *rec, const struct kp_cpu *cpu)
{
	if (!cpu->started || kp_rec_context_unknown(rec, cpu))
		return KP_WITNESS_NONE;
	if (cpu->depth > 1)
		return KP_WITNESS_KERNEL;
	if (cpu->task == &rec->idle)
		return KP_WITNESS_NONE;
	if (kp_rec_in_kernel(cpu->task) || !rec->calls_recorded)
		return KP_WITNESS_KERNEL;
	return cpu->task->bottom == KP_BOTTOM_USER || cpu->sampled_user ? KP_WITNESS_USER : KP_WITNESS_KERNEL;
}

/* Returns the time of the first missing tick of a busy CPU. @since: time of the last event. */
static int64_t kp_tick_due(const struct kp_cpu *cpu, int64_t since, int64_t period)
{
	int64_t due = (cpu->ticked >= 0 ? cpu->ticked : since) + period;

	return due > since ? due : since;
}

/* Makes the row of [from, to) on @cpu, and takes that time out of the CPU's current span. */
static void kp_stopped_row(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t from,
			   int64_t to, uint32_t event, const struct kp_str *name)
{
	const struct kp_span row = {
		.start = from, .dur = to - from, .cpu = cpu->id, .pid = cpu->span_task->pid,
		.event = event,
		.arg0 = (int64_t)(event == KUTRACE_MADE_STOPPED ? rec->stats.stops : rec->stats.stolen),
	};

	kp_rec_split(rec, cpu, from, to);
	rec->stats.others++;
	kp_rec_row(rec, &row, name);
	cpu->last = to;
	cpu->sampled = to;
	cpu->ticked = -1;
	cpu->ticks.count = 0;
}

/* Returns whether @event comes from a timer interrupt. A sample is recorded in such an interrupt. */
static bool kp_shows_tick(struct kp_reconstruct *rec, const struct kp_event *event)
{
	return kp_is_timer(rec, event) || event->event == KUTRACE_PC_U || event->event == KUTRACE_PC_K;
}

/*
 * Sets *from to the earliest time at which the tick of a witness was due. Ignores kernel code if a
 * CPU was in user code. Ignores a CPU that was silent before the others: its events may be missing,
 * or it has no tick. Returns the best witness.
 */
static enum kp_witness kp_witnesses(const struct kp_reconstruct *rec, int64_t period, int64_t *from)
{
	enum kp_witness best = KP_WITNESS_NONE;

	for (int i = 0; i < KUTRACE_CPUS; i++) {
		const struct kp_cpu *cpu = rec->cpus[i];
		enum kp_witness witness = cpu ? kp_witness(rec, cpu) : KP_WITNESS_NONE;
		int64_t due;

		if (witness == KP_WITNESS_NONE || witness < best || rec->ran_until - cpu->last >= KP_STOPPED_MIN)
			continue;
		due = kp_tick_due(cpu, rec->ran_until, period);
		if (witness > best || due < *from)
			*from = due;
		best = witness;
	}
	return best;
}

/*
 * Handles a time without events on all CPUs, which ends at @event. It is inferred if only kernel code
 * is the witness, or if the trace has no facts, so that it does not show pauses or losses. Then the
 * next event must be the overdue tick.
 */
static void kp_all_silent(struct kp_reconstruct *rec, const struct kp_event *event)
{
	const int64_t period = kp_period(&rec->ticks), to = event->ts - 1;
	enum kp_witness witness;
	int64_t from = to;
	bool inferred;

	if (!period || kp_rec_silence_unreliable(rec))
		return;
	witness = kp_witnesses(rec, period, &from);
	inferred = witness == KP_WITNESS_KERNEL || !rec->meta_count;
	if (witness == KP_WITNESS_NONE || (inferred && !kp_shows_tick(rec, event)) ||
	    to - from < (witness == KP_WITNESS_USER ? KP_STOPPED_MIN : KP_STOPPED_KERNEL_MIN))
		return;
	rec->stats.stops++;
	rec->stats.stops_inferred += inferred;
	rec->stats.stopped_units += to - from;
	for (int i = 0; i < KUTRACE_CPUS; i++)
		if (rec->cpus[i] && rec->cpus[i]->started)
			kp_stopped_row(rec, rec->cpus[i], from, to, KUTRACE_MADE_STOPPED,
				       inferred ? rec->maybe_stopped_name : rec->stopped_name);
}

/* Handles a time without events on @cpu, which ends at @event, while other CPUs had events. */
static void kp_silent(struct kp_reconstruct *rec, struct kp_cpu *cpu, const struct kp_event *event)
{
	const int64_t period = kp_period(&cpu->ticks), to = event->ts - 1;
	int64_t from;

	if (!period || kp_witness(rec, cpu) != KP_WITNESS_USER || kp_rec_silence_unreliable(rec))
		return;
	/* After such a time, the tick is overdue. */
	if (!kp_shows_tick(rec, event))
		return;
	from = kp_tick_due(cpu, cpu->last, period);
	if (to - from < KP_STOPPED_MIN)
		return;
	rec->stats.stolen++;
	rec->stats.stolen_units += to - from;
	kp_stopped_row(rec, cpu, from, to, KUTRACE_MADE_STOLEN, rec->stolen_name);
}

void kp_rec_stopped(struct kp_reconstruct *rec, struct kp_cpu *cpu, const struct kp_event *event)
{
	if (event->ts - rec->ran_until >= KP_STOPPED_MIN && rec->stats.cpus)
		kp_all_silent(rec, event);
	if (cpu->started && event->ts - cpu->last >= KP_STOPPED_MIN)
		kp_silent(rec, cpu, event);
}
