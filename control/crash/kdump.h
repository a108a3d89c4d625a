/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A format of dumps, see kdump.c.
 */
#ifndef KU_CRASH_KDUMP_H
#define KU_CRASH_KDUMP_H

#include "crash/format.h"

extern const struct kc_format kc_kdump;

#endif
