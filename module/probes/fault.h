/* SPDX-License-Identifier: GPL-2.0-only */
/* Traps: page faults with their end, and other traps by the signal that they raise. */
#ifndef KU_FAULT_H
#define KU_FAULT_H

#include <linux/mm.h>
#include <linux/mm_types.h>
#include <linux/sched/signal.h>
#include <linux/types.h>

#include "arch/entry.h"
#include "core/emit.h"
#include "probes/tp.h"

struct pt_regs;

/*
 * Records the end of a page fault: handle_mm_fault() has returned @fault. A fault that must be
 * retried does not end here, unless a signal must be delivered first. Preemption disabled.
 */
static __always_inline void ku_fault_ended(vm_fault_t fault, struct pt_regs *regs)
{
	if (likely(!(fault & VM_FAULT_RETRY)) || fault_signal_pending(fault, regs))
		ku_emit_return(KUTRACE_CALL_TRAP + KU_ARCH_TRAP_PAGE_FAULT, 0);
}

/* The first two are the tracepoints of page faults. */
extern struct ku_tp ku_fault_tps[];

/* Returns whether this kernel has a tracepoint at the beginning of page faults. */
static __always_inline bool ku_fault_begins(void)
{
	return ku_fault_tps[0].tp;
}

/*
 * Result of a page fault that must be retried, in kernels without a tracepoint for its beginning.
 * In these kernels, the recorded fault lasts from the beginning to the end of handle_mm_fault(),
 * and the retry is another fault.
 */
#define KU_FAULT_AGAIN	1

/*
 * Records the beginning of a page fault, in kernels without a tracepoint for it. @flags: as passed
 * to handle_mm_fault(). The argument of the event is like x86's error code, except that bit 0 (page
 * present) is unknown. Preemption disabled.
 */
static __always_inline void ku_fault_began(unsigned int flags)
{
	ku_emit(KU_EVENT(KUTRACE_CALL_TRAP + KU_ARCH_TRAP_PAGE_FAULT) |
		(flags & FAULT_FLAG_WRITE ? 2 : 0) | (flags & FAULT_FLAG_USER ? 4 : 0) |
		(flags & FAULT_FLAG_INSTRUCTION ? 16 : 0));
}

/* Records the end, in kernels without a tracepoint at the beginning. Preemption disabled. */
static __always_inline void ku_fault_ended_late(vm_fault_t fault)
{
	ku_emit_return(KUTRACE_CALL_TRAP + KU_ARCH_TRAP_PAGE_FAULT,
		       fault & VM_FAULT_RETRY ? KU_FAULT_AGAIN : 0);
}

/*
 * Records the end of page faults by a kretprobe. In kernels without a tracepoint at the beginning,
 * also records the beginning. Returns false if that is not possible.
 */
bool ku_fault_attach(void);
void ku_fault_detach(void);
/* Returns the number of ends missed so far because too many faults were in progress. */
u64 ku_fault_missed(void);

/* ---- fault_around.c: calls before and after handle_mm_fault(); preemptible ---- */

/* Called before handle_mm_fault(). @flags: its third argument. */
void ku_fault_around_begin(unsigned int flags);
/* Called after handle_mm_fault() has returned @fault. @regs: its fourth argument. */
void ku_fault_around_end(vm_fault_t fault, struct pt_regs *regs);

/*
 * The direct hook of handle_mm_fault() (direct.h), in assembler for each architecture. Calls the
 * body of the function, and then records the end of the fault. On arm64 and riscv64, also records
 * the beginning if the kernel has no tracepoint for it. Called by ftrace only.
 */
void ku_fault_call(void);
/* Address after its last instruction. */
void ku_fault_call_end(void);

#endif
