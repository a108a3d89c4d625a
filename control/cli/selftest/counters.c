// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads the kernel's counters of interrupts, softirqs and context switches. Must not accept a
 * number without its CPU: offline CPUs have no column in /proc/interrupts.
 */
#include "cli/selftest/counters.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"

const char *const softirq_names[SOFTIRQS] = {
#define KU_SOFTIRQ(number, label) [number] = label,
#include "kutrace_events.def"
};

const char *const interrupt_names[COUNTED_INTERRUPTS] = {
	[COUNTED_TIMER] = "local timer interrupts", [COUNTED_RESCHEDULE] = "reschedule IPIs",
	[COUNTED_CALL] = "function call IPIs", [COUNTED_WORK] = "irq work IPIs",
	[COUNTED_NMI] = "NMIs",
};

/* Texts in /proc/interrupts. They are the same on all architectures that have the line. */
static const char *const interrupt_texts[COUNTED_INTERRUPTS] = {
	[COUNTED_TIMER] = "Local timer interrupts",
	[COUNTED_RESCHEDULE] = "Rescheduling interrupts",
	[COUNTED_CALL] = "Function call interrupts",
	[COUNTED_WORK] = "IRQ work interrupts",
	[COUNTED_NMI] = "Non-maskable interrupts",
};

/* A line of a table with a column for each CPU. */
struct line {
	unsigned int number;	/* number of the line; the line after the header has 0 */
	const char *label, *text;	/* text before the colon, and after the numbers */
	const uint64_t *values;	/* by column */
	const unsigned int *cpus;	/* CPU of each column */
	unsigned int columns;
};

static void add_softirq(struct counters *c, const struct line *l)
{
	for (unsigned int i = 0; i < l->columns && l->number < SOFTIRQS; i++)
		c->softirq[l->number][l->cpus[i]] = l->values[i];
}

static void add_interrupt(struct counters *c, const struct line *l)
{
	unsigned long irq = strtoul(l->label, NULL, 10);

	if (isdigit((unsigned char)*l->label)) {
		for (unsigned int i = 0; i < l->columns && irq < IRQS; i++)
			c->irq[irq] += l->values[i];
		return;
	}
	for (size_t kind = 0; kind < COUNTED_INTERRUPTS; kind++)
		for (unsigned int i = 0; i < l->columns && strstr(l->text, interrupt_texts[kind]); i++)
			c->interrupt[kind][l->cpus[i]] = l->values[i];
}

static unsigned int read_header(const char *at, unsigned int *cpus)
{
	unsigned int columns = 0;

	while (columns < KUTRACE_CPUS && (at = strstr(at, "CPU"))) {
		unsigned long cpu = strtoul(at + 3, (char **)(uintptr_t)&at, 10);

		if (cpu >= KUTRACE_CPUS)
			break;
		cpus[columns++] = (unsigned int)cpu;
	}
	return columns;
}

static int read_table(struct counters *c, const char *file,
		      void (*add)(struct counters *c, const struct line *l))
{
	unsigned int cpus[KUTRACE_CPUS], columns = 0;
	uint64_t values[KUTRACE_CPUS];
	struct line l = {.values = values, .cpus = cpus};
	FILE *f = fopen(file, "re");
	char *text = NULL, *at, *end;
	size_t size = 0;

	if (!f)
		return -errno;
	if (getline(&text, &size, f) > 0)
		columns = read_header(text, cpus);
	for (; getline(&text, &size, f) > 0; l.number++) {
		at = strchr(text, ':');
		if (!at)
			continue;
		*at++ = '\0';
		for (l.columns = 0; l.columns < columns; l.columns++, at = end) {
			values[l.columns] = strtoull(at, &end, 10);
			if (end == at)
				break;
		}
		l.label = text + strspn(text, " ");
		l.text = at;
		add(c, &l);
	}
	free(text);
	fclose(f);
	return columns ? 0 : -EBADMSG;
}

static int read_switches(uint64_t *switches)
{
	FILE *f = fopen("/proc/stat", "re");
	char *text = NULL;
	size_t size = 0;
	int ret = -EBADMSG;

	if (!f)
		return -errno;
	while (ret && getline(&text, &size, f) > 0)
		if (!strncmp(text, "ctxt ", 5)) {
			*switches = strtoull(text + 5, NULL, 10);
			ret = 0;
		}
	free(text);
	fclose(f);
	return ret;
}

int counters_read(struct counters *c)
{
	int ret;

	memset(c, 0, sizeof(*c));
	ret = read_table(c, "/proc/softirqs", add_softirq);
	ret = ret ?: read_table(c, "/proc/interrupts", add_interrupt);
	return ret ?: read_switches(&c->switches);
}

unsigned int counters_handlers(unsigned int irq)
{
	char name[60], line[1024];
	unsigned int handlers;

	snprintf(name, sizeof(name), "/sys/kernel/irq/%u/actions", irq);
	if (!ku_read_line(name, line, sizeof(line)) || !*line)
		return 0;
	handlers = 1;
	for (const char *at = line; *at; at++)
		handlers += *at == ',';
	return handlers;
}
