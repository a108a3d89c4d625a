/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Enters the handlers of exceptions that this processor does not raise. Builds the frame that the
 * processor would push. The indirect jumps need no retpoline: this module is for disposable guests.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/nospec-branch.h>
#include <asm/segment.h>

/* objtool would take the jump to the handler for a tail call. */
STACK_FRAME_NON_STANDARD ku_test_raise

/* ku_test_raise(handler, error code): returns when the handler has returned. */
SYM_FUNC_START(ku_test_raise)
	pushq	%rbp
	movq	%rsp, %rbp
	andq	$-16, %rsp
	pushq	$__KERNEL_DS
	pushq	%rbp
	pushfq
	cli
	pushq	$__KERNEL_CS
	leaq	.Lback(%rip), %rax
	pushq	%rax
	pushq	%rsi
	ANNOTATE_RETPOLINE_SAFE
	jmp	*%rdi
.Lback:
	ENDBR
	popq	%rbp
	RET
SYM_FUNC_END(ku_test_raise)

/*
 * ku_test_leave(registers): leaves a handler that would not return, and continues where the
 * exception was raised. Restores the registers that C code may have changed and must preserve:
 * r15 to r12, bp, bx, ip, flags, sp. The frame pointer is ku_test_raise()'s, as at .Lback:
 * after POPF an interrupt may come, and unwinding from it needs a valid frame pointer.
 */
SYM_FUNC_START(ku_test_leave)
	movq	0(%rdi), %r15
	movq	8(%rdi), %r14
	movq	16(%rdi), %r13
	movq	24(%rdi), %r12
	movq	32(%rdi), %rbp
	movq	40(%rdi), %rbx
	movq	128(%rdi), %rax
	movq	144(%rdi), %rdx
	movq	152(%rdi), %rsp
	pushq	%rdx
	popfq
	ANNOTATE_RETPOLINE_SAFE
	jmp	*%rax
	int3
SYM_FUNC_END(ku_test_leave)
