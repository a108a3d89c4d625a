// SPDX-License-Identifier: GPL-2.0-only
/* Records that a thread has changed its pid by exec: see exec.h. */
#include <linux/kprobes.h>

#include "core/emit.h"
#include "probes/exec.h"

void __kprobes ku_hook_exec(struct task_struct *task, pid_t old_pid)
{
	unsigned long flags;

	if (old_pid == task->pid)
		return;
	/* ku_emit_switch() needs interrupts disabled. */
	local_irq_save(flags);
	ku_emit_switch(task, (u32)task->pid);
	local_irq_restore(flags);
}
