// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes the comments in event text, see rawtrace/comments.h. kutrace-trace(5) describes their
 * format.
 */
#include "rawtrace/comments.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/entry.h"
#include "rawtrace/about.h"

static int say(const struct kp_event_sink *sink, const char *text)
{
	return sink->comment(sink->self, text, strlen(text));
}

int kp_raw_say_words(const struct kp_event_sink *sink, const struct kp_raw_source *source,
		     const struct kp_raw_entry *entry)
{
	const uint64_t *words = &source->words->word[entry->index];
	uint32_t event = ku_entry_event(*words);
	size_t length = ku_event_words(event);
	char text[256];
	int used = snprintf(text, sizeof(text), "# block %" PRIu64 " word %u:",
			    source->block.number, entry->index);

	while (length--)
		used += snprintf(text + used, sizeof(text) - (size_t)used,
				 " %016" PRIx64, *words++);
	return say(sink, text);
}

int kp_raw_say_format(const struct kp_raw *raw, const struct kp_event_sink *sink)
{
	char text[64];
	int err = say(sink, "# ## VERSION: 3");

	snprintf(text, sizeof(text), "# ## FLAGS: %u", raw->flags);
	return err ? err : say(sink, text);
}

static int say_times(const struct kp_raw *raw, const struct kp_event_sink *sink)
{
	char text[160];

	snprintf(text, sizeof(text),
		 "# ## TIMES: %" PRId64 ".%08" PRId64 " %" PRId64 ".%08" PRId64,
		 raw->first_time / 100000000, raw->first_time % 100000000,
		 raw->last_time / 100000000, raw->last_time % 100000000);
	return say(sink, text);
}

int kp_raw_say_dropped(const struct kp_raw *raw, const struct kp_event_sink *sink)
{
	char text[160];

	snprintf(text, sizeof(text), "# ## DROPPED: %" PRIu64 " %" PRIu64,
		 raw->dropped_first_block,
		 raw->faults.bad_words + raw->faults.cut_entries + raw->faults.bad_times);
	return say(sink, text);
}

/* Writes start time and id of the trace, which are the same on any machine. */
static int say_identity(const struct kp_raw *raw, const struct kp_event_sink *sink)
{
	struct kp_raw_about about;
	char text[80];
	int err;

	kp_raw_about(raw, &about);
	snprintf(text, sizeof(text), "# ## START: %" PRId64, about.start_s);
	err = say(sink, text);
	snprintf(text, sizeof(text), "# ## TRACE: %s", about.trace_id);
	return err ? err : say(sink, text);
}

int kp_raw_say_title(const struct kp_event_sink *sink)
{
	return say(sink, "# TS      DUR EVENT CPU PID RPC ARG0 RETVAL IPC NAME (t and dur multiples of 10ns)");
}

int kp_raw_say_block(const struct kp_event_sink *sink, const struct kp_raw_block *block)
{
	char text[160], date[32];
	int err;

	snprintf(text, sizeof(text), "# [0] %02x%014" PRIx64 " cpu %02u block %" PRIu64,
		 block->cpu, block->count, block->cpu, block->number);
	err = say(sink, text);
	kp_raw_date(block->usec, date);
	snprintf(text, sizeof(text), "# [1] %s cpu %02u flags %02x block %" PRIu64, date,
		 block->cpu, block->flags, block->number);
	return err ? err : say(sink, text);
}

int kp_raw_say_front(struct kp_raw *raw, const struct kp_event_sink *sink)
{
	struct kp_raw_block block;
	size_t i;
	int err = kp_raw_say_format(raw, sink);

	err = err ? err : say_times(raw, sink);
	err = err ? err : kp_raw_say_dropped(raw, sink);
	err = err ? err : say_identity(raw, sink);
	err = err ? err : kp_raw_say_title(sink);
	for (i = 0; !err && i < raw->block_count; i++) {
		err = kp_raw_read_header(raw, &raw->places[i], &block);
		err = err ? err : kp_raw_say_block(sink, &block);
	}
	return err;
}
