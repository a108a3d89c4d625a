/* SPDX-License-Identifier: GPL-2.0-only */
/* The cost of an event on this machine, measured once when the module is loaded. */
#ifndef KU_MEASURE_H
#define KU_MEASURE_H

#include "session/state.h"

/* Measures with a session that does not record. No hook may be attached yet. */
void ku_measure(struct ku_session *session);
/* Returns picoseconds per event. */
u64 ku_measured_ps(void);

#endif
