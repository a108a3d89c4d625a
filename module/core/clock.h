/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The time counter of this machine: its frequency, conversion between nanoseconds and counts,
 * readings paired with the wall clock. Must not be used before ku_clock_init().
 */
#ifndef KU_CLOCK_H
#define KU_CLOCK_H

#include <linux/types.h>
#include "uapi/kutrace_abi.h"

/* Finds the counter. Returns 0, or -ENODEV with the reason in the log. Process context. */
int ku_clock_init(void);
/* Returns the kernel's present value of the frequency of the unshifted counter. Context: any. */
u64 ku_clock_khz(void);
/* Convert to and from counts of clock shift @shift. Saturate instead of wrapping. Context: any. */
u64 ku_ns_to_counts(u64 ns, u32 shift);
u64 ku_counts_to_ns(u64 counts, u32 shift);
/* Returns the default clock shift of a session: the smallest with at least 10 ns per count. */
u32 ku_finest_shift(void);
void ku_read_pair(struct kutrace_pair *pair, u32 shift);

/*
 * Returns true if times of different CPUs can be compared. The kernel may find out at any time that
 * they cannot. Context: any.
 */
bool ku_clock_usable(void);

/* The counter and CLOCK_MONOTONIC_RAW at one instant. */
struct ku_clock_mark {
	u64 counter;	/* unshifted */
	u64 raw_ns;
	u64 window;	/* duration of reading both, in units of the counter */
	u64 slept_ns;	/* time asleep since boot, by the kernel's clocks */
	u32 suspends;
	bool early;	/* read during boot, when the kernel's clock may lose ticks */
};

/* Reads both clocks. Process context. */
void ku_clock_mark(struct ku_clock_mark *mark);
/*
 * Returns false if the counter has jumped since @mark, or has run at another rate than
 * ku_clock_khz(). Notices this only if the kernel's clock does not use the same counter, as in a
 * virtual machine with kvm-clock. Ignores a sleep of the machine, because the clocks may treat it
 * differently. After a sleep, and every 10 s, sets @mark to the present, so that a jump of a few
 * milliseconds stays visible in a long recording. Process context.
 */
bool ku_clock_kept_pace(struct ku_clock_mark *mark);

/*
 * During suspend, a counter continues, stops or, on many x86 machines, restarts. After a restart,
 * earlier and later times cannot be compared. Interrupts off, on the only CPU that runs.
 */
void ku_clock_suspend(void);
/* Returns false if the counter has restarted since the last ku_clock_suspend(). */
bool ku_clock_went_on(void);
/* Counts a restart. */
void ku_clock_restart(void);
/* Returns the number of restarts. Context: any. */
u32 ku_clock_restarts(void);
/* Returns the pair of the last ku_clock_suspend(): see ku_read_pair(). */
void ku_read_last_pair(struct kutrace_pair *pair, u32 shift);

#endif
