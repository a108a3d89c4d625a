// SPDX-License-Identifier: GPL-2.0-only
/* Notifies listeners when the recorded kinds change: see notify.h. */
#include "record/notify.h"

static LIST_HEAD(ku_listeners);

void ku_notify_register(struct ku_listener *listener)
{
	list_add_tail(&listener->node, &ku_listeners);
}

void ku_notify_unregister(struct ku_listener *listener)
{
	list_del(&listener->node);
}

void ku_notify_changed(bool points)
{
	struct ku_listener *listener;

	list_for_each_entry(listener, &ku_listeners, node)
		listener->changed(points);
}

void ku_notify_name_all(struct ku_aux *aux, u64 counts)
{
	struct ku_listener *listener;

	list_for_each_entry(listener, &ku_listeners, node)
		listener->name_all(aux, counts);
}
