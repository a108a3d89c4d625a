// SPDX-License-Identifier: GPL-2.0-only
/* The table of sessions, by id and name: see sessions.h. */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/string.h>

#include "session/sessions.h"

static struct ku_session *ku_sessions[KUTRACE_SESSIONS];	/* by id; 0: main */
static DEFINE_MUTEX(ku_table_lock);	/* taken inside ku_session_lock or without it */

struct ku_session *ku_session_main(void)
{
	return ku_sessions[0];
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

	if (id >= KUTRACE_SESSIONS)
		return NULL;
	/* Users choose the id. */
	id = array_index_nospec(id, KUTRACE_SESSIONS);
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

void ku_sessions_forget(u16 base, u32 number)
{
	int i;

	mutex_lock(&ku_table_lock);
	for (i = 0; i < KUTRACE_SESSIONS; i++)
		if (ku_sessions[i])
			ku_aux_forget(ku_session_aux(ku_sessions[i]), base, number);
	mutex_unlock(&ku_table_lock);
}

bool ku_session_name_valid(const char *name, size_t size)
{
	size_t len = strnlen(name, size), i;

	if (len == size)
		return false;
	/* isalnum() also accepts the letters of Latin-1. */
	for (i = 0; i < len; i++)
		if (!isascii(name[i]) || (!isalnum(name[i]) && !strchr("._-", name[i])))
			return false;
	return true;
}

int ku_table_enter(struct ku_session *session)
{
	int i, free = -1, err = 0;

	mutex_lock(&ku_table_lock);
	for (i = KUTRACE_SESSIONS - 1; i >= 0 && !err; i--) {
		if (!ku_sessions[i])
			free = i;
		else if (!strcmp(ku_sessions[i]->name, session->name))
			err = -EEXIST;
	}
	if (!err && free < 0)
		err = -ENOSPC;
	if (!err) {
		session->id = (u32)free;
		if (!session->name[0])
			scnprintf(session->name, sizeof(session->name), "session-%d", free);
		ku_sessions[free] = ku_session_get(session);
	}
	mutex_unlock(&ku_table_lock);
	return err;
}

void ku_table_remove(struct ku_session *session)
{
	mutex_lock(&ku_table_lock);
	ku_sessions[session->id] = NULL;
	mutex_unlock(&ku_table_lock);
}

void ku_table_set_active(u32 active)
{
	int i;

	lockdep_assert_held(&ku_session_lock);
	for (i = 0; i < KUTRACE_SESSIONS; i++)
		if (ku_sessions[i])
			WRITE_ONCE(ku_sessions[i]->meta->active, active);
}
