// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of users who may only mark. A user stays in the table as long as
 *  - one of the user's files is open,
 *  - something is counted for the user, which holds a reference, or
 *  - recent marks count against the rate: closing the file must not reset it.
 *
 * The rate takes no lock. @marks_due is the time at which the marks made so far would have been due
 * at the permitted rate. A mark is refused if this time would be more than a burst ahead of now.
 * Definitions have a time of their own, @names_due.
 */
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "users/user.h"

#define KU_RATE_BURST_NS (NSEC_PER_SEC / 10)
#define KU_SWEEP_MIN	64

static DEFINE_SPINLOCK(ku_user_lock);
static DEFINE_HASHTABLE(ku_users, 6);
static u32 ku_user_count, ku_user_sweep_at = KU_SWEEP_MIN;
static const unsigned int *ku_user_limit;

static void ku_user_free(struct ku_user *user)
{
	hash_del(&user->node);
	ku_user_count--;
	kfree(user);
}

static bool ku_user_idle(const struct ku_user *user)
{
	s64 now = ktime_get_ns();

	return !user->refs && atomic64_read(&user->marks_due) <= now &&
	       atomic64_read(&user->names_due) <= now;
}

static void ku_user_sweep(void)
{
	struct hlist_node *next;
	struct ku_user *user;
	int i;

	hash_for_each_safe(ku_users, i, next, user, node)
		if (ku_user_idle(user))
			ku_user_free(user);
	ku_user_sweep_at = max(2 * ku_user_count, (u32)KU_SWEEP_MIN);
}

static struct ku_user *ku_user_find(kuid_t uid)
{
	struct ku_user *user;

	hash_for_each_possible(ku_users, user, node, __kuid_val(uid))
		if (uid_eq(user->uid, uid))
			return user;
	return NULL;
}

struct ku_user *ku_user_get_current(void)
{
	struct ku_user *user, *fresh = NULL;
	kuid_t uid = current_uid();

	spin_lock(&ku_user_lock);
	user = ku_user_find(uid);
	if (!user) {
		spin_unlock(&ku_user_lock);
		fresh = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT);
		if (!fresh)
			return NULL;
		fresh->uid = uid;
		spin_lock(&ku_user_lock);
		user = ku_user_find(uid);
	}
	if (!user) {
		user = fresh;
		fresh = NULL;
		if (++ku_user_count >= ku_user_sweep_at)
			ku_user_sweep();
		hash_add(ku_users, &user->node, __kuid_val(uid));
	}
	user->refs++;
	spin_unlock(&ku_user_lock);
	kfree(fresh);
	return user;
}

struct ku_user *ku_user_get(struct ku_user *user)
{
	if (user) {
		spin_lock(&ku_user_lock);
		user->refs++;
		spin_unlock(&ku_user_lock);
	}
	return user;
}

void ku_user_put(struct ku_user *user)
{
	if (!user)
		return;
	spin_lock(&ku_user_lock);
	user->refs--;
	if (ku_user_idle(user))
		ku_user_free(user);
	spin_unlock(&ku_user_lock);
}

void ku_user_exit(void)
{
	struct hlist_node *next;
	struct ku_user *user;
	int i;

	spin_lock(&ku_user_lock);
	hash_for_each_safe(ku_users, i, next, user, node)
		ku_user_free(user);
	spin_unlock(&ku_user_lock);
}

void ku_user_rate_init(const unsigned int *limit)
{
	ku_user_limit = limit;
}

bool ku_user_rate(struct ku_user *user)
{
	unsigned int rate = READ_ONCE(*ku_user_limit);
	s64 now, was, next;

	if (!rate)
		return true;
	now = ktime_get_ns();
	was = atomic64_read(&user->marks_due);
	do {
		next = max(was, now) + div_u64(NSEC_PER_SEC, rate);
		if (next - now > KU_RATE_BURST_NS && next - now > div_u64(NSEC_PER_SEC, rate))
			return false;
	} while (!atomic64_try_cmpxchg(&user->marks_due, &was, next));
	return true;
}

/* Adds the names before it sleeps, so other callers of the same user cannot delay it forever. */
int ku_user_rate_wait(struct ku_user *user, u32 names)
{
	unsigned int rate = READ_ONCE(*ku_user_limit);
	s64 now, was, next;

	if (!rate)
		return 0;
	was = atomic64_read(&user->names_due);
	do {
		next = max_t(s64, was, ktime_get_ns()) + div_u64((u64)names * NSEC_PER_SEC, rate);
	} while (!atomic64_try_cmpxchg(&user->names_due, &was, next));
	for (;;) {
		if (fatal_signal_pending(current))
			return -EINTR;
		now = ktime_get_ns();
		if (next - now <= KU_RATE_BURST_NS)
			return 0;
		schedule_timeout_killable(nsecs_to_jiffies(next - now - KU_RATE_BURST_NS) + 1);
	}
}
