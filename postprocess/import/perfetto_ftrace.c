// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads ftrace's events from Perfetto's messages, see import/perfetto_ftrace.h. Field numbers are those
 * of Perfetto's FtraceEvent and of the messages in it, which tests/data/perfetto.fields lists.
 */
#include "import/perfetto_ftrace.h"

#include <string.h>

#include "kutrace_events.h"

enum {
	FT_PRINT = 3, FT_SWITCH = 4, FT_FREQUENCY = 11, FT_IDLE = 13, FT_WAKEUP = 17, FT_WAKING = 20,
	FT_IPI = 21, FT_IPI_END = 22, FT_SOFTIRQ = 24, FT_SOFTIRQ_END = 25, FT_IRQ = 36,
	FT_IRQ_END = 37, FT_WAKEUP_NEW = 114, FT_NEWTASK = 235, FT_RENAME = 236, FT_EXEC = 237,
	FT_EXIT = 238, FT_GENERIC = 327, FT_CALL = 329, FT_CALL_END = 330, FT_RECEIVED = 360,
	FT_TIMER = 559, FT_TIMER_END = 560,
};

#define FIELDS	8	/* fields below this number are read */

/* The fields of a message, by their numbers. Of a repeated field, the last value. */
struct fields {
	uint64_t number[FIELDS];
	struct kp_text text[FIELDS];
};

static struct fields take(struct kp_pb bytes)
{
	struct fields fields = {0};
	struct kp_pb_field field;

	while (kp_pb_next(&bytes, &field)) {
		if (field.number >= FIELDS)
			continue;
		fields.number[field.number] = field.value;
		if (field.is_bytes)
			fields.text[field.number] = (struct kp_text){
				(const char *)field.bytes.p, (size_t)(field.bytes.end - field.bytes.p) };
	}
	return fields;
}

/* Returns the first value of a repeated field, packed or not; 0 if there is none. */
static uint64_t first_of(struct kp_pb bytes, uint32_t number)
{
	struct kp_pb_field field;
	uint64_t value;

	while (kp_pb_next(&bytes, &field))
		if (field.number == number)
			return !field.is_bytes ? field.value : kp_pb_varint(&field.bytes, &value) ? value : 0;
	return 0;
}

static bool is_text(struct kp_text text, const char *what)
{
	return text.len == strlen(what) && !memcmp(text.text, what, text.len);
}

/* Returns the name of the vector of an inter-processor interrupt, by its reason ("Rescheduling interrupts"). */
static struct kp_text ipi_name(struct kp_text reason)
{
	static const struct { const char *reason, *name; } names[] = {
		{ "Rescheduling interrupts", "reschedule" }, { "Function call interrupts", "call_function" },
		{ "IRQ work interrupts", "irq_work" },
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (is_text(reason, names[i].reason))
			return (struct kp_text){ names[i].name, strlen(names[i].name) };
	return reason.len ? reason : (struct kp_text){ "ipi", 3 };
}

static int task_event(const struct kp_pf_ftrace *to, const struct kp_feed_at *at,
		      const struct kp_pf_event *event, const struct fields *f)
{
	const struct kp_text nobody = {0};

	switch (event->what) {
	case FT_SWITCH:
		return kp_linux_switch(to->linux_, at, (int32_t)f->number[2], f->text[1], (int64_t)f->number[4],
				       (int32_t)f->number[6], f->text[5]);
	case FT_WAKEUP:
		return kp_linux_wakeup(to->linux_, at, KP_LINUX_WAKEUP, (int32_t)f->number[2], f->text[1]);
	case FT_WAKING:
		return kp_linux_wakeup(to->linux_, at, KP_LINUX_WAKING, (int32_t)f->number[2], f->text[1]);
	case FT_WAKEUP_NEW:
		return kp_linux_wakeup(to->linux_, at, KP_LINUX_WAKEUP_NEW, (int32_t)f->number[2], nobody);
	case FT_NEWTASK:
		return kp_linux_made(to->linux_, at, event->pid, (int32_t)f->number[1], f->text[2]);
	case FT_RENAME:
		return kp_linux_name(to->linux_, at, (int32_t)f->number[1], f->text[3]);
	case FT_EXEC:
		return kp_linux_exec(to->linux_, at, (int32_t)f->number[2], f->text[1]);
	default:
		return kp_linux_exit(to->linux_, at, (int32_t)f->number[2]);
	}
}

/* Takes page_fault_user and page_fault_kernel, for which Perfetto has no message. */
static int generic_event(const struct kp_pf_ftrace *to, const struct kp_feed_at *at, const struct fields *f)
{
	if (is_text(f->text[1], "page_fault_user"))
		return kp_linux_fault(to->linux_, at, 4);
	if (is_text(f->text[1], "page_fault_kernel"))
		return kp_linux_fault(to->linux_, at, 0);
	kp_linux_other(to->linux_);
	return 0;
}

static int power_event(const struct kp_pf_ftrace *to, const struct kp_feed_at *at, uint32_t what,
		       const struct fields *f)
{
	const struct kp_feed_at there = { at->time_ns, (uint32_t)f->number[2] };

	if (what == FT_IDLE)
		return kp_linux_idle(to->linux_, &there, (uint32_t)f->number[1]);
	return kp_linux_frequency(to->linux_, &there, f->number[1]);
}

static int call_event(const struct kp_pf_ftrace *to, const struct kp_feed_at *at,
		      const struct kp_pf_event *event, const struct fields *f)
{
	const bool back = event->what == FT_CALL_END;
	const int64_t number = (int64_t)f->number[1];

	if (number < 0)		/* a negative number is not a call */
		return 0;
	return kp_linux_syscall(to->linux_, at,
				kp_linux_syscall_numbered(to->linux_, to->calls, (uint64_t)number), back,
				back ? f->number[2] : first_of(event->fields, 2));
}

int kp_pf_ftrace_event(const struct kp_pf_ftrace *to, const struct kp_feed_at *at,
		       const struct kp_pf_event *event)
{
	const struct kp_text timer = { "local_timer", 11 }, none = {0};
	struct fields f;

	if (event->pid >= 0 && kp_feed_runs(to->feed, at, (uint32_t)event->pid))
		return -1;
	if (event->compact)
		return event->what == KP_PF_SWITCH ?
			       kp_linux_switch(to->linux_, at, KP_LINUX_NO_TASK, none, event->state, event->task,
					       event->comm) :
			       kp_linux_wakeup(to->linux_, at, KP_LINUX_WAKING, event->task, event->comm);
	f = take(event->fields);
	switch (event->what) {
	case FT_PRINT:
		return kp_linux_mark(to->linux_, at, f.text[2]);
	case FT_FREQUENCY:
	case FT_IDLE:
		return power_event(to, at, event->what, &f);
	case FT_IPI:
	case FT_IPI_END:
		return kp_linux_vector(to->linux_, at, ipi_name(f.text[1]), event->what == FT_IPI_END);
	case FT_SOFTIRQ:
	case FT_SOFTIRQ_END:
		return kp_linux_softirq(to->linux_, at, (uint32_t)f.number[1], event->what == FT_SOFTIRQ_END);
	case FT_IRQ:
	case FT_IRQ_END:
		return kp_linux_irq(to->linux_, at, (uint32_t)f.number[1],
				    event->what == FT_IRQ ? f.text[2] : none, event->what == FT_IRQ_END,
				    f.number[2]);
	case FT_TIMER:
	case FT_TIMER_END:
		return kp_linux_vector(to->linux_, at, timer, event->what == FT_TIMER_END);
	case FT_CALL:
	case FT_CALL_END:
		return call_event(to, at, event, &f);
	case FT_RECEIVED:
		return kp_linux_packet(to->linux_, at, false, f.number[3]);
	case FT_GENERIC:
		return generic_event(to, at, &f);
	case FT_SWITCH:
	case FT_WAKEUP:
	case FT_WAKING:
	case FT_WAKEUP_NEW:
	case FT_NEWTASK:
	case FT_RENAME:
	case FT_EXEC:
	case FT_EXIT:
		return task_event(to, at, event, &f);
	default:
		kp_linux_other(to->linux_);
		return 0;
	}
}
