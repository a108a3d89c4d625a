/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Listeners: code in higher folders that must learn when typed tracepoints are recorded, and that
 * adds its names when a recording begins. This folder must not depend on them. ku_session_lock
 * held.
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
	/* Adds all names of the listener to a session's table, with the time @counts. */
	void (*name_all)(struct ku_aux *aux, u64 counts);
};

/* While nothing is recorded. */
void ku_notify_register(struct ku_listener *listener);
void ku_notify_unregister(struct ku_listener *listener);

void ku_notify_changed(bool points);
void ku_notify_name_all(struct ku_aux *aux, u64 counts);

#endif
