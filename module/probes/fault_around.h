/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions to call before and after handle_mm_fault(). Process context, preemptible. */
#ifndef KU_FAULT_AROUND_H
#define KU_FAULT_AROUND_H

#include <linux/mm_types.h>

struct pt_regs;

/* A page fault calls handle_mm_fault() with @flags. */
void ku_fault_around_begin(unsigned int flags);
/* handle_mm_fault() has returned @fault. @regs: its fourth argument. */
void ku_fault_around_end(vm_fault_t fault, struct pt_regs *regs);

#endif
