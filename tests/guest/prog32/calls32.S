/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes known numbers of system calls in a 32-bit program for Arm, without a C library, for
 * test_arm64.sh to count. It returns from signals by sigreturn and rt_sigreturn, whose registers do
 * not have the call's number any more when they return.
 *
 *	311 getppid, 13 sigreturn, 17 rt_sigreturn, 30 kill
 */
#define CALLS		311
#define OLD_SIGNALS	13
#define SIGNALS		17

#define NR_exit		1
#define NR_getpid	20
#define NR_kill		37
#define NR_getppid	64
#define NR_rt_sigaction	174

#define SIGUSR1		10
#define SIGUSR2		12

	.arch	armv7-a
	.text
	.globl	_start
_start:
	mov	r0, #SIGUSR1
	ldr	r1, =old_action
	bl	action
	mov	r0, #SIGUSR2
	ldr	r1, =action_with_info
	bl	action
	mov	r7, #NR_getpid
	svc	#0
	mov	r5, r0

	mov	r4, #OLD_SIGNALS
	mov	r1, #SIGUSR1
	bl	signals
	mov	r4, #SIGNALS
	mov	r1, #SIGUSR2
	bl	signals

	ldr	r4, =CALLS
1:	mov	r7, #NR_getppid
	svc	#0
	subs	r4, r4, #1
	bne	1b

	mov	r0, #0
	mov	r7, #NR_exit
	svc	#0

/* Sets the action of signal r0 to the action at r1. */
action:	mov	r2, #0
	mov	r3, #8
	mov	r7, #NR_rt_sigaction
	svc	#0
	bx	lr

/* Sends the signal r1 to this process (r5), r4 times. */
signals:
	mov	r0, r5
	mov	r7, #NR_kill
	svc	#0
	subs	r4, r4, #1
	bne	signals
	bx	lr

handler:
	bx	lr

	.data
	.align	3
/* Handler, flags, restorer (none: the kernel's own code), mask. */
old_action:
	.word	handler, 0, 0, 0, 0
action_with_info:
	.word	handler, 4 /* SA_SIGINFO */, 0, 0, 0
	.section .note.GNU-stack, "", %progbits
