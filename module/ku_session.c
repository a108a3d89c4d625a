// SPDX-License-Identifier: GPL-2.0-only
/*
 * One session's recording: reset, on, off, clock pairs, names of the tasks alive at
 * start, what is known about it.
 *
 * Hooks are attached before the first event counts and detached after the last:
 * in between ring.active decides. Locking: ku_session_lock serialises all changes;
 * the emit path takes no lock.
 */
#include <linux/bitops.h>
#include <linux/cpu.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/timekeeping.h>

#include "ku_compat.h"
#include "ku_counters.h"
#include "ku_emit.h"
#include "ku_filter.h"
#include "ku_hooks.h"
#include "ku_kinds.h"
#include "ku_point.h"
#include "ku_session.h"
#include "ku_time.h"
#include "ku_trigger.h"

unsigned int ku_clock_shift __read_mostly;
/* All changes of all sessions: they are rare, and all of them concern the hooks. */
DEFINE_MUTEX(ku_session_lock);

static atomic64_t ku_resets;
static u64 ku_khz;
static unsigned int ku_finest;
static u64 ku_emit_ps;

/* ---- clock ---- */

u64 __kprobes ku_ns_to_counts(u64 ns, u32 shift)
{
	return ku_scale_ns(ns, ku_khz, shift);
}

u64 __kprobes ku_counts_to_ns(u64 counts, u32 shift)
{
	return ku_scale_counts(counts, ku_khz, shift);
}

u32 ku_finest_shift(void)
{
	return ku_finest;
}

/* The smallest shift with at least 10 ns a count. */
int ku_session_clock_init(void)
{
	ku_khz = ku_arch_clock_khz();
	if (!ku_khz || !ku_arch_clock_synchronous()) {
		pr_err("kutrace: no time counter that all CPUs share (the kernel calls the TSC unstable; tsc=reliable on the command line overrules it)\n");
		return -ENODEV;
	}
	ku_finest = 0;
	while ((10 * ku_khz) >> ku_finest > 1000000)
		ku_finest++;
	ku_clock_shift = ku_finest;
	return 0;
}

/*
 * Both clocks at one instant: the tightest of a few tries, and the middle of
 * it. Error: half the time of reading the wall clock.
 */
static void ku_read_pair(struct kutrace_pair *pair, u32 shift)
{
	u64 best = ~0ULL;
	int tries;

	for (tries = 0; tries < 8; tries++) {
		unsigned long flags;
		u64 before, after, ns;

		local_irq_save(flags);
		before = ku_clock_by(shift);
		ns = ktime_get_real_ns();
		after = ku_clock_by(shift);
		local_irq_restore(flags);
		if (after - before >= best)
			continue;
		best = after - before;
		pair->counts = before + best / 2;
		pair->real_ns = ns;
	}
}

/* ---- reset, on, off ---- */

static void ku_close_here(void *arg)
{
	struct ku_session *session = arg;
	unsigned long flags;

	local_irq_save(flags);
	ku_ring_close_cpu(&session->ring, ku_session_cpu(session, raw_smp_processor_id()));
	local_irq_restore(flags);
}

/* Every CPU closed; stores still under way end with what comes after. */
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

static void ku_name_task(struct ku_session *session, struct task_struct *task, u64 counts)
{
	char comm[TASK_COMM_LEN];

	get_task_comm(comm, task);
	ku_aux_add(&session->aux, KUTRACE_NAME_PID, task->pid, comm, strlen(comm), counts);
}

/*
 * Names of all tasks. They bear the time from before the hooks were attached,
 * so that whatever a hook has said since comes after.
 */
static void ku_name_all(struct ku_session *session, u64 counts)
{
	struct task_struct *group, *task;

	ku_aux_add(&session->aux, KUTRACE_NAME_PID, 0, "-idle-", 6, counts);
	ku_filter_name(session, counts);
	rcu_read_lock();
	for_each_process_thread(group, task)
		ku_name_task(session, task, counts);
	rcu_read_unlock();
	ku_point_name_all(&session->aux, counts);
}

/* What begins with the first event: the pair, and who is responsible. */
static void ku_session_begin(struct ku_session *session)
{
	if (session->start.counts)
		return;
	ku_read_pair(&session->start, session->ring.shift);
	session->start_pid = current->pid;
	ku_task_comm(session->start_comm);
	session->start_cpu = raw_smp_processor_id();
}

/* What is to be had for these flags of a reset, before anything is forgotten. */
static int ku_session_prepare(struct ku_session *session, u64 flags)
{
	if (flags & ~(u64)(KUTRACE_RESET_WRAP | KU_RESET_COUNTED))
		return -EOPNOTSUPP;
	if (session->on)
		return -EBUSY;
	return flags & KU_RESET_COUNTED ? ku_counters_probe(flags) : 0;
}

/* Memory for the counters' bytes, before the lock is taken that everybody waits for. */
static int ku_session_memory(struct ku_session *session, u64 flags)
{
	int err;

	mutex_lock(&ku_session_lock);
	err = ku_session_prepare(session, flags);
	mutex_unlock(&ku_session_lock);
	return err ?: ku_pool_alloc_bytes(session);
}

/* Which bytes of counters the ring has from now on, all of them zero. */
static void ku_session_set_bytes(struct ku_session *session, u64 flags)
{
	struct ku_ring *ring = &session->ring;

	ring->bytes = flags & KU_RESET_COUNTED ? session->bytes : NULL;
	ring->bytes_flags = (flags & KUTRACE_RESET_IPC ? KUTRACE_FLAG_IPC : 0) |
			    (flags & KUTRACE_RESET_LLC ? KUTRACE_FLAG_LLC : 0);
}

u64 ku_sessions_resets(void)
{
	return atomic64_read(&ku_resets);
}

void ku_session_count_reset(struct ku_session *session)
{
	WRITE_ONCE(session->reset, atomic64_fetch_inc(&ku_resets) + 1);
}

int ku_session_reset(struct ku_session *session, u64 flags, unsigned int clock_shift)
{
	int cpu, err;

	err = flags & KU_RESET_COUNTED ? ku_session_memory(session, flags) : 0;
	if (err)
		return err;
	mutex_lock(&ku_session_lock);
	/* Again: it may have been turned on meanwhile. */
	err = ku_session_prepare(session, flags);
	if (err)
		goto out;
	/* First: one that has fired has yet to add its name. */
	ku_trigger_clear(session);
	ku_session_count_reset(session);
	/* With the bytes of before, to clear them. */
	ku_ring_reset(&session->ring, flags & KUTRACE_RESET_WRAP);
	ku_session_set_bytes(session, flags);
	for_each_possible_cpu(cpu)
		ku_ring_init_cpu(per_cpu_ptr(session->ring.cpu, cpu));
	ku_aux_reset(&session->aux, clock_shift ?: ku_finest);
	session->missed_before = ku_hooks->missed();
	session->changes++;
	session->flags = flags;
	session->ever_on = false;
	memset(&session->start, 0, sizeof(session->start));
	memset(&session->stop, 0, sizeof(session->stop));
	session->start_cpu = 0;
	session->start_pid = 0;
	memset(session->start_comm, 0, sizeof(session->start_comm));
	/* Every CPU is closed, so no time is compared with one of the other shift. */
	session->ring.shift = clock_shift ?: ku_finest;
out:
	mutex_unlock(&ku_session_lock);
	return err;
}

int ku_session_on(struct ku_session *session)
{
	int err = 0;
	u64 before;

	mutex_lock(&ku_session_lock);
	if (!ku_sessions_ready() || session->dead) {
		err = -ENODEV;
		goto out;
	}
	if (session->on)
		goto out;
	if (!session->ever_on)
		ku_aux_keep(&session->aux);
	before = ku_clock_by(session->ring.shift);
	session->on = true;
	ku_irq_reset();
	ku_trigger_start(session);
	/* Hooks first: a name that comes while all are named comes after. */
	err = ku_sessions_start(session);
	if (err) {
		session->on = false;
		goto out;
	}
	/* Every time: tasks come and go while recording is off. */
	ku_name_all(session, before);
	ku_session_begin(session);
	session->ever_on = true;
	session->changes++;
	WRITE_ONCE(session->ring.active, 1);
	ku_sessions_tell();
out:
	mutex_unlock(&ku_session_lock);
	return err;
}

void ku_session_off_locked(struct ku_session *session)
{
	lockdep_assert_held(&ku_session_lock);
	if (!session->on)
		return;
	WRITE_ONCE(session->ring.active, 0);
	ku_session_close_blocks(session);
	ku_read_pair(&session->stop, session->ring.shift);
	session->on = false;
	/* Also waits for probes that were interrupted before their store. */
	ku_sessions_stop(session);
	session->attended = NULL;
	ku_sessions_tell();
	wake_up_interruptible(&session->wait);
}

void ku_session_off(struct ku_session *session)
{
	mutex_lock(&ku_session_lock);
	ku_session_off_locked(session);
	mutex_unlock(&ku_session_lock);
}

int ku_session_attend(struct ku_session *session, const void *file, bool on)
{
	int err = 0;

	mutex_lock(&ku_session_lock);
	if (session->dead)
		err = -ENODEV;
	else if (on && session->attended && session->attended != file)
		err = -EBUSY;
	else if (on)
		session->attended = file;
	else if (session->attended == file)
		session->attended = NULL;
	mutex_unlock(&ku_session_lock);
	return err;
}

void ku_session_leave(struct ku_session *session, const void *file)
{
	mutex_lock(&ku_session_lock);
	if (session->attended == file) {
		ku_session_off_locked(session);
		session->attended = NULL;
	}
	mutex_unlock(&ku_session_lock);
}

int ku_session_set_kinds(struct ku_session *session, u64 value, u64 mask)
{
	u64 old, before;
	int err;

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
		/* Tasks came and went while nobody named them. */
		ku_name_all(session, before);
	}
	mutex_unlock(&ku_session_lock);
	return err;
}

u64 ku_session_kinds(const struct ku_session *session)
{
	return READ_ONCE(session->kinds);
}

/*
 * A point although recording is off, into this CPU's block, where recording goes
 * on. While it is on it is a mark like others.
 */
void ku_session_insert(struct ku_session *session, u64 entry)
{
	unsigned long flags;

	mutex_lock(&ku_session_lock);
	session->changes++;
	local_irq_save(flags);
	if (session->on) {
		ku_cpu_write(task, current);
		ku_emit(entry);
	} else {
		ku_session_begin(session);
		ku_ring_put(&session->ring, this_cpu_ptr(session->ring.cpu), &entry, 1, 1, 0);
	}
	local_irq_restore(flags);
	mutex_unlock(&ku_session_lock);
}

void ku_session_insert_name(struct ku_session *session, u16 base, u32 number,
			    const char *name, size_t len)
{
	mutex_lock(&ku_session_lock);
	session->changes++;
	ku_aux_add(&session->aux, base, number, name, len, 0);
	mutex_unlock(&ku_session_lock);
}

/* ---- reading while it is off ---- */

int ku_session_hold(struct ku_session *session)
{
	mutex_lock(&ku_session_lock);
	if (!session->on)
		return 0;
	mutex_unlock(&ku_session_lock);
	return -EBUSY;
}

void ku_session_release(struct ku_session *session)
{
	mutex_unlock(&ku_session_lock);
}

u64 ku_session_changes(struct ku_session *session)
{
	return session->changes;
}

/* ---- what is known ---- */

bool ku_session_is_on(const struct ku_session *session)
{
	return READ_ONCE(session->ring.active);
}

u64 ku_session_used_blocks(struct ku_session *session)
{
	return min_t(u64, ku_atomic64_read(&session->ring.taken), session->ring.nblocks);
}

bool ku_session_wrapped(struct ku_session *session)
{
	return session->ring.wrap &&
	       ku_atomic64_read(&session->ring.taken) > session->ring.nblocks;
}

static void ku_info_lost(struct ku_session *session, struct kutrace_info *info)
{
	u64 names_lost;
	int cpu, cause;

	for_each_possible_cpu(cpu) {
		const struct ku_cpu *own = per_cpu_ptr(session->ring.cpu, cpu);
		const struct ku_cpu *fast = ku_session_cpu(session, cpu);

		for (cause = 0; cause < KUTRACE_LOST_CAUSES; cause++) {
			info->lost[cause] += READ_ONCE(own->lost[cause]);
			if (fast != own)
				info->lost[cause] += READ_ONCE(fast->lost[cause]);
		}
	}
	ku_aux_bounds(&session->aux, &info->aux_first, &info->aux_last, &names_lost);
	info->lost[KUTRACE_LOST_NAMES] = names_lost;
	info->lost[KUTRACE_LOST_PROBE] = ku_hooks->missed() - session->missed_before;
}

void ku_session_lost(struct ku_session *session, u64 *kinds)
{
	u64 first, last;
	int cpu;
	u32 i;

	mutex_lock(&ku_session_lock);
	for (i = 0; i < KUTRACE_KINDS; i++)
		kinds[i] = 0;
	for_each_possible_cpu(cpu) {
		const struct ku_cpu *own = per_cpu_ptr(session->ring.cpu, cpu);
		const struct ku_cpu *fast = ku_session_cpu(session, cpu);

		for (i = 0; i < KUTRACE_KINDS; i++) {
			kinds[i] += READ_ONCE(own->lost_kinds[i]);
			if (fast != own)
				kinds[i] += READ_ONCE(fast->lost_kinds[i]);
		}
	}
	ku_aux_bounds(&session->aux, &first, &last, &kinds[KUTRACE_KIND_NAME]);
	/* Nothing else takes return probes. */
	kinds[KUTRACE_KIND_CALL_TRAP] += ku_hooks->missed() - session->missed_before;
	mutex_unlock(&ku_session_lock);
}

void ku_session_info_held(struct ku_session *session, struct kutrace_info *info)
{
	memset(info, 0, sizeof(*info));
	info->length = sizeof(*info);
	info->abi_version = KUTRACE_ABI_VERSION;
	info->backend = ku_hooks->backend;
	info->recording = session->on;
	info->flags = session->flags;
	info->wrapped = ku_session_wrapped(session);
	info->nblocks = session->ring.nblocks;
	info->used_blocks = ku_session_used_blocks(session);
	info->taken_blocks = ku_atomic64_read(&session->ring.taken);
	info->categories = ku_hooks->categories() & ku_categories_of_kinds(session->kinds);
	info->caveats = ku_hooks->caveats();
	info->clock_khz = ku_khz;
	info->clock_shift = session->ring.shift;
	info->ncpus = nr_cpu_ids;
	if (session->ever_on)
		info->start = session->start;
	info->stop = session->stop;
	if (session->on)
		ku_read_pair(&info->stop, session->ring.shift);
	info->start_cpu = session->start_cpu;
	info->start_pid = session->start_pid;
	memcpy(info->start_comm, session->start_comm, sizeof(info->start_comm));
	ku_info_lost(session, info);
	info->emit_ps = ku_emit_ps;
	info->kinds = session->kinds;
	info->session = session->id;
	info->sessions = hweight32(ku_recording_set);
	info->filtered = !!session->filter;
	info->attended = !!session->attended;
	ku_trigger_info(session, info);
	strscpy(info->name, session->name, sizeof(info->name));
}

void ku_session_info(struct ku_session *session, struct kutrace_info *info)
{
	mutex_lock(&ku_session_lock);
	ku_session_info_held(session, info);
	mutex_unlock(&ku_session_lock);
}

/* ---- cost of an event, measured once at load ---- */

#define KU_MEASURE_EVENTS 4000

/*
 * Emits into a block of the pool on this CPU with interrupts off, before
 * anything is attached: what one event costs here, in picoseconds.
 */
void ku_session_measure(struct ku_session *session)
{
	struct ku_ring *ring = &session->ring;
	unsigned long flags;
	u64 start, end;
	int i, cpu;

	local_irq_save(flags);
	ku_resident = ring;
	ring->active = 1;
	ku_emit(KU_EVENT(KUTRACE_MARKD));
	start = ku_clock_by(0);
	for (i = 0; i < KU_MEASURE_EVENTS; i++)
		ku_emit(KU_EVENT(KUTRACE_MARKD) | (u32)i);
	end = ku_clock_by(0);
	ring->active = 0;
	ku_ring_close_cpu(ring, this_cpu_ptr(&ku_cpu));
	ku_resident = NULL;
	local_irq_restore(flags);
	ku_emit_ps = ku_scale(end - start, 1000000000ULL, ku_khz * KU_MEASURE_EVENTS);
	ku_ring_reset(ring, false);
	for_each_possible_cpu(cpu)
		ku_ring_init_cpu(per_cpu_ptr(&ku_cpu, cpu));
}
