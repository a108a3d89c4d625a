// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracepoints of contended locks in the kernel. All types of locks have them, except futexes. The
 * first waiter of a spinlock, which spins without a queue, is not shown. Rules of probes: tp.h.
 *
 * Context: that of the task that needs the lock; for many spinlocks interrupts are disabled.
 * Recording takes no lock itself, so these probes are not entered again.
 */
#include <linux/kprobes.h>
#include <linux/random.h>
#include <linux/siphash.h>
#include <trace/events/lock.h>

#include "compat/tracepoints.h"
#include "compat/version.h"
#include "core/emit.h"
#include "probes/shared.h"
#include "probes/tp.h"

/* A secret key, which is new at each load of the module. */
static siphash_key_t ku_lock_key __read_mostly;

void ku_lock_number_init(void)
{
	get_random_bytes(&ku_lock_key, sizeof(ku_lock_key));
}

/*
 * Returns the number of a lock. Equal numbers mean the same lock. The number must not reveal the
 * address: hash_ptr() is not sufficient, because it can be inverted. Not inlined, because a test
 * finds this function by name.
 */
noinline u32 __kprobes ku_lock_number(const void *lock)
{
	return (u32)siphash_1u64((unsigned long)lock, &ku_lock_key);
}

/* The tracepoint also fires when a waiter changes between spinning and sleeping. */
static void __kprobes ku_lock_contended(void *data, void *lock, unsigned int flags)
{
	ku_probe_guard();
	const u32 number = ku_lock_number(lock);

	ku_emit_ordered(KU_EVENT(KUTRACE_LOCKNOACQ) | number);
	ku_lock_name(lock, number);
}

/* A waiter that gives up is not recorded. */
static void __kprobes ku_lock_end(void *data, void *lock, int result)
{
	ku_probe_guard();

	if (!result)
		ku_emit_ordered(KU_EVENT(KUTRACE_LOCKACQ) | ku_lock_number(lock));
}

static void __kprobes ku_lock_freed(void *data, void *lock)
{
	ku_probe_guard();

	ku_emit_ordered(KU_EVENT(KUTRACE_LOCKWAKEUP) | ku_lock_number(lock));
}

static struct ku_tp ku_lock_tps[] = {
	KU_TP(contended_release, ku_lock_freed, KUTRACE_MASK_LOCK),
	KU_TP(contention_end, ku_lock_end, KUTRACE_MASK_LOCK),
	KU_TP(contention_begin, ku_lock_contended, KUTRACE_MASK_LOCK),
};

const struct ku_tp_table ku_tps_lock = KU_TP_TABLE(ku_lock_tps);

static void __maybe_unused ku_lock_check(void)
{
	KU_CHECK_RELEASE(contended_release, ku_lock_freed);
	KU_CHECK(contention_end, ku_lock_end);
	KU_CHECK(contention_begin, ku_lock_contended);
}

bool ku_lock_holders(void)
{
	/* The first tracepoint of the table, if the kernel has it. */
	return ku_lock_tps[0].tp;
}
