/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The direct hook of handle_mm_fault() (direct.h), in assembler for each architecture. Calls the
 * body of the function, and then records the end of the fault. On arm64 and riscv64 it also records
 * the beginning. Called by ftrace only.
 */
#ifndef KU_FAULT_CALL_H
#define KU_FAULT_CALL_H

void ku_fault_call(void);
/* Address after its last instruction. */
void ku_fault_call_end(void);

#endif
