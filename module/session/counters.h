/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hardware counters for recordings with instructions per cycle or cache misses: each entry gets
 * four bits, for the time since the session's previous entry on that CPU. The counters are perf
 * events of the kernel. So perf and the NMI watchdog cannot take them, and this module cannot take
 * theirs.
 */
#ifndef KU_COUNTERS_H
#define KU_COUNTERS_H

#include <linux/types.h>
#include "uapi/kutrace_abi.h"

struct ku_cpu;

/* Flags of a reset that need counters. */
#define KU_RESET_COUNTED ((u64)(KUTRACE_RESET_IPC | KUTRACE_RESET_LLC))

/*
 * Tests whether this machine has the counters for @flags (KUTRACE_RESET_IPC, KUTRACE_RESET_LLC;
 * others are ignored). Returns 0, or -errno with the reason in the log. May sleep.
 */
int ku_counters_probe(u64 flags);
/*
 * Makes all CPUs count exactly what @flags need, also CPUs that come online later. There this may
 * fail without an error: the CPU's entries then have zeros. Counters that already run continue.
 * Returns 0, or -errno if some counters cannot be used. ku_session_lock held. May sleep.
 */
int ku_counters_want(u64 flags);

/*
 * Returns the counter bits of the entry that is about to be recorded, and starts counting for the
 * next one; 0 for the first one. @flags: KUTRACE_FLAG_IPC, KUTRACE_FLAG_LLC. Any context,
 * interrupts off. In an NMI returns 0 and reads nothing, because perf may be moving a counter: the
 * next entry's bits then include this time.
 */
u32 ku_counters_bits(struct ku_cpu *cpu, u32 flags);

#endif
