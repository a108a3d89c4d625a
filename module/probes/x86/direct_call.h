/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Enters and leaves the hooked function's body in a direct hook of ftrace (direct.h), for assembler
 * code. A hook begins with ENDBR, although it is never called indirectly: objtool demands it,
 * because the hook's address is taken. A label NAME_end, which is never called, follows the last
 * instruction.
 */
#ifndef KU_DIRECT_CALL_H
#define KU_DIRECT_CALL_H

#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/alternative.h>
#include <asm/cpufeatures.h>
#include <asm/ibt.h>
#include <asm/nospec-branch.h>
#include <asm/percpu.h>
#include <asm/unwind_hints.h>

#include "probes/direct_number.h"
#include "probes/x86/direct_return.h"

/*
 * The stack at the beginning of a hook, as if the hooked function had called it with its first
 * instruction:
 *
 *	 (%rsp)	the hooked function's body
 *	8(%rsp)	return address of the function's caller
 *
 * The body is called directly by its address, because it does not begin with ENDBR, as an indirect
 * call would require. A hook that records the body's end returns twice (direct_return.h). Any other
 * hook leaves the stack unchanged, and returns into the body.
 *
 * Step a: counts the task as entered, before anything can sleep. Step b: counts it as left, after
 * the body has returned. synchronize_rcu_tasks() waits for a task that is preempted before a or
 * after b.
 */
.macro KU_DIRECT_ENTER number:req
	incq	PER_CPU_VAR(ku_direct_entered + 8 * \number)	/* a */
.endm

.macro KU_DIRECT_LEAVE number:req
	incq	PER_CPU_VAR(ku_direct_left + 8 * \number)	/* b */
.endm

#endif
