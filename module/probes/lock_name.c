// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of contended kernel locks: the kind of the lock, the function that waited for it first, and
 * the number of the lock, for example "mutex:do_unlinkat.1364834020". The number tells locks apart
 * that the same function takes. Kind and function come from the waiter's stack: the outermost
 * locking function in it gives the kind, and its caller is the function that waited.
 *
 * A name is added once between two resets, for at most KU_LOCK_NAMES locks, and at most
 * KU_LOCK_NAMES_A_TICK times a tick on each CPU: a stack walk takes some microseconds. Any other
 * lock has no name. A name stays if the lock's memory is freed and used for another lock. The lock
 * of a name table has no name, because adding it would take the same lock.
 */
#include <linux/jiffies.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/mm_types.h>
#include <linux/sched.h>
#include <linux/stacktrace.h>
#include <linux/string.h>

#include "core/emit.h"
#include "probes/shared.h"
#include "record/all.h"

#define KU_LOCK_NAMES_ORDER	12
#define KU_LOCK_NAMES	BIT(KU_LOCK_NAMES_ORDER)
#define KU_LOCK_TRIES	8	/* entries of ku_lock_named in which a number may be */
#define KU_LOCK_NAMES_A_TICK	4
#define KU_LOCK_FRAMES	20
#define KU_LOCK_CALLER	31	/* bytes of the caller: the name must have room for the number */

/* Numbers of the locks that have a name. 0: free. Entries become free only at a reset. */
static u32 ku_lock_named[KU_LOCK_NAMES];

/* Memory for one name. It is large, so it is not on the stack of the waiter. */
struct ku_lock_names {
	unsigned long frames[KU_LOCK_FRAMES];
	char symbol[KSYM_SYMBOL_LEN];
	char name[KUTRACE_NAME_MAX_BYTES];
	unsigned long tick;
	u32 count;		/* names in this tick */
	bool busy;		/* this CPU composes a name: that may contend for a lock */
};

static DEFINE_PER_CPU(struct ku_lock_names, ku_lock_names);

/*
 * Beginnings of the names of locking functions without leading underscores, and their kinds of
 * locks: the first that fits.
 */
static const struct {
	const char *begins;
	const char *kind;
} ku_lock_kinds[] = {
	{ "mutex_", "mutex" },
	{ "ww_mutex_", "mutex" },
	{ "percpu_down_", "percpu_rwsem" },
	{ "percpu_rwsem_", "percpu_rwsem" },
	{ "down_read", "rwsem" },
	{ "down_write", "rwsem" },
	{ "rwsem_down_", "rwsem" },
	{ "down_", "semaphore" },
	{ "raw_spin_", "spinlock" },
	{ "do_raw_spin_", "spinlock" },
	{ "native_queued_spin_", "spinlock" },
	{ "pv_queued_spin_", "spinlock" },
	{ "queued_spin_", "spinlock" },
	{ "lock_text_", "spinlock" },
	{ "raw_read_", "rwlock" },
	{ "raw_write_", "rwlock" },
	{ "do_raw_read_", "rwlock" },
	{ "do_raw_write_", "rwlock" },
	{ "queued_read_", "rwlock" },
	{ "queued_write_", "rwlock" },
	{ "rt_spin_", "spinlock" },
	{ "rtlock_", "spinlock" },
	{ "rt_read_", "rwlock" },
	{ "rt_write_", "rwlock" },
	{ "rwbase_", "rwlock" },
	{ "rt_mutex_", "rt_mutex" },
};

/* Returns the kind of lock whose function has the name @symbol, or NULL. */
static const char *__kprobes ku_lock_kind(const char *symbol)
{
	u32 i;

	symbol += strspn(symbol, "_");
	if (!strcmp(symbol, "down"))
		return "semaphore";
	for (i = 0; i < ARRAY_SIZE(ku_lock_kinds); i++)
		if (str_has_prefix(symbol, ku_lock_kinds[i].begins))
			return ku_lock_kinds[i].kind;
	return NULL;
}

/*
 * Marks @number as named. Returns false if it has been, or if all of its entries have other
 * numbers: that lock gets no name.
 */
static bool __kprobes ku_lock_claim(u32 number)
{
	u32 first = number >> (32 - KU_LOCK_NAMES_ORDER), i;

	for (i = 0; i < KU_LOCK_TRIES; i++) {
		u32 *entry = &ku_lock_named[(first + i) % KU_LOCK_NAMES];
		u32 old = READ_ONCE(*entry);

		if (old == number)
			return false;
		if (old)
			continue;
		old = cmpxchg(entry, 0, number);
		if (!old)
			return true;
		if (old == number)
			return false;
	}
	return false;
}

/* Sets names->symbol to the function of a return address, without module and suffix. */
static bool __kprobes ku_lock_symbol(struct ku_lock_names *names, unsigned long frame)
{
	/* The call is before the return address, which may be in the next function. */
	sprint_symbol_no_offset(names->symbol, frame - 1);
	names->symbol[strcspn(names->symbol, " .")] = 0;
	/* No symbol: the text is the address, which must not be in a trace. */
	return names->symbol[0] && !str_has_prefix(names->symbol, "0x");
}

/* Composes the name. Returns its length, or 0 if the stack has no locking function. */
static size_t __kprobes ku_lock_compose(struct ku_lock_names *names, const void *lock, u32 number)
{
	const char *kind = NULL;
	unsigned int count, i;

	/* Skip ku_lock_name(). Its caller may have left the stack by a tail call. */
	count = stack_trace_save(names->frames, KU_LOCK_FRAMES, 1);
	for (i = 0; i < count; i++) {
		const char *next;

		if (!ku_lock_symbol(names, names->frames[i]))
			return 0;
		next = ku_lock_kind(names->symbol);
		if (kind && !next)
			break;
		kind = next;
	}
	if (!kind || i == count)
		return 0;
	if (current->mm && lock == &current->mm->mmap_lock)
		kind = "mmap_lock";
	return (size_t)scnprintf(names->name, sizeof(names->name), "%s:%.*s.%u", kind,
				 KU_LOCK_CALLER, names->symbol, number);
}

/* Returns whether this CPU may add another name in this tick. */
static bool __kprobes ku_lock_may_name(struct ku_lock_names *names)
{
	unsigned long now = READ_ONCE(jiffies);

	if (names->tick != now) {
		names->tick = now;
		names->count = 0;
	}
	return names->count < KU_LOCK_NAMES_A_TICK;
}

/* Interrupts off. */
static void __kprobes ku_lock_add_name(struct ku_lock_names *names, const void *lock, u32 number)
{
	size_t len;

	if (!ku_lock_may_name(names) || !ku_lock_claim(number))
		return;
	names->count++;
	len = ku_lock_compose(names, lock, number);
	if (len)
		ku_sessions_name(KUTRACE_NAME_LOCKNAME, number, names->name, len);
}

noinline void __kprobes ku_lock_name(const void *lock, u32 number)
{
	struct ku_lock_names *names;
	unsigned long flags;

	if (likely(READ_ONCE(ku_lock_named[number >> (32 - KU_LOCK_NAMES_ORDER)]) == number) ||
	    ku_in_nmi() || !number)
		return;
	local_irq_save(flags);
	names = this_cpu_ptr(&ku_lock_names);
	if (!names->busy && !__this_cpu_read(ku_spinning)) {
		names->busy = true;
		ku_lock_add_name(names, lock, number);
		names->busy = false;
	}
	local_irq_restore(flags);
}

void ku_lock_name_reset(void)
{
	u32 i;

	for (i = 0; i < KU_LOCK_NAMES; i++)
		WRITE_ONCE(ku_lock_named[i], 0);
}
