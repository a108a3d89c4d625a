// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sends of IPIs. arm64 has a tracepoint for them (ipi_raise) in all kernels, x86 and riscv64 from
 * 6.4 on. In older kernels, kprobes are set in the sending functions of x86. Rules of probes: tp.h.
 */
#include <linux/cpumask.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <trace/events/ipi.h>

#include "arch/entry.h"
#include "compat/tracepoints.h"
#include "compat/version.h"
#include "core/emit.h"
#include "probes/tp.h"

static void __kprobes ku_ipi_send_mask(const struct cpumask *mask)
{
	unsigned int cpu;

	ku_clock_order();
	for_each_cpu(cpu, mask)
		ku_emit(KU_EVENT(KUTRACE_IPI) | cpu);
}

#ifdef KU_ARCH_IPI_RAISE

static void __kprobes ku_ipi_raise(void *data, const struct cpumask *mask, const char *reason)
{
	ku_probe_guard();

	ku_ipi_send_mask(mask);
}

static struct ku_tp ku_ipi_tps[] = {
	KU_TP(ipi_raise, ku_ipi_raise, KUTRACE_MASK_IPI),
};

static void __maybe_unused ku_ipi_check(void)
{
	KU_CHECK(ipi_raise, ku_ipi_raise);
}

#else

static void __kprobes ku_ipi_send_cpu(void *data, unsigned int cpu, unsigned long callsite,
				      void *callback)
{
	ku_probe_guard();

	ku_emit_ordered(KU_EVENT(KUTRACE_IPI) | cpu);
}

static void __kprobes ku_ipi_send_cpumask(void *data, const struct cpumask *mask,
					  unsigned long callsite, void *callback)
{
	ku_probe_guard();

	ku_ipi_send_mask(mask);
}

static struct ku_tp ku_ipi_tps[] = {
	KU_TP(ipi_send_cpu, ku_ipi_send_cpu, KUTRACE_MASK_IPI),
	KU_TP(ipi_send_cpumask, ku_ipi_send_cpumask, KUTRACE_MASK_IPI),
};

static void __maybe_unused ku_ipi_check(void)
{
	KU_CHECK_IPI(ipi_send_cpu, ku_ipi_send_cpu);
	KU_CHECK_IPI(ipi_send_cpumask, ku_ipi_send_cpumask);
}

#endif

const struct ku_tp_table ku_tps_ipi = KU_TP_TABLE(ku_ipi_tps);

#if KU_IPI_KPROBES && !defined(KU_ARCH_IPI_RAISE)

static int __kprobes ku_ipi_cpu_pre(struct kprobe *probe, struct pt_regs *regs)
{
	ku_emit_ordered(KU_EVENT(KUTRACE_IPI) | (u32)regs_get_kernel_argument(regs, 0));
	return 0;
}

static int __kprobes ku_ipi_mask_pre(struct kprobe *probe, struct pt_regs *regs)
{
	ku_ipi_send_mask((const struct cpumask *)regs_get_kernel_argument(regs, 0));
	return 0;
}

static const char * const ku_ipi_to_cpu[] = { KU_ARCH_IPI_TO_CPU };
static const char * const ku_ipi_to_mask[] = { KU_ARCH_IPI_TO_MASK };

static struct kprobe ku_ipi_kprobes[ARRAY_SIZE(ku_ipi_to_cpu) + ARRAY_SIZE(ku_ipi_to_mask)];

static bool ku_ipi_attached[ARRAY_SIZE(ku_ipi_kprobes)];

/* Initializes each struct again, because a used kprobe cannot be registered again. */
static bool ku_ipi_attach_kprobes(void)
{
	u32 i, to_cpu = ARRAY_SIZE(ku_ipi_to_cpu);
	bool all = true;

	for (i = 0; i < ARRAY_SIZE(ku_ipi_kprobes); i++) {
		struct kprobe *probe = &ku_ipi_kprobes[i];

		if (i < to_cpu)
			*probe = (struct kprobe){ .symbol_name = ku_ipi_to_cpu[i],
						  .pre_handler = ku_ipi_cpu_pre };
		else
			*probe = (struct kprobe){ .symbol_name = ku_ipi_to_mask[i - to_cpu],
						  .pre_handler = ku_ipi_mask_pre };
		ku_ipi_attached[i] = register_kprobe(probe) == 0;
		all &= ku_ipi_attached[i];
	}
	return all;
}

void ku_ipi_detach(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ku_ipi_kprobes); i++) {
		if (ku_ipi_attached[i])
			unregister_kprobe(&ku_ipi_kprobes[i]);
		ku_ipi_attached[i] = false;
	}
}

#else

static bool ku_ipi_attach_kprobes(void)
{
	return false;
}

void ku_ipi_detach(void)
{
}

#endif

bool ku_ipi_attach(void)
{
	/* If the kernel has the tracepoint, tracepoints record the sends. */
	return ku_ipi_tps[0].tp || ku_ipi_attach_kprobes();
}
