// SPDX-License-Identifier: BSD-3-Clause
/*
 * Converts spans to rows of tables (export/tab.h).
 *
 * Spans with the same start are handled together. An arc with the start of a wakeup shows the CPU
 * of the woken thread. The row with the same start on the waker's CPU shows what the waker does.
 */
#include "export/tab.h"

#include "common/disk_text.h"
#include "common/timer_text.h"
#include "common/entry.h"
#include "common/event_name.h"
#include "kutrace_task.h"

/* ---- spans that are not execution: wakeups, locks, packets, marks ... ---- */

#define FIRST_WAIT	KUTRACE_MADE_WAITA
#define LAST_WAIT	KUTRACE_MADE_WAITZ

/*
 * Returns the arc with the same start that shows the target of the wakeup or IPI @from; NULL: no
 * arc.
 */
static const struct kp_span *arc_of(const struct kp_tabulate *tab, const struct kp_span *from)
{
	const bool wakeup = from->event == KUTRACE_RUNNABLE;

	for (size_t i = 0; i < tab->group.count; i++) {
		const struct kp_span *arc = &tab->group.items[i];

		if (wakeup ? arc->event == KP_EVENT_WAKEUP && arc->cpu == from->cpu && arc->retval == from->arg0 :
			     arc->event == KP_EVENT_IPI && arc->cpu == from->cpu && arc->arg0 == from->arg0)
			return arc;
	}
	return NULL;
}

static void put_wakeup(struct kp_tabulate *tab, const struct kp_span *span)
{
	const struct kp_tab_cpu *cpu = kp_tab_cpu(tab, span->cpu);
	const struct kp_span *arc = arc_of(tab, span);

	kp_tab_woken(tab, span->arg0, span);
	KT_PUT(tab, WAKEUP, TIME_NS, kp_tab_time(tab, span->start));
	KT_OWNER(tab, WAKEUP, span);
	if (cpu && cpu->row.name) {
		KT_WORD(tab, WAKEUP, KIND, kp_tab_kind(&cpu->row));
		if (cpu->row.event < KP_EVENT_USER)
			KT_PUTS(tab, WAKEUP, CALL, cpu->row.name, kp_tab_plain(&cpu->row));
	}
	KT_PUT(tab, WAKEUP, WOKEN, span->arg0);
	KT_PUT(tab, WAKEUP, WOKEN_LIFE, kp_lives_of(&tab->lives, span->arg0));
	if (arc) {
		KT_PUT(tab, WAKEUP, TARGET, arc->arg0);
		KT_PUT(tab, WAKEUP, LATENCY, kp_tab_ns(arc->dur));
	}
	kp_tab_emit(tab, KT_WAKEUP);
}

static void put_ipi(struct kp_tabulate *tab, const struct kp_span *span)
{
	const struct kp_span *arc = arc_of(tab, span);

	KT_PUT(tab, IPI, TIME_NS, kp_tab_time(tab, span->start));
	KT_OWNER(tab, IPI, span);
	KT_PUT(tab, IPI, TARGET, span->arg0);
	if (arc)
		KT_PUT(tab, IPI, LATENCY, kp_tab_ns(arc->dur));
	kp_tab_emit(tab, KT_IPI);
}

static void put_lock(struct kp_tabulate *tab, const struct kp_span *span)
{
	KT_PUT(tab, LOCK, START_NS, kp_tab_time(tab, span->start));
	KT_PUT(tab, LOCK, DUR, kp_tab_ns(span->dur));
	KT_WORD(tab, LOCK, STATE, span->event == KUTRACE_MADE_LOCKHELD ? "held" : "tried");
	KT_PUT(tab, LOCK, LOCK, span->arg0);
	KT_PUTS(tab, LOCK, NAME, span->name, span->name_len);
	KT_OWNER(tab, LOCK, span);
	kp_tab_emit(tab, KT_LOCK);
}

static void put_priority(struct kp_tabulate *tab, const struct kp_span *span)
{
	KT_PUT(tab, PRIORITY, START_NS, kp_tab_time(tab, span->start));
	KT_PUT(tab, PRIORITY, DUR, kp_tab_ns(span->dur));
	KT_PUT(tab, PRIORITY, TID, span->pid);
	KT_PUTS(tab, PRIORITY, PRIORITY, span->name, span->name_len);
	kp_tab_emit(tab, KT_PRIORITY);
}

/* Stores the time that a request was in the queue, for the row of its service. */
static void take_queued(struct kp_tabulate *tab, const struct kp_span *span)
{
	if (KP_APPEND(&tab->queued, span->dur) ||
	    kp_map_set(&tab->queued_index, (uint64_t)span->arg0, (uint32_t)tab->queued.count - 1))
		tab->failed = true;
}

static void put_disk(struct kp_tabulate *tab, const struct kp_span *span)
{
	struct ku_disk disk;
	uint32_t index;

	if (!ku_disk_parse(&disk, span->name, span->name_len))
		return;
	KT_PUT(tab, DISK, REQUEST, span->arg0);
	KT_PUT(tab, DISK, START_NS, kp_tab_time(tab, span->start));
	if (kp_map_get(&tab->queued_index, (uint64_t)span->arg0, &index))
		KT_PUT(tab, DISK, QUEUED, kp_tab_ns(tab->queued.items[index]));
	KT_PUT(tab, DISK, SERVED, kp_tab_ns(span->dur));
	KT_PUTS(tab, DISK, DEVICE, span->name, strlen(disk.device));
	KT_WORD(tab, DISK, OPERATION, ku_disk_op_label(disk.op));
	KT_PUT(tab, DISK, SECTOR, (int64_t)disk.sector);
	KT_PUT(tab, DISK, BYTES, disk.bytes);
	KT_PUT(tab, DISK, ERROR, disk.error);
	KT_PUT(tab, DISK, DEPTH, span->retval);
	KT_PUT(tab, DISK, INFERRED, kp_is_inferred(span->name, span->name_len));
	KT_OWNER(tab, DISK, span);
	kp_tab_emit(tab, KT_DISK);
}

static void put_timer(struct kp_tabulate *tab, const struct kp_span *span)
{
	struct ku_timer_parts parts;
	int64_t late;

	if (!ku_timer_parse_parts(&parts, span->name, span->name_len))
		return;
	late = ku_timer_late_ns(&parts);
	KT_PUT(tab, TIMER, TIMER, span->arg0);
	KT_PUT(tab, TIMER, DUE_NS, kp_tab_time(tab, span->start + span->dur - late / 10));
	KT_PUT(tab, TIMER, LATE, late);
	KT_PUT(tab, TIMER, SLACK, (int64_t)parts.slack_ns);
	if (parts.interrupt_ns >= 0)
		KT_PUT(tab, TIMER, INTERRUPT, parts.interrupt_ns);
	KT_PUT(tab, TIMER, BEFORE, (int64_t)parts.before_ns);
	KT_PUT(tab, TIMER, WAKEUP, (int64_t)parts.wakeup_ns);
	KT_WORD(tab, TIMER, KIND, ku_timer_kind_label(parts.kind));
	KT_OWNER(tab, TIMER, span);
	kp_tab_emit(tab, KT_TIMER);
}

static const char *label_of(int64_t event)
{
	const char *label = event > 0 && event < 0x1000 ? ku_point_label((uint32_t)event) : NULL;

	if (!label && event > 0 && event < 0x1000)
		label = ku_name_label(KU_NAME_BASE((uint32_t)event));
	return label ? label : "other";
}

static void put_packet(struct kp_tabulate *tab, const struct kp_span *span)
{
	const bool message = span->event == KUTRACE_RPCIDRXMSG || span->event == KUTRACE_RPCIDTXMSG;

	KT_PUT(tab, PACKET, START_NS, kp_tab_time(tab, span->start));
	KT_PUT(tab, PACKET, DUR, message ? kp_tab_ns(span->dur) : 0);
	KT_WORD(tab, PACKET, KIND, label_of(span->event));
	KT_OWNER(tab, PACKET, span);
	KT_PUT(tab, PACKET, HASH, span->arg0);
	KT_PUT(tab, PACKET, RPC, span->rpc);
	KT_PUTS(tab, PACKET, NAME, span->name, span->name_len);
	kp_tab_emit(tab, KT_PACKET);
}

static void put_rpc(struct kp_tabulate *tab, const struct kp_span *span)
{
	KT_PUT(tab, RPC, START_NS, kp_tab_time(tab, span->start));
	KT_PUT(tab, RPC, DUR, kp_tab_ns(span->dur));
	KT_WORD(tab, RPC, STATE, span->event == KUTRACE_ENQUEUE ? "queued" : "working");
	KT_PUT(tab, RPC, RPC, span->rpc);
	KT_PUTS(tab, RPC, NAME, span->name, span->name_len);
	KT_OWNER(tab, RPC, span);
	kp_tab_emit(tab, KT_RPC);
}

static void put_counter(struct kp_tabulate *tab, const struct kp_span *span, const char *name,
			int64_t value)
{
	KT_PUT(tab, COUNTER, TIME_NS, kp_tab_time(tab, span->start));
	KT_PUT(tab, COUNTER, CPU, span->cpu);
	KT_WORD(tab, COUNTER, NAME, name);
	KT_PUT(tab, COUNTER, VALUE, value);
	kp_tab_emit(tab, KT_COUNTER);
}

static void put_sample(struct kp_tabulate *tab, const struct kp_span *span)
{
	KT_PUT(tab, SAMPLE, TIME_NS, kp_tab_time(tab, span->start + span->dur));
	KT_PUT(tab, SAMPLE, DUR, kp_tab_ns(span->dur));
	KT_OWNER(tab, SAMPLE, span);
	KT_WORD(tab, SAMPLE, WHERE, span->event == KUTRACE_PC_K ? "kernel" : "user");
	KT_PUTS(tab, SAMPLE, NAME, span->name, span->name_len);
	kp_tab_emit(tab, KT_SAMPLE);
}

static void put_mark(struct kp_tabulate *tab, const struct kp_span *span)
{
	const char *label = label_of(span->event);
	const size_t len = strlen(label);
	/* mark_a=text */
	const bool named = span->name_len > len && !memcmp(span->name, label, len) && span->name[len] == '=';
	const size_t skip = named ? len + 1 : 0;

	KT_PUT(tab, MARK, TIME_NS, kp_tab_time(tab, span->start));
	KT_OWNER(tab, MARK, span);
	KT_WORD(tab, MARK, KIND, label);
	KT_PUTS(tab, MARK, TEXT, span->name + skip, span->name_len - skip);
	KT_PUT(tab, MARK, VALUE, span->arg0);
	kp_tab_emit(tab, KT_MARK);
}

/* ---- identities ---- */

/*
 * Sets the first cells of a row of task. The birth of a thread after an exit begins a new life,
 * although the new thread has not run yet.
 */
static void put_life(struct kp_tabulate *tab, const struct kp_span *span, int64_t tid, const char *what, bool birth)
{
	const uint32_t later = birth && kp_lives_exiting(&tab->lives, tid);

	KT_THREAD(tab, TASK, tid, kp_lives_of(&tab->lives, tid) + later);
	KT_PUT(tab, TASK, TIME_NS, kp_tab_time(tab, span->start));
	KT_WORD(tab, TASK, WHAT, what);
}

static void put_exit(struct kp_tabulate *tab, const struct kp_span *span)
{
	put_life(tab, span, span->arg0, "exit", false);
	kp_tab_emit(tab, KT_TASK);
}

static void put_identity(struct kp_tabulate *tab, const struct kp_span *span)
{
	const struct kp_str *cgroup;
	struct kp_identity is;
	size_t program;

	if (span->pid <= 0 || span->pid > UINT32_MAX ||
	    !kp_identity_parse(&is, (uint32_t)span->pid, span->name, span->name_len, &program))
		return;
	put_life(tab, span, span->pid, kp_identity_word(is.reason),
		 is.reason == KUTRACE_TASK_PROCESS || is.reason == KUTRACE_TASK_THREAD || is.before);
	if (program < span->name_len)
		KT_PUTS(tab, TASK, NAME, span->name + program, span->name_len - program);
	if (is.parent)
		KT_PUT(tab, TASK, PARENT, is.parent);
	KT_PUT(tab, TASK, PROCESS, is.process);
	if (is.level) {
		KT_PUT(tab, TASK, NS_TID, is.own);
		KT_PUT(tab, TASK, NS_LEVEL, is.level);
	}
	cgroup = is.cgroup ? kp_identities_cgroup(&tab->cgroups, is.cgroup) : NULL;
	if (is.cgroup)
		KT_PUT(tab, TASK, CGROUP_ID, is.cgroup);
	if (cgroup)
		KT_PUTS(tab, TASK, CGROUP, cgroup->text, cgroup->len);
	if (is.start)
		KT_PUT(tab, TASK, BOOT_NS, (int64_t)(is.start & INT64_MAX));
	if (is.before)
		KT_PUT(tab, TASK, BEFORE, is.before);
	kp_tab_emit(tab, KT_TASK);
}

static void put_point(struct kp_tabulate *tab, const struct kp_span *span)
{
	switch (span->event) {
	case KUTRACE_NAME_CGROUP:
		return;
	case KUTRACE_NAME_TASK:
		put_identity(tab, span);
		return;
	case KUTRACE_TASKEXIT:
		put_exit(tab, span);
		break;
	/* the rows of wakeups and IPIs contain the target that this arc shows */
	case KP_EVENT_WAKEUP:
	case KP_EVENT_IPI:
	case KUTRACE_MADE_LEFTMARK:	/* has all names of a task; not written */
	case KUTRACE_MADE_RIGHTMARK:
		return;
	case KUTRACE_MADE_PAUSE:
		kp_tab_pause(tab, span);
		return;
	case KUTRACE_MADE_STOPPED:
	case KUTRACE_MADE_STOLEN:
		kp_tab_stopped(tab, span);
		return;
	case KUTRACE_RUNNABLE:
		put_wakeup(tab, span);
		return;
	case KUTRACE_IPI:
		put_ipi(tab, span);
		return;
	case KUTRACE_MADE_LOCKHELD:
	case KUTRACE_MADE_LOCKTRY:
		put_lock(tab, span);
		return;
	case KUTRACE_MADE_PRIORITY_SPAN:
		put_priority(tab, span);
		return;
	case KUTRACE_MADE_DISK_QUEUE:
		take_queued(tab, span);
		return;
	case KUTRACE_MADE_DISK_SERVED:
		put_disk(tab, span);
		return;
	case KUTRACE_MADE_TIMER_LATE:
		put_timer(tab, span);
		return;
	case KUTRACE_RX_PKT:
	case KUTRACE_TX_PKT:
	case KUTRACE_RX_USER:
	case KUTRACE_TX_USER:
	case KUTRACE_RPCIDRXMSG:
	case KUTRACE_RPCIDTXMSG:
		put_packet(tab, span);
		return;
	case KUTRACE_MWAIT:
		put_counter(tab, span, "idle_state", span->arg0);
		return;
	case KUTRACE_PSTATE:
	case KUTRACE_PSTATE2:
		put_counter(tab, span, "frequency_mhz", span->arg0);
		return;
	case KUTRACE_PC_U:
	case KUTRACE_PC_K:
		put_sample(tab, span);
		return;
	case KUTRACE_RPCIDMID:
	case KUTRACE_ENQUEUE:
		if (span->dur > 1) {
			put_rpc(tab, span);
			return;
		}
		break;
	default:
		break;
	}
	if (span->event >= FIRST_WAIT && span->event <= LAST_WAIT) {
		if (span->cpu < 0)
			kp_tab_waits(tab, span);
		return;
	}
	put_mark(tab, span);
}

/* ---- rows that are known at the end: trace, loss, process, thread, cpu ---- */

/* maximum size of a text of the trace in a cell; longer texts are cut off */
#define TEXT_MAX	512

/* Sets a cell to a copy of the text, which stays valid until the end, as sinks of rows require. */
static void put_copy(struct kp_tabulate *tab, struct kt_cell *cell, const char *text, size_t len)
{
	const struct kp_str *stored = kp_strings_add(&tab->strings, text, len);

	if (!stored)
		tab->failed = true;
	kp_tab_text(cell, stored ? stored->text : "", stored ? stored->len : 0);
}

/* Sets a cell to a text of the trace. The text may have any bytes. */
static void put_plain(struct kp_tabulate *tab, struct kt_cell *cell, const char *from, size_t len)
{
	char text[TEXT_MAX];

	put_copy(tab, cell, text, kp_plain_text(text, sizeof(text), from, len));
}

static void put_name(struct kp_tabulate *tab, struct kt_cell *cell, const char *from)
{
	if (from && *from)
		put_plain(tab, cell, from, strlen(from));
}

/* Sets a cell to all values of a META key, separated by commas. */
static void put_list(struct kp_tabulate *tab, struct kt_cell *cell, const char *key)
{
	char text[TEXT_MAX];
	size_t at = 0, used = 0;
	const char *value;

	while ((value = kp_raw_meta(tab->options.raw, key, &at)) && used + 2 < sizeof(text)) {
		if (used)
			text[used++] = ',';
		used += kp_plain_text(text + used, sizeof(text) - used, value, strlen(value));
	}
	if (tab->options.raw->has_meta)
		put_copy(tab, cell, text, used);
}

/* Sets a cell to the names of the kinds of events in a mask. */
static void put_categories(struct kp_tabulate *tab, struct kt_cell *cell, const char *value)
{
	char text[TEXT_MAX];
	static const char *const names[] = {
#define KU_CAT(id, bit, text) [bit] = #id,
#include "kutrace_events.def"
	};
	const unsigned long mask = strtoul(value, NULL, 16);
	size_t i, used = 0;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!names[i] || !(mask >> i & 1) || used + strlen(names[i]) + 1 >= sizeof(text))
			continue;
		if (used)
			text[used++] = ',';
		for (const char *p = names[i]; *p; p++)
			text[used++] = (char)(*p | 0x20);
	}
	put_copy(tab, cell, text, used);
}

static uint64_t damaged(const struct kp_raw *raw)
{
	return raw->faults.bad_words + raw->faults.cut_entries + raw->faults.bad_times;
}

static void put_trace(struct kp_tabulate *tab)
{
	const struct kp_raw *raw = tab->options.raw;
	const struct kp_raw_about *about = tab->options.about;
	size_t zone_at = 0, backend_at = 0, cats_at = 0;
	const char *zone = kp_raw_meta(raw, "utc_offset_s", &zone_at);
	const char *cats = kp_raw_meta(raw, "cats", &cats_at);
	int64_t cpus = 0;

	for (int i = 0; i < KP_TAB_CPUS; i++)
		cpus += tab->cpus[i].ran;
	put_name(tab, KT_CELL(tab, TRACE, HOST), about->host);
	put_name(tab, KT_CELL(tab, TRACE, KERNEL), about->kernel);
	put_name(tab, KT_CELL(tab, TRACE, ARCH), about->arch);
	put_name(tab, KT_CELL(tab, TRACE, BOOT_ID), about->boot_id);
	put_name(tab, KT_CELL(tab, TRACE, CPU_MODEL), about->cpu_model);
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
	if (tab->findings >= 0)
		KT_PUT(tab, TRACE, FINDINGS, tab->findings);
	put_name(tab, KT_CELL(tab, TRACE, BACKEND), kp_raw_meta(raw, "backend", &backend_at));
	if (cats)
		put_categories(tab, KT_CELL(tab, TRACE, COVERAGE), cats);
	put_list(tab, KT_CELL(tab, TRACE, CAVEATS), "caveat");
	kp_tab_emit(tab, KT_TRACE);
}

static void put_loss(struct kp_tabulate *tab)
{
	const struct kp_raw *raw = tab->options.raw;
	const char *value;

	for (size_t i = 0; i < raw->name_count; i++) {
		const struct kp_raw_name *name = &raw->names[i];

		value = strchr(name->text, '=');
		if (KU_NAME_BASE(name->event) != KUTRACE_NAME_META || !value ||
		    strncmp(name->text, "lost_", 5))
			continue;
		put_plain(tab, KT_CELL(tab, LOSS, CAUSE), name->text + 5,
			  (size_t)(value - name->text - 5));
		KT_PUT(tab, LOSS, EVENTS, (int64_t)strtoull(value + 1, NULL, 10));
		kp_tab_emit(tab, KT_LOSS);
	}
	KT_WORD(tab, LOSS, CAUSE, "damaged");
	KT_PUT(tab, LOSS, EVENTS, (int64_t)damaged(raw));
	kp_tab_emit(tab, KT_LOSS);
}

/*
 * Sets a cell to the thread's name in its spans. If no span has it, uses the name at the start of
 * the trace.
 */
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
		put_copy(tab, cell, task ? task->name : "", task ? strlen(task->name) : 0);
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
	KT_THREAD(tab, THREAD, thread->tid, thread->life);
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

static void put_totals(struct kp_tabulate *tab)
{
	put_trace(tab);
	put_loss(tab);
	for (size_t i = 0; i < tab->threads.count; i++)
		put_thread(tab, &tab->threads.items[i]);
	for (int cpu = 0; cpu < KP_TAB_CPUS; cpu++)
		if (tab->cpus[cpu].ran)
			put_cpu(tab, cpu);
}

#define START_S_MAX	4102444800ll	/* year 2100; later times could overflow in ns */

struct kp_tabulate *kp_tabulate_new(const struct kp_tabulate_options *options)
{
	struct kp_tabulate *tab = calloc(1, sizeof(*tab));
	const int64_t start_s = options->about->start_s;

	if (!tab)
		return NULL;
	tab->options = *options;
	tab->findings = -1;
	if (options->search) {
		tab->why = calloc(1, sizeof(*tab->why));
		if (!tab->why) {
			free(tab);
			return NULL;
		}
		kp_why_init(tab->why, 0, 0);
	}
	tab->zero_ns = start_s > 0 && start_s < START_S_MAX ? start_s * 1000000000 : 0;
	for (int i = 0; i < KP_TAB_CPUS; i++)
		tab->cpus[i].ipc = -1;
	return tab;
}

/* Writes the instructions per cycle when they change. */
static void put_ipc(struct kp_tabulate *tab, const struct kp_span *span)
{
	/* eighths of an instruction per cycle, by the four recorded bits */
	static const uint8_t eighths[16] = {
		0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28,
	};
	const uint8_t flags = tab->options.raw->flags;
	struct kp_tab_cpu *cpu = kp_tab_cpu(tab, span->cpu);

	if ((flags & (KUTRACE_FLAG_IPC | KUTRACE_FLAG_LLC)) != KUTRACE_FLAG_IPC || !cpu ||
	    cpu->ipc == (span->ipc & 15))
		return;
	cpu->ipc = span->ipc & 15;
	put_counter(tab, span, "ipc_eighths", eighths[cpu->ipc]);
}

static int put_group(struct kp_tabulate *tab)
{
	const struct kp_span *items = tab->group.items;
	const size_t count = tab->group.count;
	struct kp_tab_cpu *cpu;

	for (size_t i = 0; i < count; i++)
		if (kp_lives_row(&tab->lives, &items[i]) < 0 ||
		    (items[i].event == KUTRACE_NAME_CGROUP &&
		     kp_identities_row(&tab->cgroups, &tab->strings, &items[i])))
			tab->failed = true;
	/* first store the new rows: wakeups need them, and precede the woken thread's run */
	for (size_t i = 0; i < count; i++) {
		cpu = kp_tab_cpu(tab, items[i].cpu);
		if (cpu && kp_span_is_execution(&items[i]))
			cpu->row = items[i];
	}
	for (size_t i = 0; i < count; i++)
		if (items[i].event == KUTRACE_RUNNABLE)
			put_point(tab, &items[i]);
	for (size_t i = 0; i < count; i++) {
		if (!kp_span_is_execution(&items[i]))
			continue;
		kp_tab_execution(tab, &items[i]);
		put_ipc(tab, &items[i]);
	}
	for (size_t i = 0; i < count; i++)
		if (!kp_span_is_execution(&items[i]) && items[i].event != KUTRACE_RUNNABLE)
			put_point(tab, &items[i]);
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
	kp_tab_searched(tab, span);
	if (tab->failed)
		return -1;
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
	kp_tab_findings(tab);
	put_totals(tab);
	return tab->failed ? -1 : 0;
}

static int take_header(void *self, const struct kp_header_item *items, size_t count)
{
	struct kp_tabulate *tab = self;

	kp_lives_header(&tab->lives, items, count);
	return tab->why ? kp_why_sink(tab->why).header(tab->why, items, count) : 0;
}

struct kp_span_sink kp_tabulate_sink(struct kp_tabulate *tab)
{
	return (struct kp_span_sink){
		.header = take_header, .span = take_span, .end = take_end, .self = tab,
	};
}

void kp_tabulate_free(struct kp_tabulate *tab)
{
	if (!tab)
		return;
	for (size_t i = 0; i < tab->threads.count; i++)
		free(tab->threads.items[i].calls);
	free(tab->threads.items);
	free(tab->group.items);
	kp_lives_free(&tab->lives);
	kp_identities_free(&tab->cgroups);
	kp_map_free(&tab->thread_index);
	kp_map_free(&tab->queued_index);
	free(tab->queued.items);
	kp_strings_free(&tab->strings);
	if (tab->why)
		kp_why_free(tab->why);
	free(tab->why);
	free(tab);
}
