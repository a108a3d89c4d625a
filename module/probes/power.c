// SPDX-License-Identifier: GPL-2.0-only
/* Tracepoints of idle states and frequencies. Rules of probes: tp.h. */
#include <linux/cpumask.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <trace/events/power.h>

#include "compat/tracepoints.h"
#include "compat/version.h"
#include "core/emit.h"
#include "probes/tp.h"

static void __kprobes ku_cpu_idle(void *data, unsigned int state, unsigned int cpu)
{
	ku_probe_guard();

	if (state != (unsigned int)-1)
		ku_emit(KU_EVENT(KUTRACE_MWAIT) | state);
}

/* If @cpu is not this CPU, only the next block and PC sample of @cpu have the new value. */
static void __kprobes ku_cpu_frequency(void *data, unsigned int khz, unsigned int cpu)
{
	ku_probe_guard();

	if (cpu >= nr_cpu_ids)
		return;
	WRITE_ONCE(per_cpu(ku_cpu, cpu).mhz, khz / 1000);
	if (cpu == raw_smp_processor_id())
		ku_emit(KU_EVENT(KUTRACE_PSTATE2) | khz / 1000);
}

static struct ku_tp ku_power_tps[] = {
	KU_TP(cpu_idle, ku_cpu_idle, KUTRACE_MASK_IDLE),
	KU_TP(cpu_frequency, ku_cpu_frequency, KUTRACE_MASK_FREQ),
};

const struct ku_tp_table ku_tps_power = KU_TP_TABLE(ku_power_tps);

static void __maybe_unused ku_power_check(void)
{
	KU_CHECK(cpu_idle, ku_cpu_idle);
	KU_CHECK(cpu_frequency, ku_cpu_frequency);
}
