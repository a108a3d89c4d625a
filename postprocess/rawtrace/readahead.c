// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads ahead in a thread, see rawtrace/readahead.h. The thread makes parts of PART_ENTRIES entries
 * in order, which contain all that most entries need. So the consumer reads memory sequentially,
 * and not the blocks of all CPUs alternately, which are in another CPU's cache.
 *
 * A single thread does all of it: the parts of several threads would have to be merged again in the
 * consumer's thread.
 *
 * The thread gets a block back with the part that ends with the block's last entry, after the whole
 * part was consumed. Entries in earlier parts have been consumed before.
 */
#include "rawtrace/readahead.h"

#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "base/thread.h"
#include "base/tool.h"

#define PART_ENTRIES	1024u

struct part {
	size_t count;
	struct kp_raw_source *finished;	/* block whose last entry ends this part; or NULL */
	struct kp_raw_taken entries[PART_ENTRIES];
};

struct reader {
	struct kp_raw raw;		/* a copy, for the thread's message */
	struct kp_raw_heap heap;
	bool failed;			/* after the parts made so far */
	struct part parts[KP_BATCHES];
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

/* ---- the consumer ---- */

static int take_part(const struct part *part, kp_raw_take *take, void *self)
{
	size_t i;
	int err = 0;

	for (i = 0; i < part->count && !err; i++)
		err = take(self, &part->entries[i]);
	return err;
}

/* Shows progress after a block was consumed. */
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
	/* the thread has ended or is about to: its message is complete */
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
	for (i = 0; i < KP_BATCHES; i++)
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
