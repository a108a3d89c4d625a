// SPDX-License-Identifier: GPL-2.0-only
/*
 * arm64: tracepoints of received inter-processor interrupts. The kernel passes the purpose as a
 * text of its table ipi_types. Rules of probes: tp.h.
 */
#include <linux/kprobes.h>
#include <trace/events/ipi.h>

#include "compat/tracepoints.h"
#include "compat/version.h"
#include "core/emit.h"
#include "probes/tp.h"

/* Returns the event that x86 has for the same purpose, so that tools need no arm64 case. */
static __always_inline u32 ku_arm64_ipi_event(const char *reason)
{
	switch (reason[0]) {
	case 'R':	/* Rescheduling interrupts */
		return KUTRACE_CALL_IRQ + KUTRACE_VECTOR_RESCHEDULE;
	case 'F':	/* Function call interrupts */
		return KUTRACE_CALL_IRQ + KUTRACE_VECTOR_CALL_FUNCTION;
	case 'I':	/* IRQ work interrupts */
		return KUTRACE_CALL_IRQ + KUTRACE_VECTOR_IRQ_WORK;
	default:	/* forwarded timer; stopping CPUs, backtraces, debuggers */
		return KUTRACE_CALL_IRQ + KUTRACE_VECTOR_PLATFORM_IPI;
	}
}

static void __kprobes ku_ipi_entry(void *data, const char *reason)
{
	ku_probe_guard();

	ku_emit_ordered(KU_EVENT(ku_arm64_ipi_event(reason)));
}

static void __kprobes ku_ipi_exit(void *data, const char *reason)
{
	ku_probe_guard();

	ku_emit_return(ku_arm64_ipi_event(reason), 0);
}

/* Returns are attached before calls, so that no call is recorded without its return. */
static struct ku_tp ku_arm64_tps[] = {
	KU_TP(ipi_exit, ku_ipi_exit, KUTRACE_MASK_IPI),
	KU_TP(ipi_entry, ku_ipi_entry, KUTRACE_MASK_IPI),
};

const struct ku_tp_table ku_tps_arch = KU_TP_TABLE(ku_arm64_tps);

static void __maybe_unused ku_arm64_check(void)
{
	KU_CHECK(ipi_exit, ku_ipi_exit);
	KU_CHECK(ipi_entry, ku_ipi_entry);
}
