// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes tasks wait for locks of each kind, a given number of times. One task holds the lock
 * until it sees that another one waits. Each round is one wait, one acquisition after it, and
 * one release with a waiter.
 */
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/hash.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/percpu-rwsem.h>
#include <linux/rtmutex.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/semaphore.h>
#include <linux/spinlock.h>

#include "test.h"

static DEFINE_MUTEX(ku_test_the_mutex);
static DECLARE_RWSEM(ku_test_the_rwsem);
DEFINE_STATIC_PERCPU_RWSEM(ku_test_the_percpu_rwsem);
static struct semaphore ku_test_the_semaphore =
	__SEMAPHORE_INITIALIZER(ku_test_the_semaphore, 1);
static DEFINE_RT_MUTEX(ku_test_the_rtmutex);
static DEFINE_SPINLOCK(ku_test_the_spinlock);
static DEFINE_RWLOCK(ku_test_the_rwlock);

#define KU_TEST_LOCK(kind, lock_call, unlock_call)				\
	static void ku_test_lock_##kind(void)					\
	{									\
		lock_call(&ku_test_the_##kind);					\
	}									\
	static void ku_test_unlock_##kind(void)					\
	{									\
		unlock_call(&ku_test_the_##kind);				\
	}

KU_TEST_LOCK(mutex, mutex_lock, mutex_unlock)
KU_TEST_LOCK(rwsem, down_write, up_write)
KU_TEST_LOCK(percpu_rwsem, percpu_down_write, percpu_up_write)
KU_TEST_LOCK(semaphore, down, up)
KU_TEST_LOCK(rtmutex, rt_mutex_lock, rt_mutex_unlock)

/* sparse checks the balance of these two, so they need annotations. */
static void ku_test_lock_spinlock(void)
	__acquires(&ku_test_the_spinlock)
{
	spin_lock(&ku_test_the_spinlock);
}

static void ku_test_unlock_spinlock(void)
	__releases(&ku_test_the_spinlock)
{
	spin_unlock(&ku_test_the_spinlock);
}

static void ku_test_lock_rwlock(void)
	__acquires(&ku_test_the_rwlock)
{
	write_lock(&ku_test_the_rwlock);
}

static void ku_test_unlock_rwlock(void)
	__releases(&ku_test_the_rwlock)
{
	write_unlock(&ku_test_the_rwlock);
}

/* The next two return true if a task spins for the lock. */
static bool ku_test_spins_spinlock(void)
{
	return spin_is_contended(&ku_test_the_spinlock);
}

static bool ku_test_spins_rwlock(void)
{
	return arch_spin_is_locked(&ku_test_the_rwlock.raw_lock.wait_lock);
}

static const struct ku_test_kind {
	const char *name;
	const void *address;
	void (*lock)(void);
	void (*unlock)(void);
	bool (*spins)(void);	/* NULL if waiters sleep */
} ku_test_locks[] = {
#define KU_TEST_KIND(kind, spinning)						\
	{ #kind, &ku_test_the_##kind, ku_test_lock_##kind, ku_test_unlock_##kind, spinning }
	KU_TEST_KIND(mutex, NULL),
	KU_TEST_KIND(rwsem, NULL),
	KU_TEST_KIND(percpu_rwsem, NULL),
	KU_TEST_KIND(semaphore, NULL),
	KU_TEST_KIND(rtmutex, NULL),
	KU_TEST_KIND(spinlock, ku_test_spins_spinlock),
	KU_TEST_KIND(rwlock, ku_test_spins_rwlock),
};

static bool ku_test_about_to_lock;
static DECLARE_COMPLETION(ku_test_locked);

static int ku_test_waiter(void *data)
{
	const struct ku_test_kind *kind = data;

	WRITE_ONCE(ku_test_about_to_lock, true);
	kind->lock();
	kind->unlock();
	complete(&ku_test_locked);
	return 0;
}

/* Waits, with the lock held, until the other task waits for it. */
static void ku_test_until_it_waits(const struct ku_test_kind *kind, struct task_struct *task)
{
	if (kind->spins) {
		while (!kind->spins())
			cpu_relax();
		/* The task spins a few instructions later than the lock shows it. */
		ku_test_delay_ms(1);
		return;
	}
	/* While the task runs it may still get the lock without sleeping. */
	while (!READ_ONCE(ku_test_about_to_lock) ||
	       !(READ_ONCE(task->__state) & TASK_UNINTERRUPTIBLE) ||
	       READ_ONCE(task->on_cpu))
		usleep_range(1000, 2000);
}

static int ku_test_one_wait(const struct ku_test_kind *kind, unsigned int cpu)
{
	struct task_struct *task;

	task = kthread_create(ku_test_waiter, (void *)kind, "ku_waits");
	if (IS_ERR(task))
		return PTR_ERR(task);
	kthread_bind(task, cpu);
	get_task_struct(task);
	reinit_completion(&ku_test_locked);
	ku_test_about_to_lock = false;
	kind->lock();
	wake_up_process(task);
	ku_test_until_it_waits(kind, task);
	kind->unlock();
	wait_for_completion(&ku_test_locked);
	put_task_struct(task);
	return 0;
}

int ku_test_lock(const char *name, unsigned int count)
{
	const struct ku_test_kind *kind = NULL;
	unsigned int cpu, i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(ku_test_locks); i++)
		if (!strcmp(name, ku_test_locks[i].name))
			kind = &ku_test_locks[i];
	if (!kind)
		return -EINVAL;
	migrate_disable();
	cpu = cpumask_any_but(cpu_online_mask, smp_processor_id());
	if (cpu >= nr_cpu_ids)
		err = -ENXIO;
	for (i = 0; i < count && !err; i++)
		err = ku_test_one_wait(kind, cpu);
	migrate_enable();
	return err;
}

void ku_test_lock_show(struct seq_file *seq)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(ku_test_locks); i++) {
		seq_printf(seq, "- lock.%s %u\n", ku_test_locks[i].name,
			   ku_test_lock_number(ku_test_locks[i].address));
		/* The number must not be this hash, which gives the address away. */
		seq_printf(seq, "- hash.%s %u\n", ku_test_locks[i].name,
			   hash_ptr(ku_test_locks[i].address, 32));
	}
}
