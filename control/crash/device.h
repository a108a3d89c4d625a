/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A session of a dump in the place of the module's, see device.c.
 */
#ifndef KU_CRASH_DEVICE_H
#define KU_CRASH_DEVICE_H

#include "crash/session.h"

/* From now on the library reads this session where it would ask the module. */
void kc_device_is(struct kc_session *session);

#endif
