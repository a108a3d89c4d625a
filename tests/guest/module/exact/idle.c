// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers a cpuidle driver with two states, which both halt. Without a driver, as in QEMU, the
 * kernel does not count how often a CPU was idle. The driver must be off when the module is
 * removed.
 */
#include <linux/cpu.h>
#include <linux/cpuidle.h>
#include <linux/module.h>
#include <linux/percpu.h>

#include "exact.h"

/* Called with interrupts off and RCU not watching. Must return in the same state. */
static __cpuidle int ku_exact_halt(struct cpuidle_device *device,
				   struct cpuidle_driver *driver, int index)
{
#ifdef CONFIG_X86
	asm volatile("sti; hlt; cli" : : : "memory");
#elif defined(CONFIG_RISCV)
	/* A pending interrupt wakes the CPU, as below. */
	asm volatile("fence rw, rw; wfi" : : : "memory");
#else
	/* A pending interrupt wakes the CPU, which handles it when interrupts are on again. */
	asm volatile("dsb sy; wfi" : : : "memory");
#endif
	return index;
}

static struct cpuidle_driver ku_exact_driver = {
	.name = "kutrace_test",
	.owner = THIS_MODULE,
	.states = {
		{
			.name = "T1", .desc = "halt", .enter = ku_exact_halt,
			.exit_latency = 1, .target_residency = 1,
		}, {
			.name = "T2", .desc = "halt, longer", .enter = ku_exact_halt,
			.exit_latency = 2, .target_residency = 500,
		},
	},
	.state_count = KU_EXACT_IDLE_STATES,
};

static DEFINE_PER_CPU(struct cpuidle_device, ku_exact_devices);
static bool ku_exact_idle_on;

unsigned long ku_exact_idle_usage(int cpu, unsigned int state)
{
	return per_cpu(ku_exact_devices, cpu).states_usage[state].usage;
}

static void ku_exact_idle_off(void)
{
	int cpu;

	for_each_online_cpu(cpu)
		cpuidle_unregister_device(&per_cpu(ku_exact_devices, cpu));
	cpuidle_unregister_driver(&ku_exact_driver);
	ku_exact_idle_on = false;
}

int ku_exact_idle(unsigned int on)
{
	int cpu, err;

	if (on == ku_exact_idle_on)
		return 0;
	if (!on) {
		ku_exact_idle_off();
		return 0;
	}
	err = cpuidle_register_driver(&ku_exact_driver);
	if (err)
		return err;
	ku_exact_idle_on = true;
	for_each_online_cpu(cpu) {
		per_cpu(ku_exact_devices, cpu).cpu = cpu;
		err = cpuidle_register_device(&per_cpu(ku_exact_devices, cpu));
		if (err) {
			ku_exact_idle_off();
			return err;
		}
	}
	return 0;
}
