// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracepoints of timers: records when a timer was due whose callback wakes a thread. Must record
 * nothing for other timers, such as those that are armed and cancelled. Rules of probes: tp.h.
 *
 * A callback of a softirq or its thread can be interrupted by a callback in a hard interrupt. So a
 * CPU has two of them, and a wakeup belongs to the callback of its own level.
 */
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/timekeeping.h>
#include <linux/timer.h>
#include <trace/events/timer.h>

#include "compat/tracepoints.h"
#include "compat/version.h"
#include "core/clock.h"
#include "core/emit.h"
#include "probes/timer.h"
#include "probes/tp.h"
#include "uapi/kutrace_timer.h"

struct ku_timer {
	/*
	 * The task that runs the callback, or is interrupted by it. With PREEMPT_RT, another task
	 * can run meanwhile, whose wakeups do not belong to the timer.
	 */
	const struct task_struct *task;
	u64 begun;		/* beginning of the callback; unshifted counts */
	/* earliest expiry, CLOCK_MONOTONIC; by the tick: time from this expiry to the beginning */
	s64 due_ns;
	s64 slack_ns;
	u64 kind;		/* enum kutrace_timer_kind */
};

DEFINE_PER_CPU(unsigned int, ku_timers_running);
/* The callback outside of a hard interrupt, and the one in a hard interrupt. */
static DEFINE_PER_CPU(struct ku_timer, ku_timers[2]);

static __always_inline unsigned int ku_timer_level(void)
{
	return !!in_hardirq();
}

/* Most callbacks wake no thread. So reads only the counter, and leaves the clock to the wakeup. */
static __always_inline void ku_timer_begins(s64 due_ns, s64 slack_ns, u64 kind)
{
	unsigned int level = ku_timer_level();
	struct ku_timer *timer = this_cpu_ptr(&ku_timers[level]);

	timer->task = current;
	timer->begun = ku_clock_by(0);
	timer->due_ns = due_ns;
	timer->slack_ns = slack_ns;
	timer->kind = kind;
	this_cpu_or(ku_timers_running, 1U << level);
}

static __always_inline void ku_timer_ends(void)
{
	this_cpu_and(ku_timers_running, ~(1U << ku_timer_level()));
}

void __kprobes ku_timer_wakes(struct task_struct *task)
{
	unsigned int level = ku_timer_level();
	const struct ku_timer *timer = this_cpu_ptr(&ku_timers[level]);
	u64 words[KUTRACE_TIMER_WORDS], callback_ns;
	s64 late_ns;

	if (!(this_cpu_read(ku_timers_running) >> level & 1) || timer->task != current)
		return;
	callback_ns = ku_counts_to_ns(ku_clock_by(0) - timer->begun, 0);
	late_ns = timer->kind == KUTRACE_TIMER_WHEEL ?
		  timer->due_ns + (s64)callback_ns :
		  (s64)ktime_get_mono_fast_ns() - timer->due_ns;
	words[0] = KU_EVENT(KUTRACE_TIMER) | (u32)task->pid;
	words[1] = (u64)max(late_ns, 0LL);
	words[2] = (u64)max(timer->slack_ns, 0LL);
	words[3] = timer->kind << KUTRACE_TIMER_KIND_SHIFT |
		   min_t(u64, callback_ns, KUTRACE_TIMER_CALLBACK_MAX);
	ku_emit_wakeup_words(task, words, KUTRACE_TIMER_WORDS);
}

void ku_timer_reset(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(ku_timers_running, cpu) = 0;
}

/* ---- timers by a clock ---- */

/* @now: time at which the interrupt has found that the timer is due; not used. */
static void __kprobes ku_hrtimer_begins(void *data, struct hrtimer *timer, ku_hrtimer_now now)
{
	ku_probe_guard();
	s64 due_ns = ktime_to_ns(hrtimer_get_softexpires(timer));

	ku_timer_begins(due_ns - ktime_to_ns(timer->base->offset),
			ktime_to_ns(hrtimer_get_expires(timer)) - due_ns, KUTRACE_TIMER_HRTIMER);
}

static void __kprobes ku_hrtimer_ends(void *data, struct hrtimer *timer)
{
	ku_probe_guard();

	ku_timer_ends();
}

/* ---- timers by the tick ---- */

/*
 * @baseclk: the tick to which the kernel has delayed the timer when it was armed, because a part of
 * a tick does not count, and because timers with a long delay share ticks.
 */
static void __kprobes ku_wheel_begins(void *data, struct timer_list *timer, unsigned long baseclk)
{
	ku_probe_guard();
	unsigned long due = timer->expires;

	ku_timer_begins((s64)(long)(jiffies - due) * TICK_NSEC,
			(s64)(long)(baseclk - due) * TICK_NSEC, KUTRACE_TIMER_WHEEL);
}

static void __kprobes ku_wheel_ends(void *data, struct timer_list *timer)
{
	ku_probe_guard();

	ku_timer_ends();
}

/* The end of a callback is attached first, so that no beginning is seen without its end. */
static struct ku_tp ku_timer_tps[] = {
	KU_TP(hrtimer_expire_exit, ku_hrtimer_ends, KUTRACE_MASK_TIMER),
	KU_TP(hrtimer_expire_entry, ku_hrtimer_begins, KUTRACE_MASK_TIMER),
	KU_TP(timer_expire_exit, ku_wheel_ends, KUTRACE_MASK_TIMER),
	KU_TP(timer_expire_entry, ku_wheel_begins, KUTRACE_MASK_TIMER),
};

const struct ku_tp_table ku_tps_timer = KU_TP_TABLE(ku_timer_tps);

static void __maybe_unused ku_timer_check(void)
{
	KU_CHECK(hrtimer_expire_exit, ku_hrtimer_ends);
	KU_CHECK(hrtimer_expire_entry, ku_hrtimer_begins);
	KU_CHECK(timer_expire_exit, ku_wheel_ends);
	KU_CHECK(timer_expire_entry, ku_wheel_begins);
}
