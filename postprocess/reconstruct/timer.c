// SPDX-License-Identifier: BSD-3-Clause
/*
 * Timers that wake threads. The event of a timer comes just before the wakeup. Each becomes a row from
 * the time at which the timer was due until the wakeup. Its name has the parts of this time. The wait
 * that the wakeup ends gets the number of the row.
 *
 *	due                  latest expiry    interrupt     callback      wakeup
 *	 |------- slack -------|-- interrupt --|-- before ---|-- wakeup ---|
 *
 * If an interrupt occurs before the latest expiry, the slack ends there.
 */
#include "common/timer_text.h"
#include "reconstruct/state.h"

#define KP_NS	10	/* ns in a unit of time */

void kp_rec_timer_irq(struct kp_cpu *cpu, int64_t ts, bool by_timer)
{
	struct kp_timer_irqs *irqs = &cpu->timer_irqs;

	irqs->last = ts;
	if (by_timer)
		irqs->at[irqs->count++ % KP_TIMER_IRQS] = ts;
}

bool kp_rec_timer(struct kp_cpu *cpu, const struct kp_event *event)
{
	const char *text = memchr(event->name, '=', event->name_len);
	struct kp_timer *timer = &cpu->timer;

	timer->pid = 0;
	if (!text || !ku_timer_parse(&timer->timer, text + 1, event->name_len - (size_t)(text + 1 - event->name)))
		return false;
	timer->pid = event->arg0;
	timer->ts = event->ts;
	return true;
}

/* Returns the time of the interrupt that expired a timer, which was due at @due; -1: not recorded. */
static int64_t kp_timer_interrupt(struct kp_cpu *cpu, int64_t due, int64_t latest)
{
	const struct kp_timer_irqs *irqs = &cpu->timer_irqs;
	const uint32_t top = kp_rec_top(cpu)->event;
	int64_t found = -1;

	if (kp_is_irq(top) && top != KUTRACE_CALL_BH)
		return irqs->last;
	/* A softirq, or its thread: the first interrupt after the latest expiry, or else the last one. */
	for (uint32_t i = 0; i < irqs->count && i < KP_TIMER_IRQS; i++) {
		const int64_t at = irqs->at[(irqs->count - 1 - i) % KP_TIMER_IRQS];

		if (found < 0 || at >= latest)
			found = at;
	}
	/* Only a softirq that runs already expires timers that become due after the interrupt. */
	return found < due && top != KUTRACE_CALL_BH ? -1 : found;
}

static uint64_t kp_between(uint64_t ns, uint64_t low, uint64_t high)
{
	return ns < low ? low : ns > high ? high : ns;
}

/* Divides the time from the earliest expiry until the wakeup. All times here are before the wakeup. */
static struct ku_timer_parts kp_timer_parts(struct kp_cpu *cpu, const struct kp_timer *timer)
{
	const uint64_t late = timer->timer.late_ns, slack = timer->timer.slack_ns;
	const uint64_t callback = kp_between(timer->timer.callback_ns, 0, late);
	uint64_t latest = kp_between(late - kp_between(slack, 0, late), callback, late), interrupt;
	const int64_t at = kp_timer_interrupt(cpu, timer->ts - (int64_t)(late / KP_NS),
					      timer->ts - (int64_t)(latest / KP_NS));
	struct ku_timer_parts parts = { .kind = timer->timer.kind, .interrupt_ns = -1, .wakeup_ns = callback };

	if (at < 0) {
		parts.slack_ns = late - latest;
		parts.before_ns = latest - callback;
		return parts;
	}
	interrupt = kp_between((uint64_t)(timer->ts - at) * KP_NS, callback, late);
	if (latest < interrupt)
		latest = interrupt;
	parts.slack_ns = late - latest;
	parts.interrupt_ns = (int64_t)(latest - interrupt);
	parts.before_ns = interrupt - callback;
	return parts;
}

uint32_t kp_rec_timer_woke(struct kp_reconstruct *rec, struct kp_cpu *cpu, const struct kp_task *task, int64_t ts)
{
	const struct kp_timer timer = cpu->timer;
	const int64_t first = rec->stats.first > rec->resumes ? rec->stats.first : rec->resumes;
	char text[KU_TIMER_TEXT_MAX];
	struct kp_span row = {
		.cpu = cpu->id, .pid = task->pid, .event = KUTRACE_MADE_TIMER_LATE, .name = text,
	};
	struct ku_timer_parts parts;

	cpu->timer.pid = 0;
	if (!timer.pid || timer.pid != task->pid)
		return 0;
	parts = kp_timer_parts(cpu, &timer);
	if (ts > timer.ts)
		parts.wakeup_ns += (uint64_t)(ts - timer.ts) * KP_NS;
	row.name_len = ku_timer_put_parts(&parts, text);
	row.start = timer.ts - (int64_t)(timer.timer.late_ns / KP_NS);
	if (row.start < first)
		row.start = first;
	row.dur = ts > row.start ? ts - row.start : 1;
	row.arg0 = ++rec->timer_rows;
	rec->stats.timers++;
	kp_rec_row_once(rec, &row);
	return rec->timer_rows;
}
