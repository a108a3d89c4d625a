/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every test of the kernel's version or configuration. The rest of the module reads as if
 * there were one kernel; it must not test either by itself. Included where a name of here is used.
 * Changes are taken back into older releases, so what headers declare decides where that can be
 * asked (here, in tracepoints.h, and in Kbuild), and the version where not.
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

/* Before, interrupts between CPUs are no irqs there, and have no tracepoint. */
#if defined(CONFIG_RISCV) && LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#error "on riscv64 kutrace needs Linux 6.4 or later"
#endif

/*
 * First declaration of every probe of a tracepoint: preemption is off from here to its
 * end. Up to 6.12 tracepoints see to that. From 6.13 on those of system calls do not,
 * later releases none: then the grace periods of tracepoints do not wait for it either,
 * but ku_synchronize() does.
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
 * One page of another process, to write to it, if that takes no fault; mmap_lock is held, and
 * stays so. 1: pinned.
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
 * A per-CPU variable as an operand of assembler code, which __percpu_arg() writes out: later
 * releases have its segment in its type, where the compiler knows segments, and then not in the
 * text.
 */
#if defined(__my_cpu_var)
#define ku_percpu_operand(var) __my_cpu_var(var)
#else
#define ku_percpu_operand(var) (var)
#endif

/* Work that a thread does on its way to user space: distributions export it, or do not. */
#if !defined(MODULE) || defined(KU_EXPORTS_TASK_WORK)
#define KU_HAVE_TASK_WORK 1
#else
#define KU_HAVE_TASK_WORK 0
#endif

/* Threads that never are in user space. */
#if defined(PF_USER_WORKER)
#define KU_PF_NOT_USER (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER)
#else
#define KU_PF_NOT_USER (PF_KTHREAD | PF_IO_WORKER)
#endif

/* True if a thread runs on a CPU now. */
#if defined(CONFIG_SMP)
#define ku_task_on_cpu(task) READ_ONCE((task)->on_cpu)
#else
#define ku_task_on_cpu(task) false
#endif

/* Releases a process's memory without freeing it here. Not every kernel exports mmput_async(). */
#if !defined(MODULE) || defined(KU_EXPORTS_MMPUT_ASYNC)
#define ku_mmput_async(mm) mmput_async(mm)
#else
#define ku_mmput_async(mm) mmput(mm)
#endif

/*
 * From 6.4 on IPI sends have tracepoints (ipi_send_cpu, ipi_send_cpumask), which Kbuild looks
 * for in the headers; before that the module puts kprobes on the functions that send them.
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

/* It was a macro as long as it wanted the module. */
#if defined(class_create)
#define ku_class_create(name) class_create(THIS_MODULE, name)
#else
#define ku_class_create(name) class_create(name)
#endif

/* What struct device_type's devnode may do with its device. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
#define KU_DEVNODE_CONST
#else
#define KU_DEVNODE_CONST const
#endif

/* The hooks of the patch set. */
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

/*
 * Direct hooks of ftrace: on x86 with an unwinder that finds its way by objtool's tables, as
 * frame pointers are not set up on the way; on arm64 where the kernel does not want a landing
 * pad behind ftrace's call, which the hook branches to; on riscv64 wherever it has them. Before
 * 6.4 those that go by struct ftrace_ops have another name, which Kbuild looks for in the headers.
 */
#if defined(CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS) && \
	((defined(CONFIG_X86_64) && !defined(CONFIG_FRAME_POINTER)) || \
	 (defined(CONFIG_ARM64) && !defined(CONFIG_ARM64_BTI_KERNEL)) || defined(CONFIG_RISCV))
#define KU_DIRECT 1
#else
#define KU_DIRECT 0
#endif
/* Of system calls: with what finds functions by name, and frames on a stack. */
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
