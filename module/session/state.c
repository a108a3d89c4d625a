// SPDX-License-Identifier: GPL-2.0-only
/* Shared state of all sessions, and queries that are allowed at any time: see state.h. */
#include <linux/cpu.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>

#include "core/clock.h"
#include "session/backend.h"
#include "session/state.h"

/* Held while any session is changed. */
DEFINE_MUTEX(ku_session_lock);
struct ku_session *ku_recording[KUTRACE_SESSIONS];
u32 ku_recording_set;

static atomic64_t ku_resets;
static bool ku_ready;

bool ku_sessions_recording(void)
{
	return READ_ONCE(ku_recording_set);
}

bool ku_sessions_ready(void)
{
	/* Pairs with the release in ku_sessions_set_ready(). */
	return smp_load_acquire(&ku_ready);
}

void ku_sessions_set_ready(bool ready)
{
	/* Publishes the initialised state. Pairs with the acquire in ku_sessions_ready(). */
	smp_store_release(&ku_ready, ready);
}

u64 ku_sessions_resets(void)
{
	return atomic64_read(&ku_resets);
}

void ku_session_count_reset(struct ku_session *session)
{
	WRITE_ONCE(session->reset, atomic64_fetch_inc(&ku_resets) + 1);
}

bool ku_session_is_on(const struct ku_session *session)
{
	return READ_ONCE(session->ring.active);
}

bool ku_session_ended(const struct ku_session *session)
{
	/*
	 * Pairs with the release in ku_session_set_ended(): a reader that sees the end also sees
	 * the last block of every CPU complete, with its sequence number.
	 */
	return smp_load_acquire(&session->ended);
}

void ku_session_set_ended(struct ku_session *session, bool ended)
{
	/* Pairs with the acquire in ku_session_ended(). */
	smp_store_release(&session->ended, ended);
}

bool ku_session_is_stale(const struct ku_session *session)
{
	return session->start.counts && session->restarts != ku_clock_restarts();
}

u64 ku_session_kinds(const struct ku_session *session)
{
	return READ_ONCE(session->kinds);
}

u64 ku_session_used_blocks(struct ku_session *session)
{
	return ku_ring_used(&session->ring);
}

bool ku_session_wrapped(struct ku_session *session)
{
	return ku_ring_wrapped(&session->ring);
}

int ku_session_hold(struct ku_session *session)
{
	bool on;

	mutex_lock(&session->content_lock);
	mutex_lock(&ku_session_lock);
	on = session->on;
	mutex_unlock(&ku_session_lock);
	if (!on)
		return 0;
	mutex_unlock(&session->content_lock);
	return -EBUSY;
}

void ku_session_release(struct ku_session *session)
{
	mutex_unlock(&session->content_lock);
}

u64 ku_session_changes(struct ku_session *session)
{
	return session->changes;
}

const struct ku_hooks *ku_hooks;

static void ku_nothing(void *unused)
{
}

void ku_synchronize(void)
{
	ku_hooks->synchronize();
	/*
	 * Waits for code with preemption off, such as probes: the call above may not wait for it.
	 */
	synchronize_rcu();
	/* No CPU goes online or offline under this lock: all running ones are interrupted. */
	cpus_read_lock();
	on_each_cpu(ku_nothing, NULL, 1);
	cpus_read_unlock();
}
