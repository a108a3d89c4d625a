// SPDX-License-Identifier: GPL-2.0-only
/* Counter bits for instructions per cycle and cache misses: see counters.h. */
#include <linux/cpuhotplug.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/math64.h>
#include <linux/perf_event.h>
#include <linux/percpu.h>
#include <linux/smp.h>

#include "core/ring.h"
#include "session/counters.h"
#include "session/state.h"

#ifdef CONFIG_PERF_EVENTS

/* Indexed by enum ku_counter. */
static const struct {
	u64 config;
	u64 flag;		/* flag of a reset that needs the counter */
	const char *name;
} ku_counter_kinds[KU_COUNTERS] = {
	[KU_COUNTER_INSTRUCTIONS] = { PERF_COUNT_HW_INSTRUCTIONS, KUTRACE_RESET_IPC,
				      "instructions" },
	[KU_COUNTER_CYCLES] = { PERF_COUNT_HW_CPU_CYCLES, KUTRACE_RESET_IPC, "cycles" },
	[KU_COUNTER_MISSES] = { PERF_COUNT_HW_CACHE_MISSES, KUTRACE_RESET_LLC,
				"cache misses" },
};

/* Used for a CPU without a counter. Its oncpu is no CPU, so nothing reads it. */
static struct perf_event ku_no_counter = { .oncpu = -1 };

struct ku_counter_set {
	struct perf_event *event[KU_COUNTERS];
};

static DEFINE_PER_CPU(struct ku_counter_set, ku_counter) = {
	.event = { [0 ... KU_COUNTERS - 1] = &ku_no_counter },
};

static bool ku_counters_strict;		/* return errors, because a caller waits for them */

/* Opens a pinned counter: it always counts, or is in an error state. */
static struct perf_event *ku_counter_open(int which, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = ku_counter_kinds[which].config,
		.pinned = 1,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
	if (!IS_ERR(event) && READ_ONCE(event->state) != PERF_EVENT_STATE_ACTIVE) {
		perf_event_release_kernel(event);
		event = ERR_PTR(-EBUSY);
	}
	if (IS_ERR(event))
		pr_info("kutrace: CPU %d: no counter of %s: error %ld\n", cpu,
			ku_counter_kinds[which].name, PTR_ERR(event));
	return event;
}

/* Runs on @cpu. Readers of these events also run on @cpu, with interrupts off, so none runs now. */
static int ku_counters_down(unsigned int cpu, u64 flag)
{
	int i;

	for (i = 0; i < KU_COUNTERS; i++) {
		struct perf_event *event = per_cpu(ku_counter, cpu).event[i];

		if (ku_counter_kinds[i].flag != flag)
			continue;
		WRITE_ONCE(per_cpu(ku_counter, cpu).event[i], &ku_no_counter);
		if (event != &ku_no_counter)
			perf_event_release_kernel(event);
	}
	return 0;
}

static int ku_counters_up(unsigned int cpu, u64 flag)
{
	int i;

	for (i = 0; i < KU_COUNTERS; i++) {
		struct perf_event *event;

		if (ku_counter_kinds[i].flag != flag)
			continue;
		event = ku_counter_open(i, cpu);
		if (IS_ERR(event)) {
			ku_counters_down(cpu, flag);
			/* An error must not prevent the CPU from coming online. */
			return ku_counters_strict ? PTR_ERR(event) : 0;
		}
		WRITE_ONCE(per_cpu(ku_counter, cpu).event[i], event);
	}
	return 0;
}

/* CPU hotplug calls these functions on the CPU itself, also to set up and remove the state. */

static int ku_ipc_up(unsigned int cpu)
{
	return ku_counters_up(cpu, KUTRACE_RESET_IPC);
}

static int ku_ipc_down(unsigned int cpu)
{
	return ku_counters_down(cpu, KUTRACE_RESET_IPC);
}

static int ku_llc_up(unsigned int cpu)
{
	return ku_counters_up(cpu, KUTRACE_RESET_LLC);
}

static int ku_llc_down(unsigned int cpu)
{
	return ku_counters_down(cpu, KUTRACE_RESET_LLC);
}

/* Separate groups, so that one can continue while the other starts or ends. */
static struct {
	u64 flag;
	const char *name;
	int (*up)(unsigned int cpu);
	int (*down)(unsigned int cpu);
	int state;		/* CPU hotplug state to remove; 0: not counted */
} ku_counter_groups[] = {
	{ KUTRACE_RESET_IPC, "kutrace:ipc", ku_ipc_up, ku_ipc_down },
	{ KUTRACE_RESET_LLC, "kutrace:llc", ku_llc_up, ku_llc_down },
};

int ku_counters_probe(u64 flags)
{
	int i;

	for (i = 0; i < KU_COUNTERS; i++) {
		struct perf_event *event;

		if (!(flags & ku_counter_kinds[i].flag))
			continue;
		/* Tests only one CPU; ku_counters_want() tests the others. */
		event = ku_counter_open(i, cpumask_first(cpu_online_mask));
		if (IS_ERR(event))
			return PTR_ERR(event);
		perf_event_release_kernel(event);
	}
	return 0;
}

int ku_counters_want(u64 flags)
{
	int i, state, err = 0;

	lockdep_assert_held(&ku_session_lock);
	for (i = 0; i < ARRAY_SIZE(ku_counter_groups); i++) {
		bool wanted = flags & ku_counter_groups[i].flag;

		if (wanted == !!ku_counter_groups[i].state)
			continue;
		if (!wanted) {
			cpuhp_remove_state(ku_counter_groups[i].state);
			ku_counter_groups[i].state = 0;
			continue;
		}
		ku_counters_strict = true;
		state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, ku_counter_groups[i].name,
					  ku_counter_groups[i].up, ku_counter_groups[i].down);
		ku_counters_strict = false;
		if (state < 0)
			err = state;
		else
			ku_counter_groups[i].state = state;
	}
	return err;
}

/*
 * Returns the count since the previous entry; 0 for the first entry, or if the counter was
 * replaced. Reads the counter like perf_event_read_local(), which modules cannot call.
 */
static __always_inline u64 ku_counter_delta(struct ku_cpu *cpu, int which)
{
	struct perf_event *event = this_cpu_read(ku_counter.event[which]);
	u64 last = cpu->counters.last[which], now;

	if (unlikely(READ_ONCE(event->oncpu) != raw_smp_processor_id())) {
		cpu->counters.last[which] = KU_NOT_COUNTED;
		return 0;
	}
	event->pmu->read(event);
	now = local64_read(&event->count);
	cpu->counters.last[which] = now;
	return likely(now > last) ? now - last : 0;
}

/* Returns the step, 0 to 15, for instructions per cycle, as in kutrace-trace(5). */
static __always_inline u32 ku_ipc_step(u64 instructions, u64 cycles)
{
	/* From step 8 on: 1, 5/4, 3/2, 7/4, 2, 5/2, 3, 7/2 and more. */
	static const u8 step[28] = {
		0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 9, 9, 10, 10, 11, 11,
		12, 12, 12, 12, 13, 13, 13, 13, 14, 14, 14, 14,
	};
	u64 eighths;

	if (unlikely(!cycles))
		return 0;
	/* No counter has more than 60 bits. */
	eighths = div64_u64(instructions << 3, cycles);
	return likely(eighths < ARRAY_SIZE(step)) ? step[eighths] : 15;
}

/* Returns the step for cache misses: 1 for 1 to 7, then one for each power of two, up to 15. */
static u32 __kprobes ku_llc_step(u64 misses)
{
	if (misses < 8)
		return misses ? 1 : 0;
	return misses >> 16 ? 15 : fls64(misses) - 2;
}

static __always_inline u32 ku_counters_ipc(struct ku_cpu *cpu)
{
	u64 instructions = ku_counter_delta(cpu, KU_COUNTER_INSTRUCTIONS);

	return ku_ipc_step(instructions, ku_counter_delta(cpu, KU_COUNTER_CYCLES));
}

static noinline u32 __kprobes ku_counters_llc(struct ku_cpu *cpu)
{
	return ku_llc_step(ku_counter_delta(cpu, KU_COUNTER_MISSES));
}

/* Returns the two upper bits of both steps. */
static noinline u32 __kprobes ku_counters_both(struct ku_cpu *cpu)
{
	u32 ipc = ku_counters_ipc(cpu);

	return (ipc & 0xC) | ku_counters_llc(cpu) >> 2;
}

u32 __kprobes ku_counters_bits(struct ku_cpu *cpu, u32 flags)
{
	if (unlikely(in_nmi()))
		return 0;
	if (likely(flags == KUTRACE_FLAG_IPC))
		return ku_counters_ipc(cpu);
	return flags & KUTRACE_FLAG_IPC ? ku_counters_both(cpu) : ku_counters_llc(cpu);
}

#else

int ku_counters_probe(u64 flags)
{
	return flags & KU_RESET_COUNTED ? -EOPNOTSUPP : 0;
}

int ku_counters_want(u64 flags)
{
	return flags & KU_RESET_COUNTED ? -EOPNOTSUPP : 0;
}

u32 __kprobes ku_counters_bits(struct ku_cpu *cpu, u32 flags)
{
	return 0;
}

#endif
