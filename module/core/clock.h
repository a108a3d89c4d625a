/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The time counter of this machine: how fast it is, nanoseconds to counts and back, readings
 * paired with the wall clock. Must not be used before ku_clock_init(). Called by everything
 * above core/.
 */
#ifndef KU_CLOCK_H
#define KU_CLOCK_H

#include <linux/types.h>
#include "uapi/kutrace_abi.h"

/* Finds the counter. 0, or -ENODEV with the reason in the log. Once, process context. */
int ku_clock_init(void);
/* Of the counter, unshifted, as the kernel knows it by now. Any context. */
u64 ku_clock_khz(void);
/* Counts of a ring of that shift; what does not fit is the largest number. Any context. */
u64 ku_ns_to_counts(u64 ns, u32 shift);
u64 ku_counts_to_ns(u64 counts, u32 shift);
/* The shift of a session that does not ask for another: counts of 10 to 20 ns. */
u32 ku_finest_shift(void);
void ku_read_pair(struct kutrace_pair *pair, u32 shift);

/*
 * Returns true if times of different CPUs can be compared. The kernel may find out at any time that
 * they cannot. Any context.
 */
bool ku_clock_usable(void);

/* The counter and CLOCK_MONOTONIC_RAW at one instant. */
struct ku_clock_mark {
	u64 counter;	/* unshifted */
	u64 raw_ns;
	u64 window;	/* how long reading both took, in units of the counter */
	u64 slept_ns;	/* by the kernel's clocks, since boot */
	u32 suspends;
	bool early;	/* read during the boot, when the kernel's clock may lose ticks */
};

/* Reads both clocks. Process context. */
void ku_clock_mark(struct ku_clock_mark *mark);
/*
 * Returns false if the counter has jumped since @mark, or has run at another rate than
 * ku_clock_khz(). Notices this only if the kernel's clock does not use that counter, as in a
 * virtual machine with kvm-clock. A sleep of the machine is no jump: the clocks may treat it
 * differently. After a sleep, and every 10 s, @mark becomes the present, so that a jump of a few
 * milliseconds stays visible in a long recording. Process context.
 */
bool ku_clock_kept_pace(struct ku_clock_mark *mark);

/*
 * While a machine is suspended its counter goes on, stands still or, as on many for x86,
 * begins anew, and then times from before and behind cannot be compared. To be called with
 * interrupts off, on the only CPU that runs.
 */
void ku_clock_suspend(void);
/* Since the last ku_clock_suspend(). */
bool ku_clock_went_on(void);
/* It did not. */
void ku_clock_restart(void);
/* How often it has begun anew. Any context. */
u32 ku_clock_restarts(void);
/* As ku_read_pair(), but of the last ku_clock_suspend(). */
void ku_read_last_pair(struct kutrace_pair *pair, u32 shift);

#endif
