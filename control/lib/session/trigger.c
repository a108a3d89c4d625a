// SPDX-License-Identifier: BSD-3-Clause
/*
 * Converts triggers from and to text, such as "syscall:futex>10ms@1234", and firings to text.
 * Must need the module only for names of device interrupts.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

#include "common/c_locale.h"
#include "common/event_name.h"
#include "common/utf8.h"
#include "lib/base/sizes.h"
#include "lib/device/device.h"
#include "lib/names/sources.h"
#include "lib/session/handle.h"

#define ANY	UINT32_MAX

/* Form of the text after the name of the kind. */
enum form {
	SPAN,		/* [:NAME] >TIME */
	TIME,		/* >TIME */
	MARKS,		/* :FROM..TO >TIME */
	MARK,		/* :TEXT */
	SIGNAL,		/* [:NAME] */
	EXIT,		/* !=0 or :STATUS */
};

static const struct trigger_kind {
	const char *name;
	enum kutrace_trigger_kind kind;
	enum form form;
	const char *usage;
} kinds[] = {
	{"syscall", KUTRACE_TRIGGER_SYSCALL, SPAN, "syscall[:NAME]>TIME"},
	{"softirq", KUTRACE_TRIGGER_SOFTIRQ, SPAN, "softirq[:NAME]>TIME"},
	{"irq", KUTRACE_TRIGGER_IRQ, SPAN, "irq[:NAME]>TIME"},
	{"trap", KUTRACE_TRIGGER_TRAP, SPAN, "trap[:NAME]>TIME"},
	{"runq", KUTRACE_TRIGGER_RUNQ, TIME, "runq>TIME"},
	{"marks", KUTRACE_TRIGGER_MARKS, MARKS, "marks:FROM..TO>TIME"},
	{"mark", KUTRACE_TRIGGER_MARK, MARK, "mark:TEXT"},
	{"signal", KUTRACE_TRIGGER_SIGNAL, SIGNAL, "signal[:NAME]"},
	{"exit", KUTRACE_TRIGGER_EXIT, EXIT, "exit!=0, exit:STATUS"},
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* --- parts ---------------------------------------------------------------------- */

/* Converts a time: 10ms, 2.5s, 100us, 7ns. Returns false for any other text, and for 0. */
static bool parse_time(const char *text, uint64_t *ns)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
	char *end;
	double number;

	if (!ku_is_digit(*text) || text[1] == 'x' || text[1] == 'X')
		return false;
	number = ku_parse_double(text, &end);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].unit))
			continue;
		number = number * units[i].ns + 0.5;
		if (!(number >= 1) || number > 1e18)
			return false;
		*ns = (uint64_t)number;
		return true;
	}
	return false;
}

/* Converts a decimal number of at most @max. Returns false for any other text. */
static bool parse_number(const char *text, uint32_t max, uint32_t *number)
{
	unsigned long value;
	char *end;

	if (!ku_is_digit(*text))
		return false;
	errno = 0;
	value = strtoul(text, &end, 10);
	if (*end || errno || value > max)
		return false;
	*number = (uint32_t)value;
	return true;
}

static bool find_name(const struct ku_name_list *names, uint16_t base, const char *text,
		      uint32_t *number)
{
	size_t length = strlen(text), i;

	/* the newest name is last */
	for (i = names->count; i--; ) {
		const struct ku_name *name = &names->list[i];

		if (name->base == base && name->length == length &&
		    !memcmp(name->text, text, length)) {
			*number = name->number;
			return true;
		}
	}
	return false;
}

/* Adds the names of device interrupts. The module records each when it first occurs. */
static void add_device_names(struct ku_name_list *names)
{
	int fd = ku_session_open();

	if (fd < 0)
		return;
	ku_names_device(fd, names);
	ku_dev->close(fd);
}

/* Returns the name of a softirq as in /proc, or NULL. Its label in traces can be shorter. */
static const char *softirq_name(uint32_t number)
{
	static const char *const longer[] = {
		[2] = "net_tx", [3] = "net_rx", [5] = "irq_poll", [6] = "tasklet", [8] = "hrtimer",
	};

	if (number < sizeof(longer) / sizeof(longer[0]) && longer[number])
		return longer[number];
	return ku_softirq_label(number);
}

static bool parse_softirq(const char *text, uint32_t *number)
{
	uint32_t i;

	for (i = 0; softirq_name(i); i++) {
		if (ku_same_letters(text, softirq_name(i), SIZE_MAX) ||
		    !strcmp(text, ku_softirq_label(i))) {
			*number = i;
			return true;
		}
	}
	return parse_number(text, i - 1, number);
}

/* Returns the kind of names that the trigger's spans have. */
static uint16_t name_base(uint32_t kind)
{
	return kind == KUTRACE_TRIGGER_SYSCALL ? KUTRACE_NAME_SYS64NAME
	     : kind == KUTRACE_TRIGGER_IRQ ? KUTRACE_NAME_IRQNAME
	     : KUTRACE_NAME_TRAPNAME;
}

/* Converts the name or number of a system call, interrupt, softirq or trap. */
static bool parse_span_name(enum kutrace_trigger_kind kind, const char *text,
			    uint32_t *number)
{
	uint16_t base = name_base(kind);
	struct ku_name_list names = {0};
	bool found;

	if (kind == KUTRACE_TRIGGER_SOFTIRQ)
		return parse_softirq(text, number);
	found = parse_number(text, kind == KUTRACE_TRIGGER_SYSCALL ? 511 : 255, number);
	if (!found && !ku_names_fixed(&names, NULL)) {
		if (kind == KUTRACE_TRIGGER_IRQ)
			add_device_names(&names);
		found = find_name(&names, base, text, number);
	}
	ku_names_free(&names);
	if (found && kind == KUTRACE_TRIGGER_SYSCALL)
		*number += KUTRACE_CALL_SYSCALL64;
	return found;
}

static bool parse_signal(const char *text, uint32_t *number)
{
	if (ku_same_letters(text, "SIG", 3))
		text += 3;
	for (int i = 1; i < NSIG; i++) {
		const char *name = ku_signal_name(i);

		if (name && ku_same_letters(name, text, SIZE_MAX)) {
			*number = (uint32_t)i;
			return true;
		}
	}
	return parse_number(text, NSIG - 1, number) && *number;
}

static bool parse_label(const char *text, uint32_t *number)
{
	size_t length = strlen(text);

	*number = (uint32_t)kutrace_char_to_base40(text);
	return length && length <= 6 &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "0123456789-./") == length;
}

/* --- a trigger ------------------------------------------------------------------ */

static int fail(char *message, size_t size, const char *what, const char *text,
		const char *wants)
{
	if (size)
		snprintf(message, size, "%s: %s: needs %s", text, what, wants);
	return -EINVAL;
}

/* Parses @text after the name of the kind, and may change it. Returns NULL or an error text. */
static const char *parse_form(const struct trigger_kind *kind, char *text,
			      struct kutrace_trigger *t)
{
	char *time = strchr(text, '>'), *to;
	uint64_t over_ns = 0;

	if (kind->form == EXIT) {
		t->number = ANY;
		if (!strcmp(text, "!=0"))
			return NULL;
		if (*text != ':' || !parse_number(text + 1, 255, &t->number))
			return "invalid exit status";
		t->number <<= 8;	/* the status of wait() has the exit code there */
		return NULL;
	}
	if (kind->form <= MARKS) {
		if (!time)
			return "no time limit (quote the trigger: a shell takes an unquoted > for a redirection)";
		if (!parse_time(time + 1, &over_ns))
			return "invalid time (example: 10ms)";
		*time = '\0';
		t->over_ns = over_ns;
	}
	t->number = ANY;
	if (kind->form == TIME)
		return *text ? "text before >" : NULL;
	if (!*text && (kind->form == SPAN || kind->form == SIGNAL))
		return NULL;
	if (*text++ != ':')
		return "incomplete";
	if (kind->form == SPAN)
		return parse_span_name(kind->kind, text, &t->number) ? NULL : "no such name";
	if (kind->form == SIGNAL)
		return parse_signal(text, &t->number) ? NULL : "no such signal";
	if (kind->form == MARK)
		return parse_label(text, &t->number) ? NULL : "invalid label of a mark";
	to = strstr(text, "..");
	if (!to)
		return "incomplete";
	*to = '\0';
	return parse_label(text, &t->number) && parse_label(to + 2, &t->number2)
		? NULL : "invalid label of a mark";
}

static const struct trigger_kind *find_kind(const char *text)
{
	size_t length = strcspn(text, ":>!"), i;

	for (i = 0; i < KINDS; i++)
		if (strlen(kinds[i].name) == length && !memcmp(kinds[i].name, text, length))
			return &kinds[i];
	return NULL;
}

static int parse(const char *spec, struct kutrace_trigger *trigger, char *message, size_t size)
{
	const struct trigger_kind *kind = find_kind(spec);
	const char *problem;
	char text[200], *at;

	*trigger = (struct kutrace_trigger){.length = sizeof(*trigger)};
	if (strlen(spec) >= sizeof(text))
		return fail(message, size, "too long", "trigger", "fewer characters");
	strcpy(text, spec);
	at = strrchr(text, '@');
	if (at) {
		*at = '\0';
		if (!parse_number(at + 1, INT32_MAX, &trigger->pid) || !trigger->pid)
			return fail(message, size, "invalid PID", spec, "@PID at its end");
	}
	if (!kind)
		return fail(message, size, "no such kind of trigger", spec,
			    "syscall[:NAME]>TIME, softirq[:NAME]>TIME, irq[:NAME]>TIME, "
			    "trap[:NAME]>TIME, runq>TIME, mark:TEXT, marks:FROM..TO>TIME, "
			    "signal[:NAME], exit!=0 or exit:STATUS, with @PID or without");
	trigger->kind = kind->kind;
	problem = parse_form(kind, text + strlen(kind->name), trigger);
	return problem ? fail(message, size, problem, spec, kind->usage) : 0;
}

int kutrace_trigger_parse_sized(const char *spec, struct kutrace_trigger *trigger,
				size_t bytes, char *message, size_t size)
{
	struct kutrace_trigger own;
	int ret = parse(spec, &own, message, size);

	own.length = ku_common(sizeof(own), bytes);
	ku_copy_out(trigger, bytes, &own, sizeof(own));
	return ret;
}

/* --- as text -------------------------------------------------------------------- */

/* Writes a time in the largest unit in which the number is at least 1. */
static void put_time(char *text, size_t size, uint64_t ns)
{
	if (ns < 1000)
		snprintf(text, size, "%lluns", (unsigned long long)ns);
	else if (ns < 1000000)
		ku_print(text, size, "%.6gus", (double)ns / 1e3);
	else if (ns < 1000000000)
		ku_print(text, size, "%.6gms", (double)ns / 1e6);
	else
		ku_print(text, size, "%.9gs", (double)ns / 1e9);
}

static void put_span_name(char *text, size_t size, uint32_t kind, uint32_t number)
{
	uint16_t base = name_base(kind);
	struct ku_name_list names = {0};

	if (kind == KUTRACE_TRIGGER_SYSCALL)
		number -= KUTRACE_CALL_SYSCALL64;
	snprintf(text, size, "%u", number);
	if (kind == KUTRACE_TRIGGER_SOFTIRQ) {
		if (softirq_name(number))
			snprintf(text, size, "%s", softirq_name(number));
		return;
	}
	if (!ku_names_fixed(&names, NULL) && kind == KUTRACE_TRIGGER_IRQ)
		add_device_names(&names);
	for (size_t i = 0; i < names.count; i++)
		if (names.list[i].base == base && names.list[i].number == number)
			snprintf(text, size, "%.*s", names.list[i].length, names.list[i].text);
	ku_names_free(&names);
}

static void put_number(char *text, size_t size, uint32_t kind, uint32_t number)
{
	char label[KUTRACE_LABEL_BYTES];

	switch (kind) {
	case KUTRACE_TRIGGER_SYSCALL:
	case KUTRACE_TRIGGER_SOFTIRQ:
	case KUTRACE_TRIGGER_IRQ:
	case KUTRACE_TRIGGER_TRAP:
		put_span_name(text, size, kind, number);
		break;
	case KUTRACE_TRIGGER_MARKS:
	case KUTRACE_TRIGGER_MARK:
		snprintf(text, size, "%s", kutrace_base40_to_char(number, label));
		break;
	case KUTRACE_TRIGGER_SIGNAL:
		if (number < NSIG && ku_signal_name((int)number))
			snprintf(text, size, "SIG%s", ku_signal_name((int)number));
		else
			snprintf(text, size, "%u", number);
		break;
	default:
		snprintf(text, size, "%u", number);
		break;
	}
}

static void put_trigger(const struct kutrace_trigger *t, char *str, size_t size)
{
	const char *name = "?";
	char number[80] = "", number2[80] = "", over[40] = "", pid[16] = "";

	for (size_t i = 0; i < KINDS; i++)
		if (kinds[i].kind == t->kind)
			name = kinds[i].name;
	if (t->kind == KUTRACE_TRIGGER_EXIT && t->number == ANY) {
		strcpy(number, "!=0");
	} else if (t->kind != KUTRACE_TRIGGER_RUNQ && t->number != ANY) {
		number[0] = ':';
		put_number(number + 1, sizeof(number) - 1, t->kind,
			   t->kind == KUTRACE_TRIGGER_EXIT ? t->number >> 8 : t->number);
	}
	if (t->kind == KUTRACE_TRIGGER_MARKS) {
		strcpy(number2, "..");
		put_number(number2 + 2, sizeof(number2) - 2, t->kind, t->number2);
	}
	if (t->over_ns) {
		over[0] = '>';
		put_time(over + 1, sizeof(over) - 1, t->over_ns);
	}
	if (t->pid)
		snprintf(pid, sizeof(pid), "@%u", t->pid);
	snprintf(str, size, "%s%s%s%s%s", name, number, number2, over, pid);
}

/* The text omits members that only newer versions of the library have. */
const char *kutrace_trigger_text_sized(const struct kutrace_trigger *trigger, size_t bytes,
				       char *str, size_t size)
{
	struct kutrace_trigger own;

	ku_copy_in(&own, sizeof(own), trigger, bytes);
	put_trigger(&own, str, size);
	return str;
}

static void put_exit(char *text, size_t size, uint32_t status)
{
	if (WIFSIGNALED((int)status))
		snprintf(text, size, "ended by signal %d", WTERMSIG((int)status));
	else
		snprintf(text, size, "exit status %d", WEXITSTATUS((int)status));
}

static void put_fired(const struct kutrace_fired *fired, char *str, size_t size)
{
	char trigger[200], what[100], took[40];
	uint32_t kind = fired->trigger.kind;

	put_trigger(&fired->trigger, trigger, sizeof(trigger));
	put_time(took, sizeof(took), fired->ns);
	if (kind == KUTRACE_TRIGGER_EXIT)
		put_exit(what, sizeof(what), fired->number);
	else if (kind == KUTRACE_TRIGGER_MARKS)
		strcpy(what, "the interval");
	else
		put_number(what, sizeof(what), kind, fired->number);
	if (kind == KUTRACE_TRIGGER_RUNQ)
		snprintf(str, size, "%s: %s.%u waited %s for CPU %u", trigger, fired->comm,
			 fired->pid, took, fired->cpu);
	else if (kind <= KUTRACE_TRIGGER_MARKS)
		snprintf(str, size, "%s: %s took %s, %s.%u on CPU %u", trigger, what, took,
			 fired->comm, fired->pid, fired->cpu);
	else
		snprintf(str, size, "%s: %s, %s.%u on CPU %u", trigger, what, fired->comm,
			 fired->pid, fired->cpu);
}

const char *kutrace_fired_text_sized(const struct kutrace_fired *fired, size_t bytes,
				     char *str, size_t size)
{
	struct kutrace_fired own;

	ku_copy_in(&own, sizeof(own), fired, bytes);
	own.comm[sizeof(own.comm) - 1] = '\0';
	ku_utf8_clean(own.comm);
	put_fired(&own, str, size);
	return str;
}
