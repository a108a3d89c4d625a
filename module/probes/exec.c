// SPDX-License-Identifier: GPL-2.0-only
/* A thread that execs under another pid: see exec.h. Called by both back ends' hooks. */
#include <linux/kprobes.h>

#include "core/emit.h"
#include "probes/exec.h"

void __kprobes ku_hook_exec(struct task_struct *task, pid_t old_pid)
{
	unsigned long flags;

	if (old_pid == task->pid)
		return;
	/* ku_emit_switch() wants interrupts off. */
	local_irq_save(flags);
	ku_emit_switch(task, (u32)task->pid);
	local_irq_restore(flags);
}
