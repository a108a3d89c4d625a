/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The direct hook of handle_mm_fault() on arm64: see direct.h and fault.h. Records the
 * beginning of the fault, calls the function's body, and records the end.
 *
 * ftrace calls the hook with the function's arguments in x0 to x3, the return address of the
 * function's caller in x9, and the address of the function's body in x30. x9 to x17 are free. The
 * frame looks like the frame of a function between the caller and the body, so stack traces go
 * through it.
 *
 * Context: that of handle_mm_fault(), preemptible, interrupts enabled. No kprobe can be set in it.
 */
#include <linux/linkage.h>
#include <asm/assembler.h>

	.section .kprobes.text, "ax"

SYM_FUNC_START(ku_fault_call)
	/* The fourth argument has the registers of a page fault; NULL for get_user_pages(). */
	cbz	x3, .Lno_fault
	stp	x29, x9, [sp, #-64]!
	mov	x29, sp
	stp	x0, x1, [sp, #16]
	stp	x2, x3, [sp, #32]
	str	x30, [sp, #48]
	mov	w0, w2
	bl	ku_fault_around_begin
	ldr	x9, [sp, #48]
	ldp	x0, x1, [sp, #16]
	ldp	x2, x3, [sp, #32]
	blr	x9
	str	x0, [sp, #16]
	ldr	x1, [sp, #40]
	bl	ku_fault_around_end
	ldr	x0, [sp, #16]
	ldp	x29, x30, [sp], #64
	/*
	 * The processor predicts returns from a stack of calls. Two calls lead here, so two returns
	 * lead back, and only the first one is mispredicted.
	 */
	adr	x9, .Lreturn
	ret	x9
.Lreturn:
	ret
.Lno_fault:
	/* Continue in the body, as if the hook had not been called. */
	mov	x10, x30
	mov	x30, x9
	ret	x10
SYM_INNER_LABEL(ku_fault_call_end, SYM_L_GLOBAL)
	brk	#0x1
SYM_FUNC_END(ku_fault_call)
