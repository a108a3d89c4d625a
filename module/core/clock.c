// SPDX-License-Identifier: GPL-2.0-only
/* The time counter: frequency, counts, suspend, pairs with the wall clock. See clock.h. */
#include <linux/kprobes.h>
#include <linux/printk.h>
#include <linux/timekeeping.h>

#include "core/clock.h"
#include "core/env.h"
#include "core/time.h"

unsigned int ku_clock_shift __read_mostly;
static unsigned int ku_finest;

/* The clocks at the last suspend. */
static struct {
	u64 counter, real_ns, boot_ns;
} ku_suspended;

static u32 ku_restarts, ku_suspends;

/*
 * Does not cache the frequency: the kernel measures the TSC again in the first seconds after boot,
 * when an early module may already be loaded.
 */
u64 __kprobes ku_clock_khz(void)
{
	return ku_arch_clock_khz();
}

u64 __kprobes ku_ns_to_counts(u64 ns, u32 shift)
{
	return ku_scale_ns(ns, ku_clock_khz(), shift);
}

u64 __kprobes ku_counts_to_ns(u64 counts, u32 shift)
{
	return ku_scale_counts(counts, ku_clock_khz(), shift);
}

u32 ku_finest_shift(void)
{
	return ku_finest;
}

bool ku_clock_usable(void)
{
	return ku_clock_khz() && ku_arch_clock_synchronous();
}

/* Chooses the smallest shift with at least 10 ns per count. */
int ku_clock_init(void)
{
	u64 khz = ku_clock_khz();

	if (!ku_clock_usable()) {
		pr_err("kutrace: no time counter that all CPUs share (" KU_CLOCK_ADVICE ")\n");
		return -ENODEV;
	}
	ku_finest = 0;
	while ((10 * khz) >> ku_finest > 1000000)
		ku_finest++;
	ku_clock_shift = ku_finest;
	return 0;
}

/* The counter and another clock at one instant, and the duration of reading both. */
struct ku_reading {
	u64 counts, ns, window;
};

/*
 * Reads both clocks in the fastest of eight tries. The error is at most half the window of that
 * try.
 */
static struct ku_reading ku_read_clocks(u64 (*clock)(void), u32 shift)
{
	struct ku_reading best = { .window = ~0ULL };
	int tries;

	for (tries = 0; tries < 8; tries++) {
		unsigned long flags;
		u64 before, after, ns;

		local_irq_save(flags);
		ku_clock_order();
		before = ku_clock_by(shift);
		ns = clock();
		ku_clock_order();
		after = ku_clock_by(shift);
		local_irq_restore(flags);
		if (after - before < best.window)
			best = (struct ku_reading){ before + (after - before) / 2, ns,
						    after - before };
	}
	return best;
}

void ku_read_pair(struct kutrace_pair *pair, u32 shift)
{
	struct ku_reading best = ku_read_clocks(ktime_get_real_ns, shift);

	pair->counts = best.counts;
	pair->real_ns = best.ns;
}

/* Uses CLOCK_MONOTONIC_RAW, which cannot be set. */
void ku_clock_mark(struct ku_clock_mark *mark)
{
	struct ku_reading best;

	mark->suspends = READ_ONCE(ku_suspends);
	mark->slept_ns = ktime_to_ns(ktime_mono_to_any(0, TK_OFFS_BOOT));
	mark->early = system_state < SYSTEM_RUNNING;
	best = ku_read_clocks(ktime_get_raw_ns, 0);
	mark->counter = best.counts;
	mark->raw_ns = best.ns;
	mark->window = best.window;
}

bool ku_clock_kept_pace(struct ku_clock_mark *mark)
{
	struct ku_clock_mark now;
	bool comparable;

	ku_clock_mark(&now);
	comparable = !mark->early && now.suspends == mark->suspends &&
		     now.slept_ns == mark->slept_ns;
	if (comparable && !ku_counter_kept_pace(mark->counter, now.counter,
						now.raw_ns - mark->raw_ns,
						mark->window + now.window, ku_clock_khz()))
		return false;
	if (!comparable || now.raw_ns - mark->raw_ns > 10 * NSEC_PER_SEC)
		*mark = now;
	return true;
}

void ku_clock_suspend(void)
{
	ku_suspended.counter = ku_clock_by(0);
	ku_suspended.real_ns = ktime_get_real_ns();
	ku_suspended.boot_ns = ktime_get_boottime_ns();
	WRITE_ONCE(ku_suspends, ku_suspends + 1);
}

/* noinline: a test makes it return false. */
noinline bool ku_clock_went_on(void)
{
	return ku_counter_went_on(ku_suspended.counter, ku_clock_by(0),
				  ktime_get_boottime_ns() - ku_suspended.boot_ns,
				  ku_clock_khz());
}

void ku_clock_restart(void)
{
	WRITE_ONCE(ku_restarts, ku_restarts + 1);
}

u32 ku_clock_restarts(void)
{
	return READ_ONCE(ku_restarts);
}

void ku_read_last_pair(struct kutrace_pair *pair, u32 shift)
{
	pair->counts = ku_suspended.counter >> shift;
	pair->real_ns = ku_suspended.real_ns;
}
