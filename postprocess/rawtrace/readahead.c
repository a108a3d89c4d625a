// SPDX-License-Identifier: BSD-3-Clause
/*
 * See rawtrace/readahead.h. The thread hands over parts: some hundred entries in order, with all that most of them
 * need, so that who takes them reads memory from one end to the other, and not the blocks of 64 CPUs
 * in turn, which are in the other processor's cache. Called by transform/trace.c.
 *
 * It is one thread. Several, each with a share of the blocks, were tried: each needs less time, but who takes has to
 * merge what they give, and needs twice the time for 64 CPUs: more than one thread does for all of them.
 *
 * A block goes back to the thread with the part in which its last entry is, when all of that
 * part has been taken: entries in parts before it were taken before.
 */
#include "rawtrace/readahead.h"

#include <stdlib.h>
#include <string.h>

#include "base/ahead.h"
#include "base/progress.h"
#include "base/tool.h"

#define PART_ENTRIES	1024u

struct part {
	size_t count;
	struct kp_raw_source *finished;	/* its last entry is this part's last; or NULL */
	struct kp_raw_taken entries[PART_ENTRIES];
};

struct reader {
	struct kp_raw raw;		/* a copy, for the thread's message */
	struct kp_raw_heap heap;
	bool failed;			/* behind what it has handed over */
	struct part parts[KP_AHEAD_BATCHES];
};

/* ---- the thread ---- */

static int make_part(void *self, void *batch)
{
	struct reader *reader = self;
	struct part *part = batch;
	struct kp_raw_source *back = part->finished;
	int err;

	part->finished = NULL;
	if (reader->failed || (back && kp_raw_heap_give_back(&reader->heap, back)))
		return -1;
	err = kp_raw_heap_part(&reader->heap, part->entries, PART_ENTRIES, &part->count,
			       &part->finished);
	reader->failed = err;
	return part->count ? 1 : err;
}

/* ---- who takes ---- */

static int take_part(const struct part *part, kp_raw_take *take, void *self)
{
	size_t i;
	int err = 0;

	for (i = 0; i < part->count && !err; i++)
		err = take(self, &part->entries[i]);
	return err;
}

/* A block has been taken. */
static int say_progress(struct kp_raw *raw, uint64_t blocks)
{
	kp_progress(blocks * KUTRACE_BLOCK_BYTES, raw->bytes);
	return kp_interrupted() ? kp_raw_fail(raw, "interrupted") : 0;
}

static int take_all(struct kp_raw *raw, struct reader *reader, struct kp_ahead *ahead,
		    kp_raw_take *take, void *self)
{
	const struct part *part;
	uint64_t blocks = 0;
	int err;

	while ((part = kp_ahead_next(ahead, &err))) {
		err = take_part(part, take, self);
		if (!err && part->finished)
			err = say_progress(raw, ++blocks);
		if (err)
			return err;
	}
	/* the thread has ended, or is about to: its message is whole */
	if (err)
		memcpy(raw->message, reader->raw.message, sizeof(raw->message));
	return err;
}

static int read_with(struct kp_raw *raw, struct reader *reader, kp_raw_take *take, void *self)
{
	struct kp_ahead *ahead;
	unsigned int i;
	int err;

	reader->heap.raw = raw;
	kp_raw_heap_take_all(&reader->heap);
	reader->raw = *raw;
	reader->raw.message[0] = 0;
	reader->heap.raw = &reader->raw;
	reader->heap.ahead = true;
	ahead = kp_ahead_open(make_part, reader, reader->parts, sizeof(*reader->parts));
	err = ahead ? take_all(raw, reader, ahead, take, self) : kp_raw_fail(raw, "no memory");
	kp_ahead_close(ahead);
	for (i = 0; i < KP_AHEAD_BATCHES; i++)
		kp_raw_source_free(reader->parts[i].finished);
	kp_raw_heap_free(&reader->heap);
	return err;
}

int kp_raw_read_ahead(struct kp_raw *raw, kp_raw_take *take, void *self)
{
	struct reader *reader;
	int err;

	reader = calloc(1, sizeof(*reader));
	if (!reader)
		return kp_raw_fail(raw, "no memory");
	err = read_with(raw, reader, take, self);
	free(reader);
	return err;
}
