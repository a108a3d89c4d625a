/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arm64: the direct hook of handle_mm_fault(), which only ftrace calls (fault_call.S), and the
 * functions of fault_direct.c that it calls: these in process context, preemptible.
 */
#ifndef KU_ARM64_FAULT_CALL_H
#define KU_ARM64_FAULT_CALL_H

#include <linux/mm_types.h>

void ku_fault_call(void);
void ku_fault_call_end(void);

/* A page fault, with these flags of handle_mm_fault(), and what that has returned. */
void ku_fault_direct_begin(unsigned int flags);
void ku_fault_direct_end(vm_fault_t fault);

#endif
