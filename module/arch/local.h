/* SPDX-License-Identifier: GPL-2.0-only */
/* Selects the access to per-CPU variables of the architecture: see clock.h. */
#ifndef KU_ARCH_LOCAL_H
#define KU_ARCH_LOCAL_H

#if defined(CONFIG_X86_64)
#include "arch/x86/local.h"
#elif defined(CONFIG_ARM64)
#include "arch/arm64/local.h"
#elif defined(CONFIG_RISCV) && defined(CONFIG_64BIT)
#include "arch/riscv/local.h"
#else
#error "kutrace does not know how this architecture exchanges a variable of a CPU's own"
#endif

#endif
