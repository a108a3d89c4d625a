/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The direct hooks of system calls: see direct.h, syscall_direct.c. Each calls the function's body
 * by a static call, whose target syscall_direct.c has set.
 *
 * Context: that of the functions. No kprobe can be set in them.
 */
#include "arch/x86/number.h"
#include "probes/x86/direct_call.h"

/* objtool needs the key together with the static call's trampoline. */
.macro KU_STATIC_CALL name:req
	.pushsection .discard.addressable, "aw"
	.quad	__SCK__\name
	.popsection
	call	__SCT__\name
.endm

/*
 * A hook of a dispatcher of system calls: long f(const struct pt_regs *regs, unsigned int nr). The
 * calls @last and @last_group do not return: they are not counted, and continue in the body.
 */
.macro KU_CALLS number:req, body:req, enter:req, exit:req, last:req, last_group:req
	pushq	%rdi
	pushq	%rsi
	call	\enter
	movq	(%rsp), %rsi
	movq	8(%rsp), %rdi
	cmpl	$\last, %esi
	je	.Llast_\@
	cmpl	$\last_group, %esi
	je	.Llast_\@
	KU_DIRECT_ENTER \number
	KU_STATIC_CALL \body
	movq	%rax, (%rsp)
	movq	%rax, %rdi
	movq	8(%rsp), %rsi
	call	\exit
	movq	(%rsp), %rax
	KU_DIRECT_LEAVE \number
	KU_DIRECT_RETURN 16
.Llast_\@:
	addq	$16, %rsp
	RET
.endm

/* A hook of another function of which only the end is recorded. @exit gets its result. */
.macro KU_AROUND number:req, body:req, exit:req
	KU_DIRECT_ENTER \number
	KU_STATIC_CALL \body
	pushq	%rax
	movq	%rax, %rdi
	call	\exit
	popq	%rax
	KU_DIRECT_LEAVE \number
	KU_DIRECT_RETURN 0
.endm

	.section .kprobes.text, "ax"

SYM_FUNC_START(ku_syscall_call)
	ENDBR
	KU_CALLS KU_DIRECT_CALL64, ku_syscall_body64, \
		ku_syscall_direct_enter, ku_syscall_direct_exit, \
		KU_NR64_EXIT, KU_NR64_EXIT_GROUP
SYM_INNER_LABEL(ku_syscall_call_end, SYM_L_GLOBAL)
	ANNOTATE_NOENDBR
	int3
SYM_FUNC_END(ku_syscall_call)

#ifdef CONFIG_X86_X32_ABI
SYM_FUNC_START(ku_syscallx32_call)
	ENDBR
	KU_CALLS KU_DIRECT_CALLX32, ku_syscall_bodyx32, \
		ku_syscall_direct_enter_other, ku_syscall_direct_exit_other, \
		KU_NR64_EXIT, KU_NR64_EXIT_GROUP
SYM_INNER_LABEL(ku_syscallx32_call_end, SYM_L_GLOBAL)
	ANNOTATE_NOENDBR
	int3
SYM_FUNC_END(ku_syscallx32_call)
#endif

#ifdef CONFIG_IA32_EMULATION
SYM_FUNC_START(ku_syscall32_call)
	ENDBR
	KU_CALLS KU_DIRECT_CALL32, ku_syscall_body32, \
		ku_syscall_direct_enter_other, ku_syscall_direct_exit_other, \
		KU_NR32_EXIT, KU_NR32_EXIT_GROUP
SYM_INNER_LABEL(ku_syscall32_call_end, SYM_L_GLOBAL)
	ANNOTATE_NOENDBR
	int3
SYM_FUNC_END(ku_syscall32_call)
#endif

SYM_FUNC_START(ku_syscall_traced_call)
	ENDBR
	KU_AROUND KU_DIRECT_TRACED, ku_syscall_body_traced, ku_syscall_direct_traced
SYM_INNER_LABEL(ku_syscall_traced_call_end, SYM_L_GLOBAL)
	ANNOTATE_NOENDBR
	int3
SYM_FUNC_END(ku_syscall_traced_call)

SYM_FUNC_START(ku_syscall_child_call)
	ENDBR
	KU_AROUND KU_DIRECT_CHILD, ku_syscall_body_child, ku_syscall_direct_child
SYM_INNER_LABEL(ku_syscall_child_call_end, SYM_L_GLOBAL)
	ANNOTATE_NOENDBR
	int3
SYM_FUNC_END(ku_syscall_child_call)
