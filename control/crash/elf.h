/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A format of dumps, see elf.c.
 */
#ifndef KU_CRASH_ELF_H
#define KU_CRASH_ELF_H

#include "crash/format.h"

extern const struct kc_format kc_elf;

#endif
