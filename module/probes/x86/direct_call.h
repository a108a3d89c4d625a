/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a direct hook of ftrace enters the hooked function's body and leaves it (direct.h), for
 * assembler code. A hook begins with ENDBR: its address is taken, which is what objtool goes by,
 * though nobody calls it indirectly. Behind its last instruction is a label NAME_end,
 * which nobody calls.
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
 * The stack at a hook's beginning, as at that of any function that the hooked one calls with
 * its first instruction:
 *
 *	 (%rsp)	the hooked function's body
 *	8(%rsp)	where its caller goes on
 *
 * The body is called directly, by its address: it begins with no ENDBR, which an indirect call
 * would want. A hook that sees the body's end returns twice (direct_return.h). Any other hook
 * leaves the stack as it was, and returns into the body.
 *
 * Step a: counted in before anything can sleep. Step b: counted out when the body has returned;
 * a task that is preempted before a or behind b is waited for by synchronize_rcu_tasks().
 */
.macro KU_DIRECT_ENTER number:req
	incq	PER_CPU_VAR(ku_direct_entered + 8 * \number)	/* a */
.endm

.macro KU_DIRECT_LEAVE number:req
	incq	PER_CPU_VAR(ku_direct_left + 8 * \number)	/* b */
.endm

#endif
