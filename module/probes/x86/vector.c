// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: tracepoints of interrupts by vector: timer, IPIs, APIC, NMI; in kernels that have them, also
 * of device interrupts and exceptions. Rules of probes: tp.h.
 */
#include <linux/kprobes.h>
#include <asm/trace/irq_vectors.h>
#include <trace/events/nmi.h>

#include "compat/tracepoints.h"
#include "compat/version.h"
#include "core/clock.h"
#include "core/emit.h"
#include "core/time.h"
#include "probes/pc.h"
#include "probes/tp.h"
#include "probes/x86/device.h"

static void __kprobes ku_timer_entry(void *data, int vector)
{
	ku_probe_guard();

	ku_emit(KU_EVENT(KUTRACE_CALL_IRQ + KUTRACE_VECTOR_LOCAL_TIMER));
}

static void __kprobes ku_timer_exit(void *data, int vector)
{
	ku_probe_guard();

	ku_emit_return(KUTRACE_CALL_IRQ + KUTRACE_VECTOR_LOCAL_TIMER, 0);
	ku_pc_sample();
}

#define KU_VECTOR_PROBES(name, id) \
static void __kprobes ku_##name##_entry(void *data, int vector) \
{ \
	ku_probe_guard(); \
\
	ku_emit_ordered(KU_EVENT(KUTRACE_CALL_IRQ + KUTRACE_VECTOR_##id)); \
} \
KU_VECTOR_RETURN(name, id)

#define KU_VECTOR_RETURN(name, id) \
static void __kprobes ku_##name##_exit(void *data, int vector) \
{ \
	ku_probe_guard(); \
\
	ku_emit_return(KUTRACE_CALL_IRQ + KUTRACE_VECTOR_##id, 0); \
}

KU_VECTOR_PROBES(spurious, SPURIOUS)
KU_VECTOR_PROBES(apic_error, APIC_ERROR)
KU_VECTOR_PROBES(platform_ipi, PLATFORM_IPI)
KU_VECTOR_PROBES(irq_work, IRQ_WORK)
KU_VECTOR_PROBES(reschedule, RESCHEDULE)
KU_VECTOR_PROBES(call_function, CALL_FUNCTION)
KU_VECTOR_PROBES(call_single, CALL_SINGLE)
KU_VECTOR_PROBES(threshold, THRESHOLD)
KU_VECTOR_PROBES(deferred_error, DEFERRED_ERROR)
KU_VECTOR_PROBES(thermal, THERMAL)

/* This tracepoint comes after an NMI handler. @delta_ns is the handler's duration. */
static void __kprobes ku_nmi(void *data, void *handler, s64 delta_ns, int handled)
{
	ku_probe_guard();

	ku_emit_past(KU_EVENT(KUTRACE_CALL_IRQ + KUTRACE_VECTOR_NMI),
		     ku_ns_to_counts(ku_int_ns(delta_ns), 0));
	ku_emit_return(KUTRACE_CALL_IRQ + KUTRACE_VECTOR_NMI, handled);
}

#if KU_HAVE_NMI_ENTRY
static void __kprobes ku_nmi_entry(void *data, struct pt_regs *regs)
{
	ku_probe_guard();

	ku_emit_ordered(KU_EVENT(KUTRACE_CALL_IRQ + KUTRACE_VECTOR_NMI));
}

static void __kprobes ku_nmi_exit(void *data, struct pt_regs *regs)
{
	ku_probe_guard();

	ku_emit_return(KUTRACE_CALL_IRQ + KUTRACE_VECTOR_NMI, 0);
}
#endif

#if KU_HAVE_DEVICE_INTERRUPT_ENTRY
/* The descriptor of a vector without an interrupt is NULL or an error. */
static void __kprobes ku_device_entry(void *data, int vector, struct irq_desc *desc)
{
	ku_probe_guard();

	ku_device_begin((u8)vector, IS_ERR(desc) ? NULL : desc);
}

static void __kprobes ku_device_exit(void *data, int vector, struct irq_desc *desc)
{
	ku_probe_guard();

	ku_device_end((u8)vector, IS_ERR(desc) ? NULL : desc);
}
#endif

#if KU_HAVE_EXCEPTION_ENTRY
static void __kprobes ku_exception_entry(void *data, struct pt_regs *regs, int vector,
					 unsigned long error_code, unsigned long address)
{
	ku_probe_guard();

	ku_emit(KU_EVENT(KUTRACE_CALL_TRAP + (vector & 0xFF)) | (u16)error_code);
}

static void __kprobes ku_exception_exit(void *data, struct pt_regs *regs, int vector)
{
	ku_probe_guard();

	ku_emit_return(KUTRACE_CALL_TRAP + (vector & 0xFF), 0);
}
#endif

/* Returns are attached before calls, so that no call is recorded without its return. */
static struct ku_tp ku_vector_tps[] = {
	/* The probe of the interrupt's end records the PC sample. */
	KU_TP(local_timer_exit, ku_timer_exit, KUTRACE_MASK_IRQ | KUTRACE_MASK_PCSAMPLE),
	KU_TP(local_timer_entry, ku_timer_entry, KUTRACE_MASK_IRQ | KUTRACE_MASK_PCSAMPLE),
	KU_TP(spurious_apic_exit, ku_spurious_exit, KUTRACE_MASK_IRQ),
	KU_TP(spurious_apic_entry, ku_spurious_entry, KUTRACE_MASK_IRQ),
	KU_TP(error_apic_exit, ku_apic_error_exit, KUTRACE_MASK_IRQ),
	KU_TP(error_apic_entry, ku_apic_error_entry, KUTRACE_MASK_IRQ),
	KU_TP(x86_platform_ipi_exit, ku_platform_ipi_exit, KUTRACE_MASK_IPI),
	KU_TP(x86_platform_ipi_entry, ku_platform_ipi_entry, KUTRACE_MASK_IPI),
	KU_TP(irq_work_exit, ku_irq_work_exit, KUTRACE_MASK_IPI),
	KU_TP(irq_work_entry, ku_irq_work_entry, KUTRACE_MASK_IPI),
	KU_TP(reschedule_exit, ku_reschedule_exit, KUTRACE_MASK_IPI),
	KU_TP(reschedule_entry, ku_reschedule_entry, KUTRACE_MASK_IPI),
	KU_TP(call_function_exit, ku_call_function_exit, KUTRACE_MASK_IPI),
	KU_TP(call_function_entry, ku_call_function_entry, KUTRACE_MASK_IPI),
	KU_TP(call_function_single_exit, ku_call_single_exit, KUTRACE_MASK_IPI),
	KU_TP(call_function_single_entry, ku_call_single_entry, KUTRACE_MASK_IPI),
	KU_TP(threshold_apic_exit, ku_threshold_exit, KUTRACE_MASK_IRQ),
	KU_TP(threshold_apic_entry, ku_threshold_entry, KUTRACE_MASK_IRQ),
	KU_TP(deferred_error_apic_exit, ku_deferred_error_exit, KUTRACE_MASK_IRQ),
	KU_TP(deferred_error_apic_entry, ku_deferred_error_entry, KUTRACE_MASK_IRQ),
	KU_TP(thermal_apic_exit, ku_thermal_exit, KUTRACE_MASK_IRQ),
	KU_TP(thermal_apic_entry, ku_thermal_entry, KUTRACE_MASK_IRQ),
	KU_TP_OLD(nmi_handler, nmi_entry, ku_nmi, KUTRACE_MASK_IRQ),
#if KU_HAVE_NMI_ENTRY
	KU_TP(nmi_exit, ku_nmi_exit, KUTRACE_MASK_IRQ),
	KU_TP(nmi_entry, ku_nmi_entry, KUTRACE_MASK_IRQ),
#endif
#if KU_HAVE_DEVICE_INTERRUPT_ENTRY
	KU_TP(device_interrupt_exit, ku_device_exit, KUTRACE_MASK_IRQ),
	KU_TP(device_interrupt_entry, ku_device_entry, KUTRACE_MASK_IRQ),
#endif
#if KU_HAVE_EXCEPTION_ENTRY
	KU_TP(exception_exit, ku_exception_exit, KUTRACE_MASK_TRAP),
	KU_TP(exception_entry, ku_exception_entry, KUTRACE_MASK_TRAP),
#endif
};

const struct ku_tp_table ku_tps_arch = KU_TP_TABLE(ku_vector_tps);

static void __maybe_unused ku_vector_check(void)
{
	KU_CHECK(local_timer_exit, ku_timer_exit);
	KU_CHECK(local_timer_entry, ku_timer_entry);
	KU_CHECK(spurious_apic_exit, ku_spurious_exit);
	KU_CHECK(spurious_apic_entry, ku_spurious_entry);
	KU_CHECK(error_apic_exit, ku_apic_error_exit);
	KU_CHECK(error_apic_entry, ku_apic_error_entry);
	KU_CHECK(x86_platform_ipi_exit, ku_platform_ipi_exit);
	KU_CHECK(x86_platform_ipi_entry, ku_platform_ipi_entry);
	KU_CHECK_WORK(irq_work_exit, ku_irq_work_exit);
	KU_CHECK_WORK(irq_work_entry, ku_irq_work_entry);
	KU_CHECK_SMP(reschedule_exit, ku_reschedule_exit);
	KU_CHECK_SMP(reschedule_entry, ku_reschedule_entry);
	KU_CHECK_SMP(call_function_exit, ku_call_function_exit);
	KU_CHECK_SMP(call_function_entry, ku_call_function_entry);
	KU_CHECK_SMP(call_function_single_exit, ku_call_single_exit);
	KU_CHECK_SMP(call_function_single_entry, ku_call_single_entry);
	KU_CHECK_THRESHOLD(threshold_apic_exit, ku_threshold_exit);
	KU_CHECK_THRESHOLD(threshold_apic_entry, ku_threshold_entry);
	KU_CHECK_DEFERRED(deferred_error_apic_exit, ku_deferred_error_exit);
	KU_CHECK_DEFERRED(deferred_error_apic_entry, ku_deferred_error_entry);
	KU_CHECK_THERMAL(thermal_apic_exit, ku_thermal_exit);
	KU_CHECK_THERMAL(thermal_apic_entry, ku_thermal_entry);
	KU_CHECK(nmi_handler, ku_nmi);
#if KU_HAVE_NMI_ENTRY
	KU_CHECK(nmi_exit, ku_nmi_exit);
	KU_CHECK(nmi_entry, ku_nmi_entry);
#endif
#if KU_HAVE_DEVICE_INTERRUPT_ENTRY
	KU_CHECK(device_interrupt_exit, ku_device_exit);
	KU_CHECK(device_interrupt_entry, ku_device_entry);
#endif
#if KU_HAVE_EXCEPTION_ENTRY
	KU_CHECK(exception_exit, ku_exception_exit);
	KU_CHECK(exception_entry, ku_exception_entry);
#endif
}
