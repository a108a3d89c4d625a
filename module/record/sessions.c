// SPDX-License-Identifier: GPL-2.0-only
/* Creates and destroys sessions, including the main one. */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "core/clock.h"
#include "core/kinds.h"
#include "record/internal.h"
#include "record/record.h"
#include "session/backend.h"
#include "session/sessions.h"
#include "session/triggers.h"

/* Returns a session whose block headers ku_dispatch_header() completes, or ERR_PTR. */
static struct ku_session *ku_sessions_new(unsigned int mb, kuid_t owner)
{
	struct ku_session *session = ku_session_new(mb, owner);

	if (!IS_ERR(session))
		session->ring.header = ku_dispatch_header;
	return session;
}

struct ku_session *ku_session_create(const struct kutrace_session *wanted, kuid_t owner)
{
	struct ku_session *session;
	unsigned int mb = wanted->mb ?:
		ku_session_main()->ring.nblocks / (SZ_1M / KUTRACE_BLOCK_BYTES);
	int err;

	if (!ku_session_name_valid(wanted->name, sizeof(wanted->name)) || mb > 65536)
		return ERR_PTR(-EINVAL);
	session = ku_sessions_new(mb, owner);
	if (IS_ERR(session))
		return session;
	strscpy(session->name, wanted->name, sizeof(session->name));
	session->keep = wanted->flags & KUTRACE_SESSION_KEEP;
	if (wanted->kinds)
		session->kinds = wanted->kinds | KUTRACE_KINDS_FIXED;
	mutex_lock(&ku_session_lock);
	err = ku_sessions_ready() ? ku_table_enter(session) : -ENODEV;
	if (!err) {
		ku_session_anchor(session);
		ku_sessions_notify();
	}
	mutex_unlock(&ku_session_lock);
	if (!err)
		return session;
	ku_session_put(session);
	return ERR_PTR(err);
}

/* Stops a session and removes it, also a kept one if @kept. Returns 0, or -ENOENT if it stays. */
static int ku_session_end(struct ku_session *session, bool kept)
{
	int err = 0;

	mutex_lock(&ku_session_lock);
	if (session->dead || (session->keep && !kept)) {
		err = -ENOENT;
		goto out;
	}
	ku_session_off_locked(session);
	session->dead = true;
	ku_table_remove(session);
	wake_up_interruptible(&session->wait);
out:
	mutex_unlock(&ku_session_lock);
	if (!err)
		ku_session_put(session);
	return err;
}

int ku_session_destroy(struct ku_session *session)
{
	return session == ku_session_main() ? -EPERM : ku_session_end(session, true);
}

void ku_session_leave(struct ku_session *session)
{
	ku_session_end(session, false);
}

int ku_session_keep(struct ku_session *session)
{
	int err = 0;

	mutex_lock(&ku_session_lock);
	if (session->dead)
		err = -ENODEV;
	else
		session->keep = true;
	mutex_unlock(&ku_session_lock);
	return err;
}

/* Creates the main session. */
static int ku_sessions_begin(unsigned int mb)
{
	struct ku_session *session;
	int err;

	/* One more word, because the index of a closed CPU is the end of the block. */
	ku_closed_block = vzalloc(KUTRACE_BLOCK_BYTES + sizeof(u64));
	if (!ku_closed_block)
		return -ENOMEM;
	ku_slot_init();
	session = ku_sessions_new(mb, current_euid());
	if (IS_ERR(session)) {
		vfree(ku_closed_block);
		return PTR_ERR(session);
	}
	strscpy(session->name, KUTRACE_SESSION_MAIN, sizeof(session->name));
	session->keep = true;
	/* The first session gets id 0. */
	err = ku_table_enter(session);
	/* The table has its own reference. */
	ku_session_put(session);
	return err;
}

/* Finds the clock, allocates the main session and measures. The log has the cause of an error. */
int ku_sessions_init(unsigned int mb, const struct ku_hooks *hooks)
{
	int err;

	ku_kinds_init();
	ku_dispatch_init();
	ku_trigger_on_end(ku_session_off_locked);
	ku_hooks = hooks;
	err = ku_clock_init();
	if (err)
		return err;
	err = ku_hooks->init();
	if (err)
		return err;
	err = ku_sessions_begin(mb);
	if (err) {
		ku_hooks->exit();
		return err;
	}
	ku_trigger_task_init();
	ku_measure(ku_session_main());
	mutex_lock(&ku_session_lock);
	ku_session_anchor(ku_session_main());
	mutex_unlock(&ku_session_lock);
	ku_suspend_init();
	ku_sessions_set_ready(true);
	return 0;
}

/* Files are closed by now, so no command can turn recording on again. */
void ku_sessions_exit(void)
{
	struct ku_session *session, *main = ku_session_main();

	ku_sessions_set_ready(false);
	ku_suspend_exit();
	while ((session = ku_session_next(1))) {
		ku_session_destroy(session);
		ku_session_put(session);
	}
	ku_session_off(main);
	ku_pace_exit();
	ku_trigger_task_exit();
	ku_hooks->exit();
	ku_table_remove(main);
	ku_session_put(main);
	vfree(ku_closed_block);
}
