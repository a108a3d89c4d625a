// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records system calls whose duration a trigger checks: see aside.h. Each call stores its start in
 * ku_cpu.hook.began; at a context switch, session/trigger_watch.c saves it with the task. A merged
 * return comes at most 255 counts after its call. No limit is shorter, so a merged return needs no
 * check. Any other return is inspected if it comes after the limit.
 *
 * All functions are __kprobes, like the slow path.
 */
#include "core/aside.h"
#include "core/claim.h"

/*
 * System calls do not nest, and the caller does not migrate: nothing else on this CPU writes these
 * fields in between. The call's state is saved for ku_emit_call_return(), for any kind of hook.
 */
notrace void __kprobes ku_timed_call(u64 entry)
{
	u64 now = ku_clock();

	barrier();
	ku_cpu_write(hook.began, now);
	if (unlikely(!ku_put_at(KU_FIRST_PLACE, ku_claim_of(now), entry, true)))
		ku_emit_call_slow(entry);
}

/*
 * Records the return of a timed call. If the start of the call is unknown (0), the return counts as
 * late, and ku_route decides.
 */
notrace void __kprobes ku_timed_return(u64 entry)
{
	u64 now = ku_clock();

	barrier();
	/*
	 * The right side is the time after which the return is late; the sum cannot overflow. The
	 * limit is an aligned word, read once, as the operand of the addition: READ_ONCE() would
	 * load it first.
	 */
	if (unlikely(now > ku_cpu_read(hook.began) + data_race(ku_timed_limit)))
		ku_emit_inspected_one(entry);
	else if (unlikely(!ku_put_at(KU_FIRST_PLACE, ku_claim_of(now), entry, false)))
		ku_emit_call_slow(entry);
}
