/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Exceptions that this processor does not raise, entered as it would: with its
 * frame on the stack.
 */
#include <linux/linkage.h>
#include <asm/segment.h>

/* ku_test_raise(handler, error code): comes back when the handler returns. */
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
	jmp	*%rdi
.Lback:
	popq	%rbp
	ret
	int3
SYM_FUNC_END(ku_test_raise)

/*
 * ku_test_leave(registers): goes on where the exception was raised, out of a
 * handler that would not return. What the C code above may have changed and must
 * keep is in the registers saved: r15 to r12, bp, bx, ip, flags, sp. The frame pointer
 * is that of ku_test_raise(), as it is at .Lback: an interrupt may come behind POPF, and who
 * looks for its callers then must find them.
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
	jmp	*%rax
	int3
SYM_FUNC_END(ku_test_leave)
