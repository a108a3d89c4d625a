// SPDX-License-Identifier: BSD-3-Clause
/*
 * Restores the events from which rawtoctf made a CTF trace (interop/ctf.h). Example:
 *
 *	syscall_entry_getpid { tid 51, ipc 9 } { arg0 44495 }
 *	becomes  12076520330 2087 getpid
 *
 * The environment has the numbers and full names of calls (kutrace_event_827 = "getpid"), because names of
 * classes have only letters, digits and underscores.
 */

#include "common/event_name.h"
#include "interop/ctf.h"

#define EVENTS		4096
#define NAME_BYTES	112
#define STATE_DEAD	16	/* prev_state of a thread that has exited */

enum meaning {
	OUR_POINT, OUR_SWITCH, OUR_RUNS, OUR_WAKING, OUR_EXIT, OUR_FREE, OUR_FORK, OUR_STATE, OUR_RENAME, OUR_CALL, OUR_RETURN,
	OUR_TRAP, OUR_TRAP_RETURN, OUR_VECTOR, OUR_VECTOR_RETURN, OUR_IRQ, OUR_IRQ_RETURN, OUR_SOFTIRQ,
	OUR_SOFTIRQ_RETURN, OUR_IDLE, OUR_FREQUENCY,
};

struct kp_ctf_ours {
	struct kp_feed *feed;
	char names[EVENTS][NAME_BYTES];		/* names of calls, by event number */
};

bool kp_ctf_is_ours(const struct kp_ctf_meta *meta)
{
	return kp_ctf_env(meta, "kutrace_lost") != NULL;
}

static const char *behind(const char *name, const char *prefix)
{
	const size_t len = strlen(prefix);

	return strncmp(name, prefix, len) ? NULL : name + len;
}

/*
 * Returns the event number of the call with the class name @name, in which _ replaces each
 * character of the name that is no letter or digit. Returns 0 if there is no such call.
 */
static uint32_t call_of(const struct kp_ctf_ours *ours, const char *name, uint32_t from, uint32_t to)
{
	size_t i;

	for (uint32_t event = from; event < to; event++) {
		const char *text = ours->names[event];

		if (event & KUTRACE_RETURN_BIT || !*text)
			continue;
		for (i = 0; text[i] && name[i]; i++)
			if (text[i] != name[i] && name[i] != '_')
				break;
		if (text[i] == name[i] || (!name[i] && i > 60))
			return event;
	}
	return 0;
}

/* Returns a free event number for a call that the environment lacks, and stores the call's name. */
static uint32_t any_call(struct kp_ctf_ours *ours, const char *name, uint32_t from)
{
	uint32_t event;

	for (event = from + KUTRACE_COUNT_SYSCALL32 - 1; event > from && ours->names[event][0]; event--)
		;
	snprintf(ours->names[event], NAME_BYTES, "%s", name);
	return event;
}

static uint32_t point_of(const char *label)
{
	uint32_t event;
	char *end;

	if (!strcmp(label, "point"))
		return KUTRACE_NAME_TPOINT;
	for (event = 0x100; event < KUTRACE_CALL_TRAP; event++)
		if (ku_point_label(event) && !strcmp(ku_point_label(event), label))
			return event;
	if (!behind(label, "event_"))
		return 0;
	event = (uint32_t)strtoul(label + 6, &end, 16);
	return *end || event < 0x200 || event >= EVENTS ? 0 : event;
}

static void know_call(struct kp_ctf_ours *ours, struct kp_ctf_event_class *class)
{
	static const struct { const char *prefix; bool back; uint32_t from, to; } calls[] = {
		{ "syscall_entry_", false, KUTRACE_CALL_SYSCALL64, KUTRACE_CALL_SYSCALL32 },
		{ "syscall_exit_", true, KUTRACE_CALL_SYSCALL64, KUTRACE_CALL_SYSCALL32 },
		{ "compat_syscall_entry_", false, KUTRACE_CALL_SYSCALL32, EVENTS },
		{ "compat_syscall_exit_", true, KUTRACE_CALL_SYSCALL32, EVENTS },
	};
	const char *name;

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		name = behind(class->name, calls[i].prefix);
		if (!name)
			continue;
		class->meaning = calls[i].back ? OUR_RETURN : OUR_CALL;
		class->number = call_of(ours, name, calls[i].from, calls[i].to);
		if (!class->number)
			class->number = any_call(ours, name, calls[i].from);
		return;
	}
	name = behind(class->name, "kutrace_");
	class->meaning = OUR_POINT;
	class->number = name ? point_of(name) : 0;
}

static void know(struct kp_ctf_ours *ours, struct kp_ctf_event_class *class)
{
	static const struct { const char *name; enum meaning meaning; uint32_t number; } known[] = {
		{ "sched_switch", OUR_SWITCH, 0 }, { "kutrace_runs", OUR_RUNS, 0 },
		{ "sched_waking", OUR_WAKING, 0 }, { "sched_process_exit", OUR_EXIT, 0 },
		{ "sched_process_free", OUR_FREE, 0 }, { "sched_process_fork", OUR_FORK, 0 },
		{ "lttng_statedump_process_state", OUR_STATE, 0 }, { "task_rename", OUR_RENAME, 0 },
		{ "kutrace_sched_entry", OUR_CALL, KUTRACE_CALL_SCHED },
		{ "kutrace_sched_exit", OUR_RETURN, KUTRACE_CALL_SCHED },
		{ "irq_handler_entry", OUR_IRQ, 0 }, { "irq_handler_exit", OUR_IRQ_RETURN, 0 },
		{ "irq_softirq_entry", OUR_SOFTIRQ, 0 }, { "irq_softirq_exit", OUR_SOFTIRQ_RETURN, 0 },
		{ "power_cpu_idle", OUR_IDLE, 0 }, { "power_cpu_frequency", OUR_FREQUENCY, 0 },
	};
	const size_t len = strlen(class->name);

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(class->name, known[i].name))
			continue;
		class->meaning = (int)known[i].meaning;
		class->number = known[i].number;
		return;
	}
	if (behind(class->name, "x86_irq_vectors_"))
		class->meaning = len > 5 && !strcmp(class->name + len - 5, "_exit") ? OUR_VECTOR_RETURN :
										      OUR_VECTOR;
	else if (behind(class->name, "kutrace_trap_entry_"))
		class->meaning = OUR_TRAP;
	else if (behind(class->name, "kutrace_trap_exit_"))
		class->meaning = OUR_TRAP_RETURN;
	else
		know_call(ours, class);
}

/*
 * Reads the names of calls. Looks up each number, because version 2.1 of the library may sort the
 * environment.
 */
static void take_names(struct kp_ctf_ours *ours, const struct kp_ctf_meta *meta)
{
	struct ku_call_name where;
	const char *text;
	char key[32];

	for (uint32_t event = KUTRACE_CALL_TRAP; event < EVENTS; event++) {
		snprintf(key, sizeof(key), "kutrace_event_%03x", event);
		text = event & KUTRACE_RETURN_BIT ? NULL : kp_ctf_env(meta, key);
		if (!text)
			continue;
		snprintf(ours->names[event], NAME_BYTES, "%s", text);
		where = ku_call_name(event);
		if (where.base && event != KUTRACE_CALL_BH)
			kp_feed_name(ours->feed, where.base, where.number, text, strlen(text));
	}
}

struct kp_ctf_ours *kp_ctf_ours_new(struct kp_ctf_meta *meta, struct kp_feed *feed)
{
	struct kp_ctf_ours *ours = kp_allocated(calloc(1, sizeof(*ours)));

	if (!ours)
		return NULL;
	ours->feed = feed;
	take_names(ours, meta);
	for (size_t i = 0; i < meta->events.count; i++)
		know(ours, &meta->events.items[i]);
	return ours;
}

void kp_ctf_ours_free(struct kp_ctf_ours *ours)
{
	free(ours);
}

static int put(struct kp_ctf_ours *ours, const struct kp_feed_at *at, struct kp_event *event,
	       const char *name, size_t len)
{
	event->name = name;
	event->name_len = len;
	return kp_feed_event(ours->feed, at, event);
}

/*
 * Passes on a call with its name from the environment, or from the event table if the environment
 * lacks it.
 */
static int put_call(struct kp_ctf_ours *ours, const struct kp_feed_at *at, struct kp_event *event,
		    uint32_t call, bool back)
{
	const char *label = call < EVENTS ? ours->names[call] : "";
	char name[NAME_BYTES + 8];

	if (call < KUTRACE_CALL_TRAP || call >= EVENTS)
		return 0;
	if (!*label)
		label = ku_call_name(call).label;
	event->event = back ? call | KUTRACE_RETURN_BIT : call;
	snprintf(name, sizeof(name), "%s%s", back ? "/" : "", label ? label : ku_call_name(call).kind);
	return put(ours, at, event, name, strlen(name));
}

static int put_softirq(struct kp_ctf_ours *ours, const struct kp_feed_at *at, struct kp_event *event,
		       uint32_t vec, bool back)
{
	const char *label = ku_softirq_label(vec);
	char name[32];

	event->event = back ? KUTRACE_RET_BH : KUTRACE_CALL_BH;
	event->arg0 = back ? 0 : vec;
	if (back)
		snprintf(name, sizeof(name), "/BH");
	else if (label)
		snprintf(name, sizeof(name), "BH:%s", label);
	else
		snprintf(name, sizeof(name), "BH:%u", vec);
	return put(ours, at, event, name, strlen(name));
}

/*
 * Names a thread by the value @want, unless the value is like "pid51", which rawtoctf writes for a
 * thread without a name.
 */
static int name_by(struct kp_ctf_ours *ours, const struct kp_feed_at *at, uint32_t pid,
		   const struct kp_ctf_values *all, enum kp_want want,
		   int (*name_it)(struct kp_feed *, const struct kp_feed_at *, uint32_t, const char *, size_t))
{
	const struct kp_ctf_value *comm = &all->values[want];
	char none[32];
	size_t len;

	if (!kp_ctf_has(all, want) || !comm->text || pid > INT32_MAX)
		return 0;
	len = strnlen(comm->text, comm->len);
	snprintf(none, sizeof(none), "pid%u", pid);
	if (len == strlen(none) && !memcmp(none, comm->text, len))
		return 0;
	return name_it(ours->feed, at, pid, comm->text, len);
}

static int name_task(struct kp_ctf_ours *ours, const struct kp_feed_at *at, uint32_t pid,
		     const struct kp_ctf_values *all, enum kp_want want)
{
	return name_by(ours, at, pid, all, want, kp_feed_task);
}

static int put_point(struct kp_ctf_ours *ours, const struct kp_feed_at *at, struct kp_event *event,
		     uint32_t number, const struct kp_ctf_values *all)
{
	const struct kp_ctf_value *name = &all->values[KP_WANT_NAME];

	if (!number)
		return 0;
	event->event = number;
	event->dur = number != KUTRACE_PC_U && number != KUTRACE_PC_K;
	event->arg0 = (uint32_t)kp_ctf_number(all, KP_WANT_ARG, 0);
	return put(ours, at, event, name->text ? name->text : "", name->text ? name->len : 0);
}

static int put_named_point(struct kp_ctf_ours *ours, const struct kp_feed_at *at, struct kp_event *event,
			   uint32_t number, uint32_t arg)
{
	const bool of_pid = number == KUTRACE_RUNNABLE || number == KUTRACE_TASKEXIT;
	char name[48];

	event->event = number;
	event->dur = 1;
	event->arg0 = arg;
	if (of_pid)
		snprintf(name, sizeof(name), "%s.%u", ku_point_label(number), arg);
	else
		snprintf(name, sizeof(name), "%s", number == KUTRACE_MWAIT ? ku_point_label(number) : "-freq-");
	return put(ours, at, event, name, strlen(name));
}

static int task_event(struct kp_ctf_ours *ours, const struct kp_feed_at *at, struct kp_event *event,
		      const struct kp_ctf_values *all, int meaning)
{
	const uint32_t tid = (uint32_t)kp_ctf_number(all, KP_WANT_TID, 0);
	const uint32_t next = (uint32_t)kp_ctf_number(all, KP_WANT_NEXT_TID, 0);
	const uint32_t prev = (uint32_t)kp_ctf_number(all, KP_WANT_PREV_TID, UINT32_MAX);

	switch (meaning) {
	case OUR_SWITCH:
		/* the pid of a dead thread may already have the name of the next thread */
		if (kp_ctf_number(all, KP_WANT_PREV_STATE, 0) != STATE_DEAD &&
		    name_task(ours, at, prev, all, KP_WANT_PREV_COMM))
			return -1;
		if (name_task(ours, at, next, all, KP_WANT_NEXT_COMM))
			return -1;
		return kp_feed_switch(ours->feed, at, next, event->ipc);
	case OUR_RUNS:
		return name_task(ours, at, tid, all, KP_WANT_COMM) ? -1 :
		       kp_feed_was(ours->feed, at, tid, event->ipc);
	case OUR_RENAME:
		return name_by(ours, at, tid, all, KP_WANT_NEW_COMM, kp_feed_task_new);
	case OUR_FORK:
		return name_by(ours, at, (uint32_t)kp_ctf_number(all, KP_WANT_CHILD_TID, 0), all,
			       KP_WANT_CHILD_COMM, kp_feed_task_new);
	case OUR_FREE:
		return tid ? kp_feed_gone(ours->feed, tid) : 0;
	case OUR_STATE:
		return name_task(ours, at, tid, all, KP_WANT_NAME);
	case OUR_WAKING:
		return put_named_point(ours, at, event, KUTRACE_RUNNABLE, tid);
	default:
		return put_named_point(ours, at, event, KUTRACE_TASKEXIT, tid);
	}
}

int kp_ctf_ours_event(struct kp_ctf_ours *ours, const struct kp_ctf_event *given)
{
	const struct kp_ctf_values *all = given->all;
	const struct kp_feed_at at = { given->time_ns, given->cpu };
	const uint32_t number = given->class->number;
	const uint32_t irq = KUTRACE_CALL_IRQ + (uint8_t)kp_ctf_number(all, KP_WANT_NUMBER, 0);
	const uint32_t trap = KUTRACE_CALL_TRAP + (uint8_t)kp_ctf_number(all, KP_WANT_TRAP, 0);
	const uint32_t vector = KUTRACE_CALL_IRQ + (uint8_t)kp_ctf_number(all, KP_WANT_VECTOR, 0);
	struct kp_event event = {
		.pid = (uint32_t)kp_ctf_number(all, KP_WANT_RUNNING, 0),
		.ipc = (uint8_t)kp_ctf_number(all, KP_WANT_COUNTER, 0),
		.arg0 = (uint16_t)kp_ctf_number(all, KP_WANT_ARG0, 0),
		.retval = (uint16_t)kp_ctf_number(all, KP_WANT_RET, 0),
	};

	switch (given->class->meaning) {
	case OUR_POINT:
		return put_point(ours, &at, &event, number, all);
	case OUR_CALL:
	case OUR_RETURN:
		return put_call(ours, &at, &event, number, given->class->meaning == OUR_RETURN);
	case OUR_TRAP:
	case OUR_TRAP_RETURN:
		return put_call(ours, &at, &event, trap, given->class->meaning == OUR_TRAP_RETURN);
	case OUR_VECTOR:
	case OUR_VECTOR_RETURN:
		return put_call(ours, &at, &event, vector, given->class->meaning == OUR_VECTOR_RETURN);
	case OUR_IRQ:
		event.arg0 = (uint16_t)kp_ctf_number(all, KP_WANT_IRQ, 0);
		return put_call(ours, &at, &event, irq, false);
	case OUR_IRQ_RETURN:
		return put_call(ours, &at, &event, irq, true);
	case OUR_SOFTIRQ:
	case OUR_SOFTIRQ_RETURN:
		return put_softirq(ours, &at, &event, (uint32_t)kp_ctf_number(all, KP_WANT_VEC, 0),
				   given->class->meaning == OUR_SOFTIRQ_RETURN);
	case OUR_IDLE:
		return put_named_point(ours, &at, &event, KUTRACE_MWAIT,
				       (uint32_t)kp_ctf_number(all, KP_WANT_STATE, 0));
	case OUR_FREQUENCY:
		return put_named_point(ours, &at, &event,
				       kp_ctf_number(all, KP_WANT_SAMPLED, 0) ? KUTRACE_PSTATE : KUTRACE_PSTATE2,
				       (uint32_t)kp_ctf_number(all, KP_WANT_STATE, 0) / 1000);
	default:
		return task_event(ours, &at, &event, all, given->class->meaning);
	}
}
