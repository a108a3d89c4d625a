/* SPDX-License-Identifier: GPL-2.0-only */
/* x86: numbers of system calls that the module knows one by one, for C and assembler. */
#ifndef KU_X86_NUMBER_H
#define KU_X86_NUMBER_H

/* What a 32-bit task and one of the x32 ABI call sigreturn by. */
#define KU_NR32_SIGRETURN	119
#define KU_NR32_RT_SIGRETURN	173
#define KU_NRX32_RT_SIGRETURN	0x40000201

/* Calls that never return; x32's are the 64-bit ones. */
#define KU_NR64_EXIT		60
#define KU_NR64_EXIT_GROUP	231
#define KU_NR32_EXIT		1
#define KU_NR32_EXIT_GROUP	252

#endif
