// SPDX-License-Identifier: BSD-3-Clause
/* See rawtrace/raw.h. Properties must not depend on the time zone of the reading machine. */

#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "common/entry.h"
#include "rawtrace/blocks.h"

const char *kp_raw_meta(const struct kp_raw *raw, const char *key, size_t *at)
{
	const size_t len = strlen(key);

	while (*at < raw->name_count) {
		const struct kp_raw_name *name = &raw->names[(*at)++];

		if (KU_NAME_BASE(name->event) == KUTRACE_NAME_META &&
		    !strncmp(name->text, key, len) && name->text[len] == '=')
			return name->text + len + 1;
	}
	return NULL;
}

int64_t kp_raw_clock_step_us(const struct kp_raw *raw)
{
	const char *value;
	int64_t step = 0;
	size_t at = 0;

	while ((value = kp_raw_meta(raw, "clock_step_us", &at))) {
		long long us;
		char *end;

		errno = 0;
		us = strtoll(value, &end, 10);
		/* LLONG_MIN has no positive counterpart. No real clock steps by that much. */
		if (errno || end == value || *end || us == LLONG_MIN)
			continue;
		if (llabs(us) > llabs(step))
			step = us;
	}
	return step;
}

bool kp_raw_clock_is_bad(const struct kp_raw *raw)
{
	const char *value;
	size_t at = 0;

	while ((value = kp_raw_meta(raw, "caveat", &at)))
		if (!strcmp(value, "clock"))
			return true;
	return false;
}

void kp_clock_step_text(int64_t us, char text[KP_CLOCK_STEP_CHARS])
{
	uint64_t much = us < 0 ? -(uint64_t)us : (uint64_t)us;

	snprintf(text, KP_CLOCK_STEP_CHARS, "%s by %" PRIu64 ".%06" PRIu64 " s",
		 us < 0 ? "back" : "forward", much / 1000000, much % 1000000);
}

static void take_meta(const struct kp_raw *raw, const char *key, char *out, size_t size)
{
	size_t at = 0;
	const char *value = kp_raw_meta(raw, key, &at);

	snprintf(out, size, "%s", value ? value : "");
}

/* Writes the earliest name of object 0 of kind @base to @out. */
static void take_name(const struct kp_raw *raw, uint32_t base, char *out, size_t size)
{
	const struct kp_raw_name *first = NULL;

	for (size_t i = 0; i < raw->name_count; i++) {
		const struct kp_raw_name *name = &raw->names[i];

		if (KU_NAME_BASE(name->event) == base && !name->number &&
		    (!first || name->count < first->count))
			first = name;
	}
	snprintf(out, size, "%s", first ? first->text : "");
}

/* Continues an FNV-1a hash of 128 bits with @bytes bytes at @data. */
static unsigned __int128 hash_bytes(unsigned __int128 hash, const void *data, size_t bytes)
{
	const unsigned __int128 prime = (unsigned __int128)1 << 88 | 0x13B;
	const uint8_t *p = data;

	while (bytes--)
		hash = (hash ^ *p++) * prime;
	return hash;
}

static unsigned __int128 hash_number(unsigned __int128 hash, uint64_t number)
{
	number = htole64(number);
	return hash_bytes(hash, &number, sizeof(number));
}

static void make_id(const struct kp_raw *raw, struct kp_raw_about *about)
{
	unsigned __int128 hash = (unsigned __int128)0x6C62272E07BB0142ull << 64 |
				 0x62B821756295C58Dull;
	char *p = about->trace_id;

	hash = hash_number(hash, raw->start_count);
	hash = hash_number(hash, raw->start_usec);
	hash = hash_number(hash, raw->stop_count);
	hash = hash_number(hash, raw->stop_usec);
	hash = hash_bytes(hash, about->host, strlen(about->host) + 1);
	hash = hash_bytes(hash, about->boot_id, strlen(about->boot_id) + 1);
	for (int i = 0; i < 16; i++)
		about->trace_uuid[i] = (uint8_t)(hash >> (120 - 8 * i));
	about->trace_uuid[6] = (about->trace_uuid[6] & 0x0F) | 0x80;
	about->trace_uuid[8] = (about->trace_uuid[8] & 0x3F) | 0x80;
	for (int i = 0; i < 16; i++)
		p += sprintf(p, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			     about->trace_uuid[i]);
}

void kp_raw_about(const struct kp_raw *raw, struct kp_raw_about *about)
{
	memset(about, 0, sizeof(*about));
	about->start_s = (int64_t)(raw->minute_usec / 1000000);
	take_name(raw, KUTRACE_NAME_HOSTNAME, about->host, sizeof(about->host));
	take_name(raw, KUTRACE_NAME_KERNELVER, about->kernel, sizeof(about->kernel));
	take_name(raw, KUTRACE_NAME_CPUMODEL, about->cpu_model, sizeof(about->cpu_model));
	take_meta(raw, "arch", about->arch, sizeof(about->arch));
	take_meta(raw, "boot_id", about->boot_id, sizeof(about->boot_id));
	make_id(raw, about);
}

static int write_comment(const struct kp_event_sink *sink, const char *text)
{
	return sink->comment(sink->self, text, strlen(text));
}

int kp_raw_write_words(const struct kp_event_sink *sink, const struct kp_raw_source *source,
		       const struct kp_raw_entry *entry)
{
	const uint64_t *words = &source->words.word[entry->index];
	uint32_t event = ku_entry_event(*words);
	size_t length = ku_event_words(event);
	char text[256];
	int used = snprintf(text, sizeof(text), "# block %" PRIu64 " word %u:",
			    source->block.number, entry->index);

	while (length--)
		used += snprintf(text + used, sizeof(text) - (size_t)used,
				 " %016" PRIx64, *words++);
	return write_comment(sink, text);
}

int kp_raw_write_format(const struct kp_raw *raw, const struct kp_event_sink *sink)
{
	char text[64];
	int err = write_comment(sink, "# ## VERSION: 3");

	snprintf(text, sizeof(text), "# ## FLAGS: %u", raw->flags);
	return err ? err : write_comment(sink, text);
}

static int write_times(const struct kp_raw *raw, const struct kp_event_sink *sink)
{
	char text[160];

	snprintf(text, sizeof(text),
		 "# ## TIMES: %" PRId64 ".%08" PRId64 " %" PRId64 ".%08" PRId64,
		 raw->first_time / 100000000, raw->first_time % 100000000,
		 raw->last_time / 100000000, raw->last_time % 100000000);
	return write_comment(sink, text);
}

int kp_raw_write_dropped(const struct kp_raw *raw, const struct kp_event_sink *sink)
{
	char text[160];

	snprintf(text, sizeof(text), "# ## DROPPED: %" PRIu64 " %" PRIu64,
		 raw->dropped_first_block,
		 raw->faults.bad_words + raw->faults.cut_entries + raw->faults.bad_times);
	return write_comment(sink, text);
}

/* Writes start time and id of the trace, which are the same on any machine. */
static int write_identity(const struct kp_raw *raw, const struct kp_event_sink *sink)
{
	struct kp_raw_about about;
	char text[80];
	int err;

	kp_raw_about(raw, &about);
	snprintf(text, sizeof(text), "# ## START: %" PRId64, about.start_s);
	err = write_comment(sink, text);
	snprintf(text, sizeof(text), "# ## TRACE: %s", about.trace_id);
	return err ? err : write_comment(sink, text);
}

int kp_raw_write_title(const struct kp_event_sink *sink)
{
	return write_comment(sink, "# TS      DUR EVENT CPU PID RPC ARG0 RETVAL IPC NAME (t and dur multiples of 10ns)");
}

int kp_raw_write_block(const struct kp_event_sink *sink, const struct kp_raw_block *block)
{
	char text[160], date[32];
	int err;

	snprintf(text, sizeof(text), "# [0] %02x%014" PRIx64 " cpu %02u block %" PRIu64,
		 block->cpu, block->count, block->cpu, block->number);
	err = write_comment(sink, text);
	kp_raw_date(block->usec, date);
	snprintf(text, sizeof(text), "# [1] %s cpu %02u flags %02x block %" PRIu64, date,
		 block->cpu, block->flags, block->number);
	return err ? err : write_comment(sink, text);
}

int kp_raw_write_front(struct kp_raw *raw, const struct kp_event_sink *sink)
{
	struct kp_raw_block block;
	int err = kp_raw_write_format(raw, sink);

	err = err ? err : write_times(raw, sink);
	err = err ? err : kp_raw_write_dropped(raw, sink);
	err = err ? err : write_identity(raw, sink);
	err = err ? err : kp_raw_write_title(sink);
	for (size_t i = 0; !err && i < raw->block_count; i++) {
		err = kp_raw_read_header(raw, &raw->locations[i], &block);
		err = err ? err : kp_raw_write_block(sink, &block);
	}
	return err;
}
