/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes on tracepoints, in a table for each part of the kernel. Used by the files that have the
 * probes, and by backends/tracepoints.c, which finds the tracepoints and attaches them.
 *
 * They run in whatever context the tracepoint is in, NMI included, with preemption off
 * (compat/version.h). They record and return; they never sleep, never take a lock that the
 * traced code can hold. No kprobe can be put on them.
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
	const char *newer;	/* tracepoint that replaces it where the kernel has that; or NULL */
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

/* ku_tps_arch: what only this architecture has. */
extern const struct ku_tp_table ku_tps_sched, ku_tps_syscall, ku_tps_irq, ku_tps_arch,
	ku_tps_ipi, ku_tps_fault, ku_tps_power, ku_tps_lock;

#endif
