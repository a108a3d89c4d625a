/* SPDX-License-Identifier: BSD-3-Clause */
/* Replaces the module by a session of a dump. */
#ifndef KU_CRASH_DEVICE_H
#define KU_CRASH_DEVICE_H

#include "crash/session.h"

/* From now on the library reads this session instead of the module. */
void kc_device_is(struct kc_session *session);

#endif
