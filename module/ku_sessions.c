// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of sessions; who records; who is the resident of the fast path; which
 * hooks that takes.
 *
 * One session alone that records all that the back end shows, without filter, trigger
 * or counters, is the resident: its state of each CPU is moved into ku_cpu, by an
 * interrupt to that CPU, so that not one event is lost or recorded twice on the way.
 * Otherwise each CPU is told (shared) to hand events to ku_multi.c.
 */
#include <linux/cpu.h>
#include <linux/ctype.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/math.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "ku_call.h"
#include "ku_compat.h"
#include "ku_counters.h"
#include "ku_emit.h"
#include "ku_filter.h"
#include "ku_hooks.h"
#include "ku_kinds.h"
#include "ku_multi.h"
#include "ku_numberless.h"
#include "ku_point.h"
#include "ku_session.h"
#include "ku_trigger.h"

DEFINE_PER_CPU_ALIGNED(struct ku_cpu, ku_cpu);

const struct ku_hooks *ku_hooks;
struct ku_session *ku_recording[KUTRACE_SESSIONS];
u32 ku_recording_set;

static struct ku_session *ku_sessions[KUTRACE_SESSIONS];	/* by id; 0: main */
static DEFINE_MUTEX(ku_table_lock);	/* inside or without ku_session_lock */
static bool ku_ready;
static bool ku_shared;			/* every CPU has been told so */
static u32 ku_attached;			/* categories */

/* ---- who is resident ---- */

struct ku_cpu *ku_session_cpu(struct ku_session *session, int cpu)
{
	return ku_resident == &session->ring ? per_cpu_ptr(&ku_cpu, cpu) :
					       per_cpu_ptr(session->ring.cpu, cpu);
}

static void ku_share_cpu(struct ku_ring *ring, int cpu)
{
	struct ku_cpu *fast = per_cpu_ptr(&ku_cpu, cpu);

	/* First: what an NMI loses meanwhile, it loses where it is counted. */
	WRITE_ONCE(fast->shared, 1);
	barrier();
	if (ring)
		ku_ring_move_cpu(per_cpu_ptr(ring->cpu, cpu), fast);
}

static void ku_own_cpu(struct ku_ring *ring, int cpu)
{
	struct ku_cpu *own = per_cpu_ptr(ring->cpu, cpu);

	/* What was hidden by a filter is shown from now on. */
	if (own->filter) {
		u64 shown = ku_filter_changed(NULL, own);

		if (shown && cpu == smp_processor_id() && READ_ONCE(ring->active))
			ku_ring_put(ring, own, &shown, 1, 1, 0);
	}
	ku_ring_move_cpu(per_cpu_ptr(&ku_cpu, cpu), own);
	barrier();
	WRITE_ONCE(per_cpu_ptr(&ku_cpu, cpu)->shared, 0);
}

static void ku_share_here(void *ring)
{
	unsigned long flags;

	local_irq_save(flags);
	ku_share_cpu(ring, raw_smp_processor_id());
	local_irq_restore(flags);
}

static void ku_own_here(void *ring)
{
	unsigned long flags;

	local_irq_save(flags);
	ku_own_cpu(ring, raw_smp_processor_id());
	local_irq_restore(flags);
}

/* No CPU comes or goes meanwhile; those that are offline record nothing. */
static void ku_on_all_cpus(void (*here)(void *), void (*other)(struct ku_ring *, int),
			   struct ku_ring *ring)
{
	int cpu;

	cpus_read_lock();
	on_each_cpu(here, ring, 1);
	for_each_possible_cpu(cpu)
		if (!cpu_online(cpu))
			other(ring, cpu);
	cpus_read_unlock();
}

/* All that can be recorded here, by hooks or by marks. */
static u64 ku_all_kinds(void)
{
	return ku_kinds_of_categories(ku_hooks->categories() | KU_USER_CATEGORIES);
}

/* The session that can have the fast path for itself, or NULL. */
static struct ku_session *ku_sole(void)
{
	u64 all = ku_all_kinds();
	struct ku_session *sole = NULL;
	int i;

	for (i = 0; i < KUTRACE_SESSIONS; i++) {
		if (!ku_recording[i])
			continue;
		if (sole)
			return NULL;
		sole = ku_recording[i];
	}
	if (!sole || (sole->kinds & all) != all || sole->filter ||
	    sole->ring.bytes || ku_trigger_any(sole))
		return NULL;
	return sole;
}

/* Whoever is resident is not any more; events go to all that record. */
static void ku_share(void)
{
	if (ku_shared)
		return;
	ku_on_all_cpus(ku_share_here, ku_share_cpu, ku_resident);
	WRITE_ONCE(ku_resident, NULL);
	ku_shared = true;
}

static void ku_arrange(void)
{
	struct ku_session *sole = ku_sole();

	if (!sole) {
		if (ku_sessions_recording())
			ku_share();
		return;
	}
	if (ku_resident == &sole->ring)
		return;
	/* Nobody is: who was has stopped, or went when the second began. */
	WARN_ON_ONCE(ku_resident);
	WRITE_ONCE(ku_clock_shift, sole->ring.shift);
	WRITE_ONCE(ku_resident, &sole->ring);
	ku_on_all_cpus(ku_own_here, ku_own_cpu, &sole->ring);
	ku_shared = false;
}

/* ---- which hooks ---- */

static u32 ku_wanted_categories(void)
{
	u32 categories = 0;
	int i;

	for (i = 0; i < KUTRACE_SESSIONS; i++) {
		struct ku_session *session = ku_recording[i];
		u64 kinds;

		if (!session)
			continue;
		kinds = session->kinds | ku_trigger_kinds(session);
		if (session->ring.filtered)
			kinds |= 1ULL << KUTRACE_KIND_USERPID | 1ULL << KUTRACE_KIND_RUNNABLE;
		categories |= ku_categories_of_kinds(kinds);
	}
	return categories & ku_hooks->categories();
}

static int ku_attach(u32 categories)
{
	int err;

	if (categories == ku_attached)
		return 0;
	/* Of calls that were under way when it was last recorded. */
	if (categories & ~ku_attached & KUTRACE_MASK_SYSCALL)
		ku_numberless_reset();
	err = ku_hooks->attach(categories);
	if (!err)
		ku_attached = categories;
	return err;
}

/* All that somebody counts, on every CPU. */
static int ku_count_what_is_wanted(void)
{
	u64 flags = 0;
	int i;

	for (i = 0; i < KUTRACE_SESSIONS; i++)
		if (ku_recording[i])
			flags |= ku_recording[i]->flags & KU_RESET_COUNTED;
	return ku_counters_want(flags);
}

static void ku_nothing(void *unused)
{
}

void ku_synchronize(void)
{
	ku_hooks->synchronize();
	/*
	 * Probes and marks run with preemption off, which not every hook's own grace
	 * period waits for.
	 */
	synchronize_rcu();
	/* No CPU is on its way while this is held, and one that is there answers. */
	cpus_read_lock();
	on_each_cpu(ku_nothing, NULL, 1);
	cpus_read_unlock();
}

/* ---- merging ---- */

/* Whether the session's recording has all context switches, once the hooks are there. */
static bool ku_may_merge(const struct ku_session *session)
{
	return session->kinds >> KUTRACE_KIND_USERPID & 1 &&
	       ku_hooks->categories() & KUTRACE_MASK_SCHED;
}

/* Before hooks go. Events that are under way see the kinds, which say the same. */
static void ku_end_merging(void)
{
	int i;

	for (i = 0; i < KUTRACE_SESSIONS; i++)
		if (ku_recording[i] && !ku_may_merge(ku_recording[i]))
			WRITE_ONCE(ku_recording[i]->ring.merge, false);
}

/*
 * When hooks have come. Behind a call that was recorded before, there may have been a
 * switch that was not: its return is that of another task. So not before what was
 * recorded by then is too long ago to be merged with.
 */
static void ku_begin_merging(void)
{
	u64 ns = 0;
	int i;

	for (i = 0; i < KUTRACE_SESSIONS; i++) {
		const struct ku_session *session = ku_recording[i];

		if (session && ku_may_merge(session) && !session->ring.merge &&
		    session->ring.active)
			ns = max(ns, ku_counts_to_ns(KUTRACE_DELTA_MAX + 2,
						     session->ring.shift));
	}
	if (ns) {
		ku_synchronize();
		fsleep((unsigned long)DIV_ROUND_UP_ULL(ns, NSEC_PER_USEC));
	}
	for (i = 0; i < KUTRACE_SESSIONS; i++)
		if (ku_recording[i] && ku_may_merge(ku_recording[i]))
			WRITE_ONCE(ku_recording[i]->ring.merge, true);
}

/* ---- all of it ---- */

/* Under the lock, after any change: first more hooks, then the way, then fewer. */
int ku_sessions_update(void)
{
	u32 wanted = ku_wanted_categories();
	int err;

	lockdep_assert_held(&ku_session_lock);
	ku_end_merging();
	if (!ku_sole())
		ku_arrange();
	err = ku_attach(ku_attached | wanted);
	if (!err)
		err = ku_trigger_attach();
	if (!err)
		ku_begin_merging();
	/* The fast path merges always. */
	if (!err && ku_sole())
		ku_arrange();
	if (!err)
		err = ku_attach(wanted);
	ku_sessions_tell();
	return err;
}

static void ku_record(struct ku_session *session, bool on)
{
	u32 bit = 1U << session->id;

	WRITE_ONCE(ku_recording[session->id], on ? session : NULL);
	WRITE_ONCE(ku_recording_set, on ? ku_recording_set | bit : ku_recording_set & ~bit);
}

/* It is closed and not active any more. On return nobody writes to it. */
void ku_sessions_stop(struct ku_session *session)
{
	/* While it is resident its CPUs' states have to come home. */
	if (ku_resident == &session->ring)
		ku_share();
	ku_record(session, false);
	ku_sessions_update();
	ku_synchronize();
	ku_count_what_is_wanted();
}

int ku_sessions_start(struct ku_session *session)
{
	int err;

	ku_record(session, true);
	err = ku_count_what_is_wanted();
	if (!err)
		err = ku_sessions_update();
	if (err)
		ku_sessions_stop(session);
	return err;
}

/* Under the lock: marks look at the first word that they map, whosever it is. */
void ku_sessions_tell(void)
{
	u32 active = 0, i;
	bool points = false;

	for (i = 0; i < KUTRACE_SESSIONS; i++) {
		struct ku_session *session = ku_recording[i];

		if (!session || !session->ring.active)
			continue;
		active = 1;
		points |= session->kinds >> KUTRACE_KIND_TPOINT & 1;
	}
	for (i = 0; i < KUTRACE_SESSIONS; i++)
		if (ku_sessions[i])
			WRITE_ONCE(ku_sessions[i]->meta->active, active);
	ku_point_changed(points);
}

bool ku_sessions_recording(void)
{
	return READ_ONCE(ku_recording_set);
}

void ku_sessions_name(u16 base, u32 number, const char *name, size_t len)
{
	int i;

	for (i = 0; i < KUTRACE_SESSIONS; i++) {
		struct ku_session *session = READ_ONCE(ku_recording[i]);

		/* Also before it is active: who is named while hooks are on stays so. */
		if (session && (base != KUTRACE_NAME_PID ||
				READ_ONCE(session->kinds) >> KUTRACE_KIND_NAME & 1))
			ku_aux_add(&session->aux, base, number, name, len, 0);
	}
}

void ku_sessions_emit(const u64 *words, u32 nwords)
{
	/* What is behind is anything, and must not be taken for a call. */
	ku_emit_words(words, nwords, nwords + (nwords > 1), 0);
}

void ku_sessions_rate_lost(u32 kind)
{
	int i;

	for (i = 0; i < KUTRACE_SESSIONS; i++) {
		struct ku_session *session = READ_ONCE(ku_recording[i]);

		if (session) {
			this_cpu_inc(session->ring.cpu->lost[KUTRACE_LOST_RATE]);
			this_cpu_inc(session->ring.cpu->lost_kinds[kind]);
		}
	}
}

/* ---- the table ---- */

bool ku_sessions_ready(void)
{
	/* Pairs with the release in ku_sessions_init(). */
	return smp_load_acquire(&ku_ready);
}

struct ku_session *ku_session_main(void)
{
	return ku_sessions[0];
}

static void ku_session_filled(struct irq_work *work)
{
	struct ku_session *session = container_of(work, struct ku_session, filled);

	wake_up_interruptible(&session->wait);
}

/* The scheduler may hold its locks here, so the waking is put off. */
static void __kprobes ku_ring_filled(struct ku_ring *ring)
{
	struct ku_session *session = container_of(ring, struct ku_session, ring);

	/*
	 * No barrier: a poller that is missed now sees the next block, or the
	 * end of recording.
	 */
	if (waitqueue_active(&session->wait))
		irq_work_queue(&session->filled);
}

static void ku_session_free(struct kref *ref)
{
	struct ku_session *session = container_of(ref, struct ku_session, ref);

	irq_work_sync(&session->filled);
	ku_trigger_free(session);
	ku_names_stop(session);
	kfree(session->filter);
	ku_call_forget(session);
	ku_pool_free(session);
	kfree(session);
}

struct ku_session *ku_session_get(struct ku_session *session)
{
	kref_get(&session->ref);
	return session;
}

void ku_session_put(struct ku_session *session)
{
	kref_put(&session->ref, ku_session_free);
}

/* Or ERR_PTR, as of ku_pool_alloc(). */
static struct ku_session *ku_session_new(unsigned int mb)
{
	struct ku_session *session = kzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);
	int err;

	if (!session)
		return ERR_PTR(-ENOMEM);
	kref_init(&session->ref);
	init_waitqueue_head(&session->wait);
	init_irq_work(&session->filled, ku_session_filled);
	ku_names_init(session);
	session->ring.filled = ku_ring_filled;
	session->ring.shift = ku_finest_shift();
	ku_session_count_reset(session);
	session->kinds = KUTRACE_KINDS_ALL;
	session->owner = current_euid();
	session->owner_pid = task_tgid_nr(current);
	get_task_comm(session->owner_comm, current);
	err = ku_pool_alloc(session, mb);
	if (err) {
		kfree(session);
		return ERR_PTR(err);
	}
	return session;
}

struct ku_session *ku_session_find(const char *name)
{
	struct ku_session *found = NULL;
	int i;

	mutex_lock(&ku_table_lock);
	for (i = 0; i < KUTRACE_SESSIONS && !found; i++)
		if (ku_sessions[i] && !strcmp(ku_sessions[i]->name, name))
			found = ku_session_get(ku_sessions[i]);
	mutex_unlock(&ku_table_lock);
	return found;
}

struct ku_session *ku_session_next(u32 id)
{
	struct ku_session *found = NULL;

	mutex_lock(&ku_table_lock);
	for (; id < KUTRACE_SESSIONS && !found; id++)
		if (ku_sessions[id])
			found = ku_session_get(ku_sessions[id]);
	mutex_unlock(&ku_table_lock);
	return found;
}

u64 ku_sessions_first_reset(void)
{
	u64 first = U64_MAX;
	int i;

	mutex_lock(&ku_table_lock);
	for (i = 0; i < KUTRACE_SESSIONS; i++) {
		struct ku_session *session = ku_sessions[i];

		if (session && (ku_session_is_on(session) || ku_session_used_blocks(session)))
			first = min(first, READ_ONCE(session->reset));
	}
	mutex_unlock(&ku_table_lock);
	return first;
}

/* A-Z a-z 0-9 . _ - and an end. */
static bool ku_name_valid(const char *name, size_t size)
{
	size_t len = strnlen(name, size), i;

	if (len == size)
		return false;
	for (i = 0; i < len; i++)
		if (!isalnum(name[i]) && !strchr("._-", name[i]))
			return false;
	return true;
}

/* Into the table; 0, -EEXIST, -ENOSPC. */
static int ku_session_enter(struct ku_session *session)
{
	int i, free = -1;

	for (i = KUTRACE_SESSIONS - 1; i >= 0; i--) {
		if (!ku_sessions[i])
			free = i;
		else if (!strcmp(ku_sessions[i]->name, session->name))
			return -EEXIST;
	}
	if (free < 0)
		return -ENOSPC;
	session->id = (u32)free;
	if (!session->name[0])
		scnprintf(session->name, sizeof(session->name), "session-%d", free);
	ku_sessions[free] = ku_session_get(session);
	return 0;
}

struct ku_session *ku_session_create(const struct kutrace_session *wanted)
{
	struct ku_session *session;
	unsigned int mb = wanted->mb ?:
		ku_session_main()->ring.nblocks / (SZ_1M / KUTRACE_BLOCK_BYTES);
	int err;

	if (!ku_name_valid(wanted->name, sizeof(wanted->name)) || mb > 65536 ||
	    wanted->flags & ~(u32)KUTRACE_SESSION_KEEP)
		return ERR_PTR(-EINVAL);
	session = ku_session_new(mb);
	if (IS_ERR(session))
		return session;
	strscpy(session->name, wanted->name, sizeof(session->name));
	session->keep = wanted->flags & KUTRACE_SESSION_KEEP;
	if (wanted->kinds)
		session->kinds = (wanted->kinds & KUTRACE_KINDS_ALL) | KUTRACE_KINDS_FIXED;
	mutex_lock(&ku_session_lock);
	mutex_lock(&ku_table_lock);
	err = ku_sessions_ready() ? ku_session_enter(session) : -ENODEV;
	mutex_unlock(&ku_table_lock);
	if (!err)
		ku_sessions_tell();
	mutex_unlock(&ku_session_lock);
	if (!err)
		return session;
	ku_session_put(session);
	return ERR_PTR(err);
}

int ku_session_destroy(struct ku_session *session)
{
	int err = 0;

	if (session == ku_session_main())
		return -EPERM;
	mutex_lock(&ku_session_lock);
	if (session->dead) {
		err = -ENOENT;
		goto out;
	}
	ku_session_off_locked(session);
	session->dead = true;
	mutex_lock(&ku_table_lock);
	ku_sessions[session->id] = NULL;
	mutex_unlock(&ku_table_lock);
	wake_up_interruptible(&session->wait);
out:
	mutex_unlock(&ku_session_lock);
	if (!err)
		ku_session_put(session);
	return err;
}

void ku_session_describe(struct ku_session *session, struct kutrace_session *what)
{
	mutex_lock(&ku_session_lock);
	memset(what, 0, sizeof(*what));
	what->length = sizeof(*what);
	what->id = session->id;
	strscpy(what->name, session->name, sizeof(what->name));
	what->mb = session->ring.nblocks / (SZ_1M / KUTRACE_BLOCK_BYTES);
	what->flags = session->keep ? KUTRACE_SESSION_KEEP : 0;
	what->kinds = session->kinds;
	what->owner_uid = from_kuid_munged(current_user_ns(), session->owner);
	what->owner_pid = (u32)session->owner_pid;
	memcpy(what->owner_comm, session->owner_comm, sizeof(what->owner_comm));
	what->recording = session->on;
	what->wrap = session->ring.wrap;
	what->nblocks = session->ring.nblocks;
	what->used_blocks = (u32)ku_session_used_blocks(session);
	mutex_unlock(&ku_session_lock);
}

/* ---- init, exit ---- */

/* The back end by that name, or the best the kernel has; NULL if it has it not. */
static const struct ku_hooks *ku_find_hooks(const char *backend)
{
	bool any = !backend || !backend[0];

#if KU_HAVE_HOOKS
	if (any || !strcmp(backend, "patched"))
		return &ku_hooks_static;
#endif
	if (any || !strcmp(backend, "tracepoints"))
		return &ku_hooks_tp;
	pr_err("kutrace: backend=%s: this kernel has %stracepoints\n", backend,
	       KU_HAVE_HOOKS ? "patched and " : "");
	return NULL;
}

static int ku_sessions_memory(unsigned int mb)
{
	struct ku_session *session;
	int cpu;

	/* With a word behind: a closed CPU's index is that of the end. */
	ku_closed_block = vzalloc(KUTRACE_BLOCK_BYTES + sizeof(u64));
	if (!ku_closed_block)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		ku_ring_init_cpu(per_cpu_ptr(&ku_cpu, cpu));
	session = ku_session_new(mb);
	if (IS_ERR(session)) {
		vfree(ku_closed_block);
		return PTR_ERR(session);
	}
	ku_sessions[0] = session;
	strscpy(ku_sessions[0]->name, KUTRACE_SESSION_MAIN, sizeof(ku_sessions[0]->name));
	ku_sessions[0]->keep = true;
	return 0;
}

/**
 * ku_sessions_init() - find hooks, allocate the main session and measure
 * @mb: size of its pool in MiB
 * @backend: "patched", "tracepoints", or NULL or "" for what is best here
 *
 * Returns 0 or -errno, with the reason in the log.
 */
int ku_sessions_init(unsigned int mb, const char *backend)
{
	int err;

	ku_kinds_init();
	ku_hooks = ku_find_hooks(backend);
	if (!ku_hooks)
		return -EOPNOTSUPP;
	err = ku_session_clock_init();
	if (err)
		return err;
	err = ku_hooks->init();
	if (err)
		return err;
	err = ku_sessions_memory(mb);
	if (err) {
		ku_hooks->exit();
		return err;
	}
	ku_trigger_init();
	ku_session_measure(ku_sessions[0]);
	/* Whoever sees it ready sees all of the above. */
	smp_store_release(&ku_ready, true);
	return 0;
}

/*
 * Files are closed by now. The control system call may still come: it must not turn
 * recording on again.
 */
void ku_sessions_exit(void)
{
	struct ku_session *session;
	u32 id;

	WRITE_ONCE(ku_ready, false);
	for (id = KUTRACE_SESSIONS - 1; id > 0; id--) {
		session = ku_sessions[id];
		if (session)
			ku_session_destroy(session);
	}
	ku_session_off(ku_sessions[0]);
	ku_trigger_exit();
	ku_hooks->exit();
	ku_session_put(ku_sessions[0]);
	ku_sessions[0] = NULL;
	vfree(ku_closed_block);
}
