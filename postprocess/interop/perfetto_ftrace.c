// SPDX-License-Identifier: BSD-3-Clause
/* Reads ftrace's events from Perfetto's messages (interop/perfetto.h). */
#include "interop/perfetto.h"

#define DAMAGED		(-1)
#define NO_MEMORY	(-2)

#define FT(kind)	PF__FTRACE_EVENT__EVENT_##kind

static struct kp_text text_of(ProtobufCBinaryData text)
{
	return (struct kp_text){ (const char *)text.data, text.len };
}

static bool is_text(struct kp_text text, const char *what)
{
	return text.len == strlen(what) && !memcmp(text.text, what, text.len);
}

static int by_time(const void *a, const void *b)
{
	const struct kp_pf_event *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int add(struct kp_pf_events *events, const struct kp_pf_event *event)
{
	struct kp_pf_event *item = KP_PUSH(events);

	if (!item)
		return NO_MEMORY;
	*item = *event;
	item->order = (uint32_t)events->count;
	return 0;
}

static int add_message(struct kp_pf_events *events, const Pf__FtraceEvent *message)
{
	struct kp_pf_event event = { .time = message->timestamp, .what = message->event_case, .message = message };

	if (event.what == KP_PF_SWITCH) {
		event.task = message->sched_switch->next_pid;
		event.state = message->sched_switch->prev_state;
		event.comm = message->sched_switch->next_comm;
	} else if (event.what == KP_PF_WAKING) {
		event.task = message->sched_waking->pid;
		event.comm = message->sched_waking->comm;
	}
	return add(events, &event);
}

/*
 * Adds context switches, then wakeups. Each timestamp is the difference to the previous timestamp.
 */
static int add_compact(struct kp_pf_events *events, const Pf__FtraceEventBundle__CompactSched *compact)
{
	struct kp_pf_event switched = { .what = KP_PF_SWITCH }, woken = { .what = KP_PF_WAKING };
	int err = 0;

	for (size_t i = 0; i < compact->n_switch_timestamp && !err; i++) {
		if (i >= compact->n_switch_next_pid || i >= compact->n_switch_next_comm_index ||
		    compact->switch_next_comm_index[i] >= compact->n_intern_table)
			return DAMAGED;
		switched.time += compact->switch_timestamp[i];
		switched.task = compact->switch_next_pid[i];
		switched.state = i < compact->n_switch_prev_state ? compact->switch_prev_state[i] : 0;
		switched.comm = compact->intern_table[compact->switch_next_comm_index[i]];
		err = add(events, &switched);
	}
	for (size_t i = 0; i < compact->n_waking_timestamp && !err; i++) {
		if (i >= compact->n_waking_pid || i >= compact->n_waking_comm_index ||
		    compact->waking_comm_index[i] >= compact->n_intern_table)
			return DAMAGED;
		woken.time += compact->waking_timestamp[i];
		woken.task = compact->waking_pid[i];
		woken.comm = compact->intern_table[compact->waking_comm_index[i]];
		err = add(events, &woken);
	}
	return err;
}

int kp_pf_events_of(struct kp_pf_events *events, const Pf__FtraceEventBundle *bundle)
{
	int err = 0;

	events->count = 0;
	for (size_t i = 0; i < bundle->n_event && !err; i++)
		err = add_message(events, bundle->event[i]);
	if (!err && bundle->compact_sched)
		err = add_compact(events, bundle->compact_sched);
	if (!err && events->count)
		qsort(events->items, events->count, sizeof(*events->items), by_time);
	return err;
}

/* Returns the vector name of an IPI, by its reason ("Rescheduling interrupts"). */
static struct kp_text ipi_name(struct kp_text reason)
{
	static const struct { const char *reason, *name; } names[] = {
		{ "Rescheduling interrupts", "reschedule" }, { "Function call interrupts", "call_function" },
		{ "IRQ work interrupts", "irq_work" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (is_text(reason, names[i].reason))
			return (struct kp_text){ names[i].name, strlen(names[i].name) };
	return reason.len ? reason : (struct kp_text){ "ipi", 3 };
}

static int switch_event(const struct kp_pf_ftrace *to, const struct kp_feed_at *at, const struct kp_pf_event *event)
{
	const Pf__SchedSwitchFtraceEvent *full = event->message ? event->message->sched_switch : NULL;
	const struct kp_text none = {0};

	return kp_linux_switch(to->linux_, at, full ? full->prev_pid : KP_LINUX_NO_TASK,
			       full ? text_of(full->prev_comm) : none, event->state, event->task, text_of(event->comm));
}

/* Passes on page_fault_user and page_fault_kernel, which Perfetto stores as generic events. */
static int generic_event(const struct kp_pf_ftrace *to, const struct kp_feed_at *at, struct kp_text name)
{
	if (is_text(name, "page_fault_user"))
		return kp_linux_fault(to->linux_, at, 4);
	if (is_text(name, "page_fault_kernel"))
		return kp_linux_fault(to->linux_, at, 0);
	kp_linux_other(to->linux_);
	return 0;
}

static int call_event(const struct kp_pf_ftrace *to, const struct kp_feed_at *at, int64_t number, bool back,
		      uint64_t value)
{
	if (number < 0)		/* a negative number is no call */
		return 0;
	return kp_linux_syscall(to->linux_, at,
				kp_linux_syscall_numbered(to->linux_, to->calls, (uint64_t)number), back, value);
}

static int task_event(const struct kp_pf_ftrace *to, const struct kp_feed_at *at, const Pf__FtraceEvent *event)
{
	struct kp_linux *linux_ = to->linux_;
	const struct kp_text nobody = {0};

	switch (event->event_case) {
	case FT(SCHED_WAKEUP):
		return kp_linux_wakeup(linux_, at, KP_LINUX_WAKEUP, event->sched_wakeup->pid,
				       text_of(event->sched_wakeup->comm));
	case FT(SCHED_WAKEUP_NEW):
		return kp_linux_wakeup(linux_, at, KP_LINUX_WAKEUP_NEW, event->sched_wakeup_new->pid, nobody);
	case FT(TASK_NEWTASK):
		return kp_linux_made(linux_, at, (int32_t)event->pid, event->task_newtask->pid,
				     text_of(event->task_newtask->comm));
	case FT(TASK_RENAME):
		return kp_linux_name(linux_, at, event->task_rename->pid, text_of(event->task_rename->newcomm));
	case FT(SCHED_PROCESS_EXEC):
		return kp_linux_exec(linux_, at, event->sched_process_exec->pid,
				     text_of(event->sched_process_exec->filename));
	case FT(SCHED_PROCESS_EXIT):
		return kp_linux_exit(linux_, at, event->sched_process_exit->pid);
	default:
		kp_linux_other(linux_);
		return 0;
	}
}

static int power_event(const struct kp_pf_ftrace *to, const struct kp_feed_at *at, const Pf__FtraceEvent *event)
{
	struct kp_feed_at there = *at;

	if (event->event_case == FT(CPU_IDLE)) {
		there.cpu = event->cpu_idle->cpu_id;
		return kp_linux_idle(to->linux_, &there, event->cpu_idle->state);
	}
	there.cpu = event->cpu_frequency->cpu_id;
	return kp_linux_frequency(to->linux_, &there, event->cpu_frequency->state);
}

static int message_event(const struct kp_pf_ftrace *to, const struct kp_feed_at *at, const Pf__FtraceEvent *event)
{
	const struct kp_text timer = { "local_timer", 11 }, none = {0};
	struct kp_linux *linux_ = to->linux_;

	switch (event->event_case) {
	case FT(PRINT):
		return kp_linux_mark(linux_, at, text_of(event->print->buf));
	case FT(CPU_FREQUENCY):
	case FT(CPU_IDLE):
		return power_event(to, at, event);
	case FT(IPI_ENTRY):
		return kp_linux_vector(linux_, at, ipi_name(text_of(event->ipi_entry->reason)), false);
	case FT(IPI_EXIT):
		return kp_linux_vector(linux_, at, ipi_name(text_of(event->ipi_exit->reason)), true);
	case FT(SOFTIRQ_ENTRY):
		return kp_linux_softirq(linux_, at, event->softirq_entry->vec, false);
	case FT(SOFTIRQ_EXIT):
		return kp_linux_softirq(linux_, at, event->softirq_exit->vec, true);
	case FT(IRQ_HANDLER_ENTRY):
		return kp_linux_irq(linux_, at, (uint32_t)event->irq_handler_entry->irq,
				    text_of(event->irq_handler_entry->name), false, 0);
	case FT(IRQ_HANDLER_EXIT):
		return kp_linux_irq(linux_, at, (uint32_t)event->irq_handler_exit->irq, none, true,
				    (uint64_t)event->irq_handler_exit->ret);
	case FT(LOCAL_TIMER_ENTRY):
		return kp_linux_vector(linux_, at, timer, false);
	case FT(LOCAL_TIMER_EXIT):
		return kp_linux_vector(linux_, at, timer, true);
	case FT(SYS_ENTER):
		return call_event(to, at, event->sys_enter->id, false,
				  event->sys_enter->n_args ? event->sys_enter->args[0] : 0);
	case FT(SYS_EXIT):
		return call_event(to, at, event->sys_exit->id, true, (uint64_t)event->sys_exit->ret);
	case FT(NETIF_RECEIVE_SKB):
		return kp_linux_packet(linux_, at, false, event->netif_receive_skb->skbaddr);
	case FT(GENERIC):
		return generic_event(to, at, text_of(event->generic->event_name));
	default:
		return task_event(to, at, event);
	}
}

static bool is_pause(const struct kp_feed_at *at, int64_t pid, ProtobufCBinaryData name)
{
	return at->cpu < KP_FEED_CPUS && pid == KP_PAUSE_PID + (int64_t)at->cpu && is_text(text_of(name), KP_PAUSE_NAME);
}

/* Stores a pause that ends at @on_ns, unless another CPU has shown it. Returns 0, or -1 without memory. */
static int end_pause(struct kp_pf_pauses *pauses, uint32_t cpu, int64_t on_ns)
{
	struct kp_pause pause = { pauses->off_ns[cpu], on_ns };

	pauses->off_ns[cpu] = 0;
	if (pauses->surveyed || !pause.off)
		return 0;
	/* CPUs can show two adjacent pauses as one */
	while (pauses->list.count && pauses->list.items[pauses->list.count - 1].on > pause.off) {
		const struct kp_pause last = pauses->list.items[--pauses->list.count];

		pause.off = last.off < pause.off ? last.off : pause.off;
	}
	return KP_APPEND(&pauses->list, pause);
}

/* Returns whether recording was off at @ns. Times must not decrease. */
static bool is_off(struct kp_pf_pauses *pauses, int64_t ns)
{
	while (pauses->next < pauses->list.count && pauses->list.items[pauses->next].on <= ns)
		pauses->next++;
	return pauses->next < pauses->list.count && pauses->list.items[pauses->next].off <= ns;
}

/*
 * Handles a context switch from or to -pause-: passes on only the thread that runs after the pause.
 * Returns whether @event is such a switch; then *err is 0, -1 without memory, or the result of the
 * sink.
 */
static bool pause_switch(struct kp_pf_ftrace *to, const struct kp_feed_at *at, const struct kp_pf_event *event, int *err)
{
	const Pf__SchedSwitchFtraceEvent *full = event->message ? event->message->sched_switch : NULL;
	const struct kp_text none = {0};
	bool begins, ends;

	*err = 0;
	if (!to->pauses.ours || event->what != KP_PF_SWITCH || !full)
		return false;
	begins = is_pause(at, full->next_pid, full->next_comm);
	ends = is_pause(at, full->prev_pid, full->prev_comm);
	if (begins) {
		if (!to->pauses.off_ns[at->cpu])
			to->pauses.off_ns[at->cpu] = at->time_ns;
		kp_linux_gap(to->linux_, at->cpu);
	} else if (ends && to->pauses.off_ns[at->cpu] != at->time_ns) {
		*err = end_pause(&to->pauses, at->cpu, at->time_ns);
		if (!*err && !(to->pauses.surveyed && is_off(&to->pauses, at->time_ns)))
			*err = kp_linux_switch(to->linux_, at, KP_LINUX_NO_TASK, none, 0, full->next_pid,
					       text_of(full->next_comm));
	}
	return begins || ends;
}

/*
 * Returns whether the pid of @event can be the thread that ran on the CPU. Earlier versions of
 * rawtoperfetto wrote 0 to some kinds of events, although a thread ran.
 */
static bool has_running(const Pf__FtraceEvent *event)
{
	if (event->pid)
		return (int32_t)event->pid > 0;
	return event->event_case != FT(CPU_FREQUENCY) && event->event_case != FT(SCHED_PROCESS_FREE) &&
	       event->event_case != FT(TASK_NEWTASK);
}

int kp_pf_ftrace_event(struct kp_pf_ftrace *to, const struct kp_feed_at *at, const struct kp_pf_event *event)
{
	int err;

	if (pause_switch(to, at, event, &err))
		return err;
	if (to->pauses.ours && event->message && event->message->pid == KP_PAUSE_PID + at->cpu)
		return message_event(to, at, event->message);
	if (event->message && has_running(event->message) &&
	    kp_feed_runs(to->feed, at, event->message->pid))
		return -1;
	if (event->what == KP_PF_SWITCH)
		return switch_event(to, at, event);
	if (event->what == KP_PF_WAKING)
		return kp_linux_wakeup(to->linux_, at, KP_LINUX_WAKING, event->task, text_of(event->comm));
	return message_event(to, at, event->message);
}
