// SPDX-License-Identifier: BSD-3-Clause
/*
 * Follows a growing raw trace, see rawtrace/blocks.h. Without lag_usec, must not output an entry
 * while an earlier entry may still arrive. Must not decode an incomplete block.
 *
 * The blocks of a CPU arrive in the order in which the CPU filled them. So the next entries of a
 * CPU are not earlier than the end of its last block, except for late stores. The earliest of these
 * ends is the end of the output: earlier entries are output (output_end()). A trace does not contain
 * the number of CPUs, so the largest CPU number so far is used. Nothing is output in the first
 * FIRST_USEC, in which most CPUs appear.
 */
#include <errno.h>
#include <poll.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/temp.h"
#include "base/tool.h"
#include "rawtrace/blocks.h"

#define WAIT_MS		100
#define PLACE_BYTES	(KUTRACE_BLOCK_BYTES + KUTRACE_IPC_BYTES)
#define FIRST_USEC	2000000	/* length of the first part of the trace, in which CPUs appear */
#define QUIET_MS	1000	/* a file that does not grow for this time may be complete */

enum more { MORE_BLOCK, MORE_LATER, MORE_NEVER };

struct follower {
	struct kp_raw *raw;
	struct kp_raw_follow *options;
	struct kp_raw_out *out;
	struct kp_raw_indexer indexer;
	struct kp_raw_words words;	/* words of the next block */
	size_t filled;			/* number of bytes of the block that were read */
	uint64_t number;		/* index of the block */
	uint64_t offset;		/* offset of the block in the file */
	bool regular;			/* the input is a regular file, not a pipe */
	int in;
	uint64_t quiet_ms;		/* time of the last growth */
	uint64_t last[256];		/* last count of each CPU; 0: no block yet */
	uint64_t newest;		/* the maximum of last[] */
	uint64_t handed_out;		/* count below which all entries have been output */
	/* number of places in the temporary file of a pipe, and offsets of its free places */
	uint64_t locations, *free_locations;
	size_t free_count, free_room;
};

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static int cannot_read(struct follower *f)
{
	return kp_raw_fail(f->raw, "cannot read %s: %s", f->options->shown, strerror(errno));
}

/* Waits for WAIT_MS, data in a pipe, or the end of the program that reads the output. */
static void rest(const struct follower *f)
{
	struct pollfd fds[] = {
		{ .fd = STDOUT_FILENO },
		{ .fd = f->regular ? -1 : f->in, .events = POLLIN },
	};

	poll(fds, 2, WAIT_MS);
}

/* Reads bytes of the next block. Returns their number, which may be 0, or -1 with a message. */
static ssize_t read_some(struct follower *f, size_t want)
{
	char *to = (char *)&f->words + f->filled;

	for (;;) {
		ssize_t got = f->regular ?
			pread(f->in, to, want, (off_t)(f->offset + f->filled)) :
			read(f->in, to, want);

		if (got >= 0)
			return got;
		if (errno != EINTR || kp_interrupted())
			return errno == EINTR ? 0 : cannot_read(f);
	}
}

static bool pipe_has_more(const struct follower *f)
{
	struct pollfd fd = { .fd = f->in, .events = POLLIN };

	return poll(&fd, 1, 0) > 0;
}

/* Reads until the block is complete. Returns enum more, or -1 with a message. */
static int next_block(struct follower *f)
{
	size_t want = KUTRACE_BLOCK_BYTES;

	for (;;) {
		ssize_t got;

		if (f->filled >= KUTRACE_BLOCK_BYTES)
			want = kp_raw_block_bytes(&f->words);
		if (f->filled == want)
			return MORE_BLOCK;
		if (kp_interrupted())
			return MORE_LATER;
		if (!f->regular && !pipe_has_more(f))
			return MORE_LATER;
		got = read_some(f, want - f->filled);
		if (got < 0)
			return -1;
		if (!got)
			return f->regular || kp_interrupted() ? MORE_LATER : MORE_NEVER;
		f->filled += (size_t)got;
		f->quiet_ms = now_ms();
	}
}

/* Returns whether the stop time in block 0 has passed. In a stream, it is in the far future. */
static bool recording_ended(struct follower *f)
{
	uint64_t word = 0;
	struct timespec ts;

	if (pread(f->in, &word, sizeof(word), 5 * sizeof(word)) != sizeof(word))
		return false;
	clock_gettime(CLOCK_REALTIME, &ts);
	return word && word / 1000000 < (uint64_t)ts.tv_sec;
}

static bool name_is_anothers(const struct follower *f, const struct stat *ours)
{
	struct stat named;

	return f->options->path && !stat(f->options->path, &named) &&
	       (named.st_dev != ours->st_dev || named.st_ino != ours->st_ino);
}

/* Decides whether a file without new data is complete. Returns enum more, or -1 with a message. */
static int file_has_more(struct follower *f)
{
	struct stat st;

	if (fstat(f->in, &st))
		return cannot_read(f);
	if ((uint64_t)st.st_size < f->offset + f->filled)
		return kp_raw_fail(f->raw, "%s: it was made shorter while it was followed, and may be another trace now: start again",
				   f->options->shown);
	if (now_ms() - f->quiet_ms < QUIET_MS)
		return MORE_LATER;
	if (name_is_anothers(f, &st)) {
		f->options->note = "another file has this name now; all events of the old file are printed";
		return MORE_NEVER;
	}
	return !f->filled && f->number && recording_ended(f) ? MORE_NEVER : MORE_LATER;
}

static uint64_t less(uint64_t count, uint64_t by)
{
	return count > by ? count - by : 0;
}

static uint64_t counts(const struct kp_raw *raw, uint64_t usec)
{
	return (uint64_t)((unsigned __int128)usec * (raw->stop_count - raw->start_count) /
			  (raw->stop_usec - raw->start_usec));
}

/* Returns the count below which entries can be output. */
static uint64_t output_end(const struct follower *f)
{
	uint64_t least = f->newest, lag;

	if (f->newest < f->raw->start_count + counts(f->raw, FIRST_USEC))
		return 0;
	for (size_t cpu = 0; cpu <= f->raw->cpu_most; cpu++)
		if (f->last[cpu] < least)
			least = f->last[cpu];
	least = less(least, KUTRACE_LATE_MAX);
	if (!f->options->lag_usec)
		return least;
	lag = less(f->newest, counts(f->raw, f->options->lag_usec));
	return lag > least ? lag : least;
}

/*
 * Frees the space of a finished block in the temporary file. Without memory, the space is not
 * reused.
 */
static void place_done(void *self, uint64_t offset)
{
	struct follower *f = self;

	if (KP_ROOM(f->free_locations, f->free_count, f->free_room))
		return;
	f->free_locations[f->free_count++] = offset;
}

/* Writes the block of a pipe to the temporary file. */
static int keep(struct follower *f, uint64_t *offset)
{
	size_t bytes = kp_raw_block_bytes(&f->words), done = 0;
	struct kp_raw *raw = f->raw;

	*offset = f->free_count ? f->free_locations[--f->free_count] :
				  PLACE_BYTES * f->locations++;
	while (done < bytes) {
		ssize_t put = pwrite(fileno(raw->file), (char *)&f->words + done, bytes - done,
				     (off_t)(*offset + done));

		if (put < 0 && errno != EINTR)
			return kp_raw_fail(raw, "cannot write a temporary file: %s%s",
					   strerror(errno), kp_temp_remedy(errno));
		done += put > 0 ? (size_t)put : 0;
	}
	return 0;
}

/* Adds a complete block. Returns 0; -1 with a message; or the value that the sink returned. */
static int take_block(struct follower *f)
{
	struct kp_raw_block block;
	struct kp_raw_location location;
	uint64_t offset = f->offset;
	int err = f->regular ? 0 : keep(f, &offset);

	if (err || kp_raw_index_add(f->raw, &f->indexer, f->number, offset, &f->words, &block,
				    &location))
		return -1;
	f->offset += f->filled;
	f->filled = 0;
	if (!f->number++)
		err = kp_raw_out_begin(f->out, f->regular ? NULL : place_done, f);
	if (!block.names_only) {
		if (location.first < f->handed_out) {
			f->options->late_blocks++;
			kp_raw_out_step_back(f->out);
		}
		f->last[block.cpu] = block.last;
		if (block.last > f->newest)
			f->newest = block.last;
	}
	err = err ? err : kp_raw_out_add(f->out, &block, &location);
	if (err || output_end(f) <= f->handed_out)
		return err;
	f->handed_out = output_end(f);
	return kp_raw_out_until(f->out, f->handed_out);
}

/*
 * Outputs the entries of a late block that are below output_end(), without waiting for the next
 * block.
 */
static int hand_out_late(struct follower *f)
{
	int err = kp_raw_out_until(f->out, f->handed_out);

	return err ? err : f->options->flush(f->options->self);
}

/* Follows until the end of the input. Returns 0; -1 with a message; or the sink's value. */
static int run(struct follower *f)
{
	for (;;) {
		int more = next_block(f), err = 0;

		if (more == MORE_LATER && f->regular)
			more = file_has_more(f);
		switch (more) {
		case MORE_BLOCK:
			err = take_block(f);
			break;
		case MORE_LATER:
			err = hand_out_late(f);
			if (!err && kp_take_interrupt())
				return 0;
			if (err)
				break;
			rest(f);
			if (kp_output_unread())
				return -1;
			break;
		case MORE_NEVER:
			if (!f->filled && f->number)
				return 0;
			return kp_raw_fail(f->raw, !f->number && !f->filled ?
					   "%s: empty, not a trace" :
					   "%s: cut off in block %" PRIu64 ", or not a trace",
					   f->options->shown, f->number);
		default:
			return -1;
		}
		if (err)
			return err;
	}
}

static int begin(struct follower *f)
{
	struct kp_raw *raw = f->raw;
	struct stat st;

	f->in = fileno(f->options->file);
	if (fstat(f->in, &st))
		return cannot_read(f);
	f->regular = S_ISREG(st.st_mode);
	f->quiet_ms = now_ms();
	if (f->regular) {
		raw->file = f->options->file;
	} else {
		raw->file = kp_temp_file();
		raw->spooled = true;
		if (!raw->file)
			return kp_raw_fail(raw, "cannot create a temporary file: %s%s",
					   strerror(errno), kp_temp_remedy(errno));
	}
	return 0;
}

int kp_raw_follow(struct kp_raw *raw, struct kp_raw_follow *options,
		  const struct kp_event_sink *sink, bool verbose,
		  struct kp_raw_summary *summary)
{
	struct follower *f = calloc(1, sizeof(*f));
	int err, late;

	memset(raw, 0, sizeof(*raw));
	raw->shown = options->shown;
	raw->followed = true;
	if (!f)
		return kp_raw_fail(raw, "no memory");
	kp_interrupt_ends_input();
	f->raw = raw;
	f->options = options;
	f->out = kp_raw_out_new(raw, sink, verbose, summary);
	err = f->out ? begin(f) : -1;
	if (!err) {
		err = run(f);
		/* also output the valid entries before an error */
		late = f->number && (!err || raw->message[0]) ? kp_raw_out_end(f->out) : 0;
		err = err ? err : late;
	}
	if (raw->file != options->file)
		fclose(options->file);
	kp_raw_out_free(f->out);
	free(f->free_locations);
	free(f);
	return err;
}
