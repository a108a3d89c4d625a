// SPDX-License-Identifier: GPL-2.0-only
/*
 * A cpuidle driver with two states, both of which halt and have mwait hints, and a cpufreq
 * driver with two frequencies, which changes nothing. Both count their calls.
 */
#include <linux/cpufreq.h>
#include <linux/cpuidle.h>
#include <linux/module.h>
#include <linux/percpu.h>

#include "test.h"

/* ---- idle ---- */

/* Interrupts are off and RCU is not watching, also at the return. */
static __cpuidle int ku_test_idle_enter(struct cpuidle_device *dev,
					struct cpuidle_driver *driver, int index)
{
	asm volatile("sti; hlt; cli" : : : "memory");
	return index;
}

static struct cpuidle_driver ku_test_idle_driver = {
	.name = "kutrace_test",
	.owner = THIS_MODULE,
	.states = {
		{
			.name = "T1", .desc = "halt", .enter = ku_test_idle_enter,
			.flags = KU_TEST_IDLE_HINT(0) << 24,
			.exit_latency = 1, .target_residency = 1,
		}, {
			.name = "T2", .desc = "halt, longer", .enter = ku_test_idle_enter,
			.flags = KU_TEST_IDLE_HINT(1) << 24,
			.exit_latency = 2, .target_residency = 500,
		},
	},
	.state_count = KU_TEST_IDLE_STATES,
};

static DEFINE_PER_CPU(struct cpuidle_device, ku_test_idle_devices);
static bool ku_test_idle_on;

unsigned long ku_test_idle_usage(int cpu, unsigned int state)
{
	return per_cpu(ku_test_idle_devices, cpu).states_usage[state].usage;
}

static void ku_test_idle_unregister(void)
{
	int cpu;

	for_each_online_cpu(cpu)
		cpuidle_unregister_device(&per_cpu(ku_test_idle_devices, cpu));
	cpuidle_unregister_driver(&ku_test_idle_driver);
	ku_test_idle_on = false;
}

int ku_test_idle(unsigned int on, unsigned int unused)
{
	int cpu, err;

	if (on == ku_test_idle_on)
		return 0;
	if (!on) {
		ku_test_idle_unregister();
		return 0;
	}
	err = cpuidle_register_driver(&ku_test_idle_driver);
	if (err)
		return err;
	ku_test_idle_on = true;
	for_each_online_cpu(cpu) {
		per_cpu(ku_test_idle_devices, cpu).cpu = cpu;
		err = cpuidle_register_device(&per_cpu(ku_test_idle_devices, cpu));
		if (err) {
			ku_test_idle_unregister();
			return err;
		}
	}
	return 0;
}

/* ---- frequency ---- */

/* The two are nearly equal, because the kernel's clock depends on the frequency. */
#define KU_TEST_KHZ	1000000
#define KU_TEST_KHZ2	1001000

static struct cpufreq_frequency_table ku_test_freqs[] = {
	{ .frequency = KU_TEST_KHZ },
	{ .frequency = KU_TEST_KHZ2 },
	{ .frequency = CPUFREQ_TABLE_END },
};

/* Counts the changes of one CPU only, the one that requests them. */
static unsigned int ku_test_freq_changes;
static unsigned int ku_test_freq_cpu;

static int ku_test_freq_init(struct cpufreq_policy *policy)
{
	policy->freq_table = ku_test_freqs;
	policy->cur = KU_TEST_KHZ;
	policy->fast_switch_possible = true;
	return 0;
}

static unsigned int ku_test_freq_get(unsigned int cpu)
{
	return KU_TEST_KHZ;
}

static int ku_test_freq_target(struct cpufreq_policy *policy, unsigned int index)
{
	if (policy->cpu == ku_test_freq_cpu)
		ku_test_freq_changes++;
	return 0;
}

static unsigned int ku_test_freq_fast(struct cpufreq_policy *policy, unsigned int khz)
{
	if (policy->cpu == ku_test_freq_cpu)
		ku_test_freq_changes++;
	return khz;
}

static struct cpufreq_driver ku_test_freq_driver = {
	.name = "kutrace_test",
	.flags = CPUFREQ_CONST_LOOPS,
	.init = ku_test_freq_init,
	.verify = cpufreq_generic_frequency_table_verify,
	.get = ku_test_freq_get,
	.target_index = ku_test_freq_target,
	.fast_switch = ku_test_freq_fast,
};

/* Changes the frequency of this CPU @count times, by the fast switch or by the driver's target. */
static int ku_test_freq_change(unsigned int fast, unsigned int count)
{
	struct cpufreq_policy *policy = cpufreq_cpu_get(raw_smp_processor_id());
	unsigned int i, khz;
	int err = 0;

	if (!policy)
		return -ENODEV;
	for (i = 0; i < count && !err; i++) {
		khz = policy->cur == KU_TEST_KHZ ? KU_TEST_KHZ2 : KU_TEST_KHZ;
		if (!fast)
			err = cpufreq_driver_target(policy, khz, CPUFREQ_RELATION_L);
		else if (cpufreq_driver_fast_switch(policy, khz) != khz)
			err = -EIO;
	}
	cpufreq_cpu_put(policy);
	return err;
}

int ku_test_freq(unsigned int fast, unsigned int count)
{
	int err;

	migrate_disable();
	ku_test_freq_cpu = smp_processor_id();
	err = cpufreq_register_driver(&ku_test_freq_driver);
	if (!err) {
		err = ku_test_freq_change(fast, count);
		cpufreq_unregister_driver(&ku_test_freq_driver);
	}
	migrate_enable();
	return err;
}

/* ---- both ---- */

void ku_test_power_show(struct seq_file *seq)
{
	seq_printf(seq, "- freq.changes %u\n", ku_test_freq_changes);
}

void ku_test_power_exit(void)
{
	if (ku_test_idle_on)
		ku_test_idle_unregister();
}
