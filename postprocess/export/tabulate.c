// SPDX-License-Identifier: BSD-3-Clause
/*
 * Converts spans to rows of tables (export/tabulate.h).
 *
 * Spans with the same start are handled together: an arc that begins with a wakeup shows the CPU of
 * the woken thread, and the row that the waker's CPU begins then shows what the waker executed.
 */
#include "export/tabulate.h"

#include <stdlib.h>

#include "export/tab.h"
#include "kutrace_events.h"

#define START_S_MAX	4102444800ll	/* year 2100; times are ns since 1970 in 63 bits */

struct kp_tabulate *kp_tabulate_new(const struct kp_tabulate_options *options)
{
	struct kp_tabulate *tab = calloc(1, sizeof(*tab));
	const int64_t start_s = options->about->start_s;
	int i;

	if (!tab)
		return NULL;
	tab->options = *options;
	tab->zero_ns = start_s > 0 && start_s < START_S_MAX ? start_s * 1000000000 : 0;
	for (i = 0; i < KP_TAB_CPUS; i++)
		tab->cpus[i].ipc = -1;
	return tab;
}

/* Writes the instructions per cycle when they change. */
static void put_ipc(struct kp_tabulate *tab, const struct kp_span *span)
{
	/* in eighths, for each value of the four recorded bits */
	static const uint8_t eighths[16] = {
		0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28,
	};
	const uint8_t flags = tab->options.raw->flags;
	struct kp_tab_cpu *cpu = kp_tab_cpu(tab, span->cpu);

	if ((flags & (KUTRACE_FLAG_IPC | KUTRACE_FLAG_LLC)) != KUTRACE_FLAG_IPC || !cpu ||
	    cpu->ipc == (span->ipc & 15))
		return;
	cpu->ipc = span->ipc & 15;
	KT_PUT(tab, COUNTER, TIME_NS, kp_tab_time(tab, span->start));
	KT_PUT(tab, COUNTER, CPU, span->cpu);
	KT_SAY(tab, COUNTER, NAME, "ipc_eighths", 11);
	KT_PUT(tab, COUNTER, VALUE, eighths[cpu->ipc]);
	kp_tab_emit(tab, KT_COUNTER);
}

static int put_group(struct kp_tabulate *tab)
{
	const struct kp_span *items = tab->group.items;
	const size_t count = tab->group.count;
	struct kp_tab_cpu *cpu;
	size_t i;

	for (i = 0; i < count; i++)
		if (kp_lives_row(&tab->lives, &items[i]) < 0)
			tab->failed = true;
	/* wakeups need the row that begins at their time, and come before the woken thread runs */
	for (i = 0; i < count; i++) {
		cpu = kp_tab_cpu(tab, items[i].cpu);
		if (cpu && kp_span_is_execution(&items[i]))
			cpu->row = items[i];
	}
	for (i = 0; i < count; i++)
		if (items[i].event == KUTRACE_RUNNABLE)
			kp_tab_point(tab, &items[i]);
	for (i = 0; i < count; i++) {
		if (!kp_span_is_execution(&items[i]))
			continue;
		kp_tab_execution(tab, &items[i]);
		put_ipc(tab, &items[i]);
	}
	for (i = 0; i < count; i++)
		if (!kp_span_is_execution(&items[i]) && items[i].event != KUTRACE_RUNNABLE)
			kp_tab_point(tab, &items[i]);
	tab->group.count = 0;
	return tab->failed ? -1 : 0;
}

static int take_span(void *self, const struct kp_span *span)
{
	struct kp_tabulate *tab = self;
	struct kp_span *copy;

	if (tab->group.count && tab->group.items[0].start != span->start && put_group(tab))
		return -1;
	if (!tab->any)
		tab->first = tab->last = span->start;
	tab->any = true;
	tab->spans++;
	if (span->start + span->dur > tab->last)
		tab->last = span->start + span->dur;
	copy = KP_PUSH(&tab->group);
	if (!copy)
		return -1;
	*copy = *span;
	return 0;
}

static int take_end(void *self)
{
	struct kp_tabulate *tab = self;

	if (put_group(tab))
		return -1;
	kp_tab_run_end(tab);
	kp_tab_end(tab);
	return tab->failed ? -1 : 0;
}

struct kp_span_sink kp_tabulate_sink(struct kp_tabulate *tab)
{
	return (struct kp_span_sink){
		.header = kp_span_ignore_header, .span = take_span, .end = take_end, .self = tab,
	};
}

uint64_t kp_tabulate_rows(const struct kp_tabulate *tab)
{
	return tab->rows;
}

void kp_tabulate_free(struct kp_tabulate *tab)
{
	size_t i;

	if (!tab)
		return;
	for (i = 0; i < tab->threads.count; i++)
		free(tab->threads.items[i].calls);
	free(tab->threads.items);
	free(tab->group.items);
	kp_lives_free(&tab->lives);
	kp_map_free(&tab->thread_places);
	kp_strings_free(&tab->strings);
	free(tab);
}
