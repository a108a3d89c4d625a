/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hardware counters for recordings with instructions per cycle or cache misses: each
 * entry gets four bits of what they did since the session's entry before on that CPU.
 * The kernel's perf events hold the counters, so that perf and the NMI watchdog
 * cannot take them, nor we theirs. Called by record/.
 */
#ifndef KU_COUNTERS_H
#define KU_COUNTERS_H

#include <linux/types.h>
#include "uapi/kutrace_abi.h"

struct ku_cpu;

/* Flags of a reset that want counters. */
#define KU_RESET_COUNTED ((u64)(KUTRACE_RESET_IPC | KUTRACE_RESET_LLC))

/*
 * Flags are KUTRACE_RESET_IPC and KUTRACE_RESET_LLC, others are ignored. Both may sleep.
 *
 * probe: whether this machine counts that; 0 or -errno, with the reason in the log.
 * want: from now on count exactly that, on every CPU, also on those that come later (where
 * it may fail silently: their entries get zeros). 0 or -errno, what could not be had is
 * not counted. What is counted already is not disturbed. ku_session_lock is held.
 */
int ku_counters_probe(u64 flags);
int ku_counters_want(u64 flags);

/*
 * The four bits for an entry that is about to be recorded, and counts from here on for
 * the next one; 0 for the first. Flags are KUTRACE_FLAG_IPC and KUTRACE_FLAG_LLC. Any context,
 * interrupts off. In an NMI nothing is read, as perf may be in the middle of moving a counter: 0,
 * and the time is the next one's.
 */
u32 ku_counters_nibble(struct ku_cpu *cpu, u32 flags);

#endif
