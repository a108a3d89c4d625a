/* SPDX-License-Identifier: GPL-2.0-only */
/* x86: where handle_mm_fault() is entered by its direct hook: fault_direct.c, fault_call.S. */
#ifndef KU_X86_FAULT_DIRECT_H
#define KU_X86_FAULT_DIRECT_H

#include "probes/x86/fentry.h"

/* Where the function's body begins: behind ENDBR, if it has one, and ftrace's call. */
#define KU_FAULT_BODY	(ENDBR_INSN_SIZE + KU_FENTRY_SIZE)

#endif
