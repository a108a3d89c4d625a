/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers of direct hooks (direct.h), for C and assembler. */
#ifndef KU_DIRECT_NUMBER_H
#define KU_DIRECT_NUMBER_H

/* A hook counts tasks under this index. All except the first are hooks of x86. */
#define KU_DIRECT_FAULT		0	/* handle_mm_fault() */
#define KU_DIRECT_CALL64	1	/* x64_sys_call() */
#define KU_DIRECT_CALLX32	2	/* x32_sys_call() */
#define KU_DIRECT_CALL32	3	/* ia32_sys_call() */
#define KU_DIRECT_TRACED	4	/* syscall_trace_enter() */
#define KU_DIRECT_CHILD		5	/* schedule_tail() */
#define KU_DIRECTS		6

#endif
