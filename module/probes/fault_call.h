/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What ftrace has handle_mm_fault() call first, in assembler, of each architecture that has it: it
 * calls the rest of the function itself, and what records the fault behind that, on arm64 and
 * riscv64 in front of it, too. Nobody but ftrace calls it. What such a hook is: direct.h.
 */
#ifndef KU_FAULT_CALL_H
#define KU_FAULT_CALL_H

void ku_fault_call(void);
/* Behind its last instruction. */
void ku_fault_call_end(void);

#endif
