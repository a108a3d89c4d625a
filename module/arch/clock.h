/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Selects the time counter of the architecture. A new architecture needs a folder with this header,
 * and a line here.
 */
#ifndef KU_ARCH_CLOCK_H
#define KU_ARCH_CLOCK_H

#if defined(CONFIG_X86_64)
#include "arch/x86/clock.h"
#elif defined(CONFIG_ARM64)
#include "arch/arm64/clock.h"
#elif defined(CONFIG_RISCV) && defined(CONFIG_64BIT)
#include "arch/riscv/clock.h"
#else
#error "kutrace knows no time counter of this architecture"
#endif

#endif
