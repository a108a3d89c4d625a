// SPDX-License-Identifier: GPL-2.0-only
/*
 * Controls one session: reset, on, off, kinds, filter, triggers.
 *
 * Hooks are attached before the first recorded event and detached after the last one. While they
 * are attached, ring.active decides whether to record. Locking: ku_session_lock serialises all
 * changes; the emit path takes no lock. Work that grows with a session's memory is done outside
 * ku_session_lock, under the session's content_lock.
 */
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/idr.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "core/clock.h"
#include "core/emit.h"
#include "names/table.h"
#include "record/all.h"
#include "record/internal.h"
#include "record/record.h"
#include "session/backend.h"
#include "session/counters.h"
#include "session/filter.h"
#include "session/pool.h"
#include "session/triggers.h"
#include "uapi/kutrace_priority.h"

/* Number of tasks that are named before cond_resched(). */
#define KU_NAME_BATCH 64

/* ---- blocks and names ---- */

static void ku_close_here(void *arg)
{
	struct ku_session *session = arg;
	unsigned long flags;

	local_irq_save(flags);
	ku_ring_close_cpu(&session->ring, ku_session_cpu(session, raw_smp_processor_id()));
	local_irq_restore(flags);
}

void ku_session_close_blocks(struct ku_session *session)
{
	int cpu;

	cpus_read_lock();
	on_each_cpu(ku_close_here, session, 1);
	for_each_possible_cpu(cpu)
		if (!cpu_online(cpu))
			ku_ring_close_cpu(&session->ring, ku_session_cpu(session, cpu));
	cpus_read_unlock();
}

/*
 * The task may get another priority meanwhile. If that is the usual one, the hook adds nothing,
 * because the old priority is not in the table yet. So reads the priority again afterwards.
 */
static void ku_name_priority(struct ku_session *session, struct task_struct *task, u64 counts)
{
	char text[KU_PRIORITY_MAX];
	size_t len = ku_task_priority(task, text);

	ku_aux_add_priority(ku_session_aux(session), (u32)task->pid, text, len, counts);
	preempt_disable();
	if (!ku_task_has_priority(task, text, len))
		ku_sessions_priority(task);
	preempt_enable();
}

static void ku_name_task(struct ku_session *session, struct task_struct *task, u64 counts)
{
	char comm[TASK_COMM_LEN];
	struct ku_identity identity;

	get_task_comm(comm, task);
	ku_aux_add_task(ku_session_aux(session), (u32)task->pid, comm, ku_task_kind(task), false,
			counts);
	if (ku_hooks->priorities && ku_hooks->priorities())
		ku_name_priority(session, task, counts);
	ku_identify(&identity, task, KUTRACE_TASK_PRESENT);
	ku_aux_add_identity(ku_session_aux(session), (u32)task->pid, &identity, counts);
}

/*
 * Names up to KU_NAME_BATCH tasks in the order of their pids, beginning at *pid, and sets *pid to
 * the pid after the last one. Returns true if more tasks follow.
 */
static bool ku_name_some(struct ku_session *session, int *pid, u64 counts)
{
	struct task_struct *task;
	struct pid *found = NULL;
	int i;

	rcu_read_lock();
	for (i = 0; i < KU_NAME_BATCH; i++) {
		found = idr_get_next(&init_pid_ns.idr, pid);
		if (!found)
			break;
		(*pid)++;
		task = pid_task(found, PIDTYPE_PID);
		if (task)
			ku_name_task(session, task, counts);
	}
	rcu_read_unlock();
	return found;
}

/*
 * Names all tasks. @counts is a time before the hooks were attached, so a name that a hook has
 * added since is newer.
 *
 * Drops ku_session_lock while naming, because users choose the number of tasks. The caller also
 * holds content_lock, so the session may be turned off meanwhile, but not on, and is not reset.
 */
static void ku_name_all(struct ku_session *session, u64 counts)
{
	int pid = 1;

	lockdep_assert_held(&session->content_lock);
	ku_aux_add(ku_session_aux(session), KUTRACE_NAME_PID, 0, "-idle-", 6, counts);
	if (ku_hooks->priorities && ku_hooks->priorities())
		ku_aux_add_priority(ku_session_aux(session), 0, KUTRACE_PRIORITY_USUAL,
				    sizeof(KUTRACE_PRIORITY_USUAL) - 1, counts);
	ku_filter_name(session, counts);
	mutex_unlock(&ku_session_lock);
	while (ku_name_some(session, &pid, counts))
		cond_resched();
	mutex_lock(&ku_session_lock);
	ku_notify_name_all(ku_session_aux(session), counts);
}

/* Saves the facts of the first event: the clock pair, and the task that starts the recording. */
static void ku_session_begin(struct ku_session *session)
{
	struct kutrace_pair start;

	if (session->start.counts)
		return;
	session->restarts = ku_clock_restarts();
	ku_read_pair(&start, session->ring.shift);
	ku_clock_mark(&session->begun);
	session->start.real_ns = start.real_ns;
	session->whole_until = start.counts;
	/* Pairs with ku_cpu_recording(): ku_session_ended() then refers to this recording. */
	smp_store_release(&session->start.counts, start.counts);
	session->start_pid = current->pid;
	ku_task_comm(session->start_comm);
	session->start_cpu = raw_smp_processor_id();
}

/* ---- reset ---- */

/* Returns 0 if a reset with these flags is possible, or -errno. Changes nothing. */
static int ku_session_prepare(struct ku_session *session, u64 flags)
{
	if (flags & ~KU_RESET_FLAGS)
		return -EINVAL;
	if (flags & KUTRACE_RESET_PERCPU && !(flags & KUTRACE_RESET_WRAP))
		return -EINVAL;
	if (session->on)
		return -EBUSY;
	return flags & KU_RESET_COUNTED ? ku_counters_probe(flags) : 0;
}

/* Allocates memory for counter bits without ku_session_lock, for which all callers wait. */
static int ku_session_memory(struct ku_session *session, u64 flags)
{
	int err;

	mutex_lock(&ku_session_lock);
	err = ku_session_prepare(session, flags);
	mutex_unlock(&ku_session_lock);
	return err ?: ku_pool_alloc_bytes(session);
}

/* Selects the counter bits that the ring records from now on. All stored bits are zero. */
static void ku_session_set_bytes(struct ku_session *session, u64 flags)
{
	struct ku_ring *ring = &session->ring;

	ring->bytes = flags & KU_RESET_COUNTED ? session->bytes : NULL;
	ring->bytes_flags = (flags & KUTRACE_RESET_IPC ? KUTRACE_FLAG_IPC : 0) |
			    (flags & KUTRACE_RESET_LLC ? KUTRACE_FLAG_LLC : 0);
}

int ku_session_reset(struct ku_session *session, u64 flags, unsigned int clock_shift)
{
	int cpu, err, nshares = 0;

	err = flags & KU_RESET_COUNTED ? ku_session_memory(session, flags) : 0;
	if (err)
		return err;
	mutex_lock(&session->content_lock);
	mutex_lock(&ku_session_lock);
	/* Check again: ku_session_lock was not held, so the session may be on by now. */
	err = ku_session_prepare(session, flags);
	if (!err && flags & KUTRACE_RESET_PERCPU) {
		nshares = ku_pool_share(session);
		err = min(nshares, 0);
	}
	if (!err) {
		/* Clear before the names are emptied: a trigger that has fired may add its name. */
		ku_trigger_clear(session);
		ku_session_count_reset(session);
	}
	mutex_unlock(&ku_session_lock);
	if (err)
		goto out;
	ku_anchor_new_bytes(session);
	/*
	 * Also clears the array of counter bits, if the previous recording had one. Recording
	 * cannot begin meanwhile: content_lock is held.
	 */
	ku_ring_reset(&session->ring, flags & KUTRACE_RESET_WRAP);
	if (nshares)
		ku_ring_split(&session->ring, nshares);
	mutex_lock(&ku_session_lock);
	ku_session_set_bytes(session, flags);
	for_each_possible_cpu(cpu)
		ku_ring_init_cpu(per_cpu_ptr(session->ring.cpu, cpu));
	ku_aux_reset(ku_session_aux(session), clock_shift ?: ku_finest_shift());
	session->missed_before = ku_hooks->missed();
	session->changes++;
	session->flags = flags;
	session->ever_on = false;
	session->inserted = false;
	session->whole_until = 0;
	memset(&session->start, 0, sizeof(session->start));
	memset(&session->stop, 0, sizeof(session->stop));
	session->clock_bad = false;
	session->start_cpu = 0;
	session->start_pid = 0;
	memset(session->start_comm, 0, sizeof(session->start_comm));
	/* Every CPU is closed, so no time is compared with a time of another shift. */
	session->ring.shift = clock_shift ?: ku_finest_shift();
	ku_session_anchor(session);
	mutex_unlock(&ku_session_lock);
out:
	mutex_unlock(&session->content_lock);
	return err;
}

/* ---- on, off ---- */

/*
 * Adds a fact to the name table: the recording is incomplete from @session->whole_until until now.
 * Must be called before the next event is recorded, so that readers of a stream get the fact first.
 * Interrupts off, so that recording continues without delay.
 */
static void ku_note_pause(struct ku_session *session)
{
	u64 on = ku_clock_by(session->ring.shift);
	char text[KUTRACE_NAME_MAX_BYTES];
	int len = scnprintf(text, sizeof(text), KUTRACE_META_PAUSE "%llu:%llu",
			    session->whole_until, on);

	ku_aux_add(ku_session_aux(session), KUTRACE_NAME_META, 0, text, len, on);
}

int ku_session_on(struct ku_session *session)
{
	unsigned long flags;
	int err = 0;
	bool again;
	u64 before;

	mutex_lock(&session->content_lock);
	if (!session->ever_on)
		ku_aux_keep(ku_session_aux(session));
	mutex_lock(&ku_session_lock);
	if (!ku_sessions_ready() || session->dead) {
		err = -ENODEV;
		goto out;
	}
	if (session->on)
		goto out;
	if (!ku_clock_usable()) {
		err = -ETIME;
		goto out;
	}
	if (ku_session_is_stale(session)) {
		err = -ESTALE;
		goto out;
	}
	/* After a pause, each CPU takes a new block, whose header names the running task. */
	if (session->inserted)
		ku_session_close_blocks(session);
	session->inserted = false;
	before = ku_clock_by(session->ring.shift);
	session->on = true;
	ku_session_set_ended(session, false);
	ku_hooks->name_again();
	ku_trigger_start(session);
	/* Attach hooks first: a name that a hook adds during ku_name_all() is the newer one. */
	err = ku_sessions_start(session);
	if (err) {
		session->on = false;
		ku_session_set_ended(session, true);
		goto out;
	}
	/* Name the tasks each time, because tasks come and go while recording is off. */
	session->starting = true;
	ku_name_all(session, before);
	session->starting = false;
	/* Another caller turned the session off meanwhile. */
	if (!session->on)
		goto out;
	again = session->start.counts;
	ku_session_begin(session);
	session->ever_on = true;
	session->changes++;
	ku_session_anchor(session);
	local_irq_save(flags);
	if (again)
		ku_note_pause(session);
	WRITE_ONCE(session->ring.active, 1);
	local_irq_restore(flags);
	ku_sessions_notify();
out:
	mutex_unlock(&ku_session_lock);
	mutex_unlock(&session->content_lock);
	return err;
}

void ku_session_off_locked(struct ku_session *session)
{
	lockdep_assert_held(&ku_session_lock);
	if (!session->on)
		return;
	/* The CPUs stop one after the other, and all of them after this time. */
	if (!session->starting)
		session->whole_until = ku_clock_by(session->ring.shift);
	WRITE_ONCE(session->ring.active, 0);
	ku_session_close_blocks(session);
	/* While the session is starting, nothing was recorded since the previous stop time. */
	if (!session->starting)
		ku_session_read_stop(session, &session->stop);
	ku_session_check_clock(session);
	session->on = false;
	/* Also waits for probes that were interrupted before their store. */
	ku_sessions_stop(session);
	ku_session_set_ended(session, true);
	session->bound = NULL;
	ku_session_anchor(session);
	ku_sessions_notify();
	wake_up_interruptible(&session->wait);
}

void ku_session_off(struct ku_session *session)
{
	mutex_lock(&ku_session_lock);
	ku_session_off_locked(session);
	mutex_unlock(&ku_session_lock);
}

int ku_session_bind(struct ku_session *session, const void *file, bool on)
{
	int err = 0;

	mutex_lock(&ku_session_lock);
	if (session->dead)
		err = -ENODEV;
	else if (on && session->bound && session->bound != file)
		err = -EBUSY;
	else if (on)
		session->bound = file;
	else if (session->bound == file)
		session->bound = NULL;
	mutex_unlock(&ku_session_lock);
	return err;
}

void ku_session_unbind(struct ku_session *session, const void *file)
{
	mutex_lock(&ku_session_lock);
	if (session->bound == file) {
		ku_session_off_locked(session);
		session->bound = NULL;
	}
	mutex_unlock(&ku_session_lock);
}

/* ---- what it records ---- */

int ku_session_set_kinds(struct ku_session *session, u64 value, u64 mask)
{
	u64 old, before;
	int err;

	mutex_lock(&session->content_lock);
	mutex_lock(&ku_session_lock);
	old = session->kinds;
	before = ku_clock_by(session->ring.shift);
	WRITE_ONCE(session->kinds, ((old & ~mask) | (value & mask) | KUTRACE_KINDS_FIXED) &
				   KUTRACE_KINDS_ALL);
	err = ku_sessions_update();
	if (err) {
		WRITE_ONCE(session->kinds, old);
		ku_sessions_update();
	} else if (session->on && ~old & session->kinds & 1ULL << KUTRACE_KIND_NAME) {
		/* Tasks came and went while no hook named them. */
		ku_name_all(session, before);
	}
	ku_session_anchor(session);
	mutex_unlock(&ku_session_lock);
	mutex_unlock(&session->content_lock);
	return err;
}

int ku_session_set_filter(struct ku_session *session, const struct kutrace_filter *wanted)
{
	struct ku_filter *filter = ku_filter_new(wanted), *old;
	int err;

	if (IS_ERR(filter))
		return PTR_ERR(filter);
	mutex_lock(&ku_session_lock);
	/* The old filter decided which slots are open. */
	ku_slot_leave(session);
	old = ku_filter_replace(session, filter);
	if (session->on)
		ku_filter_name(session, ku_clock_by(session->ring.shift));
	err = ku_sessions_update();
	if (err) {
		/* Restore the old filter. The new one is then the old one, which is freed. */
		ku_slot_leave(session);
		old = ku_filter_replace(session, old);
		ku_sessions_update();
	}
	ku_session_anchor(session);
	mutex_unlock(&ku_session_lock);
	if (old) {
		ku_synchronize();
		kfree(old);
	}
	return err;
}

int ku_session_add_trigger(struct ku_session *session, struct kutrace_trigger *wanted)
{
	struct ku_watch *fresh = NULL;
	int err = ku_trigger_valid(wanted);

	if (err)
		return err;
	/* The memory is large, so allocate it before the lock for which all callers wait. */
	if (wanted->kind != KUTRACE_TRIGGER_NONE && !READ_ONCE(session->watch))
		fresh = ku_watch_new(session);
	mutex_lock(&ku_session_lock);
	if (wanted->kind == KUTRACE_TRIGGER_NONE)
		ku_trigger_clear(session);
	else
		err = ku_trigger_append(session, wanted, &fresh);
	if (!err) {
		err = ku_sessions_update();
		if (err && wanted->kind != KUTRACE_TRIGGER_NONE) {
			ku_trigger_remove_last(session);
			ku_sessions_update();
		}
	}
	mutex_unlock(&ku_session_lock);
	ku_watch_free(fresh);
	return err;
}

/* ---- inserting ---- */

/*
 * If recording is on, the event is recorded like other marks. Otherwise it goes into a block of
 * this CPU, which ku_session_on() closes before recording continues.
 */
void ku_session_insert(struct ku_session *session, u64 entry)
{
	unsigned long flags;

	mutex_lock(&session->content_lock);
	mutex_lock(&ku_session_lock);
	session->changes++;
	local_irq_save(flags);
	if (session->on) {
		ku_cpu_write(hook.task, current);
		ku_emit_ordered(entry);
	} else {
		ku_session_begin(session);
		session->inserted = true;
		ku_ring_put(&session->ring, this_cpu_ptr(session->ring.cpu), &entry, 1, 1, 0);
	}
	local_irq_restore(flags);
	mutex_unlock(&ku_session_lock);
	mutex_unlock(&session->content_lock);
}

void ku_session_insert_name(struct ku_session *session, u16 base, u32 number,
			    const char *name, size_t len)
{
	mutex_lock(&session->content_lock);
	session->changes++;
	ku_aux_add(ku_session_aux(session), base, number, name, len, 0);
	mutex_unlock(&session->content_lock);
}
