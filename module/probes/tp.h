/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes of tracepoints, in one table for each part of the kernel. backends/tracepoints.c finds the
 * tracepoints and attaches the probes.
 *
 * Rules of probes: they run in the context of their tracepoint, which may be an NMI, with
 * preemption disabled (compat/version.h). They record and return; they never sleep, and never take
 * a lock that the traced code can hold. No kprobe can be set in them.
 */
#ifndef KU_TP_H
#define KU_TP_H

#include <linux/kernel.h>
#include <linux/types.h>

struct tracepoint;

struct ku_tp {
	const char *name;
	void *probe;
	u32 category;		/* KUTRACE_MASK_* */
	const char *newer;	/* tracepoint that replaces this one, if present; or NULL */
	struct tracepoint *tp;
	bool attached;
};

struct ku_tp_table {
	struct ku_tp *tps;
	u32 count;
};

#define KU_TP(name_, probe_, category_) \
	{ .name = #name_, .probe = probe_, .category = category_ }
#define KU_TP_OLD(name_, newer_, probe_, category_) \
	{ .name = #name_, .newer = #newer_, .probe = probe_, .category = category_ }
#define KU_TP_TABLE(array)	{ .tps = array, .count = ARRAY_SIZE(array) }

/* ku_tps_arch: tracepoints of this architecture only. */
extern const struct ku_tp_table ku_tps_sched, ku_tps_syscall, ku_tps_irq, ku_tps_arch,
	ku_tps_ipi, ku_tps_fault, ku_tps_power, ku_tps_lock, ku_tps_net, ku_tps_priority,
	ku_tps_disk, ku_tps_reclaim, ku_tps_timer;

/*
 * Return whether the release of a contended lock is recorded, and whether the start and end of the
 * scheduler are recorded. Valid after the search for tracepoints. Any context.
 */
bool ku_lock_holders(void);
bool ku_sched_spans(void);

/*
 * Attaches the kprobes for sends of IPIs, if the kernel has no tracepoints. Returns true if sends
 * are or will be recorded.
 */
bool ku_ipi_attach(void);
void ku_ipi_detach(void);

#endif
