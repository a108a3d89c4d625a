/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Listeners: higher parts that are notified when what is recorded changes, and that name what
 * is there when a recording begins. Must not know who they are. Called by update.c and
 * session.c under ku_session_lock; point/ registers one.
 */
#ifndef KU_NOTIFY_H
#define KU_NOTIFY_H

#include <linux/list.h>
#include <linux/types.h>

struct ku_aux;

struct ku_listener {
	struct list_head node;
	/* Some session records typed tracepoints, or none does. */
	void (*changed)(bool points);
	/* All that it has names of, with that time, into a session's names. */
	void (*name_all)(struct ku_aux *aux, u64 counts);
};

/* While nothing is recorded. */
void ku_notify_register(struct ku_listener *listener);
void ku_notify_unregister(struct ku_listener *listener);

void ku_notify_changed(bool points);
void ku_notify_name_all(struct ku_aux *aux, u64 counts);

#endif
