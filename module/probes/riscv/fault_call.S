/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The direct hook of handle_mm_fault() on riscv64: see direct.h and fault.h. Records the
 * beginning of the fault, calls the function's body, and records the end.
 *
 * Context: that of handle_mm_fault(), preemptible, interrupts enabled. No kprobe can be set in it.
 * At the entry, t0 has the address of the function's body, ra the return address of its caller, and
 * all other registers are as the caller set them. The hook has a frame, which stack traces need.
 */
#include <linux/linkage.h>
#include <asm/asm.h>

	.section .kprobes.text, "ax"

SYM_FUNC_START(ku_fault_call)
	/* The fourth argument has the registers of a page fault; NULL for get_user_pages(). */
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
	/*
	 * ra and t0 are both link registers. So the return predictor replaces ftrace's entry by
	 * ours.
	 */
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
