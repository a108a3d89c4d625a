/* SPDX-License-Identifier: GPL-2.0-only */
/* What an event costs on this machine, measured once at load. Called by sessions.c and info.c. */
#ifndef KU_MEASURE_H
#define KU_MEASURE_H

#include "session/state.h"

/* With a session that does not record, before anything is attached. */
void ku_measure(struct ku_session *session);
/* Picoseconds an event. */
u64 ku_measured_ps(void);

#endif
