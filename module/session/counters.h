/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hardware counters for recordings with instructions per cycle or cache misses: each entry gets
 * four bits, for the time since the session's previous entry on that CPU. The counters are perf
 * events of the kernel. So perf, the NMI watchdog and this module cannot use each other's counters.
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
 * other flags are ignored). Returns 0, or -errno with the reason in the log. May sleep.
 */
int ku_counters_probe(u64 flags);
/*
 * Makes all CPUs count exactly what @flags need. Counters that already run continue. A CPU that
 * comes online later does the same. If its counters fail, its entries have zeros. Returns 0, or
 * -errno if some counters cannot be used. ku_session_lock held. May sleep.
 */
int ku_counters_want(u64 flags);

/*
 * Returns the counter bits of the entry that is about to be recorded, and starts counting for the
 * next entry. Returns 0 for the first entry. @flags: KUTRACE_FLAG_IPC, KUTRACE_FLAG_LLC. Any
 * context, interrupts off. In an NMI returns 0 and reads nothing, because perf may be moving a
 * counter. The next entry's bits then include this time.
 */
u32 ku_counters_bits(struct ku_cpu *cpu, u32 flags);

#endif
