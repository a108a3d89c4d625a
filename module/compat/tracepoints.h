/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Includes the kernel's declarations of tracepoints, so that the compiler checks the probes: a
 * probe whose arguments differ from its tracepoint's is a build error, not an error at run time.
 * Each file of probes includes the headers of its own events.
 */
#ifndef KU_COMPAT_TRACEPOINTS_H
#define KU_COMPAT_TRACEPOINTS_H

#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
/* Later kernels have this header for all architectures. sparse has no __has_include. */
#ifdef __has_include
#if __has_include("trace/events/exceptions.h")
#define KU_GENERIC_EXCEPTIONS
#endif
#endif
#ifdef KU_GENERIC_EXCEPTIONS
#include <trace/events/exceptions.h>
#elif defined(CONFIG_X86)
#include <asm/trace/exceptions.h>
#endif

#include "compat/version.h"

#define KU_CHECK(name, probe)	check_trace_callback_type_##name(probe)

/* An architecture has tracepoints of page faults only if it is x86 or the common header exists. */
#if defined(KU_GENERIC_EXCEPTIONS) || defined(CONFIG_X86)
#define KU_CHECK_FAULT(name, probe)	KU_CHECK(name, probe)
#else
#define KU_CHECK_FAULT(name, probe)	((void)(probe))
#endif

#if KU_IPI_SEND_TRACEPOINTS
#define KU_CHECK_IPI(name, probe)	KU_CHECK(name, probe)
#else
#define KU_CHECK_IPI(name, probe)	((void)(probe))
#endif

/* The tracepoint contended_release is in newer kernels; Kbuild searches the headers for it. */
#ifdef KU_DECLARES_CONTENDED_RELEASE
#define KU_CHECK_RELEASE(name, probe)	KU_CHECK(name, probe)
#else
#define KU_CHECK_RELEASE(name, probe)	((void)(probe))
#endif

/*
 * Tracepoints of the scheduler's start and end. Kbuild searches the headers for them. Some kernels
 * declare them with another argument and are not supported.
 */
#ifdef KU_DECLARES_SCHED_ENTRY
#define KU_SCHED_SPANS							\
	(__builtin_types_compatible_p(					\
		__typeof__(check_trace_callback_type_sched_entry_tp),	\
		void (void (*)(void *, bool))) &&			\
	 __builtin_types_compatible_p(					\
		__typeof__(check_trace_callback_type_sched_exit_tp),	\
		void (void (*)(void *, bool))))
#else
#define KU_SCHED_SPANS 0
#endif

/*
 * Each macro is 1 if the kernel's headers declare this tracepoint of kernel-patches/tracepoints/.
 * No release of Linux has them. Their probes are compiled only where they are declared.
 */
#if defined(KU_DECLARES_SYSCALL_BEGIN) && defined(CONFIG_GENERIC_ENTRY)
#define KU_HAVE_SYSCALL_BEGIN 1
#else
#define KU_HAVE_SYSCALL_BEGIN 0
#endif
#ifdef KU_DECLARES_EXCEPTION_ENTRY
#define KU_HAVE_EXCEPTION_ENTRY 1
#else
#define KU_HAVE_EXCEPTION_ENTRY 0
#endif
#ifdef KU_DECLARES_DEVICE_INTERRUPT_ENTRY
#define KU_HAVE_DEVICE_INTERRUPT_ENTRY 1
#else
#define KU_HAVE_DEVICE_INTERRUPT_ENTRY 0
#endif
#ifdef KU_DECLARES_NMI_ENTRY
#define KU_HAVE_NMI_ENTRY 1
#else
#define KU_HAVE_NMI_ENTRY 0
#endif

/* Tracepoints of vectors that not every configuration has. */
#ifdef CONFIG_SMP
#define KU_CHECK_SMP(name, probe)	KU_CHECK(name, probe)
#else
#define KU_CHECK_SMP(name, probe)	((void)(probe))
#endif
#ifdef CONFIG_IRQ_WORK
#define KU_CHECK_WORK(name, probe)	KU_CHECK(name, probe)
#else
#define KU_CHECK_WORK(name, probe)	((void)(probe))
#endif
#ifdef CONFIG_X86_MCE_THRESHOLD
#define KU_CHECK_THRESHOLD(name, probe)	KU_CHECK(name, probe)
#else
#define KU_CHECK_THRESHOLD(name, probe)	((void)(probe))
#endif
#ifdef CONFIG_X86_MCE_AMD
#define KU_CHECK_DEFERRED(name, probe)	KU_CHECK(name, probe)
#else
#define KU_CHECK_DEFERRED(name, probe)	((void)(probe))
#endif
#ifdef CONFIG_X86_THERMAL_VECTOR
#define KU_CHECK_THERMAL(name, probe)	KU_CHECK(name, probe)
#else
#define KU_CHECK_THERMAL(name, probe)	((void)(probe))
#endif

/*
 * Arguments of the tracepoints of dirty throttling and direct reclaim. Kbuild searches the headers.
 */
#ifdef KU_DECLARES_DIRTY_CONTROL
#define KU_DIRTY_ARGS							\
	struct bdi_writeback *wb, struct dirty_throttle_control *dtc,	\
	unsigned long dirty_ratelimit, unsigned long task_ratelimit,	\
	unsigned long dirtied, unsigned long period, long pause, unsigned long start
#else
#define KU_DIRTY_ARGS							\
	struct bdi_writeback *wb, unsigned long thresh, unsigned long bg_thresh, \
	unsigned long dirty, unsigned long bdi_thresh, unsigned long bdi_dirty, \
	unsigned long dirty_ratelimit, unsigned long task_ratelimit,	\
	unsigned long dirtied, unsigned long period, long pause, unsigned long start
#endif
#ifdef KU_DECLARES_RECLAIM_CGROUP
#define KU_RECLAIM_BEGIN_ARGS	gfp_t gfp_flags, int order, struct mem_cgroup *memcg
#define KU_RECLAIM_END_ARGS	unsigned long reclaimed, struct mem_cgroup *memcg
#else
#define KU_RECLAIM_BEGIN_ARGS	int order, gfp_t gfp_flags
#define KU_RECLAIM_END_ARGS	unsigned long reclaimed
#endif

/* Selects the probe for the end of a task: later kernels pass another argument. */
#define KU_PROCESS_EXIT_PROBE(before, now)				\
	__builtin_choose_expr(__builtin_types_compatible_p(		\
		__typeof__(check_trace_callback_type_sched_process_exit), \
		void (void (*)(void *, struct task_struct *))), before, now)

/* Type of a new task's flags: unsigned long or u64. */
#define ku_clone_flags							\
	__typeof__(__builtin_choose_expr(__builtin_types_compatible_p(	\
		__typeof__(check_trace_callback_type_task_newtask),	\
		void (void (*)(void *, struct task_struct *, u64))), (u64)0, 0UL))

/* Type of the time at which a timer expires: a pointer or, in later kernels, a value. */
#define ku_hrtimer_now							\
	__typeof__(__builtin_choose_expr(__builtin_types_compatible_p(	\
		__typeof__(check_trace_callback_type_hrtimer_expire_entry), \
		void (void (*)(void *, struct hrtimer *, ktime_t *))), (ktime_t *)0, (ktime_t)0))

#endif
