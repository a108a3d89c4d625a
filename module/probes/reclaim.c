// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracepoints of tasks that the kernel slows down: dirty throttling, of a task that writes faster
 * than the disks, and direct reclaim, in which a task frees memory for itself or for its cgroup.
 * Rules of probes: tp.h.
 */
#include <linux/backing-dev.h>
#include <linux/kprobes.h>
#include <trace/events/vmscan.h>
#include <trace/events/writeback.h>

#include "compat/tracepoints.h"
#include "compat/version.h"
#include "core/emit.h"
#include "probes/tp.h"

/* The task sleeps only if @pause is positive. */
static void __kprobes ku_dirty_wait(void *data, KU_DIRTY_ARGS)
{
	ku_probe_guard();

	if (pause > 0)
		ku_emit_ordered(KU_EVENT(KUTRACE_DIRTY_WAIT));
}

static __always_inline void ku_reclaim(u32 begins)
{
	ku_emit_ordered(KU_EVENT(KUTRACE_RECLAIM) | begins);
}

static void __kprobes ku_reclaim_begin(void *data, KU_RECLAIM_BEGIN_ARGS)
{
	ku_probe_guard();

	ku_reclaim(1);
}

static void __kprobes ku_reclaim_end(void *data, KU_RECLAIM_END_ARGS)
{
	ku_probe_guard();

	ku_reclaim(0);
}

static struct ku_tp ku_reclaim_tps[] = {
	KU_TP(balance_dirty_pages, ku_dirty_wait, KUTRACE_MASK_DISK),
	KU_TP(mm_vmscan_direct_reclaim_end, ku_reclaim_end, KUTRACE_MASK_DISK),
	KU_TP(mm_vmscan_memcg_reclaim_end, ku_reclaim_end, KUTRACE_MASK_DISK),
	KU_TP(mm_vmscan_direct_reclaim_begin, ku_reclaim_begin, KUTRACE_MASK_DISK),
	KU_TP(mm_vmscan_memcg_reclaim_begin, ku_reclaim_begin, KUTRACE_MASK_DISK),
};

const struct ku_tp_table ku_tps_reclaim = KU_TP_TABLE(ku_reclaim_tps);

static void __maybe_unused ku_reclaim_check(void)
{
	KU_CHECK(balance_dirty_pages, ku_dirty_wait);
	KU_CHECK(mm_vmscan_direct_reclaim_end, ku_reclaim_end);
	KU_CHECK(mm_vmscan_direct_reclaim_begin, ku_reclaim_begin);
#ifdef CONFIG_MEMCG
	KU_CHECK(mm_vmscan_memcg_reclaim_end, ku_reclaim_end);
	KU_CHECK(mm_vmscan_memcg_reclaim_begin, ku_reclaim_begin);
#endif
}
