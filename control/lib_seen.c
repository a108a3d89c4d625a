// SPDX-License-Identifier: BSD-3-Clause
/*
 * libkutrace: an event that was read from the buffer in words, as rawtoevent would
 * name it. Text in it comes from anybody: what may not be shown becomes ?. Called by
 * kutrace_control show and programs.
 */
#include <stdio.h>
#include <string.h>

#include "ku_read.h"
#include "ku_utf8.h"

static const char *label(uint32_t event)
{
	switch (event) {
#define KU_NAME(id, code, label, text) case code: return label;
#define KU_POINT(id, code, cat, label, text) case code: return label;
#include "kutrace_events.def"
	default:
		return "?";
	}
}

/* Its name, or its number. */
static void put_name(char *text, size_t size, const struct kutrace_reader *reader,
		     uint16_t base, uint32_t number)
{
	const struct ku_name *name = ku_reader_name(reader, base, number);

	if (name && name->length)
		snprintf(text, size, "%.*s", name->length, name->text);
	else
		snprintf(text, size, "%u", number);
	ku_utf8_clean(text);
}

static void put_task(char *text, size_t size, const struct kutrace_reader *reader,
		     uint32_t pid)
{
	if (pid == KUTRACE_PID_OTHER)
		snprintf(text, size, "-other-");
	else
		put_name(text, size, reader, KUTRACE_NAME_PID, pid);
}

const char *kutrace_seen_process_sized(const struct kutrace_seen *seen, size_t bytes,
				       char *str, size_t size)
{
	struct kutrace_seen own;

	ku_take(&own, sizeof(own), seen, bytes);
	put_task(str, size, own.reader, own.pid);
	return str;
}

/* --- calls ------------------------------------------------------------------------ */

static void put_call_name(char *text, size_t size, const struct kutrace_seen *seen)
{
	static const char *const softirqs[] = {
#define KU_SOFTIRQ(number, label) [number] = label,
#include "kutrace_events.def"
	};
	uint32_t event = seen->event & ~(uint32_t)KUTRACE_RETURN_BIT;

	if (event == KUTRACE_CALL_BH && seen->event == event &&
	    seen->arg < sizeof(softirqs) / sizeof(softirqs[0]))
		snprintf(text, size, "BH:%s", softirqs[seen->arg]);
	else if (event == KUTRACE_CALL_BH)
		snprintf(text, size, "BH");
	else if (event >= KUTRACE_CALL_SYSCALL32 + KUTRACE_COUNT_SYSCALL32)
		put_name(text, size, seen->reader, KUTRACE_NAME_SYS64NAME,
			 event - KUTRACE_CALL_SYSCALL64);
	else if (event >= KUTRACE_CALL_SYSCALL32)
		put_name(text, size, seen->reader, KUTRACE_NAME_SYS32NAME,
			 event - KUTRACE_CALL_SYSCALL32);
	else if (event >= KUTRACE_CALL_SYSCALL64)
		put_name(text, size, seen->reader, KUTRACE_NAME_SYS64NAME,
			 event - KUTRACE_CALL_SYSCALL64);
	else if (event >= KUTRACE_CALL_IRQ)
		put_name(text, size, seen->reader, KUTRACE_NAME_IRQNAME,
			 event - KUTRACE_CALL_IRQ);
	else
		put_name(text, size, seen->reader, KUTRACE_NAME_TRAPNAME,
			 event - KUTRACE_CALL_TRAP);
}

static void put_call(char *text, size_t size, const struct kutrace_seen *seen)
{
	char name[KUTRACE_NAME_MAX_BYTES + 1];
	bool has_value = seen->event >= KUTRACE_CALL_SYSCALL64 &&
			 (seen->event & ~(uint32_t)KUTRACE_RETURN_BIT) != KUTRACE_CALL_SCHED;
	char value[32] = "";

	put_call_name(name, sizeof(name), seen);
	if (has_value)
		snprintf(value, sizeof(value), " = %d", seen->value);
	if (seen->event & KUTRACE_RETURN_BIT)
		snprintf(text, size, "/%s%s", name, value);
	else if (seen->returned && has_value)
		snprintf(text, size, "%s(%u)%s, %u ns", name, seen->arg, value, seen->took_ns);
	else if (seen->returned)
		snprintf(text, size, "%s, %u ns", name, seen->took_ns);
	else if (has_value)
		snprintf(text, size, "%s(%u)", name, seen->arg);
	else
		snprintf(text, size, "%s", name);
}

/* --- points ----------------------------------------------------------------------- */

/* By which kind of name an argument is named; 0: it is a number. */
static uint16_t base_of(uint32_t event)
{
	switch (event) {
	case KUTRACE_LOCKNOACQ:
	case KUTRACE_LOCKACQ:
	case KUTRACE_LOCKWAKEUP:
		return KUTRACE_NAME_LOCKNAME;
	case KUTRACE_RESOURCE:
		return KUTRACE_NAME_RESNAME;
	case KUTRACE_ENQUEUE:
	case KUTRACE_DEQUEUE:
		return KUTRACE_NAME_QUEUENAME;
	default:
		return 0;
	}
}

/* The definition of a typed tracepoint, put together of its pieces; false: there is none. */
static bool find_definition(char *text, size_t size, const struct kutrace_reader *reader,
			    uint32_t id)
{
	size_t used = 0, length;
	uint32_t piece = 1;

	do {
		const struct ku_name *name = ku_reader_name(reader, KUTRACE_NAME_EVENTDEF,
							    piece << 16 | id);

		length = name ? name->length : 0;
		if (used + length >= size)
			return false;
		memcpy(text + used, name ? name->text : "", length);
		used += length;
	} while (length == KUTRACE_NAME_MAX_BYTES && ++piece <= 8);
	text[used] = '\0';
	ku_utf8_clean(text);
	return used;
}

/* A field from words on, by its type; how many it has taken, 0: no such type. */
static uint32_t put_field(char *text, size_t size, const char *type, const uint64_t *words,
			  uint32_t count)
{
	const char *string = (const char *)words;
	size_t length = strnlen(string, count * sizeof(*words));
	double number;

	if (!strcmp(type, "str")) {
		snprintf(text, size, "%.*s", (int)length, string);
		ku_utf8_clean(text);
		return length < count * sizeof(*words) ? (uint32_t)(length / sizeof(*words)) + 1
						       : count;
	}
	if (!strcmp(type, "double")) {
		memcpy(&number, words, sizeof(number));
		ku_print(text, size, "%g", number);
	} else if (*type == 'u') {
		snprintf(text, size, "%llu", (unsigned long long)*words);
	} else if (*type == 's') {
		snprintf(text, size, "%lld", (long long)*words);
	} else if (*type == 'x' || !strcmp(type, "ptr")) {
		snprintf(text, size, "0x%llx", (unsigned long long)*words);
	} else {
		return 0;
	}
	return 1;
}

/* Its name, and its fields by name; without a definition, and what is left, in hex. */
static void put_tpoint(char *text, size_t size, const struct kutrace_seen *seen)
{
	char definition[KUTRACE_POINT_DEF_BYTES + KUTRACE_NAME_MAX_BYTES], value[80];
	uint32_t id = seen->arg & 0xFFFF, at = 0, taken;
	char *type, *field, *saved;
	size_t used;

	if (!find_definition(definition, sizeof(definition), seen->reader, id)) {
		snprintf(text, size, "point_%u", id);
		definition[0] = '\0';
	}
	definition[strcspn(definition, "|")] = '\0';
	type = strtok_r(definition, " ", &saved);
	if (type)
		snprintf(text, size, "%s", type);
	used = strlen(text);
	while (at < seen->nwords && (type = strtok_r(NULL, " ", &saved)) &&
	       (field = strtok_r(NULL, ", ", &saved))) {
		taken = put_field(value, sizeof(value), type, &seen->words[at],
				  seen->nwords - at);
		if (!taken)
			break;
		snprintf(text + used, size - used, " %s=%s", field, value);
		used = strlen(text);
		at += taken;
	}
	for (; at < seen->nwords; at++) {
		snprintf(text + used, size - used, " 0x%llx",
			 (unsigned long long)seen->words[at]);
		used = strlen(text);
	}
}

static void put_point(char *text, size_t size, const struct kutrace_seen *seen)
{
	char name[KUTRACE_NAME_MAX_BYTES + 1];
	uint32_t event = seen->event;

	switch (event) {
	case KUTRACE_MARKA:
	case KUTRACE_MARKB:
	case KUTRACE_MARKC:
		snprintf(text, size, "%s=%s", label(event),
			 kutrace_base40_to_char(seen->arg, name));
		break;
	case KUTRACE_MARKD:
		snprintf(text, size, "%s=%u", label(event), seen->arg);
		break;
	case KUTRACE_USERPID:
	case KUTRACE_RUNNABLE:
	case KUTRACE_TASKEXIT:
		put_task(name, sizeof(name), seen->reader, seen->arg);
		snprintf(text, size, "%s %s.%u", label(event), name, seen->arg);
		break;
	case KUTRACE_RPCIDREQ:
	case KUTRACE_RPCIDRESP:
	case KUTRACE_RPCIDMID:
		put_name(name, sizeof(name), seen->reader, KUTRACE_NAME_METHOD,
			 seen->arg & 0xFFFF);
		snprintf(text, size, "%s %s.%u", label(event), name, seen->arg);
		break;
	case KUTRACE_PC_U:
	case KUTRACE_PC_K:
	case KUTRACE_PC_OLD:
		snprintf(text, size, "%s 0x%llx",
			 label(seen->words[0] >> 63 ? KUTRACE_PC_K : KUTRACE_PC_U),
			 (unsigned long long)seen->words[0]);
		break;
	default:
		if (base_of(event))
			put_name(name, sizeof(name), seen->reader, base_of(event), seen->arg);
		else
			snprintf(name, sizeof(name), "%u", seen->arg);
		snprintf(text, size, "%s %s", label(event), name);
		break;
	}
}

static void put_seen(const struct kutrace_seen *seen, char *str, size_t size)
{
	char name[sizeof(seen->words) + 1];

	if (seen->event >= KUTRACE_CALL_TRAP) {
		put_call(str, size, seen);
	} else if (seen->event == KUTRACE_NAME_TPOINT) {
		put_tpoint(str, size, seen);
	} else if (seen->event >= 0x200 || seen->event == KUTRACE_PC_OLD) {
		put_point(str, size, seen);
	} else {
		memcpy(name, seen->words, sizeof(seen->words));
		name[sizeof(seen->words)] = '\0';
		ku_utf8_clean(name);
		snprintf(str, size, "name of %s %u: %s", label(seen->event), seen->arg, name);
	}
}

const char *kutrace_seen_text_sized(const struct kutrace_seen *seen, size_t bytes, char *str,
				    size_t size)
{
	struct kutrace_seen own;

	ku_take(&own, sizeof(own), seen, bytes);
	put_seen(&own, str, size);
	return str;
}
