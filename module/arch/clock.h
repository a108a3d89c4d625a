/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Selects the time counter of the architecture, and its access to per-CPU variables. A new
 * architecture needs a folder with these headers, and lines here.
 */
#ifndef KU_ARCH_CLOCK_H
#define KU_ARCH_CLOCK_H

#if defined(CONFIG_X86_64)
#include "arch/x86/clock.h"
#include "arch/x86/local.h"
#elif defined(CONFIG_ARM64)
#include "arch/arm64/clock.h"
#include "arch/arm64/local.h"
#elif defined(CONFIG_RISCV) && defined(CONFIG_64BIT)
#include "arch/riscv/clock.h"
#include "arch/riscv/local.h"
#else
#error "kutrace knows no time counter of this architecture"
#endif

#endif
