/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Returns from a direct hook past the hooked function's body, for assembler code. The includer
 * defines RET, ALTERNATIVE_2, UNWIND_HINT_FUNC and the features: the kernel's (direct_call.h), or
 * those of tests/bench/returns.S, which measures the macro in user space.
 */
#ifndef KU_DIRECT_RETURN_H
#define KU_DIRECT_RETURN_H

/* Takes @bytes off the stack, and replaces the next address, which is the body's, by @address. */
.macro KU_DIRECT_REPLACE bytes:req, address:req
	movq	$\address, \bytes(%rsp)
	.if	\bytes
	addq	$\bytes, %rsp
	.endif
.endm

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
 */
.macro KU_DIRECT_RETURN bytes:req
#ifdef X86_FEATURE_SRSO_ALIAS
	ALTERNATIVE_2 "KU_DIRECT_REPLACE \bytes, .Lreturn_\@", \
		"addq $(\bytes + 8), %rsp", X86_FEATURE_SRSO, \
		"addq $(\bytes + 8), %rsp", X86_FEATURE_SRSO_ALIAS
#else
	KU_DIRECT_REPLACE \bytes, .Lreturn_\@
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
