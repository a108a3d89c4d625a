/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Returns from a direct hook to the caller of the hooked function, for assembler code. The includer
 * defines RET, ALTERNATIVE_2, UNWIND_HINT_FUNC and the features: as the kernel does
 * (direct_call.h), or as tests/bench/returns.S does, which measures the macro in user space.
 */
#ifndef KU_DIRECT_RETURN_H
#define KU_DIRECT_RETURN_H

/*
 * Removes @bytes and the body's address from the stack, and returns to the function's caller.
 *
 * The processor predicts returns from a stack of calls. Two calls lead here, from the caller and
 * from the hooked function, so two returns must lead back. If the hook skipped the body's address,
 * the prediction would be off by one call, and the returns of all functions above, up to the
 * program's own, would be mispredicted. So the address of a separate RET replaces the body's
 * address: only the first return is mispredicted.
 *
 * If the processor mispredicts all returns by design (SRSO), the address is skipped, which is
 * cheaper.
 *
 * The store and the skip are one instruction of 8 bytes each, so no NOPs follow the skip. The
 * unwinder has one table for all alternatives. At such NOPs it would expect the return address at a
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
	/* The unwinder uses the byte below a return address. */
	UNWIND_HINT_FUNC
	nop
.Lreturn_\@:
	RET
.endm

#endif
