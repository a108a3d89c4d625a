// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes the rows of sched_slice, thread_state and call (export/tab.h):
 *
 *	CPU 0   work.51 | read | fault | read |      idle      | work.51
 *	becomes slices of 51, of idle and of 51; 51 running, waiting, running; calls read and fault
 */
#include "export/tab.h"

#include "common/c_locale.h"

#define WAIT_FOR_CPU	(KUTRACE_MADE_WAITA + 'c' - 'a')
#define WAIT_DISK	(KUTRACE_MADE_WAITA + 'd' - 'a')
#define ERROR_MAX	4095	/* system calls return errors as -ERROR_MAX to -1 */

static void end_wait(struct kp_tabulate *tab, struct kp_tab_thread *thread)
{
	const struct kp_tab_wait *wait = &thread->wait;

	if (!wait->open)
		return;
	KT_PUT(tab, STATE, START_NS, kp_tab_time(tab, wait->start));
	KT_PUT(tab, STATE, DUR, kp_tab_ns(wait->dur));
	KT_THREAD(tab, STATE, thread->tid, thread->life);
	if (wait->for_cpu) {
		KT_WORD(tab, STATE, STATE, "runnable");
		thread->runnable += wait->dur;
	} else {
		KT_WORD(tab, STATE, STATE, wait->throttled ? "throttled" : "waiting");
		KT_PUTS(tab, STATE, REASON, wait->reason, wait->reason_len);
		thread->waiting += wait->dur;
	}
	if (wait->woken) {
		KT_PUT(tab, STATE, WAKER_TID, wait->waker_tid);
		KT_PUT(tab, STATE, WAKER_LIFE, wait->waker_life);
		KT_PUT(tab, STATE, WAKER_CPU, wait->waker_cpu);
	}
	if (wait->woken && wait->waker.name) {
		KT_WORD(tab, STATE, WAKER_KIND, kp_tab_kind(&wait->waker));
		if (wait->waker.event < KP_EVENT_USER)
			KT_PUTS(tab, STATE, WAKER_CALL, wait->waker.name, kp_tab_plain(&wait->waker));
	}
	if (wait->request)
		KT_PUT(tab, STATE, REQUEST, wait->request);
	if (wait->timer)
		KT_PUT(tab, STATE, TIMER, wait->timer);
	kp_tab_emit(tab, KT_STATE);
	thread->wait.open = false;
}

void kp_tab_waits(struct kp_tabulate *tab, const struct kp_span *span)
{
	struct kp_tab_thread *thread = kp_tab_thread(tab, span->pid);
	const size_t skip = span->name_len < 5 ? 0 : 5;		/* wait_ */

	if (!thread)
		return;
	end_wait(tab, thread);
	thread->wait = (struct kp_tab_wait){
		.open = true, .for_cpu = span->event == WAIT_FOR_CPU,
		.throttled = span->event == KP_WAIT(KP_THROTTLED),
		.reason = span->name + skip, .reason_len = span->name_len - skip,
		.start = span->start, .dur = span->dur,
		.request = span->event == WAIT_DISK ? span->arg0 : 0,
		.timer = span->event == WAIT_DISK || span->event == KP_WAIT(KP_THROTTLED) ? 0 : span->arg0,
	};
}

void kp_tab_woken(struct kp_tabulate *tab, int64_t tid, const struct kp_span *wakeup)
{
	struct kp_tab_thread *thread = kp_tab_thread(tab, tid);
	const struct kp_tab_cpu *cpu = kp_tab_cpu(tab, wakeup->cpu);
	struct kp_tab_wait *wait = thread ? &thread->wait : NULL;

	if (!wait || !wait->open || wait->woken || wait->for_cpu || wait->throttled ||
	    wait->start + wait->dur != wakeup->start)
		return;
	wait->woken = true;
	wait->waker_tid = wakeup->pid;
	wait->waker_life = kp_lives_of(&tab->lives, wakeup->pid);
	wait->waker_cpu = wakeup->cpu;
	if (cpu)
		wait->waker = cpu->row;
}

static void end_slice(struct kp_tabulate *tab, int32_t number, bool last)
{
	struct kp_tab_cpu *cpu = &tab->cpus[number];
	struct kp_tab_slice *slice = &cpu->slice;
	struct kp_tab_thread *thread;
	const int64_t dur = slice->end - slice->start;

	if (!slice->open)
		return;
	KT_PUT(tab, SLICE, START_NS, kp_tab_time(tab, slice->start));
	KT_PUT(tab, SLICE, DUR, kp_tab_ns(dur));
	KT_PUT(tab, SLICE, CPU, number);
	KT_THREAD(tab, SLICE, slice->tid, slice->life);
	KT_PUT(tab, SLICE, USER, kp_tab_ns(slice->part[KP_TAB_USER]));
	KT_PUT(tab, SLICE, SYSTEM, kp_tab_ns(slice->part[KP_TAB_SYSTEM]));
	KT_PUT(tab, SLICE, INTERRUPT, kp_tab_ns(slice->part[KP_TAB_INTERRUPT]));
	KT_PUT(tab, SLICE, SCHEDULER, kp_tab_ns(slice->part[KP_TAB_SCHEDULER]));
	KT_PUT(tab, SLICE, CUT_START, slice->first);
	KT_PUT(tab, SLICE, CUT_END, last);
	KT_PUT(tab, SLICE, INFERRED, slice->inferred);
	kp_tab_emit(tab, KT_SLICE);
	slice->open = false;
	thread = kp_tab_thread_of(tab, slice->tid, slice->life);
	if (!thread)
		return;
	thread->slices++;
	for (int i = 0; i < KP_TAB_PARTS; i++)
		thread->part[i] += slice->part[i];
	if (!slice->tid)
		return;
	KT_PUT(tab, STATE, START_NS, kp_tab_time(tab, slice->start));
	KT_PUT(tab, STATE, DUR, kp_tab_ns(dur));
	KT_THREAD(tab, STATE, slice->tid, slice->life);
	KT_WORD(tab, STATE, STATE, "running");
	KT_PUT(tab, STATE, CPU, number);
	kp_tab_emit(tab, KT_STATE);
}

static void add_to_slice(struct kp_tabulate *tab, struct kp_tab_cpu *cpu, const struct kp_span *span)
{
	struct kp_tab_slice *slice = &cpu->slice;

	if (slice->open && (slice->tid != span->pid || slice->end != span->start))
		end_slice(tab, span->cpu, false);
	if (!slice->open)
		*slice = (struct kp_tab_slice){
			.open = true, .first = !cpu->ran || cpu->paused, .tid = span->pid, .start = span->start,
			.life = kp_lives_of(&tab->lives, span->pid),
		};
	cpu->paused = false;
	slice->end = span->start + span->dur;
	slice->part[kp_tab_part(span)] += span->dur;
	slice->inferred |= span->event >= KP_EVENT_USER && kp_is_inferred(span->name, span->name_len);
}

struct whose {
	struct kp_tabulate *tab;
	int64_t tid;
	uint32_t life;
};

static const char *error_name(int64_t number)
{
	switch (number) {
	case 95: return "EOPNOTSUPP";
	/* errors inside the kernel, which programs do not see */
	case 512: return "ERESTARTSYS";
	case 513: return "ERESTARTNOINTR";
	case 514: return "ERESTARTNOHAND";
	case 516: return "ERESTART_RESTARTBLOCK";
	default: return ku_error_name((int)number);
	}
}

static int on_call(void *self, const struct kp_joined_call *call)
{
	const struct whose *whose = self;
	struct kp_tabulate *tab = whose->tab;
	const struct kp_span like = {
		.event = call->event, .pid = whose->tid, .name = call->like->text,
		.name_len = call->like->len,
	};
	/* retval has only the low 16 bits of the result */
	const int64_t result = call->retval >= 0x10000 - ERROR_MAX && call->retval <= 0xFFFF ?
				       call->retval - 0x10000 : call->retval;

	KT_PUT(tab, CALL, START_NS, kp_tab_time(tab, call->start));
	KT_PUT(tab, CALL, ELAPSED, kp_tab_ns(call->end - call->start));
	KT_PUT(tab, CALL, ON_CPU, kp_tab_ns(call->own));
	KT_PUT(tab, CALL, WAITING, kp_tab_ns(call->away));
	KT_WORD(tab, CALL, KIND, kp_tab_kind(&like));
	KT_PUTS(tab, CALL, NAME, call->like->text, call->like->len);
	KT_PUT(tab, CALL, EVENT, call->event);
	KT_THREAD(tab, CALL, whose->tid, whose->life);
	KT_PUT(tab, CALL, CPU, call->cpu);
	KT_PUT(tab, CALL, ARG0, call->arg0);
	if (call->ends)
		KT_PUT(tab, CALL, RESULT, result);
	if (call->ends && call->kind == KP_JOINED_SYSCALL && result < 0 && result >= -ERROR_MAX &&
	    error_name(-result))
		KT_WORD(tab, CALL, ERROR, error_name(-result));
	KT_PUT(tab, CALL, CUT_START, !call->begins);
	KT_PUT(tab, CALL, CUT_END, !call->ends);
	KT_PUT(tab, CALL, INFERRED, call->inferred);
	kp_tab_emit(tab, KT_CALL);
	return tab->failed ? -1 : 0;
}

static void join(struct kp_tabulate *tab, struct kp_joiner *calls, const struct kp_span *span, bool follows)
{
	struct whose whose = { tab, span->pid, kp_lives_of(&tab->lives, span->pid) };
	const struct kp_joiner_sink sink = { .ended = on_call, .self = &whose, .paused = tab->paused };

	if (kp_joiner_row(calls, span, follows, 0, &tab->strings, &sink))
		tab->failed = true;
}

/* Stores the name of the thread: spans "work.51" and "work.51?" name thread 51. */
static void take_name(struct kp_tabulate *tab, struct kp_tab_thread *thread, const struct kp_span *span)
{
	size_t len = kp_tab_plain(span);
	const struct kp_str *name;

	while (len && span->name[len - 1] != '.')
		len--;
	if (len < 2)
		return;
	name = kp_strings_add(&tab->strings, span->name, len - 1);
	if (!name)
		tab->failed = true;
	if (!name || name == thread->name)
		return;
	thread->name = name;
	KT_THREAD(tab, THREAD_NAME, thread->tid, thread->life);
	KT_PUT(tab, THREAD_NAME, START_NS, kp_tab_time(tab, span->start));
	KT_PUTS(tab, THREAD_NAME, NAME, name->text, name->len);
	kp_tab_emit(tab, KT_THREAD_NAME);
}

/* Extends the time of the CPU to the end of the span. */
static void extend(struct kp_tab_cpu *cpu, const struct kp_span *span)
{
	if (!cpu->ran)
		cpu->first = span->start;
	cpu->ran = true;
	cpu->last = span->start + span->dur;
}

void kp_tab_execution(struct kp_tabulate *tab, const struct kp_span *span)
{
	struct kp_tab_cpu *cpu = kp_tab_cpu(tab, span->cpu);
	struct kp_tab_thread *thread = kp_tab_thread(tab, span->pid);
	bool follows;

	if (!thread || !cpu)
		return;
	end_wait(tab, thread);
	if (!thread->ran)
		thread->first = span->start;
	thread->ran = true;
	thread->last = span->start + span->dur;
	if (span->pid && span->event == KP_EVENT_USER + span->pid)
		take_name(tab, thread, span);
	follows = cpu->ran && !cpu->paused && cpu->last == span->start;
	if (span->pid && !thread->calls)
		thread->calls = calloc(1, sizeof(*thread->calls));
	if (span->pid && !thread->calls)
		tab->failed = true;
	else
		join(tab, span->pid ? thread->calls : &cpu->idle, span, follows);
	add_to_slice(tab, cpu, span);
	if (kp_span_is_idle(span))
		cpu->idling += span->dur;
	else
		cpu->busy += span->dur;
	if (kp_span_leaves_idle(span))
		cpu->leaving_idle += span->dur;
	extend(cpu, span);
	tab->inferred += kp_is_inferred(span->name, span->name_len);
}

void kp_tab_pause(struct kp_tabulate *tab, const struct kp_span *span)
{
	struct kp_tab_cpu *cpu = kp_tab_cpu(tab, span->cpu);

	if (!cpu)
		return;
	end_slice(tab, span->cpu, true);
	extend(cpu, span);
	cpu->paused = true;
	tab->paused = span->start;
	KT_PUT(tab, PAUSE, START_NS, kp_tab_time(tab, span->start));
	KT_PUT(tab, PAUSE, DUR, kp_tab_ns(span->dur));
	KT_PUT(tab, PAUSE, CPU, span->cpu);
	KT_PUT(tab, PAUSE, NUMBER, span->arg0);
	kp_tab_emit(tab, KT_PAUSE);
}

void kp_tab_stopped(struct kp_tabulate *tab, const struct kp_span *span)
{
	struct kp_tab_cpu *cpu = kp_tab_cpu(tab, span->cpu);
	struct kp_tab_thread *thread = kp_tab_thread(tab, span->pid);
	const uint32_t life = kp_lives_of(&tab->lives, span->pid);

	if (!cpu || !thread)
		return;
	end_slice(tab, span->cpu, false);
	extend(cpu, span);
	if (thread->ran)
		thread->last = span->start + span->dur;
	if (!span->pid)
		kp_joiner_stopped(&cpu->idle, span);
	else if (thread->calls)
		kp_joiner_stopped(thread->calls, span);
	KT_PUT(tab, STOPPED, START_NS, kp_tab_time(tab, span->start));
	KT_PUT(tab, STOPPED, DUR, kp_tab_ns(span->dur));
	KT_PUT(tab, STOPPED, CPU, span->cpu);
	KT_PUT(tab, STOPPED, NUMBER, span->event == KUTRACE_MADE_STOPPED ? span->arg0 : 0);
	KT_THREAD(tab, STOPPED, span->pid, life);
	KT_PUT(tab, STOPPED, INFERRED, kp_is_inferred(span->name, span->name_len));
	kp_tab_emit(tab, KT_STOPPED);
	if (!span->pid)
		return;
	KT_PUT(tab, STATE, START_NS, kp_tab_time(tab, span->start));
	KT_PUT(tab, STATE, DUR, kp_tab_ns(span->dur));
	KT_THREAD(tab, STATE, span->pid, life);
	KT_WORD(tab, STATE, STATE, "stopped");
	KT_PUT(tab, STATE, CPU, span->cpu);
	kp_tab_emit(tab, KT_STATE);
}

void kp_tab_run_end(struct kp_tabulate *tab)
{
	struct whose whose = { tab, 0, 0 };
	const struct kp_joiner_sink sink = { .ended = on_call, .self = &whose };

	for (int32_t cpu = 0; cpu < KP_TAB_CPUS; cpu++) {
		end_slice(tab, cpu, true);
		if (kp_joiner_end(&tab->cpus[cpu].idle, &sink))
			tab->failed = true;
	}
	for (size_t i = 0; i < tab->threads.count; i++) {
		end_wait(tab, &tab->threads.items[i]);
		whose.tid = tab->threads.items[i].tid;
		whose.life = tab->threads.items[i].life;
		if (tab->threads.items[i].calls && kp_joiner_end(tab->threads.items[i].calls, &sink))
			tab->failed = true;
	}
}
