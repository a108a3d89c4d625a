// SPDX-License-Identifier: GPL-2.0-only
/* Passes names, entries and losses to all sessions that record: see all.h. */
#include <linux/percpu.h>
#include <linux/sched.h>

#include "core/emit.h"
#include "record/all.h"
#include "session/backend.h"
#include "session/state.h"

/* Limits how often a priority is read again: users can change it all the time. */
#define KU_PRIORITY_TRIES	4

/*
 * Returns true if the session's mask selects names with this base. The session need not be active
 * yet: a name that is added before recording begins is retained.
 */
static bool ku_session_names(struct ku_session *session, u16 base)
{
	return !ku_aux_is_of_task(base) || READ_ONCE(session->kinds) >> KUTRACE_KIND_NAME & 1;
}

void ku_sessions_name(u16 base, u32 number, const char *name, size_t len)
{
	struct ku_session *session;
	int i;

	ku_each_recording(session, i)
		if (ku_session_names(session, base))
			ku_aux_add(ku_session_aux(session), base, number, name, len, 0);
}

void ku_sessions_identify(struct task_struct *task, char reason, u32 before)
{
	struct ku_identity identity;
	struct ku_session *session;
	int i;

	ku_identify(&identity, task, reason);
	identity.before = before;
	ku_each_recording(session, i)
		if (ku_session_names(session, KUTRACE_NAME_TASK))
			ku_aux_add_identity(ku_session_aux(session), (u32)task->pid, &identity, 0);
}

void ku_sessions_name_task(struct task_struct *task, const char *comm)
{
	enum kutrace_task_kind kind = ku_task_kind(task);
	bool new = comm == task->comm;
	struct ku_session *session;
	int i;

	ku_each_recording(session, i)
		if (ku_session_names(session, KUTRACE_NAME_PID))
			ku_aux_add_task(ku_session_aux(session), (u32)task->pid, comm, kind, new,
					0);
	if (new)
		ku_sessions_identify(task, task->pid == task->tgid ? KUTRACE_TASK_PROCESS :
								     KUTRACE_TASK_THREAD, 0);
}

void ku_sessions_priority(const struct task_struct *task)
{
	char text[KU_PRIORITY_MAX];
	struct ku_session *session;
	size_t len;
	int i, tries = 0;

	/* Without the changes, a recorded priority could be out of date. */
	if (!ku_hooks->priorities || !ku_hooks->priorities())
		return;
	/* Another CPU may change and record the priority meanwhile: the last text must be right. */
	do {
		len = ku_task_priority(task, text);
		ku_each_recording(session, i)
			if (ku_session_names(session, KUTRACE_NAME_PRIORITY))
				ku_aux_add_priority(ku_session_aux(session), (u32)task->pid, text,
						    len, 0);
	} while (!ku_task_has_priority(task, text, len) && ++tries < KU_PRIORITY_TRIES);
}

void ku_sessions_emit(const u64 *words, u32 nwords)
{
	ku_clock_order();
	/* The last word may look like a call. A NOP after it prevents merging a return into it. */
	ku_emit_words(words, nwords, nwords + (nwords > 1), 0);
}

void ku_sessions_rate_lost(u32 kind)
{
	struct ku_session *session;
	int i;

	ku_each_recording(session, i) {
		this_cpu_inc(session->ring.cpu->lost.causes[KUTRACE_LOST_RATE]);
		this_cpu_inc(session->ring.cpu->lost.kinds[kind]);
	}
}
