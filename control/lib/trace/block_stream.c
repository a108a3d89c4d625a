// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes a trace while recording goes on, block by block. Must not stop or slow the recording,
 * send a block twice, or lose a block without counting it.
 *
 * Blocks are numbered from 1 in the order in which CPUs take them. In wrap mode a number does not
 * determine its block: CPUs select their next blocks before they take them, and skip blocks that
 * are being written. So the numbers of all blocks are read. Each number is handled in order:
 *
 *	a full block has it		the block is sent
 *	a block being filled has it	the block waits; at most KUTRACE_CPUS blocks wait
 *	no block has it yet		a CPU is about to write the number (is_pending()): wait
 *	no block has it any more	the block was overwritten, and is lost, unless that
 *					happened before the stream began
 *
 * Before a full block is read, interrupted writers get a moment to store their words. In wrap
 * mode full blocks are copied before they are sent, and their numbers are compared again.
 */
#include <poll.h>

#include "lib/base/sizes.h"
#include "lib/device/device.h"
#include "lib/trace/recording.h"

#define WAIT_MS		200
#define FAR_S		3600000	/* placeholder for the stop time of a trace whose end is not known */

struct stream {
	struct ku_dump *d;
	const struct kutrace_stream_options *options;
	struct kutrace_stream_state *state;
	struct kutrace_stream_result *result;
	/* all blocks that have a number, sorted by number; there is room for all blocks */
	struct ku_numbered *numbered;
	size_t count;		/* length of numbered */
	/* blocks that existed when the stream began, with numbers up to first_taken */
	struct ku_numbered *first;
	size_t first_count;
	uint64_t first_taken;	/* largest number of a block in first; 0: first is empty */
	uint64_t bytes;		/* size of this trace */
	uint64_t lost_before;	/* lost blocks that earlier traces have reported */
	uint64_t lost_reported;	/* lost blocks that all traces have reported */
	/* losses by cause that this trace has reported, as in kutrace_info's lost */
	__u64 causes_reported[8];
	uint32_t caveats;	/* caveats that this trace has reported */
	struct kutrace_pair now;	/* clock pair of the last query */
	uint64_t aux;		/* offset in the name buffer up to which names have been sent */
	uint64_t aux_counts;	/* time before which all names have been sent */
	bool begun;		/* there is an output, and it has the first names */
	bool no_output;		/* true until there is an output */
	int other_fd;	/* output that replaces the current one, requested while a write waited */
};

/* --- selecting blocks ------------------------------------------------------------- */

/* Returns the index of the first block in sorted @list with a number of at least @seq. */
static size_t index_from(const struct ku_numbered *list, size_t count, uint64_t seq)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (list[middle].seq < seq)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Returns the block with this number; NULL: none. */
static const struct ku_numbered *find(const struct stream *s, uint64_t seq)
{
	size_t i = index_from(s->numbered, s->count, seq);

	return i < s->count && s->numbered[i].seq == seq ? &s->numbered[i] : NULL;
}

static void add(struct ku_dump *d, const struct ku_numbered *block)
{
	d->refs[d->nrefs++] = (struct ku_block_ref){
		.seq = block->seq, .index = block->index, .cpu = block->cpu,
	};
}

/* Handles the waiting blocks: each is now full, overwritten, or still waiting. */
static void list_waiting(struct stream *s)
{
	struct kutrace_stream_state *state = s->state;
	uint32_t i, left = 0;

	for (i = 0; i < state->waiting; i++) {
		uint64_t seq = state->number[i];
		const struct ku_numbered *block = find(s, seq);

		if (!block)
			s->result->lost_blocks++;
		else if (block->state == KUTRACE_BLOCK_DONE && s->d->nrefs < KU_BATCH)
			add(s->d, block);
		else
			state->number[left++] = seq;
	}
	state->waiting = left;
}

/*
 * Returns how many later blocks must have been taken before a missing number counts as overwritten:
 * half of the blocks that a CPU can use. A CPU writes the number much sooner.
 */
static uint64_t pending_limit(const struct kutrace_info *info)
{
	return ((info->share_blocks ? info->share_blocks : info->nblocks) + 1) / 2;
}

/*
 * Returns whether a CPU is about to write the number @seq, which no block has. If many later blocks
 * have been taken, the block was overwritten instead.
 */
static bool is_pending(const struct stream *s, uint64_t seq)
{
	const struct kutrace_info *info = &s->d->info;

	if (!info->recording)
		return false;
	if (!(info->flags & KUTRACE_RESET_WRAP))
		return seq <= info->nblocks;
	return info->taken_blocks - seq < pending_limit(info);
}

/* Returns the first number after @seq that a block has or may still get. */
static uint64_t next_number(const struct stream *s, uint64_t seq)
{
	const struct kutrace_info *info = &s->d->info;
	uint64_t end = info->taken_blocks + 1;
	size_t i = index_from(s->numbered, s->count, seq + 1);

	if (i < s->count && s->numbered[i].seq < end)
		end = s->numbered[i].seq;
	if (info->recording && info->flags & KUTRACE_RESET_WRAP &&
	    info->taken_blocks - seq > pending_limit(info) &&
	    info->taken_blocks - pending_limit(info) + 1 < end)
		end = info->taken_blocks - pending_limit(info) + 1;
	return end;
}

/*
 * Returns the number of lost blocks with the numbers @from to @to - 1, which no block has. Does not
 * count blocks that were overwritten before the stream began.
 */
static uint64_t lost_between(const struct stream *s, uint64_t from, uint64_t to)
{
	uint64_t since = from > s->first_taken ? from : s->first_taken + 1;

	if (!(s->d->info.flags & KUTRACE_RESET_WRAP))
		return 0;
	return index_from(s->first, s->first_count, to) -
	       index_from(s->first, s->first_count, from) + (to > since ? to - since : 0);
}

/* Lists the new full blocks in order, and fills refs[] up to a batch. */
static void list_new(struct stream *s)
{
	struct kutrace_stream_state *state = s->state;

	s->count = ku_dump_read_table(s->d, s->numbered);
	list_waiting(s);
	while (state->next <= s->d->info.taken_blocks) {
		const struct ku_numbered *block = find(s, state->next);

		if (s->d->nrefs == KU_BATCH || (!block && is_pending(s, state->next)))
			break;
		if (!block) {
			uint64_t to = next_number(s, state->next);

			s->result->lost_blocks += lost_between(s, state->next, to);
			state->next = to;
			continue;
		}
		if (block->state == KUTRACE_BLOCK_DONE)
			add(s->d, block);
		else if (state->waiting < KUTRACE_CPUS)
			state->number[state->waiting++] = block->seq;
		else
			break;
		state->next++;
	}
}

/*
 * Reads the headers of the blocks in refs[], and copies the blocks in wrap mode. Overwritten
 * blocks are counted as lost.
 */
static int load(struct stream *s)
{
	struct ku_dump *d = s->d;
	size_t from, to = 0;
	int ret = 0;

	for (from = 0; from < d->nrefs; from++) {
		struct ku_block_ref *ref = &d->refs[from];
		const uint64_t *block = ku_dump_map_block(d, ref->index, &ret);
		bool good;

		if (!block)
			break;
		if (d->info.flags & KUTRACE_RESET_WRAP) {
			ref->copy = malloc(ku_dump_block_bytes(d));
			if (ref->copy)
				memcpy(ref->copy, block, KUTRACE_BLOCK_BYTES);
			ret = ref->copy ? ku_dump_copy_bytes(d, ref->index, ref->copy)
					  : -ENOMEM;
		}
		good = ku_dump_read_header(&ref->header, block, ref->cpu);
		ku_dump_unmap_block(block);
		if (!ret && good && ku_dump_is_unchanged(d, ref)) {
			d->refs[to++] = *ref;
			continue;
		}
		s->result->lost_blocks++;
		free(ref->copy);
		if (ret)
			break;
	}
	d->nrefs = to;
	return ret;
}

static void free_blocks(struct ku_dump *d)
{
	while (d->nrefs)
		free(d->refs[--d->nrefs].copy);
}

/* --- writing -------------------------------------------------------------------- */

/* Reports the end of the current trace by calling complete(). */
static void complete(struct stream *s)
{
	struct kutrace_info now;
	uint64_t words[2];

	if (!s->begun || !s->options->complete || ku_device_info(s->d->fd, &now) < 0)
		return;
	words[0] = now.stop.counts;
	words[1] = s->d->start_us + (now.stop.real_ns - now.start.real_ns) / 1000;
	/* if the clock was stepped meanwhile, the placeholder (FAR_S) is better */
	if (now.start.counts == s->state->start_counts && !s->d->clock_step_us &&
	    now.stop.counts > now.start.counts && now.stop.real_ns > now.start.real_ns)
		s->options->complete(s->options->arg, words);
}

static void begin_output(struct stream *s, int fd)
{
	complete(s);
	s->d->file.part.fd = fd;
	s->begun = false;
	s->no_output = false;
	s->bytes = 0;
}

/*
 * Called while a write waits for its reader. Returns 0 to continue waiting, or -ERESTART if
 * output() requests another descriptor. The batch is then sent there from its beginning.
 *
 * output() may return 1 with the same descriptor while @bytes is 0. This does not change the
 * output.
 */
static int on_write_wait(void *arg)
{
	struct stream *s = arg;
	int fd = s->d->file.part.fd, ret;

	ret = s->options->output(s->options->arg, s->bytes + s->d->file.written_bytes, &fd);
	if (ret != 1 || fd == s->d->file.part.fd)
		return ret < 0 ? ret : 0;
	s->other_fd = fd;
	return -ERESTART;
}

/* Calls output(), and begins a new trace if requested. A negative result ends the stream. */
static int output(struct stream *s)
{
	int fd = s->d->file.part.fd, ret = s->options->output(s->options->arg, s->bytes, &fd);

	if (ret == 1)
		begin_output(s, fd);
	return ret < 0 ? ret : s->no_output ? -EINVAL : 0;
}

/*
 * Sets the clock of a trace whose stop time is far in the future, by the ratio of the two clocks
 * since the start. For a short time, the kernel's frequency is more exact.
 */
static int set_clock(struct ku_dump *d)
{
	struct kutrace_info *info = &d->info;
	uint64_t counts = info->stop.counts - info->start.counts;
	int64_t ns = (int64_t)(info->stop.real_ns - info->start.real_ns);
	uint64_t times, khz = info->clock_khz;
	int ret = ku_dump_describe(d);

	if (ret)
		return ret;
	if (ns >= KU_SLOPE_NS && !d->clock_step_us) {
		times = (uint64_t)FAR_S * 1000000000 / (uint64_t)ns + 2;
		info->stop.counts = info->start.counts + counts * times;
		info->stop.real_ns = info->start.real_ns + (uint64_t)ns * times;
	} else {
		if (!khz)
			return -EBADMSG;
		info->stop.counts = info->start.counts +
			((khz * 1000) >> info->clock_shift) * FAR_S;
		/* the exact duration of these counts */
		info->stop.real_ns = info->start.real_ns +
			ku_counts_to_ns(info, info->stop.counts - info->start.counts);
	}
	return ku_dump_describe(d);
}

/*
 * Adds the number of lost blocks that no earlier trace has reported. Readers count each block as
 * one lost event, because its number of events is not known.
 */
static int add_lost_fact(const struct stream *s, struct ku_name_list *names)
{
	return ku_names_add_meta(names, "lost_stream_blocks=%llu",
				 (unsigned long long)(s->result->lost_blocks - s->lost_before));
}

/* Writes the first block and the names known so far. */
static int begin_trace(struct stream *s)
{
	struct ku_dump *d = s->d;
	int ret;

	ku_names_free(&d->names);
	ku_names_free(&d->late);
	s->aux = d->info.aux_last;
	s->aux_counts = s->now.counts;
	d->oldest = NULL;
	ku_dump_find_oldest(d);
	/* a trace without the beginning of the recording counts as wrapped */
	d->info.wrapped = d->refs[0].seq != 1 || s->first_count < s->first_taken;
	d->info.stop = s->now;
	d->complete = s->now.counts;	/* everything recorded from now on is sent */
	ret = set_clock(d);
	ret = ret ?: ku_dump_collect_names(d);
	ret = ret ?: ku_names_add_meta(&d->names, "stream=1");
	s->lost_before = s->lost_reported;
	memcpy(s->causes_reported, d->info.lost, sizeof(s->causes_reported));
	s->caveats = d->info.caveats;
	ret = ret ?: add_lost_fact(s, &d->names);
	ret = ret ?: ku_dump_write_names(d);
	s->begun = !ret;
	return ret;
}

/*
 * Drops names older than @counts: they have been sent. The module may have moved them to the end of
 * the name buffer. A firing (META) can be older without having been sent, so firings stay.
 */
static void drop_sent(struct ku_name_list *names, uint64_t counts)
{
	size_t from, to = 0;

	for (from = 0; from < names->count; from++)
		if (names->list[from].counts >= counts ||
		    names->list[from].base == KUTRACE_NAME_META)
			names->list[to++] = names->list[from];
	names->count = to;
}

/* Writes the names since the last batch. No name gets an earlier time than the next data block. */
static int write_new_names(struct stream *s)
{
	struct kutrace_info since = s->d->info;
	struct ku_dump *d = s->d;
	const struct ku_header *header;
	uint64_t bad = 0;
	int ret;

	ku_names_free(&d->late);
	if (since.aux_first < s->aux)
		since.aux_first = s->aux;
	ret = ku_names_kernel(d->fd, &since, d->meta->aux_bytes, &d->late, &bad);
	drop_sent(&d->late, s->aux_counts);
	if (!bad) {	/* if bad, the module was just writing a name: read it again */
		s->aux = since.aux_last;
		s->aux_counts = s->now.counts;
	}
	if (!ret && s->result->lost_blocks != s->lost_reported)
		ret = add_lost_fact(s, &d->late);
	ret = ret ?: ku_names_more_lost(&d->late, d->info.lost, s->causes_reported);
	ret = ret ?: ku_names_more_caveats(&d->late, d->info.caveats, &s->caveats);
	d->oldest = NULL;
	ku_dump_find_oldest(d);
	header = d->oldest;
	/* sort first: if several names of an object get the same time, the newest stays last */
	ku_names_by_time(&d->late);
	for (size_t i = 0; i < d->late.count; i++)
		if (d->late.list[i].counts < ku_counts_of(header))
			d->late.list[i].counts = ku_counts_of(header);
	return ret ?: ku_dump_write_late_names(d, header);
}

/* Sends the blocks in refs[] to the current output. */
static int send_to_output(struct stream *s)
{
	struct ku_dump *d = s->d;
	uint64_t lost = s->result->lost_blocks;
	size_t block_bytes = KUTRACE_BLOCK_BYTES;
	int ret;

	d->file.last_bytes = 0;
	ret = s->begun ? write_new_names(s) : begin_trace(s);
	if (!ret) {
		block_bytes = ku_dump_block_bytes(d);
		ret = ku_dump_write_data(d, NULL);
	}
	if (!ret)
		s->lost_reported = lost;
	s->result->cut_bytes = ret ? d->file.last_bytes % block_bytes : 0;
	s->result->bytes += d->file.written_bytes;
	s->bytes += d->file.written_bytes;
	d->file.written_bytes = 0;
	return ret;
}

static int send_batch(struct stream *s)
{
	int ret = output(s);
	size_t i, block_bytes;

	ret = ret ?: send_to_output(s);
	while (ret == -ERESTART) {
		begin_output(s, s->other_fd);
		ret = send_to_output(s);
	}
	if (ret)
		return ret;
	s->result->data_blocks += s->d->nrefs;
	block_bytes = ku_dump_block_bytes(s->d);
	for (i = 0; s->options->sent && i < s->d->nrefs; i++)
		s->options->sent(s->options->arg, s->d->refs[i].seq,
				 s->bytes - (s->d->nrefs - 1 - i) * block_bytes);
	return 0;
}

/* --- the stream ----------------------------------------------------------------- */

static int refresh(struct stream *s)
{
	struct ku_dump *d = s->d;
	struct kutrace_info now;
	struct kutrace_pair stop = d->info.stop;
	int ret = ku_device_info(d->fd, &now);

	if (ret)
		return ret;
	if (now.start.counts != s->state->start_counts)
		return -ESTALE;
	d->info = now;
	s->now = now.stop;
	if (s->begun)
		d->info.stop = stop;	/* restore the stop time that the first block has */
	return 0;
}

/* Executes one round. Returns 1 when all blocks have been sent and recording has ended. */
static int round_of(struct stream *s)
{
	struct ku_dump *d = s->d;
	int ret = refresh(s);

	if (ret)
		return ret;
	list_new(s);
	if (!d->nrefs) {
		if (!d->info.recording)
			return 1;
		/* also before the first block: only output() can end a stream of a quiet machine */
		ret = output(s);
		if (ret)
			return ret;
		if (ku_dev->wait)
			ku_dev->wait(d->fd, POLLIN, WAIT_MS);
		else
			kutrace_msleep(1);
		return 0;
	}
	kutrace_msleep(KU_STORES_MS);
	ret = load(s);
	if (!ret && d->nrefs)
		ret = send_batch(s);
	if (!ret)
		free_blocks(d);
	return ret;
}

/* Puts unsent blocks back into the state, for a later call that goes on. */
static void requeue_unsent(struct stream *s)
{
	for (size_t i = 0; i < s->d->nrefs; i++)
		if (s->state->waiting < KUTRACE_CPUS)
			s->state->number[s->state->waiting++] = s->d->refs[i].seq;
		else
			s->result->lost_blocks++;
	free_blocks(s->d);
}

/* Returns the number of blocks that existed when the stream began and have not been listed yet. */
static uint64_t first_left(const struct stream *s)
{
	return s->first_count - index_from(s->first, s->first_count, s->state->next);
}

/*
 * Lists the blocks that exist when the stream begins: blocks that were overwritten earlier are not
 * lost. A block that is being taken has no number yet. Its number is one of the last
 * pending_limit() numbers, which the list leaves out.
 *
 * If the stream continues an earlier one, blocks that were overwritten in between are lost.
 */
static void begin_wrapped(struct stream *s)
{
	const struct kutrace_info *info = &s->d->info;
	const bool goes_on = s->state->first_taken;

	s->count = ku_dump_read_table(s->d, s->numbered);
	if (goes_on)
		s->first_taken = s->state->first_taken;
	else if (info->taken_blocks > pending_limit(info))
		s->first_taken = info->taken_blocks - pending_limit(info);
	s->first_count = index_from(s->numbered, s->count, s->first_taken + 1);
	memcpy(s->first, s->numbered, s->first_count * sizeof(*s->first));
	if (goes_on && s->state->first_left > first_left(s))
		s->result->lost_blocks += s->state->first_left - first_left(s);
}

/* Retains the numbers that lost_between() needs in the next call. */
static void save_first(struct stream *s)
{
	const bool within = s->state->next <= s->first_taken;

	s->state->first_taken = within ? s->first_taken : 0;
	s->state->first_left = within ? first_left(s) : 0;
}

static int stream(struct stream *s)
{
	struct ku_dump *d = s->d;
	int ret = ku_dump_map_meta(d);

	if (!ret) {
		d->refs = calloc(KU_BATCH, sizeof(*d->refs));
		s->numbered = calloc(d->info.nblocks + 1, sizeof(*s->numbered));
		s->first = calloc(d->info.nblocks + 1, sizeof(*s->first));
		ret = d->refs && s->numbered && s->first ? 0 : -ENOMEM;
	}
	if (s->state->start_counts != d->info.start.counts || !s->state->next ||
	    s->state->waiting > KUTRACE_CPUS) {
		memset(s->state, 0, sizeof(*s->state));
		s->state->start_counts = d->info.start.counts;
		s->state->next = 1;
	}
	if (!ret && (s->state->next == 1 || s->state->first_taken) && d->info.flags & KUTRACE_RESET_WRAP)
		begin_wrapped(s);
	d->file.part.fd = -1;
	d->file.patience = (struct ku_patience){.go_on = on_write_wait, .arg = s};
	while (!ret)
		ret = round_of(s);
	requeue_unsent(s);
	if (s->first_taken)
		save_first(s);
	if (ret == 1)
		ret = 0;
	complete(s);
	return ret;
}

int kutrace_stream_sized(const struct kutrace_stream_options *options, size_t options_bytes,
			 struct kutrace_stream_state *state, size_t state_bytes,
			 struct kutrace_stream_result *result, size_t result_bytes)
{
	struct kutrace_dump_options dump_options = {0};
	struct kutrace_dump_result dump_result;
	struct kutrace_stream_options own_options;
	struct kutrace_stream_result own_result = {0};
	struct kutrace_stream_state own_state;
	struct ku_dump d = {.fd = -1};
	struct stream s = {
		.d = &d,
		.options = &own_options,
		.state = &own_state,
		.result = &own_result,
		.no_output = true,
	};
	int ret = ku_copy_in(&own_options, sizeof(own_options), options, options_bytes);

	ret = ret ?: ku_copy_in(&own_state, sizeof(own_state), state, state_bytes);
	if (!ret) {
		dump_options.tool = own_options.tool;
		ret = ku_dump_begin(&d, &dump_options, &dump_result);
		ret = ret ?: stream(&s);
		ku_dump_end(&d);
		free(s.numbered);
		free(s.first);
		ku_copy_out(state, state_bytes, &own_state, sizeof(own_state));
	}
	ku_copy_out(result, result_bytes, &own_result, sizeof(own_result));
	return ret;
}
