// SPDX-License-Identifier: GPL-2.0-only
/* Which events are inspected before they are recorded: see inspect.h. */
#include <linux/jump_label.h>

#include "core/kinds.h"
#include "record/inspect.h"
#include "session/backend.h"
#include "session/filter.h"
#include "session/trigger.h"

static bool ku_inspects(const struct ku_session *session, u32 event)
{
	u32 kind = ku_kinds[event];

	/* Names are no events of a ring, and who adds them asks by himself. */
	if (kind == KUTRACE_KIND_NAME)
		return false;
	if (!(session->kinds >> kind & 1))
		return true;
	if (session->ring.filtered &&
	    (kind == KUTRACE_KIND_USERPID || kind == KUTRACE_KIND_RUNNABLE))
		return true;
	return ku_trigger_sees(session, event);
}

void ku_inspect_for(const struct ku_session *session)
{
	bool any = false, more = false;
	u32 event;

	lockdep_assert_held(&ku_session_lock);
	for (event = 0; session && event <= KUTRACE_EVENT_MASK; event++) {
		bool wanted = ku_inspects(session, event);

		any |= wanted;
		more |= wanted && !ku_inspected[event];
		WRITE_ONCE(ku_inspected[event], wanted);
	}
	if (any == static_key_enabled(&ku_inspecting.key) && !more)
		return;
	if (any)
		static_branch_enable(&ku_inspecting);
	else
		static_branch_disable(&ku_inspecting);
	/* Who has looked before may not have recorded yet. */
	if (session && session->ring.active)
		ku_synchronize();
}
