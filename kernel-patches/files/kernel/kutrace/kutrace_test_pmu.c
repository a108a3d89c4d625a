// SPDX-License-Identifier: GPL-2.0-only
/*
 * kutrace_test_pmu.ko provides hardware counters with known values to guests that have none.
 * Must be used only in disposable virtual machines. Cannot be loaded where the kernel has a
 * driver for hardware counters.
 *
 * A read of the instructions also updates the cycles: each count of the time counter is 8
 * cycles and eighths= instructions. A read of the cache misses adds misses=. So the ratio of
 * values that are read in this order, instructions first, is exact. Both parameters can change
 * at any time. CPUs from cpus= on have no counters.
 */
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/smp.h>
#include <linux/timex.h>

static unsigned int eighths = 8;
module_param(eighths, uint, 0644);
MODULE_PARM_DESC(eighths, "Instructions per 8 cycles");

static unsigned int misses;
module_param(misses, uint, 0644);
MODULE_PARM_DESC(misses, "Cache misses per reading");

static unsigned int cpus = ~0U;
module_param(cpus, uint, 0644);
MODULE_PARM_DESC(cpus, "Number of CPUs with counters");

struct ku_test_counts {
	u64 at;
	u64 instructions;
	u64 cycles;
	u64 misses;
};

static DEFINE_PER_CPU(struct ku_test_counts, ku_test_counts);

/* Interrupts are off, or perf owns this CPU's counter. */
static u64 ku_test_pmu_value(u64 config)
{
	struct ku_test_counts *counts = this_cpu_ptr(&ku_test_counts);
	u64 now = get_cycles();

	switch (config) {
	case PERF_COUNT_HW_INSTRUCTIONS:
		if (counts->at) {
			counts->instructions += (now - counts->at) * READ_ONCE(eighths);
			counts->cycles += (now - counts->at) * 8;
		}
		counts->at = now;
		return counts->instructions;
	case PERF_COUNT_HW_CPU_CYCLES:
		return counts->cycles;
	default:
		return counts->misses += READ_ONCE(misses);
	}
}

static void ku_test_pmu_read(struct perf_event *event)
{
	u64 now = ku_test_pmu_value(event->attr.config);

	local64_add(now - local64_xchg(&event->hw.prev_count, now), &event->count);
}

static void ku_test_pmu_start(struct perf_event *event, int flags)
{
	local64_set(&event->hw.prev_count, ku_test_pmu_value(event->attr.config));
	event->hw.state = 0;
}

static void ku_test_pmu_stop(struct perf_event *event, int flags)
{
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	ku_test_pmu_read(event);
	event->hw.state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int ku_test_pmu_add(struct perf_event *event, int flags)
{
	if (smp_processor_id() >= READ_ONCE(cpus))
		return -EAGAIN;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		ku_test_pmu_start(event, PERF_EF_RELOAD);
	return 0;
}

static void ku_test_pmu_del(struct perf_event *event, int flags)
{
	ku_test_pmu_stop(event, PERF_EF_UPDATE);
}

static int ku_test_pmu_init_event(struct perf_event *event)
{
	if (event->attr.type != PERF_TYPE_HARDWARE)
		return -ENOENT;
	switch (event->attr.config) {
	case PERF_COUNT_HW_INSTRUCTIONS:
	case PERF_COUNT_HW_CPU_CYCLES:
	case PERF_COUNT_HW_CACHE_MISSES:
		return event->cpu < 0 ? -EOPNOTSUPP : 0;
	default:
		return -ENOENT;
	}
}

static struct pmu ku_test_pmu = {
	.module = THIS_MODULE,
	.capabilities = PERF_PMU_CAP_NO_INTERRUPT,
	.task_ctx_nr = perf_invalid_context,
	.event_init = ku_test_pmu_init_event,
	.add = ku_test_pmu_add,
	.del = ku_test_pmu_del,
	.start = ku_test_pmu_start,
	.stop = ku_test_pmu_stop,
	.read = ku_test_pmu_read,
};

static int __init ku_test_pmu_init(void)
{
	/* perf searches this type for events of type HARDWARE. */
	return perf_pmu_register(&ku_test_pmu, "kutrace_test", PERF_TYPE_RAW);
}

static void __exit ku_test_pmu_exit(void)
{
	perf_pmu_unregister(&ku_test_pmu);
}

module_init(ku_test_pmu_init);
module_exit(ku_test_pmu_exit);
MODULE_DESCRIPTION("Counters for the tests of KUtrace");
MODULE_LICENSE("GPL");
