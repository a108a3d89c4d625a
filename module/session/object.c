// SPDX-License-Identifier: GPL-2.0-only
/* Creates, references and frees sessions. This file must not begin or end a recording. */
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "core/clock.h"
#include "session/pool.h"
#include "session/sessions.h"
#include "session/triggers.h"

static void ku_session_filled(struct irq_work *work)
{
	struct ku_session *session = container_of(work, struct ku_session, filled);

	wake_up_interruptible(&session->wait);
}

/* Wakes readers later, because the scheduler's locks may be held here. */
static void __kprobes ku_ring_filled(struct ku_ring *ring)
{
	struct ku_session *session = container_of(ring, struct ku_session, ring);

	/* No barrier: a poller that is missed here is woken by the next block or at the end. */
	if (waitqueue_active(&session->wait))
		irq_work_queue(&session->filled);
}

static void ku_session_free(struct kref *ref)
{
	struct ku_session *session = container_of(ref, struct ku_session, ref);

	irq_work_sync(&session->filled);
	ku_trigger_free(session);
	ku_names_stop(&session->names);
	kfree(session->filter);
	if (session->view)
		session->view_free(session->view);
	ku_anchor_free(session);
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

struct ku_session *ku_session_new(unsigned int mb, kuid_t owner)
{
	struct ku_session *session = kzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);
	int err;

	if (!session)
		return ERR_PTR(-ENOMEM);
	kref_init(&session->ref);
	mutex_init(&session->content_lock);
	init_waitqueue_head(&session->wait);
	init_irq_work(&session->filled, ku_session_filled);
	ku_names_init(&session->names, &session->ring);
	session->ring.filled = ku_ring_filled;
	session->ring.shift = ku_finest_shift();
	ku_session_count_reset(session);
	session->kinds = KUTRACE_KINDS_ALL;
	ku_session_set_ended(session, true);
	session->owner = owner;
	session->owner_pid = task_tgid_nr(current);
	get_task_comm(session->owner_comm, current);
	err = ku_pool_alloc(session, mb);
	if (err) {
		kfree(session);
		return ERR_PTR(err);
	}
	ku_anchor_new(session);
	return session;
}
