// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls that a trigger waits for, should they take long: see aside.h. Each call leaves the time when
 * it began, per CPU; whoever watches context switches keeps it with the task (session/
 * trigger_watch.c). A return that is merged into its call takes at most 255 counts, which is less
 * than any limit, so nobody looks at it. One that is not merged is inspected when it comes late.
 *
 * All of it is __kprobes, as is the slow path.
 */
#include "core/aside.h"
#include "core/claim.h"

/*
 * On one CPU for as long as it takes, and system calls do not nest: nobody else writes what is
 * written here. The call's state is kept for ku_emit_call_return(), whoever has made it.
 */
notrace void __kprobes ku_emit_timed(u64 entry)
{
	u64 now = ku_clock();
	u64 ts = now << (KUTRACE_TS_SHIFT - KUTRACE_EVENT_SHIFT);
	bool claimed;

	barrier();
	if (entry & KU_EVENT(KUTRACE_RETURN_BIT)) {
		u64 began = ku_cpu_read(began);

		if (unlikely(began && (s64)(now - began) > (s64)READ_ONCE(ku_timed_limit))) {
			ku_emit_inspected_one(entry);
			return;
		}
		claimed = ku_claim_at(KU_FIRST_PLACE, now, entry);
	} else {
		ku_cpu_write(began, now);
		claimed = ku_claim_call_at(KU_FIRST_PLACE, ts * KU_TS_TO_STATE + KU_BELOW_FULL, ts,
					   now << KUTRACE_TS_SHIFT | entry);
	}
	if (unlikely(!claimed))
		ku_emit_call_slow(entry);
}
