// SPDX-License-Identifier: GPL-2.0-only
/* The back end in use, and waiting for its probes: see backend.h. */
#include <linux/cpu.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>

#include "session/backend.h"

const struct ku_hooks *ku_hooks;

static void ku_nothing(void *unused)
{
}

void ku_synchronize(void)
{
	ku_hooks->synchronize();
	/*
	 * Probes and marks run with preemption off. The grace periods of some hooks do not wait for
	 * that.
	 */
	synchronize_rcu();
	/* No CPU comes or goes under this lock, and each online CPU takes the interrupt. */
	cpus_read_lock();
	on_each_cpu(ku_nothing, NULL, 1);
	cpus_read_unlock();
}
