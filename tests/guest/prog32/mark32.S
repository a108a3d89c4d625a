/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A 32-bit program for Arm, without a C library: 23 marks mark_d(3201) by struct, for
 * test_arm64.sh to count. Exit status: 0; 1 the device did not open; 2 a mark by struct failed;
 * 3 EINVAL was missing for a mark by number, whose event does not fit; 4 EINVAL was missing for
 * an entry of more than 44 bits.
 */
#define MARKS		23
#define NUMBER		3201

/* NAME = number of the event */
#define KU_POINT(id, code, cat, label, text) .equ id, code
#include "kutrace_events.def"

#define NR_exit		1
#define NR_open		5
#define NR_ioctl	54
#define READ_WRITE	2
#define MINUS_EINVAL	-22

/* kutrace_abi.h */
#define KUTRACE_IOC_MARK	0xBB03
#define KUTRACE_IOC_MARK_ENTRY	0x4008BB16

	.arch	armv7-a
	.text
	.globl	_start
_start:
	ldr	r0, =device
	mov	r1, #READ_WRITE
	mov	r7, #NR_open
	svc	#0
	mov	r6, #1
	cmp	r0, #0
	blt	exit
	mov	r5, r0

	mov	r6, #2
	mov	r4, #MARKS
1:	mov	r0, r5
	ldr	r1, =KUTRACE_IOC_MARK_ENTRY
	ldr	r2, =entry
	mov	r7, #NR_ioctl
	svc	#0
	cmp	r0, #0
	bne	exit
	subs	r4, r4, #1
	bne	1b

	mov	r6, #3
	mov	r0, r5
	ldr	r1, =KUTRACE_IOC_MARK
	ldr	r2, =NUMBER
	svc	#0
	cmp	r0, #MINUS_EINVAL
	bne	exit

	mov	r6, #4
	mov	r0, r5
	ldr	r1, =KUTRACE_IOC_MARK_ENTRY
	ldr	r2, =long_entry
	svc	#0
	cmp	r0, #MINUS_EINVAL
	bne	exit

	mov	r6, #0
exit:	mov	r0, r6
	mov	r7, #NR_exit
	svc	#0

	.data
	.align	3
/* The low half first. */
entry:	.word	NUMBER, MARKD
long_entry:
	.word	NUMBER, MARKD | 0x1000
device:	.asciz	"/dev/kutrace/control"
	.section .note.GNU-stack, "", %progbits
