// SPDX-License-Identifier: BSD-3-Clause
/*
 * Calls every command of the control device with each bit that has no meaning, one at a time:
 * unknown flags, unknown kinds, reserved fields. The module must answer EINVAL. Prints a line
 * "COMMAND valid RESULT refused COUNT of COUNT" for each command, and "BAD ..." for each bit that
 * was not refused. For test_access.sh.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "kutrace_abi.h"
#include "kutrace_events.h"

static union {
	uint32_t length;
	struct kutrace_info info;
	struct kutrace_control control;
	struct kutrace_session session;
	struct kutrace_switch mask;
	struct kutrace_filter filter;
	struct kutrace_trigger trigger;
	struct kutrace_fired fired;
	struct kutrace_lost lost;
	struct kutrace_mark mark;
	struct kutrace_point_def def;
	struct kutrace_point_entry entry;
	struct kutrace_point_byte byte;
	struct kutrace_point_switch points;
} arg;

static uint32_t point_id;
static uint8_t follows;

/* Describes a part of a struct: each of its words has the same bits with a meaning, @known. */
struct part {
	size_t at, bytes;
	size_t word;		/* bytes: 4 or 8 */
	uint64_t known;
};

#define PART(type, field, known) \
	{offsetof(struct type, field), sizeof(((struct type *)0)->field), \
	 sizeof(((struct type *)0)->field), known}
#define ZEROS(type, field) \
	{offsetof(struct type, field), sizeof(((struct type *)0)->field), 8, 0}

static void set_session(void)
{
	arg.session.mb = 1;
	arg.session.flags = KUTRACE_SESSION_KEEP;
	snprintf(arg.session.name, sizeof(arg.session.name), "strict");
}

static void set_trigger(void)
{
	arg.trigger.kind = KUTRACE_TRIGGER_MARK;
}

static void set_reset(void)
{
	arg.control.command = KUTRACE_CMD_RESET;
}

static void set_all_kinds(void)
{
	arg.mask.value = arg.mask.mask = KUTRACE_KINDS_ALL;
}

static void set_mark(void)
{
	arg.mark.entry = (uint64_t)KUTRACE_MARKA << KUTRACE_EVENT_SHIFT;
}

static void set_definition(void)
{
	snprintf(arg.def.text, sizeof(arg.def.text), "strict u32 a|%%u");
}

static void set_first(void)
{
	arg.def.id = 1;
}

static void set_entry(void)
{
	arg.entry.id = point_id;
}

static void set_byte(void)
{
	arg.byte.id = point_id;
	arg.byte.address = (uintptr_t)&follows;
}

static void set_pattern(void)
{
	snprintf(arg.points.name, sizeof(arg.points.name), "strict");
}

/* Commands in an order in which all can succeed. With bytes = 0, the argument is a number. */
static const struct command {
	const char *name;
	unsigned long request;
	size_t bytes;
	void (*set)(void);
	unsigned long number, known;
	struct part parts[4];
} commands[] = {
	{"SESSION_CREATE", KUTRACE_IOC_SESSION_CREATE, sizeof(arg.session), set_session, 0, 0,
	 {PART(kutrace_session, flags, KUTRACE_SESSION_KEEP),
	  PART(kutrace_session, kinds, KUTRACE_KINDS_ALL), ZEROS(kutrace_session, reserved)}},
	{"SESSION_ATTACH", KUTRACE_IOC_SESSION_ATTACH, sizeof(arg.session), set_session, 0, 0,
	 {PART(kutrace_session, flags, KUTRACE_SESSION_KEEP),
	  PART(kutrace_session, kinds, KUTRACE_KINDS_ALL), ZEROS(kutrace_session, reserved)}},
	{"SESSION_LIST", KUTRACE_IOC_SESSION_LIST, sizeof(arg.session), NULL, 0, 0,
	 {PART(kutrace_session, flags, KUTRACE_SESSION_KEEP),
	  PART(kutrace_session, kinds, KUTRACE_KINDS_ALL), ZEROS(kutrace_session, reserved)}},
	{"SESSION_KEEP", KUTRACE_IOC_SESSION_KEEP, 0, NULL, 0, 0, {{0}}},
	{"INFO", KUTRACE_IOC_INFO, sizeof(arg.info), NULL, 0, 0,
	 {ZEROS(kutrace_info, reserved)}},
	{"LOST", KUTRACE_IOC_LOST, sizeof(arg.lost), NULL, 0, 0,
	 {ZEROS(kutrace_lost, reserved)}},
	{"CONTROL", KUTRACE_IOC_CONTROL, sizeof(arg.control), set_reset, 0, 0,
	 {PART(kutrace_control, arg, 15)}},
	{"MASK", KUTRACE_IOC_MASK, sizeof(arg.mask), set_all_kinds, 0, 0,
	 {PART(kutrace_switch, value, KUTRACE_KINDS_ALL),
	  PART(kutrace_switch, mask, KUTRACE_KINDS_ALL)}},
	{"FILTER", KUTRACE_IOC_FILTER, sizeof(arg.filter), NULL, 0, 0,
	 {PART(kutrace_filter, npids, KUTRACE_FILTER_PIDS * 2 - 1),
	  PART(kutrace_filter, ngroups, KUTRACE_FILTER_GROUPS * 2 - 1),
	  PART(kutrace_filter, ncgroups, KUTRACE_FILTER_CGROUPS * 2 - 1),
	  ZEROS(kutrace_filter, reserved)}},
	{"TRIGGER", KUTRACE_IOC_TRIGGER, sizeof(arg.trigger), set_trigger, 0, 0,
	 {PART(kutrace_trigger, kind, 15), PART(kutrace_trigger, flags, KUTRACE_TRIGGER_NOTIFY),
	  ZEROS(kutrace_trigger, reserved)}},
	{"FIRED", KUTRACE_IOC_FIRED, sizeof(arg.fired), NULL, 0, 0,
	 {ZEROS(kutrace_fired, reserved), ZEROS(kutrace_fired, trigger.reserved)}},
	{"ATTEND", KUTRACE_IOC_ATTEND, 0, NULL, 1, 1, {{0}}},
	{"MARK", KUTRACE_IOC_MARK, 0, NULL,
	 (unsigned long)KUTRACE_MARKA << KUTRACE_EVENT_SHIFT, (1ULL << KUTRACE_TS_SHIFT) - 1,
	 {{0}}},
	{"MARK_ENTRY", KUTRACE_IOC_MARK_ENTRY, sizeof(arg.mark), set_mark, 0, 0,
	 {PART(kutrace_mark, entry, (1ULL << KUTRACE_TS_SHIFT) - 1)}},
	{"POINT_DEFINE", KUTRACE_IOC_POINT_DEFINE, sizeof(arg.def), set_definition, 0, 0,
	 {ZEROS(kutrace_point_def, reserved)}},
	{"POINT_LIST", KUTRACE_IOC_POINT_LIST, sizeof(arg.def), set_first, 0, 0,
	 {ZEROS(kutrace_point_def, reserved)}},
	{"POINT", KUTRACE_IOC_POINT, sizeof(arg.entry), set_entry, 0, 0,
	 {PART(kutrace_point_entry, nwords, KUTRACE_POINT_WORDS)}},
	{"POINT_BYTE", KUTRACE_IOC_POINT_BYTE, sizeof(arg.byte), set_byte, 0, 0,
	 {ZEROS(kutrace_point_byte, reserved)}},
	{"POINT_FORGET", KUTRACE_IOC_POINT_FORGET, 0, NULL, (unsigned long)&follows, ~0UL, {{0}}},
	{"POINT_SWITCH", KUTRACE_IOC_POINT_SWITCH, sizeof(arg.points), set_pattern, 0, 0,
	 {PART(kutrace_point_switch, value, 1)}},
	{"SESSION_DESTROY", KUTRACE_IOC_SESSION_DESTROY, sizeof(arg.session), set_session, 0, 0,
	 {PART(kutrace_session, flags, KUTRACE_SESSION_KEEP),
	  PART(kutrace_session, kinds, KUTRACE_KINDS_ALL), ZEROS(kutrace_session, reserved)}},
};

/* Fills in the length, except for the four structs without one. */
static void prepare(const struct command *c)
{
	memset(&arg, 0, sizeof(arg));
	if (c->request != KUTRACE_IOC_CONTROL && c->request != KUTRACE_IOC_MASK &&
	    c->request != KUTRACE_IOC_POINT && c->request != KUTRACE_IOC_MARK_ENTRY)
		arg.length = (uint32_t)c->bytes;
	if (c->set)
		c->set();
}

/* Returns 0 or an errno. */
static int call(int fd, const struct command *c, unsigned long number)
{
	if (ioctl(fd, c->request, c->bytes ? (unsigned long)&arg : number) < 0)
		return errno;
	return 0;
}

static unsigned int refused, tried;

static void count(const struct command *c, size_t at, unsigned int bit, int error)
{
	tried++;
	if (error == EINVAL)
		refused++;
	else
		printf("BAD %s byte %zu bit %u: %s\n", c->name, at, bit,
		       error ? strerrorname_np(error) : "ok");
}

static void try_numbers(int fd, const struct command *c)
{
	unsigned int bit;

	for (bit = 0; bit < 8 * sizeof(c->number); bit++)
		if (!(c->known >> bit & 1))
			count(c, 0, bit, call(fd, c, c->number | 1UL << bit));
}

static void try_part(int fd, const struct command *c, const struct part *part)
{
	unsigned int bit;
	size_t at;

	for (at = part->at; at < part->at + part->bytes; at += part->word) {
		for (bit = 0; bit < 8 * part->word; bit++) {
			if (part->known >> bit & 1)
				continue;
			prepare(c);
			((uint8_t *)&arg)[at + bit / 8] |= (uint8_t)(1U << bit % 8);
			count(c, at, bit, call(fd, c, 0));
		}
	}
}

int main(void)
{
	int fd = open(KUTRACE_DEVICE, O_RDWR), error;
	const struct part *part;
	size_t i;

	if (fd < 0) {
		perror(KUTRACE_DEVICE);
		return 1;
	}
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		const struct command *c = &commands[i];

		refused = tried = 0;
		prepare(c);
		error = call(fd, c, c->number);
		if (!error && c->request == KUTRACE_IOC_POINT_DEFINE)
			point_id = arg.def.id;
		if (!c->bytes)
			try_numbers(fd, c);
		for (part = c->parts; part < c->parts + 4 && part->bytes; part++)
			try_part(fd, c, part);
		printf("%s valid %s refused %u of %u\n", c->name,
		       error ? strerrorname_np(error) : "ok", refused, tried);
	}
	return 0;
}
