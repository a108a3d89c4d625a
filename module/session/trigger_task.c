// SPDX-License-Identifier: GPL-2.0-only
/*
 * Triggers on signals and exits, which are not events. So this file attaches its own probes to the
 * kernel's tracepoints, while a session that records has such a trigger.
 */
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>
#include <trace/events/signal.h>

#include "compat/tracepoints.h"
#include "session/triggers.h"

static struct tracepoint *ku_signal_tp, *ku_exit_tp;
static bool ku_signal_on, ku_exit_on;

static void ku_trigger_task(u32 kind, u32 number, struct task_struct *task)
{
	unsigned long flags;
	int s;
	u32 i;

	local_irq_save(flags);
	for (s = 0; s < KUTRACE_SESSIONS; s++) {
		struct ku_session *session = READ_ONCE(ku_recording[s]);
		struct ku_watch *watch = session ? READ_ONCE(session->watch) : NULL;
		u32 count;

		/* Like other triggers, these fire only while events are recorded. */
		if (!watch || !ku_session_is_on(session))
			continue;
		/* Pairs with the release in ku_trigger_append(). */
		count = smp_load_acquire(&watch->count);
		for (i = 0; i < count; i++) {
			const struct kutrace_trigger *trigger = &watch->triggers[i];
			bool any = trigger->number == KU_ANY &&
				   (kind == KUTRACE_TRIGGER_SIGNAL || number);

			if (trigger->kind == kind && (any || trigger->number == number) &&
			    ku_trigger_is_of(trigger, task))
				ku_trigger_fire(watch, i,
						ku_clock_by(session->ring.shift), 0, number,
						task);
		}
	}
	local_irq_restore(flags);
}

static void ku_trigger_signal(void *data, int sig, struct kernel_siginfo *info,
			      struct task_struct *task, int group, int result)
{
	ku_trigger_task(KUTRACE_TRIGGER_SIGNAL, (u32)sig, task);
}

/* A process exits when its last thread does. */
static void __maybe_unused ku_trigger_exit_alone(void *data, struct task_struct *task)
{
	if (!atomic_read(&task->signal->live))
		ku_trigger_task(KUTRACE_TRIGGER_EXIT, (u32)task->exit_code, task);
}

static void __maybe_unused ku_trigger_exit_group(void *data, struct task_struct *task,
						 bool group_dead)
{
	ku_trigger_exit_alone(data, task);
}

#define ku_trigger_exit_probe \
	KU_PROCESS_EXIT_PROBE(ku_trigger_exit_alone, ku_trigger_exit_group)

static int ku_trigger_probe(struct tracepoint *tp, void *probe, bool *on, bool wanted)
{
	int err = 0;

	KU_CHECK(signal_generate, ku_trigger_signal);
	KU_CHECK(sched_process_exit, ku_trigger_exit_probe);
	if (!tp || *on == wanted)
		return 0;
	if (wanted)
		err = tracepoint_probe_register(tp, probe, NULL);
	else
		tracepoint_probe_unregister(tp, probe, NULL);
	if (!err)
		*on = wanted;
	return err;
}

int ku_trigger_task_attach(void)
{
	bool signals = false, exits = false;
	int s, err;
	u32 i;

	for (s = 0; s < KUTRACE_SESSIONS; s++) {
		struct ku_watch *watch = ku_recording[s] ? ku_recording[s]->watch : NULL;

		for (i = 0; watch && i < watch->count; i++) {
			signals |= watch->triggers[i].kind == KUTRACE_TRIGGER_SIGNAL;
			exits |= watch->triggers[i].kind == KUTRACE_TRIGGER_EXIT;
		}
	}
	err = ku_trigger_probe(ku_signal_tp, ku_trigger_signal, &ku_signal_on, signals);
	if (!err)
		err = ku_trigger_probe(ku_exit_tp, ku_trigger_exit_probe, &ku_exit_on, exits);
	return err;
}

bool ku_trigger_task_has(u32 kind)
{
	return (kind != KUTRACE_TRIGGER_SIGNAL || ku_signal_tp) &&
	       (kind != KUTRACE_TRIGGER_EXIT || ku_exit_tp);
}

static void ku_trigger_match(struct tracepoint *tp, void *data)
{
	if (!strcmp(tp->name, "signal_generate"))
		ku_signal_tp = tp;
	if (!strcmp(tp->name, "sched_process_exit"))
		ku_exit_tp = tp;
}

void ku_trigger_task_init(void)
{
	for_each_kernel_tracepoint(ku_trigger_match, NULL);
}

void ku_trigger_task_exit(void)
{
	ku_trigger_probe(ku_signal_tp, ku_trigger_signal, &ku_signal_on, false);
	ku_trigger_probe(ku_exit_tp, ku_trigger_exit_probe, &ku_exit_on, false);
}
