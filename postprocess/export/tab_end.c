// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes the rows that are known at the end: trace, loss, process, thread, cpu (export/tab.h).
 */
#include "export/tab.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/entry.h"

/* Text of the trace, which may be any bytes, cut off at 511 bytes. */
struct text {
	char bytes[512];
	size_t len;
};

static void put_name(struct kt_cell *cell, struct text *text, const char *from)
{
	if (!*from)
		return;
	text->len = kp_plain_text(text->bytes, sizeof(text->bytes), from, strlen(from));
	kp_tab_text(cell, text->bytes, text->len);
}

/* Sets a cell to all values of a META key, separated by commas. */
static void put_list(const struct kp_tabulate *tab, struct kt_cell *cell, struct text *text, const char *key)
{
	size_t at = 0, used = 0;
	const char *value;

	while ((value = kp_raw_meta(tab->options.raw, key, &at))) {
		if (used + 2 >= sizeof(text->bytes))
			break;
		if (used)
			text->bytes[used++] = ',';
		used += kp_plain_text(text->bytes + used, sizeof(text->bytes) - used, value, strlen(value));
	}
	text->len = used;
	if (tab->options.raw->has_meta)
		kp_tab_text(cell, text->bytes, used);
}

/* Sets a cell to the names of the kinds of events in a mask. */
static void put_categories(struct kt_cell *cell, struct text *text, const char *value)
{
	static const char *const names[] = {
#define KU_CAT(id, bit, text) [bit] = #id,
#include "kutrace_events.def"
	};
	const unsigned long mask = strtoul(value, NULL, 16);
	size_t i, used = 0;
	const char *p;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!names[i] || !(mask >> i & 1) || used + strlen(names[i]) + 1 >= sizeof(text->bytes))
			continue;
		if (used)
			text->bytes[used++] = ',';
		for (p = names[i]; *p; p++)
			text->bytes[used++] = (char)(*p | 0x20);
	}
	kp_tab_text(cell, text->bytes, used);
}

static uint64_t damaged(const struct kp_raw *raw)
{
	return raw->faults.bad_words + raw->faults.cut_entries + raw->faults.bad_times;
}

static void put_trace(struct kp_tabulate *tab)
{
	static struct text host, kernel, arch, boot, model, backend, coverage, caveats;
	const struct kp_raw *raw = tab->options.raw;
	const struct kp_raw_about *about = tab->options.about;
	size_t zone_at = 0, backend_at = 0, cats_at = 0;
	const char *zone = kp_raw_meta(raw, "utc_offset_s", &zone_at);
	const char *how = kp_raw_meta(raw, "backend", &backend_at);
	const char *cats = kp_raw_meta(raw, "cats", &cats_at);
	int64_t cpus = 0;
	int i;

	for (i = 0; i < KP_TAB_CPUS; i++)
		cpus += tab->cpus[i].ran;
	put_name(KT_CELL(tab, TRACE, HOST), &host, about->host);
	put_name(KT_CELL(tab, TRACE, KERNEL), &kernel, about->kernel);
	put_name(KT_CELL(tab, TRACE, ARCH), &arch, about->arch);
	put_name(KT_CELL(tab, TRACE, BOOT_ID), &boot, about->boot_id);
	put_name(KT_CELL(tab, TRACE, CPU_MODEL), &model, about->cpu_model);
	KT_PUT(tab, TRACE, CPUS, cpus);
	KT_PUT(tab, TRACE, START_NS, kp_tab_time(tab, tab->first));
	KT_PUT(tab, TRACE, END_NS, kp_tab_time(tab, tab->last));
	KT_PUT(tab, TRACE, ZERO_NS, kp_tab_time(tab, 0));
	if (zone)
		KT_PUT(tab, TRACE, UTC_OFFSET, strtol(zone, NULL, 10));
	KT_PUT(tab, TRACE, EVENTS, (int64_t)raw->events);
	KT_PUT(tab, TRACE, SPANS, (int64_t)tab->spans);
	if (raw->has_meta)
		KT_PUT(tab, TRACE, LOST, (int64_t)raw->lost);
	KT_PUT(tab, TRACE, DAMAGED, (int64_t)damaged(raw));
	KT_PUT(tab, TRACE, WRAPPED, raw->wrapped);
	KT_PUT(tab, TRACE, INFERRED, (int64_t)tab->inferred);
	if (how)
		put_name(KT_CELL(tab, TRACE, BACKEND), &backend, how);
	if (cats)
		put_categories(KT_CELL(tab, TRACE, COVERAGE), &coverage, cats);
	put_list(tab, KT_CELL(tab, TRACE, CAVEATS), &caveats, "caveat");
	kp_tab_emit(tab, KT_TRACE);
}

/* Sets a cell to a copy of the text, because the sink of rows may need it until the end. */
static void put_kept(struct kp_tabulate *tab, struct kt_cell *cell, const char *text, size_t len)
{
	const struct kp_str *kept = kp_strings_add(&tab->strings, text, len);

	if (!kept)
		tab->failed = true;
	kp_tab_text(cell, kept ? kept->text : "", kept ? kept->len : 0);
}

static void put_loss(struct kp_tabulate *tab)
{
	const struct kp_raw *raw = tab->options.raw;
	struct text cause;
	const char *value;
	size_t i;

	for (i = 0; i < raw->name_count; i++) {
		const struct kp_raw_name *name = &raw->names[i];

		value = strchr(name->text, '=');
		if (KU_NAME_BASE(name->event) != KUTRACE_NAME_META || !value ||
		    strncmp(name->text, "lost_", 5))
			continue;
		cause.len = kp_plain_text(cause.bytes, sizeof(cause.bytes), name->text + 5,
					  (size_t)(value - name->text - 5));
		put_kept(tab, KT_CELL(tab, LOSS, CAUSE), cause.bytes, cause.len);
		KT_PUT(tab, LOSS, EVENTS, (int64_t)strtoull(value + 1, NULL, 10));
		kp_tab_emit(tab, KT_LOSS);
	}
	KT_WORD(tab, LOSS, CAUSE, "damaged");
	KT_PUT(tab, LOSS, EVENTS, (int64_t)damaged(raw));
	kp_tab_emit(tab, KT_LOSS);
}

/* Sets a cell to the name from the thread's rows, or to its name when the trace began. */
static void name_thread(struct kp_tabulate *tab, const struct kp_tab_thread *thread, struct kt_cell *cell)
{
	struct kp_task *task;

	if (!thread->tid) {
		kp_tab_text(cell, "-idle-", 6);
	} else if (thread->name) {
		kp_tab_text(cell, thread->name->text, thread->name->len);
	} else {
		task = kp_tasks_get(tab->options.tasks, (uint32_t)thread->tid);
		if (!task)
			tab->failed = true;
		put_kept(tab, cell, task ? task->name : "", task ? strlen(task->name) : 0);
	}
}

static void put_thread(struct kp_tabulate *tab, const struct kp_tab_thread *thread)
{
	KT_PUT(tab, PROCESS, PID, thread->tid);
	KT_PUT(tab, PROCESS, LIFE, thread->life);
	name_thread(tab, thread, KT_CELL(tab, PROCESS, NAME));
	if (thread->ran) {
		KT_PUT(tab, PROCESS, FIRST_NS, kp_tab_time(tab, thread->first));
		KT_PUT(tab, PROCESS, LAST_NS, kp_tab_time(tab, thread->last));
	}
	kp_tab_emit(tab, KT_PROCESS);
	KT_PUT(tab, THREAD, TID, thread->tid);
	KT_PUT(tab, THREAD, LIFE, thread->life);
	KT_PUT(tab, THREAD, PID, thread->tid);
	name_thread(tab, thread, KT_CELL(tab, THREAD, NAME));
	KT_PUT(tab, THREAD, SLICES, thread->slices);
	KT_PUT(tab, THREAD, ON_CPU, kp_tab_ns(thread->part[KP_TAB_USER] + thread->part[KP_TAB_SYSTEM] +
					       thread->part[KP_TAB_INTERRUPT] + thread->part[KP_TAB_SCHEDULER]));
	KT_PUT(tab, THREAD, USER, kp_tab_ns(thread->part[KP_TAB_USER]));
	KT_PUT(tab, THREAD, SYSTEM, kp_tab_ns(thread->part[KP_TAB_SYSTEM]));
	KT_PUT(tab, THREAD, INTERRUPT, kp_tab_ns(thread->part[KP_TAB_INTERRUPT]));
	KT_PUT(tab, THREAD, SCHEDULER, kp_tab_ns(thread->part[KP_TAB_SCHEDULER]));
	KT_PUT(tab, THREAD, RUNNABLE, kp_tab_ns(thread->runnable));
	KT_PUT(tab, THREAD, WAITING, kp_tab_ns(thread->waiting));
	kp_tab_emit(tab, KT_THREAD);
}

static void put_cpu(struct kp_tabulate *tab, int number)
{
	const struct kp_tab_cpu *cpu = &tab->cpus[number];

	KT_PUT(tab, CPU, CPU, number);
	KT_PUT(tab, CPU, FIRST_NS, kp_tab_time(tab, cpu->first));
	KT_PUT(tab, CPU, LAST_NS, kp_tab_time(tab, cpu->last));
	KT_PUT(tab, CPU, EVENTS, (int64_t)tab->options.raw->cpu_events[number]);
	KT_PUT(tab, CPU, BUSY, kp_tab_ns(cpu->busy));
	KT_PUT(tab, CPU, IDLE, kp_tab_ns(cpu->idling));
	KT_PUT(tab, CPU, LEAVING_IDLE, kp_tab_ns(cpu->leaving_idle));
	kp_tab_emit(tab, KT_CPU);
}

void kp_tab_end(struct kp_tabulate *tab)
{
	size_t i;
	int cpu;

	put_trace(tab);
	put_loss(tab);
	for (i = 0; i < tab->threads.count; i++)
		put_thread(tab, &tab->threads.items[i]);
	for (cpu = 0; cpu < KP_TAB_CPUS; cpu++)
		if (tab->cpus[cpu].ran)
			put_cpu(tab, cpu);
}
