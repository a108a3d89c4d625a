// SPDX-License-Identifier: GPL-2.0-only
/* Hooks of softirqs and of the timer's PC sample in a patched kernel: see patched.h. */
#include <linux/kprobes.h>
#include <linux/ptrace.h>

#include "core/emit.h"
#include "probes/patched.h"

void __kprobes ku_static_softirq_enter(unsigned int kind)
{
	ku_emit(KU_EVENT(KUTRACE_CALL_BH) | (u16)kind);
}

void __kprobes ku_static_softirq_exit(unsigned int kind)
{
	ku_emit_return(KUTRACE_CALL_BH, 0);
}

void __kprobes ku_static_pc_sample(struct pt_regs *regs)
{
	ku_emit2(KU_EVENT(KUTRACE_PC_U) | ku_cpu_read(mhz), instruction_pointer(regs));
}
