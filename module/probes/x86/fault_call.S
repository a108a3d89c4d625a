/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The direct hook of handle_mm_fault() on x86: see direct.h and fault.h. Calls the function's
 * body, and records the end of the fault.
 *
 * Context: that of handle_mm_fault(), preemptible, interrupts enabled. No kprobe can be set in it.
 */
#include "arch/x86/fentry.h"
#include "probes/x86/direct_call.h"

/* Offset of the function's body, after ENDBR, if any. ku_arch_ftrace_address() checks it. */
#define KU_FAULT_BODY	(ENDBR_INSN_SIZE + KU_FENTRY_SIZE)

	.section .kprobes.text, "ax"

SYM_FUNC_START(ku_fault_call)
	ENDBR
	/* The fourth argument has the registers of a page fault; NULL for get_user_pages(). */
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
