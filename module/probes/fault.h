/* SPDX-License-Identifier: GPL-2.0-only */
/* Traps: page faults and their end, others by their signal. Called by the tracepoint back end. */
#ifndef KU_FAULT_H
#define KU_FAULT_H

#include <linux/mm.h>
#include <linux/mm_types.h>
#include <linux/sched/signal.h>
#include <linux/types.h>

#include "arch/entry.h"
#include "core/emit.h"
#include "probes/tp.h"

/*
 * handle_mm_fault() has returned that to a page fault with these registers. One to be retried
 * comes again, unless a signal is to be delivered first. Preemption off.
 */
static __always_inline void ku_fault_ended(vm_fault_t fault, struct pt_regs *regs)
{
	if (likely(!(fault & VM_FAULT_RETRY)) || fault_signal_pending(fault, regs))
		ku_emit_return(KUTRACE_CALL_TRAP + KU_ARCH_TRAP_PAGE_FAULT, 0);
}

/* The first of them is page faults'. */
extern struct ku_tp ku_fault_tps[];

/* Whether page faults have a tracepoint, which tells of their beginning: one that was found. */
static __always_inline bool ku_fault_begins(void)
{
	return ku_fault_tps[0].tp;
}

/*
 * Where they have none, they begin where handle_mm_fault() does, and end with this where it has
 * returned to have the fault tried again, which is then recorded as another one.
 */
#define KU_FAULT_AGAIN	1

/*
 * There: handle_mm_fault() is called with these flags. What is known of the fault is told by
 * the bits of x86's error code, of which bit 0, whether the page was there, is not known.
 * Preemption off.
 */
static __always_inline void ku_fault_began(unsigned int flags)
{
	ku_emit(KU_EVENT(KUTRACE_CALL_TRAP + KU_ARCH_TRAP_PAGE_FAULT) |
		(flags & FAULT_FLAG_WRITE ? 2 : 0) | (flags & FAULT_FLAG_USER ? 4 : 0) |
		(flags & FAULT_FLAG_INSTRUCTION ? 16 : 0));
}

/* There: it has returned. To be tried again it is called once more. Preemption off. */
static __always_inline void ku_fault_ended_late(vm_fault_t fault)
{
	ku_emit_return(KUTRACE_CALL_TRAP + KU_ARCH_TRAP_PAGE_FAULT,
		       fault & VM_FAULT_RETRY ? KU_FAULT_AGAIN : 0);
}

/*
 * The end of page faults, which has no tracepoint, by a kretprobe, and the beginning where that has
 * none. False: it cannot be seen so here.
 */
bool ku_fault_attach(void);
void ku_fault_detach(void);
/* Ends missed so far because too many faults were under way. */
u64 ku_fault_missed(void);

#endif
