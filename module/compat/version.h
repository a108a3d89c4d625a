/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All tests of the kernel's version. Older kernels get changes as backports, so the version alone
 * is not reliable. Code tests the headers where possible (here, in tracepoints.h, and in Kbuild),
 * and the version otherwise.
 */
#ifndef KU_COMPAT_H
#define KU_COMPAT_H

#include <linux/build_bug.h>
#include <linux/device/class.h>
#include <linux/irqnr.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched/mm.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "kutrace needs Linux 6.1 or later"
#endif

/* Older kernels for riscv64 handle IPIs without irqs and tracepoints. */
#if defined(CONFIG_RISCV) && LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#error "on riscv64 kutrace needs Linux 6.4 or later"
#endif

/*
 * Must be the first declaration of every probe of a tracepoint. Disables preemption until the end
 * of the probe. Up to 6.12, tracepoints do this themselves. From 6.13 on, tracepoints of system
 * calls do not, and in later kernels none does. The grace period of tracepoints then does not wait
 * for code with preemption disabled, but ku_synchronize() does.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define ku_probe_guard() guard(preempt_notrace)()
#else
#define ku_probe_guard() static_assert(true)
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_mod(struct vm_area_struct *vma, unsigned long set,
				unsigned long clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#endif

/*
 * Pins a page of another process for writing, if that needs no fault. Returns 1 if pinned.
 * mmap_lock is held, and not dropped.
 */
static inline long ku_pin_page_remote(struct mm_struct *mm, unsigned long address,
				      struct page **page)
{
	unsigned int flags = FOLL_WRITE | FOLL_NOFAULT;

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
	return pin_user_pages_remote(mm, address & PAGE_MASK, 1, flags, page, NULL, NULL);
#else
	return pin_user_pages_remote(mm, address & PAGE_MASK, 1, flags, page, NULL);
#endif
}

/*
 * A per-CPU variable as an operand of assembler code, with the text of __percpu_arg(). In later
 * kernels, the variable's type may have the segment. Then the text has no segment.
 */
#if defined(__my_cpu_var)
#define ku_percpu_operand(var) __my_cpu_var(var)
#else
#define ku_percpu_operand(var) (var)
#endif

/* Work for a thread on its way to user space, unless the kernel does not export it to modules. */
#if !defined(MODULE) || defined(KU_EXPORTS_TASK_WORK)
#define KU_HAVE_TASK_WORK 1
#else
#define KU_HAVE_TASK_WORK 0
#endif

/* Threads that never run in user space. */
#if defined(PF_USER_WORKER)
#define KU_PF_NOT_USER (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER)
#else
#define KU_PF_NOT_USER (PF_KTHREAD | PF_IO_WORKER)
#endif

/* Returns whether a thread is running on a CPU. */
#if defined(CONFIG_SMP)
#define ku_task_on_cpu(task) READ_ONCE((task)->on_cpu)
#else
#define ku_task_on_cpu(task) false
#endif

/* Drops a reference to a process's memory; if possible, another work item frees the memory. */
#if !defined(MODULE) || defined(KU_EXPORTS_MMPUT_ASYNC)
#define ku_mmput_async(mm) mmput_async(mm)
#else
#define ku_mmput_async(mm) mmput(mm)
#endif

/*
 * From 6.4 on, IPI sends have tracepoints (ipi_send_cpu, ipi_send_cpumask); Kbuild searches the
 * headers. In older kernels, the module sets kprobes in the sending functions.
 */
#if defined(KU_DECLARES_IPI_SEND_CPU)
#define KU_IPI_SEND_TRACEPOINTS 1
#else
#define KU_IPI_SEND_TRACEPOINTS 0
#endif
#if !KU_IPI_SEND_TRACEPOINTS && defined(CONFIG_KPROBES)
#define KU_IPI_KPROBES 1
#else
#define KU_IPI_KPROBES 0
#endif

/* In kernels where class_create() is a macro, its first argument is the module. */
#if defined(class_create)
#define ku_class_create(name) class_create(THIS_MODULE, name)
#else
#define ku_class_create(name) class_create(name)
#endif

/* Whether devnode in struct device_type takes a pointer to a const device. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
#define KU_DEVNODE_CONST
#else
#define KU_DEVNODE_CONST const
#endif

/* The hooks of a patched kernel. */
#if defined(CONFIG_KUTRACE)
#define KU_HAVE_HOOKS 1
#else
#define KU_HAVE_HOOKS 0
#endif

#if defined(CONFIG_KRETPROBES)
#define KU_FAULT_KRETPROBE 1
#else
#define KU_FAULT_KRETPROBE 0
#endif

/* Quotas of CPU time for cgroups, and the probes that record throttling. */
#if defined(CONFIG_CFS_BANDWIDTH) && defined(CONFIG_CGROUP_SCHED) && defined(CONFIG_SMP) && \
	defined(CONFIG_KPROBES) && defined(CONFIG_KRETPROBES)
#define KU_QUOTA 1
#else
#define KU_QUOTA 0
#endif

/* The probes that record changes of priorities. */
#if defined(CONFIG_KPROBES) && defined(CONFIG_KRETPROBES)
#define KU_PRIORITY 1
#else
#define KU_PRIORITY 0
#endif

/*
 * Direct hooks of ftrace. On x86 they need the unwinder that uses objtool's tables, because they
 * set up no frame pointers. On arm64 the kernel must not need a landing pad after ftrace's call,
 * where the hook branches to. On riscv64 there is no condition. Before 6.4 the functions that take
 * a struct ftrace_ops have another name; Kbuild searches the headers.
 */
#if defined(CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS) && \
	((defined(CONFIG_X86_64) && !defined(CONFIG_FRAME_POINTER)) || \
	 (defined(CONFIG_ARM64) && !defined(CONFIG_ARM64_BTI_KERNEL)) || defined(CONFIG_RISCV))
#define KU_DIRECT 1
#else
#define KU_DIRECT 0
#endif
/* Direct hooks of system calls need kprobes, which find functions by name, and stack traces. */
#if KU_DIRECT && defined(CONFIG_X86_64) && defined(CONFIG_KPROBES) && \
	defined(CONFIG_STACKTRACE) && defined(CONFIG_HAVE_STATIC_CALL)
#define KU_SYSCALL_DIRECT 1
#else
#define KU_SYSCALL_DIRECT 0
#endif
#if defined(KU_DECLARES_DIRECT_MULTI)
#include <linux/ftrace.h>
#define ku_register_direct(ops, function) register_ftrace_direct_multi(ops, function)

static inline int ku_unregister_direct(struct ftrace_ops *ops, unsigned long function)
{
	int err = unregister_ftrace_direct_multi(ops, function);

	if (!err)
		ftrace_free_filter(ops);
	return err;
}
#else
#define ku_register_direct(ops, function) register_ftrace_direct(ops, function)
#define ku_unregister_direct(ops, function) unregister_ftrace_direct(ops, function, true)
#endif

#endif
