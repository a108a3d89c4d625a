/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What ftrace has handle_mm_fault() call first: see fault_direct.c. It calls the function's
 * body, and what records the end of the fault behind it, and then returns to the function's
 * caller. Tasks sleep in the body, so this is on the stacks of tasks that sleep.
 *
 * Context: that of handle_mm_fault(), preemptible, interrupts on. No kprobe can be put on it.
 */
#include <linux/linkage.h>
#include <asm/ibt.h>
#include <asm/nospec-branch.h>
#include <asm/percpu.h>
#include <asm/unwind_hints.h>

#include "probes/x86/fault_direct.h"

	.section .kprobes.text, "ax"

/*
 * The stack at the entry, as at that of any function that handle_mm_fault() calls with its
 * first instruction:
 *
 *	 (%rsp)	its body
 *	8(%rsp)	where its caller goes on
 *
 * The body is called directly, by its address: it begins with no ENDBR, which an indirect call
 * would want, and that it is the one ftrace has come from, ku_fault_direct_attach() has seen to.
 *
 * Step a: counted in before anything can sleep. Step b: counted out when the body has returned;
 * a task that is preempted before a or behind b is waited for by synchronize_rcu_tasks().
 */
SYM_FUNC_START(ku_fault_call)
	/* Nobody calls it indirectly, but its address is taken, which is what objtool goes by. */
	ENDBR
	/* The fourth argument: registers of a page fault; get_user_pages() has none. */
	testq	%rcx, %rcx
	jz	.Lno_fault
	incq	PER_CPU_VAR(ku_fault_entered)	/* a */
	pushq	%rcx
	call	handle_mm_fault + KU_FAULT_BODY
	popq	%rsi
	pushq	%rax
	movl	%eax, %edi
	call	ku_fault_direct_end
	popq	%rax
	incq	PER_CPU_VAR(ku_fault_left)	/* b */
	addq	$8, %rsp
	/* As at the entry of a function that the caller itself has called. */
	UNWIND_HINT_FUNC
	RET
.Lno_fault:
	RET
SYM_FUNC_END(ku_fault_call)
