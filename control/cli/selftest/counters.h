/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's own counters of events, from /proc. Must not change anything. */
#ifndef KU_CLI_SELFTEST_COUNTERS_H
#define KU_CLI_SELFTEST_COUNTERS_H

#include <stdint.h>

#include "kutrace_events.h"

#define SOFTIRQS	10
#define IRQS		4096	/* numbers of device interrupts; larger numbers are not compared */

/* Interrupts that have a line of their own in /proc/interrupts. */
enum counted_interrupt {
	COUNTED_TIMER, COUNTED_RESCHEDULE, COUNTED_CALL, COUNTED_WORK, COUNTED_NMI,
	COUNTED_INTERRUPTS
};

/* Counts of events, of the kernel or of a recording. Offline CPUs have 0. */
struct counters {
	uint64_t softirq[SOFTIRQS][KUTRACE_CPUS];
	uint64_t interrupt[COUNTED_INTERRUPTS][KUTRACE_CPUS];
	uint64_t irq[IRQS];	/* device interrupts by their number, of all CPUs */
	uint64_t switches;	/* context switches of all CPUs */
};

/* Names of softirqs and of the interrupts above, for people. */
extern const char *const softirq_names[SOFTIRQS];
extern const char *const interrupt_names[COUNTED_INTERRUPTS];

/* Returns 0 or a negative errno. */
int counters_read(struct counters *c);
/* Returns the number of handlers of a device interrupt; 0: unknown. */
unsigned int counters_handlers(unsigned int irq);

#endif
