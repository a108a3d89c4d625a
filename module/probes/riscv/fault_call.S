/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * riscv64: what ftrace has handle_mm_fault() call first: see direct.h, fault_call.h. It calls what
 * records the beginning of the fault, the function's body, and what records the end.
 *
 * Context: that of handle_mm_fault(), preemptible, interrupts on. No kprobe can be put on it.
 * At its beginning t0 is the function's body, ra where its caller goes on, and all else as the
 * caller has left it. It has a frame, by which stacks are read.
 */
#include <linux/linkage.h>
#include <asm/asm.h>

	.section .kprobes.text, "ax"

SYM_FUNC_START(ku_fault_call)
	/* The fourth argument: registers of a page fault; get_user_pages() has none. */
	beqz	a3, .Lno_fault
	addi	sp, sp, -64
	sd	ra, 56(sp)
	sd	s0, 48(sp)
	addi	s0, sp, 64
	sd	a0, 40(sp)
	sd	a1, 32(sp)
	sd	a2, 24(sp)
	sd	a3, 16(sp)
	sd	t0, 8(sp)
	mv	a0, a2
	call	ku_fault_around_begin
	ld	a0, 40(sp)
	ld	a1, 32(sp)
	ld	a2, 24(sp)
	ld	a3, 16(sp)
	ld	t0, 8(sp)
	/* t0 and ra are both link registers: the predictor pops ftrace's call, and pushes ours. */
	jalr	ra, 0(t0)
	sd	a0, 40(sp)
	ld	a1, 16(sp)
	call	ku_fault_around_end
	ld	a0, 40(sp)
	ld	s0, 48(sp)
	ld	ra, 56(sp)
	addi	sp, sp, 64
	ret
.Lno_fault:
	jr	t0
SYM_INNER_LABEL(ku_fault_call_end, SYM_L_GLOBAL)
	ebreak
SYM_FUNC_END(ku_fault_call)
