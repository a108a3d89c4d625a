// SPDX-License-Identifier: BSD-3-Clause
/*
 * Converts an event to text, with the names that rawtoevent uses. Must not print a text
 * unchecked: any program can set it, so unprintable characters become ?. Names must be sorted
 * before a search.
 */
#include "lib/trace/recording.h"

#include <stdio.h>

#include "common/disk_text.h"
#include "common/timer_text.h"
#include "common/event_name.h"
#include "common/tpoint_text.h"
#include "common/utf8.h"
#include "lib/base/sizes.h"

static int compare_name(const void *key, const void *element)
{
	const struct ku_name *a = key, *b = element;

	if (a->base != b->base)
		return a->base < b->base ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* Returns the name with this kind and number, or NULL. */
static const struct ku_name *reader_name(const struct kutrace_reader *reader, uint16_t base,
					 uint32_t number)
{
	const struct ku_name key = {.base = base, .number = number};

	return reader->names.count ? bsearch(&key, reader->names.list, reader->names.count,
					     sizeof(key), compare_name) : NULL;
}

void ku_reader_sort(struct kutrace_reader *reader)
{
	if (reader->names.count)
		qsort(reader->names.list, reader->names.count, sizeof(reader->names.list[0]),
		      compare_name);
}

static const char *label(uint32_t event)
{
	const char *text = ku_point_label(event);

	if (!text)
		text = ku_name_label(event);
	return text ? text : "?";
}

static bool find_name(char *text, size_t size, const struct kutrace_reader *reader,
		      uint16_t base, uint32_t number)
{
	const struct ku_name *name = reader_name(reader, base, number);

	if (!name || !name->length)
		return false;
	snprintf(text, size, "%.*s", name->length, name->text);
	ku_utf8_clean(text);
	return true;
}

/* Writes the name, or the number if there is no name. */
static void put_name(char *text, size_t size, const struct kutrace_reader *reader,
		     uint16_t base, uint32_t number)
{
	if (!find_name(text, size, reader, base, number))
		snprintf(text, size, "%u", number);
}

static void put_task(char *text, size_t size, const struct kutrace_reader *reader,
		     uint32_t pid)
{
	if (pid == KUTRACE_PID_OTHER)
		snprintf(text, size, "-other-");
	else
		put_name(text, size, reader, KUTRACE_NAME_PID, pid);
}

const char *kutrace_seen_process_sized(const struct kutrace_seen *record, size_t bytes,
				       char *str, size_t size)
{
	struct kutrace_seen own;

	ku_copy_in(&own, sizeof(own), record, bytes);
	put_task(str, size, own.reader, own.pid);
	return str;
}

static void put_call_name(char *text, size_t size, const struct kutrace_seen *record)
{
	uint32_t event = record->event & ~(uint32_t)KUTRACE_RETURN_BIT;
	struct ku_call_name call = ku_call_name(event);
	const char *softirq = record->event == event ? ku_softirq_label(record->arg) : NULL;

	if (event == KUTRACE_CALL_BH && softirq)
		snprintf(text, size, "BH:%s", softirq);
	else if (event == KUTRACE_CALL_BH)
		snprintf(text, size, "BH");
	else if (find_name(text, size, record->reader, call.base, call.number) ||
		 find_name(text, size, record->reader, call.other_base, call.other_number))
		return;
	else if (call.label)
		snprintf(text, size, "%s", call.label);
	else
		snprintf(text, size, "%u", call.number);
}

static void put_call(char *text, size_t size, const struct kutrace_seen *record)
{
	char name[KUTRACE_NAME_MAX_BYTES + 1];
	bool has_value = record->event >= KUTRACE_CALL_SYSCALL64 &&
			 (record->event & ~(uint32_t)KUTRACE_RETURN_BIT) != KUTRACE_CALL_SCHED;
	char value[32] = "";

	put_call_name(name, sizeof(name), record);
	if (has_value)
		snprintf(value, sizeof(value), " = %d", record->value);
	if (record->event & KUTRACE_RETURN_BIT)
		snprintf(text, size, "/%s%s", name, value);
	else if (record->returned && has_value)
		snprintf(text, size, "%s(%u)%s, %u ns", name, record->arg, value, record->took_ns);
	else if (record->returned)
		snprintf(text, size, "%s, %u ns", name, record->took_ns);
	else if (has_value)
		snprintf(text, size, "%s(%u)", name, record->arg);
	else
		snprintf(text, size, "%s", name);
}

/* Joins and parses the parts of a typed tracepoint's definition. Returns false: no definition. */
static bool find_definition(struct ku_tpoint_def *def, const struct kutrace_reader *reader,
			    uint32_t id)
{
	char text[KUTRACE_POINT_PIECES * KUTRACE_NAME_MAX_BYTES];
	const struct ku_name *name;
	size_t used = 0;

	for (uint32_t part = 0; part < KUTRACE_POINT_PIECES; part++) {
		name = reader_name(reader, KUTRACE_NAME_EVENTDEF, KUTRACE_POINT_NUMBER(id, part));
		if (!name)
			break;
		memcpy(text + used, name->text, name->length);
		used += name->length;
		if (name->length < KUTRACE_NAME_MAX_BYTES)
			break;	/* the last part */
	}
	return used && !ku_tpoint_parse(def, text, used);
}

/*
 * Writes the name of the tracepoint, and each field with its name. Writes words without a field, or
 * all words if there is no definition, in hex.
 */
static void put_tpoint(char *text, size_t size, const struct kutrace_seen *record)
{
	uint32_t id = record->arg & 0xFFFF;
	struct ku_tpoint_def def;

	if (find_definition(&def, record->reader, id))
		ku_tpoint_render_fields(&def, record->words, record->nwords, text, size);
	else
		ku_tpoint_render_unknown(id, record->words, record->nwords, text, size);
	ku_utf8_clean(text);
}

static void put_disk(char *text, size_t size, const struct kutrace_seen *record)
{
	const uint64_t words[2] = { record->words[0], record->words[1] };
	struct ku_disk disk = ku_disk_decode(words);
	char request[KU_DISK_TEXT_MAX];

	ku_disk_set_device(&disk, record->arg, NULL);
	ku_disk_put(&disk, request);
	snprintf(text, size, "%s %s", label(record->event), request);
}

static void put_timer(char *text, size_t size, const struct kutrace_seen *record)
{
	const uint64_t words[3] = { record->words[0], record->words[1], record->words[2] };
	const struct ku_timer timer = ku_timer_decode(words);
	char name[KUTRACE_NAME_MAX_BYTES + 1], times[KU_TIMER_TEXT_MAX];

	put_task(name, sizeof(name), record->reader, record->arg);
	ku_timer_put(&timer, times);
	snprintf(text, size, "%s %s.%u %s", label(record->event), name, record->arg, times);
}

static void put_point(char *text, size_t size, const struct kutrace_seen *record)
{
	char name[KUTRACE_NAME_MAX_BYTES + 1];
	uint32_t event = record->event;
	uint16_t base = ku_point_arg_base(event);

	switch (event) {
	case KUTRACE_MARKA:
	case KUTRACE_MARKB:
	case KUTRACE_MARKC:
		snprintf(text, size, "%s=%s", label(event),
			 kutrace_base40_to_char(record->arg, name));
		break;
	case KUTRACE_MARKD:
		snprintf(text, size, "%s=%u", label(event), record->arg);
		break;
	case KUTRACE_USERPID:
	case KUTRACE_RUNNABLE:
	case KUTRACE_TASKEXIT:
		put_task(name, sizeof(name), record->reader, record->arg);
		snprintf(text, size, "%s %s.%u", label(event), name, record->arg);
		break;
	case KUTRACE_RPCIDREQ:
	case KUTRACE_RPCIDRESP:
	case KUTRACE_RPCIDMID:
		put_name(name, sizeof(name), record->reader, base, record->arg & 0xFFFF);
		snprintf(text, size, "%s %s.%u", label(event), name, record->arg);
		break;
	case KUTRACE_PC_U:
	case KUTRACE_PC_K:
	case KUTRACE_PC_OLD:
		snprintf(text, size, "%s 0x%llx",
			 label(record->words[0] >> 63 ? KUTRACE_PC_K : KUTRACE_PC_U),
			 (unsigned long long)record->words[0]);
		break;
	case KUTRACE_DISK_QUEUED:
	case KUTRACE_DISK_ISSUED:
	case KUTRACE_DISK_DONE:
	case KUTRACE_DISK_REQUEUED:
	case KUTRACE_DISK_MERGED:
		put_disk(text, size, record);
		break;
	case KUTRACE_TIMER:
		put_timer(text, size, record);
		break;
	default:
		if (base && base != KUTRACE_NAME_METHOD)
			put_name(name, sizeof(name), record->reader, base, record->arg);
		else
			snprintf(name, sizeof(name), "%u", record->arg);
		snprintf(text, size, "%s %s", label(event), name);
		break;
	}
}

static void put_record(const struct kutrace_seen *record, char *str, size_t size)
{
	char name[sizeof(record->words) + 1];

	if (record->event >= KUTRACE_CALL_TRAP) {
		put_call(str, size, record);
	} else if (record->event == KUTRACE_NAME_TPOINT) {
		put_tpoint(str, size, record);
	} else if (record->event >= 0x200 || record->event == KUTRACE_PC_OLD) {
		put_point(str, size, record);
	} else {
		memcpy(name, record->words, sizeof(record->words));
		name[sizeof(record->words)] = '\0';
		ku_utf8_clean(name);
		snprintf(str, size, "name of %s %u: %s", label(record->event), record->arg, name);
	}
}

const char *kutrace_seen_text_sized(const struct kutrace_seen *record, size_t bytes, char *str,
				    size_t size)
{
	struct kutrace_seen own;

	ku_copy_in(&own, sizeof(own), record, bytes);
	if (size)
		put_record(&own, str, size);
	return str;
}
