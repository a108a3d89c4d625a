/* SPDX-License-Identifier: BSD-3-Clause */
/* The format of ELF cores. */
#ifndef KU_CRASH_ELF_H
#define KU_CRASH_ELF_H

#include "crash/format.h"

extern const struct kc_format kc_elf;

#endif
