// SPDX-License-Identifier: BSD-3-Clause
/* Rows, threads, CPUs and names of kinds for the tables (export/tab.h). */
#include "export/tab.h"

#define PAGE_FAULT	14	/* trap number */

void kp_tab_emit(struct kp_tabulate *tab, enum kt_table table)
{
	KT_PUTS(tab, TRACE, TRACE_ID, tab->options.about->trace_id, KP_TRACE_ID_CHARS);
	if (!tab->failed && tab->options.sink.row(tab->options.sink.self, table, tab->cells))
		tab->failed = true;
	tab->rows++;
	memset(tab->cells, 0, kt_tables[table].count * sizeof(*tab->cells));
}

int64_t kp_tab_ns(int64_t units)
{
	int64_t ns;

	if (__builtin_mul_overflow(units, 10, &ns))
		return units < 0 ? INT64_MIN : INT64_MAX;
	return ns;
}

int64_t kp_tab_time(const struct kp_tabulate *tab, int64_t units)
{
	int64_t ns;

	if (__builtin_add_overflow(tab->zero_ns, kp_tab_ns(units), &ns))
		return units < 0 ? INT64_MIN : INT64_MAX;
	return ns;
}

struct kp_tab_thread *kp_tab_thread_of(struct kp_tabulate *tab, int64_t tid, uint32_t life)
{
	const uint64_t key = kp_life_key(tid, life);
	struct kp_tab_thread *thread;
	uint32_t index;

	if (kp_map_get(&tab->thread_index, key, &index))
		return &tab->threads.items[index];
	index = (uint32_t)tab->threads.count;
	thread = KP_PUSH(&tab->threads);
	if (!thread || kp_map_set(&tab->thread_index, key, index)) {
		tab->failed = true;
		return NULL;
	}
	memset(thread, 0, sizeof(*thread));
	thread->tid = tid;
	thread->life = life;
	return thread;
}

struct kp_tab_thread *kp_tab_thread(struct kp_tabulate *tab, int64_t tid)
{
	return kp_tab_thread_of(tab, tid, kp_lives_of(&tab->lives, tid));
}

struct kp_tab_cpu *kp_tab_cpu(struct kp_tabulate *tab, int64_t cpu)
{
	return cpu >= 0 && cpu < KP_TAB_CPUS ? &tab->cpus[cpu] : NULL;
}

size_t kp_tab_plain(const struct kp_span *span)
{
	return span->name_len - kp_is_inferred(span->name, span->name_len);
}

static bool is_scheduler(const struct kp_span *row)
{
	return (row->event & ~(int64_t)KUTRACE_RETURN_BIT) == KUTRACE_CALL_SCHED ||
	       kp_is_old_sched_span(row);
}

const char *kp_tab_kind(const struct kp_span *row)
{
	if (kp_span_is_kernel_thread(row))
		return "kernel";
	if (row->event >= KP_EVENT_USER)
		return kp_span_is_idle(row) ? "idle" : "user";
	if (is_scheduler(row))
		return "scheduler";
	if (row->event >= KUTRACE_CALL_SYSCALL64)
		return "syscall";
	if (!(row->event & 0x100))
		return (row->event & 0xFF) == PAGE_FAULT ? "fault" : "trap";
	return (row->event & 0xFF) == 0xFF ? "softirq" : "interrupt";
}

enum kp_tab_part kp_tab_part(const struct kp_span *row)
{
	if (kp_span_is_kernel_thread(row))
		return KP_TAB_SYSTEM;
	if (row->event >= KP_EVENT_USER)
		return KP_TAB_USER;
	if (is_scheduler(row))
		return KP_TAB_SCHEDULER;
	if (row->event >= KUTRACE_CALL_SYSCALL64 || !(row->event & 0x100))
		return KP_TAB_SYSTEM;
	return KP_TAB_INTERRUPT;
}

static const struct kt_column columns[KC_COLUMNS] = {
#define KT_TABLE(id, name, text) [KC_##id##_FIRST] = { "trace_id", KT_TEXT, false },
#define KT_COLUMN(table, id, name, type, null, text) [KC_##table##_##id] = { name, KT_##type, null },
#include "export/schema.def"
};

const struct kt_table_info kt_tables[KT_TABLES] = {
#define KT_TABLE(id, name, text) \
	[KT_##id] = { name, &columns[KC_##id##_FIRST], KC_##id##_END - KC_##id##_FIRST },
#include "export/schema.def"
};

#define KT_TABLE(id, name, text) \
	_Static_assert(KC_##id##_END - KC_##id##_FIRST <= KT_COLUMNS_MAX, "too many columns: " name);
#include "export/schema.def"
