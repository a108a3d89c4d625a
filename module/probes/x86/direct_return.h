/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Returns from a direct hook past the hooked function's body, for assembler code. The includer
 * defines RET, ALTERNATIVE_2, UNWIND_HINT_FUNC and the features: the kernel's (direct_call.h), or
 * those of tests/bench/returns.S, which measures the macro in user space.
 */
#ifndef KU_DIRECT_RETURN_H
#define KU_DIRECT_RETURN_H

/*
 * Takes @bytes and the body's address off the stack, and returns to the function's caller.
 *
 * The processor predicts returns from a stack of calls. Two calls lead here, from the caller and
 * from the hooked function, so two returns must lead back. A hook that skipped the body's address
 * would leave the prediction one call off. Then each function above, up to the program's own, would
 * return to a place that was not predicted. So the address of a lone RET replaces the body's
 * address: the first return is predicted wrong, all later ones right.
 *
 * If every return is predicted wrong by design (SRSO), the address is skipped, which is cheaper.
 *
 * The store and the skip are one instruction of 8 bytes each, so no NOPs follow the skip. The
 * unwinder has one table for all alternatives: at NOPs it would look for the return address in a
 * wrong place.
 */
.macro KU_DIRECT_RETURN bytes:req
	.if	\bytes
	addq	$\bytes, %rsp
	.endif
#ifdef X86_FEATURE_SRSO_ALIAS
	ALTERNATIVE_2 "movq $.Lreturn_\@, (%rsp)", \
		"{disp32} leaq 8(%rsp), %rsp", X86_FEATURE_SRSO, \
		"{disp32} leaq 8(%rsp), %rsp", X86_FEATURE_SRSO_ALIAS
#else
	movq	$.Lreturn_\@, (%rsp)
#endif
	/* The stack is as at the entry of a function that the caller itself has called. */
	UNWIND_HINT_FUNC
	RET
	/* The unwinder looks up the byte below a return address. */
	UNWIND_HINT_FUNC
	nop
.Lreturn_\@:
	RET
.endm

#endif
