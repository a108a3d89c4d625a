/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What ftrace has handle_mm_fault() call first: see direct.h, fault_call.h. It calls the
 * function's body, and what records the fault before it and behind it.
 *
 * ftrace comes here with the function's arguments in x0 to x3, in x9 where the function's
 * caller goes on, and in x30 the function's body. x9 to x17 are free. The hook's frame is one
 * as of any function that the caller itself has called, and that has called the body: so stack
 * traces go through it.
 *
 * Context: that of handle_mm_fault(), preemptible, interrupts on. No kprobe can be put on it.
 */
#include <linux/linkage.h>
#include <asm/assembler.h>

	.section .kprobes.text, "ax"

SYM_FUNC_START(ku_fault_call)
	/* The fourth argument: registers of a page fault; get_user_pages() has none. */
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
	 * Two calls lead here, and the processor predicts returns from a stack of calls. So two
	 * returns lead back, and only the first is predicted wrong.
	 */
	adr	x9, .Lreturn
	ret	x9
.Lreturn:
	ret
.Lno_fault:
	/* On in the function, as if it had called nothing. */
	mov	x10, x30
	mov	x30, x9
	ret	x10
SYM_INNER_LABEL(ku_fault_call_end, SYM_L_GLOBAL)
	brk	#0x1
SYM_FUNC_END(ku_fault_call)
