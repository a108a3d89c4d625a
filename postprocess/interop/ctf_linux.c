// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads Linux's events by LTTng's names (interop/ctf.h). The names differ between versions of
 * LTTng. perf and trace-cmd write the kernel's names with their group ("power:cpu_idle"), other
 * tracers without it, and the kernel's fields. This file converts them to LTTng's. An event without
 * a necessary field, such as the CPU or the task, counts as an event of another kind.
 */

#include "interop/ctf.h"

enum meaning {
	MEANS_OTHER, MEANS_NOTHING, MEANS_SWITCH, MEANS_WAKING, MEANS_WAKEUP, MEANS_WAKEUP_NEW,
	MEANS_FORK, MEANS_EXEC, MEANS_EXIT, MEANS_RENAME, MEANS_STATE, MEANS_IRQ, MEANS_IRQ_END,
	MEANS_SOFTIRQ, MEANS_SOFTIRQ_END, MEANS_VECTOR, MEANS_VECTOR_END, MEANS_CALL, MEANS_CALL_END,
	MEANS_SOME_CALL_END, MEANS_FAULT_USER, MEANS_FAULT_KERNEL, MEANS_IDLE, MEANS_FREQUENCY,
	MEANS_RECEIVED, MEANS_SENT, MEANS_NUMBERED_CALL, MEANS_NUMBERED_CALL_END,
};

/*
 * Names of events, their meanings, and the field that an event must have. event: a KUtrace event;
 * its category counts as recorded if the trace has this class; 0: none.
 */
static const struct {
	const char *name;
	enum meaning meaning;
	enum kp_want needs;
	uint32_t event;
} known[] = {
	{ "sched_switch", MEANS_SWITCH, KP_WANT_NEXT_TID, KUTRACE_USERPID },
	{ "sched_waking", MEANS_WAKING, KP_WANT_TID, KUTRACE_RUNNABLE },
	{ "sched_wakeup", MEANS_WAKEUP, KP_WANT_TID, KUTRACE_RUNNABLE },
	{ "sched_wakeup_new", MEANS_WAKEUP_NEW, KP_WANT_TID, 0 },
	{ "sched_process_fork", MEANS_FORK, KP_WANT_CHILD_TID, KUTRACE_TASKEXIT },
	{ "sched_process_exec", MEANS_EXEC, KP_WANT_TID, 0 },
	{ "sched_process_exit", MEANS_EXIT, KP_WANT_TID, KUTRACE_TASKEXIT },
	{ "task_rename", MEANS_RENAME, KP_WANT_TID, 0 },
	{ "lttng_statedump_process_state", MEANS_STATE, KP_WANT_TID, 0 },
	{ "irq_handler_entry", MEANS_IRQ, KP_WANT_IRQ, KUTRACE_CALL_IRQ },
	{ "irq_handler_exit", MEANS_IRQ_END, KP_WANT_IRQ, 0 },
	{ "irq_softirq_entry", MEANS_SOFTIRQ, KP_WANT_VEC, KUTRACE_CALL_BH },
	{ "irq_softirq_exit", MEANS_SOFTIRQ_END, KP_WANT_VEC, 0 },
	{ "softirq_entry", MEANS_SOFTIRQ, KP_WANT_VEC, KUTRACE_CALL_BH },
	{ "softirq_exit", MEANS_SOFTIRQ_END, KP_WANT_VEC, 0 },
	{ "exit_syscall", MEANS_SOME_CALL_END, KP_WANT_NOTHING, 0 },
	{ "x86_exceptions_page_fault_user", MEANS_FAULT_USER, KP_WANT_NOTHING, KUTRACE_CALL_TRAP },
	{ "x86_exceptions_page_fault_kernel", MEANS_FAULT_KERNEL, KP_WANT_NOTHING, KUTRACE_CALL_TRAP },
	{ "exceptions_page_fault_user", MEANS_FAULT_USER, KP_WANT_NOTHING, KUTRACE_CALL_TRAP },
	{ "page_fault_user", MEANS_FAULT_USER, KP_WANT_NOTHING, KUTRACE_CALL_TRAP },
	{ "exceptions_page_fault_kernel", MEANS_FAULT_KERNEL, KP_WANT_NOTHING, KUTRACE_CALL_TRAP },
	{ "page_fault_kernel", MEANS_FAULT_KERNEL, KP_WANT_NOTHING, KUTRACE_CALL_TRAP },
	{ "raw_syscalls:sys_enter", MEANS_NUMBERED_CALL, KP_WANT_SYSCALL, KUTRACE_CALL_SYSCALL64 },
	{ "raw_syscalls:sys_exit", MEANS_NUMBERED_CALL_END, KP_WANT_SYSCALL, KUTRACE_CALL_SYSCALL64 },
	{ "power_cpu_idle", MEANS_IDLE, KP_WANT_STATE, KUTRACE_MWAIT },
	{ "cpu_idle", MEANS_IDLE, KP_WANT_STATE, KUTRACE_MWAIT },
	{ "power_cpu_frequency", MEANS_FREQUENCY, KP_WANT_STATE, KUTRACE_PSTATE2 },
	{ "cpu_frequency", MEANS_FREQUENCY, KP_WANT_STATE, KUTRACE_PSTATE2 },
	{ "netif_receive_skb", MEANS_RECEIVED, KP_WANT_NOTHING, KUTRACE_RX_PKT },
	{ "net_if_receive_skb", MEANS_RECEIVED, KP_WANT_NOTHING, KUTRACE_RX_PKT },
	{ "net_dev_queue", MEANS_SENT, KP_WANT_NOTHING, KUTRACE_TX_PKT },
};

/* Prefixes of system call events; compat means calls of 32-bit programs. */
static const struct {
	const char *prefix;
	enum meaning meaning;
	enum kp_calls_of of;
} calls[] = {
	{ "syscall_entry_", MEANS_CALL, KP_CALLS_64 }, { "syscall_exit_", MEANS_CALL_END, KP_CALLS_64 },
	{ "compat_syscall_entry_", MEANS_CALL, KP_CALLS_32 },
	{ "compat_syscall_exit_", MEANS_CALL_END, KP_CALLS_32 },
	{ "sys_", MEANS_CALL, KP_CALLS_64 }, { "compat_sys_", MEANS_CALL, KP_CALLS_32 },
};

static bool begins(const char *name, const char *prefix)
{
	return !strncmp(name, prefix, strlen(prefix));
}

static struct kp_text text_of(const char *text)
{
	return (struct kp_text){ text, strlen(text) };
}

/*
 * Prefixes of the kernel's names, and LTTng's prefixes for them. The rest of the name is the same. If
 * several prefixes fit, the last one applies.
 */
static const struct {
	const char *grouped, *lttng;
} groups[] = {
	{ "sys_enter", "raw_syscalls:sys_enter" }, { "sys_exit", "raw_syscalls:sys_exit" },
	{ "sys_enter_", "syscall_entry_" }, { "sys_exit_", "syscall_exit_" },
	{ "syscalls:sys_enter_", "syscall_entry_" }, { "syscalls:sys_exit_", "syscall_exit_" },
	{ "raw_syscalls:", "raw_syscalls:" }, { "power:", "power_" },
	{ "exceptions:", "exceptions_" }, { "irq_vectors:", "x86_irq_vectors_" },
};

/* The kernel's names of fields, in which pid is the thread id. */
static const struct {
	const char *name;
	enum kp_want want;
} kernel_fields[] = {
	{ "prev_pid", KP_WANT_PREV_TID }, { "next_pid", KP_WANT_NEXT_TID }, { "pid", KP_WANT_TID },
	{ "child_pid", KP_WANT_CHILD_TID }, { "parent_pid", KP_WANT_PARENT_TID },
	{ "perf_tid", KP_WANT_RUNNING }, { "common_pid", KP_WANT_RUNNING },
	{ "perf_cpu", KP_WANT_EVENT_CPU }, { "common_cpu", KP_WANT_EVENT_CPU },
};

/* Returns true for a field that the tracer adds before the fields of the event. */
static bool is_tracers(const char *name)
{
	return begins(name, "perf_") || begins(name, "common_") || !strcmp(name, "__syscall_nr") ||
	       !strcmp(name, "_syscall_nr") || !strcmp(name, "nr");
}

static bool has_number(const struct kp_ctf_fields *fields, enum kp_want want)
{
	for (size_t i = 0; i < fields->count; i++)
		if (fields->items[i].want == want && kp_ctf_is_number(&fields->items[i]))
			return true;
	return false;
}

/* Sets the member want of a field with the kernel's name, unless the event has a field with LTTng's name. */
static void mark_kernel_field(struct kp_ctf_field *field, const bool *has)
{
	for (size_t i = 0; i < sizeof(kernel_fields) / sizeof(kernel_fields[0]); i++)
		if (!has[i] && !strcmp(field->name, kernel_fields[i].name))
			field->want = kernel_fields[i].want;
}

/*
 * Sets the member want of fields with the kernel's names. For a call, also sets want of the first
 * argument.
 */
static void mark_kernel(struct kp_ctf_fields *fields, bool is_call)
{
	bool has[sizeof(kernel_fields) / sizeof(kernel_fields[0])];

	for (size_t i = 0; i < sizeof(kernel_fields) / sizeof(kernel_fields[0]); i++)
		has[i] = has_number(fields, kernel_fields[i].want);
	for (size_t j = 0; j < fields->count; j++) {
		struct kp_ctf_field *field = &fields->items[j];

		mark_kernel_field(field, has);
		if (is_call && !is_tracers(field->name) && kp_ctf_is_number(field)) {
			field->want = KP_WANT_FIRST;
			is_call = false;
		}
	}
}

/*
 * Sets the member want of the first field that is a number to KP_WANT_FIRST. The name of the field
 * does not matter.
 */
static void mark_first(struct kp_ctf_fields *fields)
{
	size_t i = 0;

	while (i < fields->count && !kp_ctf_is_number(&fields->items[i]))
		i++;
	if (i < fields->count)
		fields->items[i].want = KP_WANT_FIRST;
}

/*
 * Returns true if the name has a group, or is the kernel's name of a system call. Old versions of
 * LTTng use sys_exit and sys_exit_group for these calls.
 */
static bool is_kernel_name(const struct kp_ctf_event_class *class)
{
	const char *name = class->name;

	if (!strcmp(name, "sys_enter") || !strcmp(name, "sys_exit"))
		return has_number(&class->fields, KP_WANT_SYSCALL);
	return strchr(name, ':') || begins(name, "sys_enter_") ||
	       (begins(name, "sys_exit_") && has_number(&class->fields, KP_WANT_RET));
}

/* Changes a kernel's name to LTTng's name. Returns 0, or -1 without memory. */
static int rename_kernel(struct kp_ctf_event_class *class)
{
	const char *colon = strchr(class->name, ':');
	const char *lttng = "", *rest = colon ? colon + 1 : class->name;
	char *name;

	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		if (begins(class->name, groups[i].grouped)) {
			lttng = groups[i].lttng;
			rest = class->name + strlen(groups[i].grouped);
		}
	}
	if (asprintf(&name, "%s%s", lttng, rest) < 0)
		return -1;
	free(class->name);
	class->name = name;
	return 0;
}

/*
 * Returns the vector in a name: "local_timer" for "x86_irq_vectors_local_timer_entry". Returns a
 * text of length 0 if @name has no vector. Sets *@back if the name ends with "exit".
 */
static struct kp_text vector_of(const char *name, bool *back)
{
	static const char prefix[] = "x86_irq_vectors_";
	struct kp_text text = { name + sizeof(prefix) - 1, 0 };
	size_t len;

	if (!begins(name, prefix))
		return text;
	len = strlen(text.text);
	*back = len > 5 && !strcmp(text.text + len - 5, "_exit");
	if (*back)
		text.len = len - 5;
	else if (len > 6 && !strcmp(text.text + len - 6, "_entry"))
		text.len = len - 6;
	return text;
}

/*
 * Returns true if events of the class lack the CPU or the number @needs. The page cannot show them.
 * Stores the first such class in @meta.
 */
static bool lacks(struct kp_ctf_meta *meta, const struct kp_ctf_event_class *class, enum kp_want needs)
{
	const bool no_cpu = !meta->streams.items[class->stream].has_cpu &&
			    !has_number(&class->fields, KP_WANT_EVENT_CPU);

	if (!no_cpu && (!needs || has_number(&class->fields, needs)))
		return false;
	if (!meta->lacking) {
		meta->lacking = class->name;
		meta->lacks_cpu = no_cpu;
	}
	return true;
}

static void know(struct kp_ctf_meta *meta, struct kp_ctf_event_class *class, struct kp_linux *linux_,
		 struct kp_feed *feed, bool kernel)
{
	bool back = false;

	class->meaning = begins(class->name, "lttng_statedump_") ? MEANS_NOTHING : MEANS_OTHER;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(class->name, known[i].name))
			continue;
		if (lacks(meta, class, known[i].needs))
			return;
		class->meaning = (int)known[i].meaning;
		if (known[i].event)
			kp_feed_recorded(feed, known[i].event);
		return;
	}
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (!begins(class->name, calls[i].prefix))
			continue;
		if (lacks(meta, class, KP_WANT_NOTHING))
			return;
		class->meaning = (int)calls[i].meaning;
		class->number = kp_linux_syscall_named(linux_, calls[i].of,
						       text_of(class->name + strlen(calls[i].prefix)));
		if (calls[i].meaning == MEANS_CALL && !kernel)
			mark_first(&class->fields);
		kp_feed_recorded(feed, KUTRACE_CALL_SYSCALL64);
		return;
	}
	if (vector_of(class->name, &back).len && !lacks(meta, class, KP_WANT_NOTHING))
		class->meaning = back ? MEANS_VECTOR_END : MEANS_VECTOR;
}

int kp_ctf_linux_classes(struct kp_ctf_meta *meta, struct kp_linux *linux_, struct kp_feed *feed)
{
	for (size_t i = 0; i < meta->events.count; i++) {
		struct kp_ctf_event_class *class = &meta->events.items[i];
		const bool kernel = is_kernel_name(class);

		mark_kernel(&class->fields, begins(class->name, "syscalls:sys_enter_") ||
					    begins(class->name, "sys_enter_"));
		if (kernel && rename_kernel(class))
			return -1;
		know(meta, class, linux_, feed, kernel);
	}
	return kp_feed_no_memory(feed) ? -1 : 0;
}

static struct kp_text text_at(const struct kp_ctf_values *all, enum kp_want want)
{
	const struct kp_ctf_value *value = &all->values[want];

	if (!kp_ctf_has(all, want) || !value->text)
		return (struct kp_text){ NULL, 0 };
	return (struct kp_text){ value->text, strnlen(value->text, value->len) };
}

/* Returns the number of a task, or KP_LINUX_NO_TASK if the field is missing. */
static int64_t pid_at(const struct kp_ctf_values *all, enum kp_want want)
{
	const int64_t pid = (int64_t)kp_ctf_number(all, want, 0);

	if (!kp_ctf_has(all, want) || all->values[want].text)
		return KP_LINUX_NO_TASK;
	return pid == KP_LINUX_NO_TASK ? -1 : pid;	/* -1 is out of range, as KP_LINUX_NO_TASK is */
}

/*
 * Returns the kind of a thread in LTTng's list of processes. LTTng lists each thread that has no
 * memory as a kernel thread. An exited thread has no memory, so its kind is unknown.
 */
static uint32_t kind_at(const struct kp_ctf_values *all)
{
	enum { LTTNG_USER_THREAD = 0, LTTNG_KERNEL_THREAD = 1 };
	enum { LTTNG_EXIT = 3, LTTNG_ZOMBIE = 4, LTTNG_DEAD = 7 };
	const uint64_t status = kp_ctf_number(all, KP_WANT_STATUS, 0);

	if (status == LTTNG_EXIT || status == LTTNG_ZOMBIE || status == LTTNG_DEAD)
		return KUTRACE_TASK_UNKNOWN;
	switch (kp_ctf_number(all, KP_WANT_TYPE, UINT64_MAX)) {
	case LTTNG_USER_THREAD:
		return KUTRACE_TASK_USER;
	case LTTNG_KERNEL_THREAD:
		return KUTRACE_TASK_KTHREAD;
	default:
		return KUTRACE_TASK_UNKNOWN;
	}
}

static int task_event(struct kp_linux *linux_, const struct kp_feed_at *at, const struct kp_ctf_values *all,
		      int meaning)
{
	const int64_t tid = pid_at(all, KP_WANT_TID);

	switch (meaning) {
	case MEANS_SWITCH:
		return kp_linux_switch(linux_, at, pid_at(all, KP_WANT_PREV_TID),
				       text_at(all, KP_WANT_PREV_COMM),
				       (int64_t)kp_ctf_number(all, KP_WANT_PREV_STATE, 0),
				       pid_at(all, KP_WANT_NEXT_TID), text_at(all, KP_WANT_NEXT_COMM));
	case MEANS_WAKING:
		return kp_linux_wakeup(linux_, at, KP_LINUX_WAKING, tid, text_at(all, KP_WANT_COMM));
	case MEANS_WAKEUP:
		return kp_linux_wakeup(linux_, at, KP_LINUX_WAKEUP, tid, text_at(all, KP_WANT_COMM));
	case MEANS_WAKEUP_NEW:
		return kp_linux_wakeup(linux_, at, KP_LINUX_WAKEUP_NEW, tid, text_at(all, KP_WANT_COMM));
	case MEANS_FORK:
		return kp_linux_made(linux_, at, pid_at(all, KP_WANT_PARENT_TID), pid_at(all, KP_WANT_CHILD_TID),
				     text_at(all, KP_WANT_CHILD_COMM));
	case MEANS_EXEC:
		return kp_linux_exec(linux_, at, tid, text_at(all, KP_WANT_FILENAME));
	case MEANS_RENAME:
		return kp_linux_name(linux_, at, tid, text_at(all, KP_WANT_NEW_COMM));
	case MEANS_STATE:
		return kp_linux_listed(linux_, at, tid, kind_at(all), text_at(all, KP_WANT_NAME));
	default:
		return kp_linux_exit(linux_, at, tid);
	}
}

int kp_ctf_linux_event(struct kp_linux *linux_, struct kp_feed *feed, const struct kp_ctf_event *event)
{
	const struct kp_ctf_values *all = event->all;
	const struct kp_feed_at at = { event->time_ns,
				       (uint32_t)kp_ctf_number(all, KP_WANT_EVENT_CPU, event->cpu) };
	struct kp_feed_at there = at;
	const int meaning = event->class->meaning;
	const uint64_t ret = kp_ctf_number(all, KP_WANT_RET, 0);
	bool back;

	if (kp_ctf_has(all, KP_WANT_RUNNING) && meaning != MEANS_SWITCH &&
	    kp_feed_runs(feed, &at, (uint32_t)kp_ctf_number(all, KP_WANT_RUNNING, UINT32_MAX)))
		return -1;
	switch (meaning) {
	case MEANS_OTHER:
		kp_linux_other(linux_);
		return 0;
	case MEANS_NOTHING:
		return 0;
	case MEANS_IRQ:
	case MEANS_IRQ_END:
		return kp_linux_irq(linux_, &at, (uint32_t)kp_ctf_number(all, KP_WANT_IRQ, 0),
				    text_at(all, KP_WANT_NAME), meaning == MEANS_IRQ_END, ret);
	case MEANS_SOFTIRQ:
	case MEANS_SOFTIRQ_END:
		return kp_linux_softirq(linux_, &at, (uint32_t)kp_ctf_number(all, KP_WANT_VEC, 0),
					meaning == MEANS_SOFTIRQ_END);
	case MEANS_VECTOR:
	case MEANS_VECTOR_END:
		return kp_linux_vector(linux_, &at, vector_of(event->class->name, &back),
				       meaning == MEANS_VECTOR_END);
	case MEANS_CALL:
		return kp_linux_syscall(linux_, &at, event->class->number, false,
					kp_ctf_number(all, KP_WANT_FIRST, 0));
	case MEANS_CALL_END:
		return kp_linux_syscall(linux_, &at, event->class->number, true, ret);
	case MEANS_NUMBERED_CALL:
	case MEANS_NUMBERED_CALL_END:
		if (kp_ctf_number(all, KP_WANT_SYSCALL, 0) > INT32_MAX)
			return 0;	/* a negative number is no call */
		return kp_linux_syscall(linux_, &at, kp_linux_syscall_numbered(linux_,
					kp_linux_calls(linux_), kp_ctf_number(all, KP_WANT_SYSCALL, 0)),
					meaning == MEANS_NUMBERED_CALL_END, ret);
	case MEANS_SOME_CALL_END:
		return kp_linux_syscall_end(linux_, &at, ret);
	case MEANS_FAULT_USER:
	case MEANS_FAULT_KERNEL:
		return kp_linux_fault(linux_, &at, kp_ctf_number(all, KP_WANT_ERROR,
								 meaning == MEANS_FAULT_USER ? 4 : 0));
	case MEANS_IDLE:
		there.cpu = (uint32_t)kp_ctf_number(all, KP_WANT_ON_CPU, at.cpu);
		return kp_linux_idle(linux_, &there, (uint32_t)kp_ctf_number(all, KP_WANT_STATE, 0));
	case MEANS_FREQUENCY:
		there.cpu = (uint32_t)kp_ctf_number(all, KP_WANT_ON_CPU, at.cpu);
		return kp_linux_frequency(linux_, &there, kp_ctf_number(all, KP_WANT_STATE, 0));
	case MEANS_RECEIVED:
	case MEANS_SENT:
		return kp_linux_packet(linux_, &at, meaning == MEANS_SENT,
				       kp_ctf_number(all, KP_WANT_SKB, 0));
	default:
		return task_event(linux_, &at, all, meaning);
	}
}
