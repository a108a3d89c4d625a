/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The calls and returns of a direct hook, for returns.c: user-space functions of the same shape as
 * ku_syscall_call(), with the module's own macro for the return. Assembled twice: with plain
 * returns, and with returns through a thunk like the kernel's thunk against SRSO.
 */
#define UNWIND_HINT_FUNC
#ifdef THUNKS
#define NAME(name)	name##_thunks
#define RET		jmp thunk
#else
#define NAME(name)	name##_plain
#define RET		ret
#endif

#include "probes/x86/direct_return.h"

	.text
#ifdef THUNKS
thunk:
	call	safe_ret
	int3
safe_ret:
	leaq	8(%rsp), %rsp
	ret
	int3
#endif

NAME(record):
	nop
	RET

/* Wraps the work of a hook: between its entry and its return, calls @body. */
.macro AROUND body:req
	pushq	%rdi
	pushq	%rsi
	call	NAME(record)
	movq	(%rsp), %rsi
	movq	8(%rsp), %rdi
	call	\body
	movq	%rax, (%rsp)
	call	NAME(record)
	movq	(%rsp), %rax
.endm

/* Defines four nested functions, like the kernel's functions around a hooked function. */
.macro ABOVE name:req, hooked:req
	.globl	\name
	.p2align 4
\name:
	call	1f
	RET
1:	call	1f
	RET
1:	call	1f
	RET
1:	call	\hooked
	RET
.endm

/* A wrapper around the body, without a hook: each return is predicted. */
	.p2align 4
wrapper:
	AROUND	wrapped
	addq	$16, %rsp
	RET
wrapped:
	nop
	RET
	ABOVE	NAME(returns_wrapper), wrapper

	.p2align 4
hooked:
	call	hook
body:
	nop
	RET
	.p2align 4
hook:
	AROUND	body
	KU_DIRECT_RETURN 16
	ABOVE	NAME(returns_hook), hooked

/* A hook that skips the body's return address. */
	.p2align 4
hooked_skip:
	call	skip
body_skip:
	nop
	RET
	.p2align 4
skip:
	AROUND	body_skip
	addq	$24, %rsp
	RET
	ABOVE	NAME(returns_skip), hooked_skip

	.section .note.GNU-stack, "", @progbits
