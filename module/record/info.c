// SPDX-License-Identifier: GPL-2.0-only
/* Information about a session and its recording. */
#include <linux/bitops.h>
#include <linux/cred.h>
#include <linux/printk.h>
#include <linux/sizes.h>
#include <linux/string.h>

#include "core/clock.h"
#include "core/kinds.h"
#include "record/internal.h"
#include "record/record.h"
#include "session/backend.h"
#include "session/pool.h"
#include "session/triggers.h"

static void ku_info_lost(struct ku_session *session, struct kutrace_info *info)
{
	u64 names_lost;
	int cpu, cause;

	for_each_possible_cpu(cpu) {
		const struct ku_cpu *own = per_cpu_ptr(session->ring.cpu, cpu);
		const struct ku_cpu *fast = ku_session_fast_losses(session, cpu);

		for (cause = 0; cause < KUTRACE_LOST_CAUSES; cause++) {
			info->lost[cause] += READ_ONCE(own->lost.causes[cause]);
			if (fast)
				info->lost[cause] += READ_ONCE(fast->lost.causes[cause]);
		}
	}
	ku_aux_bounds(ku_session_aux(session), &info->aux_first, &info->aux_last, &names_lost);
	info->lost[KUTRACE_LOST_NAMES] = names_lost;
	info->lost[KUTRACE_LOST_PROBE] = ku_hooks->missed() - session->missed_before;
}

void ku_session_lost(struct ku_session *session, u64 *kinds)
{
	u64 first, last;
	int cpu;
	u32 i;

	mutex_lock(&ku_session_lock);
	for (i = 0; i < KUTRACE_KINDS; i++)
		kinds[i] = 0;
	for_each_possible_cpu(cpu) {
		const struct ku_cpu *own = per_cpu_ptr(session->ring.cpu, cpu);
		const struct ku_cpu *fast = ku_session_fast_losses(session, cpu);

		for (i = 0; i < KUTRACE_KINDS; i++) {
			kinds[i] += READ_ONCE(own->lost.kinds[i]);
			if (fast)
				kinds[i] += READ_ONCE(fast->lost.kinds[i]);
		}
	}
	ku_aux_bounds(ku_session_aux(session), &first, &last, &kinds[KUTRACE_KIND_NAME]);
	/* Only hooks of traps use return probes. */
	kinds[KUTRACE_KIND_CALL_TRAP] += ku_hooks->missed() - session->missed_before;
	mutex_unlock(&ku_session_lock);
}

/* If the counter has restarted, the recording ends at the suspend. */
void ku_session_read_stop(struct ku_session *session, struct kutrace_pair *stop)
{
	if (ku_session_is_stale(session))
		ku_read_last_pair(stop, session->ring.shift);
	else
		ku_read_pair(stop, session->ring.shift);
}

void ku_session_check_clock(struct ku_session *session)
{
	if (!session->start.counts || session->clock_bad || ku_session_is_stale(session))
		return;
	session->clock_bad = !ku_clock_usable() || !ku_clock_kept_pace(&session->begun);
	if (session->clock_bad)
		pr_warn("kutrace: session %s: the time counter is unstable, or jumped\n",
			session->name);
}

/* Fills @info. ku_session_lock held. */
static void ku_session_info_held(struct ku_session *session, struct kutrace_info *info)
{
	memset(info, 0, sizeof(*info));
	info->length = sizeof(*info);
	info->abi_version = KUTRACE_ABI_VERSION;
	info->backend = ku_hooks->backend;
	info->recording = session->on && !session->starting;
	info->flags = session->flags;
	info->wrapped = ku_session_wrapped(session);
	info->nblocks = session->ring.nblocks;
	info->used_blocks = ku_session_used_blocks(session);
	info->share_blocks = session->ring.nshares ?
			     session->ring.nblocks / session->ring.nshares : 0;
	info->taken_blocks = ku_atomic64_read(&session->ring.taken);
	info->categories = ku_hooks->categories() & ku_categories_of_kinds(session->kinds);
	if (session->on)
		ku_session_check_clock(session);
	info->caveats = ku_hooks->caveats() | (session->clock_bad ? KUTRACE_CAVEAT_CLOCK : 0);
	if (ku_hooks->added_tracepoints)
		info->added_tracepoints = ku_hooks->added_tracepoints();
	info->clock_khz = ku_clock_khz();
	info->clock_shift = session->ring.shift;
	info->ncpus = nr_cpu_ids;
	if (session->ever_on)
		info->start = session->start;
	info->stop = session->stop;
	if (info->recording)
		ku_session_read_stop(session, &info->stop);
	info->start_cpu = session->start_cpu;
	info->start_pid = session->start_pid;
	memcpy(info->start_comm, session->start_comm, sizeof(info->start_comm));
	ku_info_lost(session, info);
	info->emit_ps = ku_measured_ps();
	info->kinds = session->kinds;
	info->session = session->id;
	info->sessions = hweight32(ku_recording_set);
	info->filtered = !!session->filter;
	info->attended = !!session->bound;
	ku_trigger_info(session, info);
	strscpy(info->name, session->name, sizeof(info->name));
}

void ku_session_info(struct ku_session *session, struct kutrace_info *info)
{
	mutex_lock(&ku_session_lock);
	ku_session_info_held(session, info);
	mutex_unlock(&ku_session_lock);
}

void ku_session_anchor(struct ku_session *session)
{
	struct kutrace_info info;

	ku_session_info_held(session, &info);
	ku_anchor_update(session, &info);
}

void ku_session_describe(struct ku_session *session, struct kutrace_session *what)
{
	mutex_lock(&ku_session_lock);
	memset(what, 0, sizeof(*what));
	what->length = sizeof(*what);
	what->id = session->id;
	strscpy(what->name, session->name, sizeof(what->name));
	what->mb = session->ring.nblocks / (SZ_1M / KUTRACE_BLOCK_BYTES);
	what->flags = session->keep ? KUTRACE_SESSION_KEEP : 0;
	what->kinds = session->kinds;
	what->owner_uid = from_kuid_munged(current_user_ns(), session->owner);
	what->owner_pid = (u32)session->owner_pid;
	memcpy(what->owner_comm, session->owner_comm, sizeof(what->owner_comm));
	what->recording = session->on && !session->starting;
	what->wrap = session->ring.wrap;
	what->nblocks = session->ring.nblocks;
	what->used_blocks = (u32)ku_session_used_blocks(session);
	mutex_unlock(&ku_session_lock);
}
