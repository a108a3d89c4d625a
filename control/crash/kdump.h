/* SPDX-License-Identifier: BSD-3-Clause */
/* The format of kdump-compressed dumps. */
#ifndef KU_CRASH_KDUMP_H
#define KU_CRASH_KDUMP_H

#include "crash/format.h"

extern const struct kc_format kc_kdump;

#endif
