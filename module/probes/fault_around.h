/* SPDX-License-Identifier: GPL-2.0-only */
/* See fault_around.c. Both: process context, preemptible. */
#ifndef KU_FAULT_AROUND_H
#define KU_FAULT_AROUND_H

#include <linux/mm_types.h>

struct pt_regs;

/* A page fault comes to handle_mm_fault(), which is given these flags. */
void ku_fault_around_begin(unsigned int flags);
/* It has returned that; regs: its fourth argument. */
void ku_fault_around_end(vm_fault_t fault, struct pt_regs *regs);

#endif
