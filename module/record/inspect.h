/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which events of the resident are inspected, one by one, before they are recorded: those that
 * its mask leaves out, that its filter follows tasks by, that its triggers wait for. Called by
 * update.c under ku_session_lock.
 */
#ifndef KU_INSPECT_H
#define KU_INSPECT_H

#include "session/state.h"

/*
 * As that session wants it, which is or becomes the resident; NULL: there is none. On return no
 * event is recorded any more without having been inspected that is to be. May sleep.
 */
void ku_inspect_for(const struct ku_session *session);

#endif
