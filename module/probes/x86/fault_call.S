/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What ftrace has handle_mm_fault() call first: see direct.h, fault_call.h. It calls the
 * function's body, and what records the end of the fault behind it.
 *
 * Context: that of handle_mm_fault(), preemptible, interrupts on. No kprobe can be put on it.
 */
#include "arch/x86/fentry.h"
#include "probes/x86/direct_call.h"

/*
 * Where the function's body begins, behind ENDBR, if there is one: ku_arch_ftrace_place() has
 * seen to it that this is so.
 */
#define KU_FAULT_BODY	(ENDBR_INSN_SIZE + KU_FENTRY_SIZE)

	.section .kprobes.text, "ax"

SYM_FUNC_START(ku_fault_call)
	ENDBR
	/* The fourth argument: registers of a page fault; get_user_pages() has none. */
	testq	%rcx, %rcx
	jz	.Lno_fault
	KU_DIRECT_ENTER KU_DIRECT_FAULT
	pushq	%rcx
	call	handle_mm_fault + KU_FAULT_BODY
	popq	%rsi
	pushq	%rax
	movl	%eax, %edi
	call	ku_fault_direct_end
	popq	%rax
	KU_DIRECT_LEAVE KU_DIRECT_FAULT
	KU_DIRECT_RETURN 0
.Lno_fault:
	RET
SYM_INNER_LABEL(ku_fault_call_end, SYM_L_GLOBAL)
	ANNOTATE_NOENDBR
	int3
SYM_FUNC_END(ku_fault_call)
