// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls whose duration a trigger checks: see aside.h. Each call writes its begin to a per-CPU
 * variable; at a context switch session/trigger_watch.c keeps it with the task. A return that
 * is merged into its call comes at most 255 counts after it. No limit is shorter, so such a
 * return is not checked. Any other return is inspected if it comes later than the limit.
 *
 * All of it is __kprobes, as is the slow path.
 */
#include "core/aside.h"
#include "core/claim.h"

/*
 * On one CPU for as long as it takes, and system calls do not nest: nobody else writes what is
 * written here. The call's state is kept for ku_emit_call_return(), whoever has made it.
 */
notrace void __kprobes ku_timed_call(u64 entry)
{
	u64 now = ku_clock();

	barrier();
	ku_cpu_write(began, now);
	if (unlikely(!ku_put_at(KU_FIRST_PLACE, ku_claim_of(now), entry, true)))
		ku_emit_call_slow(entry);
}

/* One whose call's time is not known, which is 0 then, comes late, too: ku_route asks again. */
notrace void __kprobes ku_timed_return(u64 entry)
{
	u64 now = ku_clock();

	barrier();
	/*
	 * From when on it is late: neither is so large that the sum could overflow. The limit is an
	 * aligned word, read once, as the addition's operand: READ_ONCE() would load it first.
	 */
	if (unlikely(now > ku_cpu_read(began) + data_race(ku_timed_limit)))
		ku_emit_inspected_one(entry);
	else if (unlikely(!ku_put_at(KU_FIRST_PLACE, ku_claim_of(now), entry, false)))
		ku_emit_call_slow(entry);
}
