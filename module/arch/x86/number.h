/* SPDX-License-Identifier: GPL-2.0-only */
/* x86: numbers of some system calls, for C and assembler. */
#ifndef KU_X86_NUMBER_H
#define KU_X86_NUMBER_H

/* Numbers of sigreturn, for 32-bit tasks and x32 tasks. */
#define KU_NR32_SIGRETURN	119
#define KU_NR32_RT_SIGRETURN	173
#define KU_NRX32_RT_SIGRETURN	0x40000201

/* Calls that do not return; x32 uses the 64-bit numbers. */
#define KU_NR64_EXIT		60
#define KU_NR64_EXIT_GROUP	231
#define KU_NR32_EXIT		1
#define KU_NR32_EXIT_GROUP	252

#endif
