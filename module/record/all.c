// SPDX-License-Identifier: GPL-2.0-only
/* To all that record: see all.h. */
#include <linux/percpu.h>

#include "core/emit.h"
#include "record/all.h"
#include "session/state.h"

void ku_sessions_name(u16 base, u32 number, const char *name, size_t len)
{
	int i;

	for (i = 0; i < KUTRACE_SESSIONS; i++) {
		struct ku_session *session = READ_ONCE(ku_recording[i]);

		/* Before it is active, too: the name stays when recording begins. */
		if (session && (base != KUTRACE_NAME_PID ||
				READ_ONCE(session->kinds) >> KUTRACE_KIND_NAME & 1))
			ku_aux_add(ku_session_aux(session), base, number, name, len, 0);
	}
}

void ku_sessions_emit(const u64 *words, u32 nwords)
{
	ku_clock_order();
	/* A NOP behind: the last word can be anything, and must not be taken for a call. */
	ku_emit_words(words, nwords, nwords + (nwords > 1), 0);
}

void ku_sessions_rate_lost(u32 kind)
{
	int i;

	for (i = 0; i < KUTRACE_SESSIONS; i++) {
		struct ku_session *session = READ_ONCE(ku_recording[i]);

		if (session) {
			this_cpu_inc(session->ring.cpu->lost[KUTRACE_LOST_RATE]);
			this_cpu_inc(session->ring.cpu->lost_kinds[kind]);
		}
	}
}
