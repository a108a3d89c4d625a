// SPDX-License-Identifier: GPL-2.0-only
/* Passes names, entries and losses to all sessions that record: see all.h. */
#include <linux/percpu.h>
#include <linux/sched.h>

#include "core/emit.h"
#include "record/all.h"
#include "session/state.h"

/*
 * Returns true if the session's mask selects names with this base. The session need not be active
 * yet: a name that is added before recording begins is retained.
 */
static bool ku_session_names(struct ku_session *session, u16 base)
{
	return base != KUTRACE_NAME_PID || READ_ONCE(session->kinds) >> KUTRACE_KIND_NAME & 1;
}

void ku_sessions_name(u16 base, u32 number, const char *name, size_t len)
{
	struct ku_session *session;
	int i;

	ku_each_recording(session, i)
		if (ku_session_names(session, base))
			ku_aux_add(ku_session_aux(session), base, number, name, len, 0);
}

void ku_sessions_name_task(const struct task_struct *task, const char *comm)
{
	enum kutrace_task_kind kind = ku_task_kind(task);
	bool new = comm == task->comm;
	struct ku_session *session;
	int i;

	ku_each_recording(session, i)
		if (ku_session_names(session, KUTRACE_NAME_PID))
			ku_aux_add_task(ku_session_aux(session), (u32)task->pid, comm, kind, new,
					0);
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
