/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Selects the functions of the architecture for system calls, traps and IPIs. A new architecture
 * needs a line here, as in clock.h.
 */
#ifndef KU_ARCH_ENTRY_H
#define KU_ARCH_ENTRY_H

#if defined(CONFIG_X86_64)
#include "arch/x86/entry.h"
#elif defined(CONFIG_ARM64)
#include "arch/arm64/entry.h"
#elif defined(CONFIG_RISCV) && defined(CONFIG_64BIT)
#include "arch/riscv/entry.h"
#else
#error "kutrace does not know how this architecture enters the kernel"
#endif

#endif
