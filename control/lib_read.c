// SPDX-License-Identifier: BSD-3-Clause
/*
 * libkutrace: the events that are in the buffer, one by one in the order of their
 * times, while recording goes on or not. Must never stop or slow the recording, nor
 * hand out an event twice, too early or from a block that was overwritten meanwhile.
 * Called by kutrace_control show and tracepoints, and programs. One round:
 *
 *	a) the clock is read: later events are for the next round.
 *	b) the block table is read.
 *	c) a pause: whoever has claimed a word before a), or in a block that is full in
 *	   b), has stored it by then.
 *	d) of each CPU the block that is next is copied, and its number looked at
 *	   afterwards: if it is another one, the block is gone, and is counted.
 *	e) of all CPUs the oldest event is handed out, up to a).
 *
 * A CPU's words are in the order of their times. One that is 0 in a current block may be
 * there for good, or claimed and not stored yet: then it, and what stands behind it, is
 * later than a), and is looked at again in the next round.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "ku_dump.h"
#include "ku_read.h"

#define STORES_MS	2	/* c */
#define DELTA_NEGATIVE	2000000000U	/* a TSDELTA's argument from here on is */
#define SLOPE_NS	1000000000LL

struct cpu {
	uint32_t number;
	uint64_t seq;		/* of the block that is read; 0: none yet */
	size_t at;		/* in d->taken: where to look for the next */
	bool full;		/* it was not written to any more when it was listed */
	bool finished;		/* all of it has been handed out */
	bool loaded;		/* words is of this round */
	bool known;		/* pid is right */
	bool done;		/* no more in this round */
	unsigned int pos;	/* next word */
	uint64_t counts;	/* of the last entry */
	uint32_t pid;
	unsigned int next_pos;	/* what these are behind the event that is next */
	uint64_t next_counts;
	uint32_t next_pid;
	struct kutrace_seen next;
	uint64_t words[KUTRACE_BLOCK_WORDS];
};

struct reading {
	struct kutrace_reader reader;	/* the first: a seen event leads to it */
	struct ku_dump *d;
	const struct kutrace_read_options *options;
	struct kutrace_read_result *result;
	struct cpu *cpu[KUTRACE_CPUS];	/* by number; NULL: has had no block yet */
	struct cpu *list[KUTRACE_CPUS];	/* those that have, one behind the other */
	uint32_t count;			/* of them */
	uint64_t until;			/* counts: a */
	uint64_t aux;			/* names up to this offset are known */
	size_t seen_bytes;		/* of the caller's struct; if that is longer than ours: */
	struct kutrace_seen *longer;	/* one of those */
	int64_t span_counts, span_ns;	/* so long they take; for all of it, so that no */
					/* time is before another one's that came later */
};

/* --- names ---------------------------------------------------------------------- */

static int compare_name(const void *key, const void *element)
{
	const struct ku_name *a = key, *b = element;

	if (a->base != b->base)
		return a->base < b->base ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

const struct ku_name *ku_reader_name(const struct kutrace_reader *reader, uint16_t base,
				     uint32_t number)
{
	const struct ku_name key = {.base = base, .number = number};

	return reader->names.count ? bsearch(&key, reader->names.list, reader->names.count,
					     sizeof(key), compare_name) : NULL;
}

static int learn_names(struct reading *r)
{
	struct kutrace_info since = r->d->info;
	struct ku_names *names = &r->reader.names;
	uint64_t bad = 0;
	size_t known;
	int ret = 0;

	if (!names->count) {
		ret = ku_names_fixed(names);
		if (!ret)
			ret = ku_names_add(names, KUTRACE_NAME_PID, 0, "-idle-", 6);
	} else if (since.aux_last == r->aux) {
		return 0;
	}
	if (since.aux_first < r->aux)
		since.aux_first = r->aux;
	known = names->count;
	if (!ret)
		ret = ku_names_kernel(r->d->fd, &since, r->d->meta->aux_bytes, names, &bad);
	r->result->names += names->count - known;
	if (!bad)	/* else one was being written just now */
		r->aux = since.aux_last;
	ku_names_newest(names);
	/* some kinds are left in the order of their times by that */
	qsort(names->list, names->count, sizeof(names->list[0]), compare_name);
	return ret;
}

/* --- blocks --------------------------------------------------------------------- */

/* b: no pause in here. */
static int list_blocks(struct reading *r)
{
	const volatile struct kutrace_block *table = ku_dump_table(r->d);
	struct ku_dump *d = r->d;
	uint32_t i;

	d->ntaken = 0;
	for (i = 0; i < d->info.nblocks; i++) {
		struct ku_taken *taken = &d->taken[d->ntaken];

		taken->seq = table[i].seq;
		taken->index = i;
		/* until it is read: CPU and state */
		taken->header.word0 = table[i].cpu;
		taken->header.pid = table[i].state;
		if (taken->seq && taken->header.pid != KUTRACE_BLOCK_FREE &&
		    taken->header.word0 < KUTRACE_CPUS)
			d->ntaken++;
	}
	ku_dump_sort(d);
	for (i = 0; i < d->ntaken; i++) {
		struct cpu **cpu = &r->cpu[d->taken[i].header.word0];

		if (*cpu)
			continue;
		*cpu = calloc(1, sizeof(**cpu));
		if (!*cpu)
			return -ENOMEM;
		(*cpu)->number = (uint32_t)d->taken[i].header.word0;
		r->list[r->count++] = *cpu;
	}
	return 0;
}

/* d; false: it is another one by now. */
static bool copy_block(struct reading *r, struct cpu *cpu, const struct ku_taken *taken,
		       int *ret)
{
	const uint64_t *block = ku_dump_map_block(r->d, taken->index, ret);
	const volatile uint64_t *from = block;
	size_t i;

	if (!block)
		return false;
	for (i = 0; i < KUTRACE_BLOCK_WORDS; i++)
		cpu->words[i] = from[i];
	ku_dump_unmap_block(block);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return ku_dump_table(r->d)[taken->index].seq == taken->seq;
}

/* From the beginning of a block; false: its header is not valid. */
static bool open_block(struct cpu *cpu, const struct ku_taken *taken)
{
	struct ku_header header;

	if (!ku_dump_read_header(&header, cpu->words, (uint32_t)taken->header.word0))
		return false;
	cpu->seq = taken->seq;
	cpu->pos = KUTRACE_FIRST_WORD;
	cpu->counts = ku_counts_of(&header);
	/* what switches have said is better than who was there when it was taken */
	if (!cpu->known)
		cpu->pid = (uint32_t)header.pid;
	cpu->known = true;
	cpu->finished = false;
	return true;
}

/* Copies the block that the CPU has to read; false: there is none, or *ret. */
static bool load(struct reading *r, struct cpu *cpu, int *ret)
{
	struct ku_dump *d = r->d;

	for (; cpu->at < d->ntaken; cpu->at++) {
		const struct ku_taken *taken = &d->taken[cpu->at];
		bool same;

		if (taken->header.word0 != cpu->number || taken->seq < cpu->seq ||
		    (taken->seq == cpu->seq && cpu->finished))
			continue;
		if (cpu->seq && taken->seq > cpu->seq && !cpu->finished) {
			/* the rest of the last one */
			r->result->lost_blocks++;
			cpu->known = false;
		}
		same = copy_block(r, cpu, taken, ret);
		if (*ret)
			return false;
		cpu->full = taken->header.pid != KUTRACE_BLOCK_CURRENT;
		if (same && (taken->seq == cpu->seq || open_block(cpu, taken)))
			return cpu->loaded = true;
		r->result->lost_blocks++;
		cpu->known = false;
		cpu->seq = taken->seq;
		cpu->finished = true;
		cpu->pos = KUTRACE_BLOCK_WORDS;
	}
	return false;
}

/* --- entries -------------------------------------------------------------------- */

static uint64_t forward(uint64_t before, uint64_t ts)
{
	uint64_t step = (ts - before) & KUTRACE_TS_MASK;

	return step > KUTRACE_GAP_MAX ? before + step - (KUTRACE_TS_MASK + 1)
				      : before + step;
}

static uint64_t by_delta(uint64_t before, uint64_t word)
{
	uint32_t arg = (uint32_t)word;
	int64_t step = arg < DELTA_NEGATIVE ? (int64_t)arg : (int64_t)arg - (1LL << 32);
	uint64_t to = before + (uint64_t)step;
	uint64_t rest = ((word >> KUTRACE_TS_SHIFT) - to) & KUTRACE_TS_MASK;

	return rest > KUTRACE_TS_MASK / 2 ? to + rest - (KUTRACE_TS_MASK + 1) : to + rest;
}

/* Words of an entry; 0: it is none. */
static unsigned int entry_words(unsigned int event)
{
	if (event == KUTRACE_PC_U || event == KUTRACE_PC_K || event == KUTRACE_PC_OLD)
		return 2;
	if (event >= 0x200)
		return 1;
	event = event >> KUTRACE_NAME_LEN_SHIFT & 0xF;
	return event <= KUTRACE_NAME_MAX_WORDS ? event : 0;
}

/* After a short time the kernel knows better how long a count is. */
static int set_clock(struct reading *r)
{
	const struct kutrace_info *info = &r->d->info;

	r->span_ns = (int64_t)(info->stop.real_ns - info->start.real_ns);
	r->span_counts = (int64_t)(info->stop.counts - info->start.counts);
	if ((r->span_ns < SLOPE_NS || r->span_counts <= 0) && info->clock_khz) {
		r->span_ns = 1000000LL << (info->clock_shift & 31);
		r->span_counts = (int64_t)info->clock_khz;
	}
	return r->span_counts > 0 && r->span_ns > 0 ? 0 : -EBADMSG;
}

static uint64_t to_ns(const struct reading *r, uint64_t counts)
{
	__int128 from_start = (int64_t)(counts - r->d->info.start.counts);

	return r->d->info.start.real_ns +
	       (uint64_t)(from_start * r->span_ns / r->span_counts);
}

static uint32_t counts_to_ns(const struct kutrace_info *info, uint32_t counts)
{
	return info->clock_khz ? (uint32_t)(((uint64_t)counts << (info->clock_shift & 31)) *
					    1000000 / info->clock_khz) : 0;
}

static bool is_call(unsigned int event)
{
	return event >= KUTRACE_CALL_TRAP && !(event & KUTRACE_RETURN_BIT);
}

static void describe(struct reading *r, struct cpu *cpu, const uint64_t *word,
		     unsigned int length)
{
	unsigned int event = *word >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK;
	unsigned int delta = *word >> KUTRACE_DELTA_SHIFT & KUTRACE_DELTA_MAX;
	struct kutrace_seen *seen = &cpu->next;

	memset(seen, 0, sizeof(*seen));
	seen->reader = &r->reader;
	seen->counts = cpu->next_counts;
	seen->real_ns = to_ns(r, seen->counts);
	seen->cpu = cpu->number;
	seen->pid = cpu->pid;
	seen->event = event <= 0x1FF && length > 0 && event != KUTRACE_PC_OLD
		    ? event & ~0xF0U : event;
	seen->arg = (uint32_t)*word;
	if (event >= KUTRACE_CALL_TRAP)
		seen->arg &= KUTRACE_ARG0_MASK;
	if (is_call(event) && delta) {
		seen->returned = 1;
		seen->value = (int8_t)(*word >> KUTRACE_RETVAL_SHIFT);
		seen->took_ns = counts_to_ns(&r->d->info, delta);
	} else if (event >= KUTRACE_CALL_TRAP && !is_call(event)) {
		seen->value = (int16_t)seen->arg;
	}
	seen->nwords = length - 1;
	memcpy(seen->words, word + 1, (length - 1) * sizeof(*word));
	cpu->next_pid = event == KUTRACE_USERPID ? seen->arg : cpu->pid;
}

/* The next event into cpu->next; false: none that belongs to this round, or *ret. */
static bool find_next(struct reading *r, struct cpu *cpu, int *ret)
{
	uint64_t counts = cpu->counts;
	unsigned int pos = cpu->pos;

	if (!cpu->loaded) {
		if (!load(r, cpu, ret))
			return false;
		counts = cpu->counts;
		pos = cpu->pos;
	}
	for (;;) {
		const uint64_t *word = &cpu->words[pos];
		unsigned int event, length;

		if (pos >= KUTRACE_BLOCK_WORDS || *word == ~0ULL) {
			if (!cpu->full)
				return false;
			/* to the next one, if there is one */
			cpu->finished = true;
			cpu->pos = KUTRACE_BLOCK_WORDS;
			cpu->at++;
			cpu->loaded = false;
			if (!load(r, cpu, ret))
				return false;
			counts = cpu->counts;
			pos = cpu->pos;
			continue;
		}
		event = *word >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK;
		length = *word ? entry_words(event) : 0;
		if (!length || pos + length > KUTRACE_BLOCK_WORDS) {
			r->result->bad_words += *word != 0;
			pos++;
			continue;
		}
		if (event == KUTRACE_TSDELTA)
			counts = by_delta(counts, *word);
		else
			counts = forward(counts, *word >> KUTRACE_TS_SHIFT);
		if (counts > r->until)
			return false;
		pos += length;
		if (event == KUTRACE_TSDELTA)
			continue;
		cpu->next_pos = pos;
		cpu->next_counts = counts;
		describe(r, cpu, word, length);
		return true;
	}
}

/* The caller's function may look at the whole of what the caller takes for a seen event. */
static int hand_over(struct reading *r, const struct kutrace_seen *seen)
{
	if (r->longer) {
		ku_give(r->longer, r->seen_bytes, seen, sizeof(*seen));
		seen = r->longer;
	}
	return r->options->event(r->options->arg, seen);
}

/* e */
static int hand_out(struct reading *r)
{
	struct cpu *oldest;
	int ret = 0;
	uint32_t i;

	for (i = 0; i < r->count; i++) {
		struct cpu *cpu = r->list[i];

		cpu->at = 0;
		cpu->loaded = false;
		cpu->done = !find_next(r, cpu, &ret);
		if (ret)
			return ret;
	}
	for (;;) {
		oldest = NULL;
		for (i = 0; i < r->count; i++)
			if (!r->list[i]->done &&
			    (!oldest || r->list[i]->next.counts < oldest->next.counts))
				oldest = r->list[i];
		if (!oldest)
			return 0;
		r->result->events++;
		ret = hand_over(r, &oldest->next);
		if (ret)
			return ret;
		oldest->pos = oldest->next_pos;
		oldest->counts = oldest->next_counts;
		oldest->pid = oldest->next_pid;
		oldest->done = !find_next(r, oldest, &ret);
		if (ret)
			return ret;
	}
}

/* --- rounds --------------------------------------------------------------------- */

static int refresh(struct reading *r, uint64_t start_counts)
{
	struct ku_dump *d = r->d;
	int ret = ku_device_info(d->fd, &d->info);

	if (!ret && (d->info.start.counts != start_counts ||
		     d->info.nblocks != d->meta->nblocks))
		return -ESTALE;
	r->until = d->info.recording ? d->info.stop.counts : UINT64_MAX;
	if (!ret)
		ret = list_blocks(r);
	if (!ret && d->info.recording)
		kutrace_msleep(STORES_MS);
	return ret ? ret : learn_names(r);
}

static int read_all(struct reading *r)
{
	struct ku_dump *d = r->d;
	uint64_t start_counts = d->info.start.counts;
	int ret = set_clock(r);

	if (!ret)
		ret = ku_dump_map_meta(d);
	if (!ret) {
		d->taken = calloc((size_t)d->info.nblocks + 1, sizeof(*d->taken));
		ret = d->taken ? 0 : -ENOMEM;
	}
	while (!ret) {
		ret = refresh(r, start_counts);
		if (!ret)
			ret = hand_out(r);
		if (ret || !r->options->more)
			break;
		/* what was recorded until it ended has been seen, if it has */
		ret = r->options->more(r->options->arg, d->info.recording != 0);
		if (ret <= 0 || !d->info.recording)
			break;
		if (ku_dev->wait)
			ku_dev->wait(d->fd, POLLIN, ret);
		else
			kutrace_msleep(ret);
		ret = 0;
	}
	return ret > 0 ? 0 : ret;
}

static int read_with(struct reading *r, size_t seen_bytes)
{
	struct kutrace_dump_result dump_result;
	size_t i;
	int ret;

	r->seen_bytes = seen_bytes;
	if (seen_bytes > sizeof(struct kutrace_seen)) {
		r->longer = malloc(seen_bytes);
		if (!r->longer)
			return -ENOMEM;
	}
	r->d = calloc(1, sizeof(*r->d));
	ret = r->d ? ku_dump_begin(r->d, NULL, &dump_result) : -ENOMEM;
	if (!ret)
		ret = read_all(r);
	if (r->d)
		ku_dump_end(r->d);
	for (i = 0; i < r->count; i++)
		free(r->list[i]);
	ku_names_free(&r->reader.names);
	free(r->longer);
	return ret;
}

int kutrace_read_sized(const struct kutrace_read_options *options, size_t options_bytes,
		       struct kutrace_read_result *result, size_t result_bytes,
		       size_t seen_bytes)
{
	struct kutrace_read_options own_options;
	struct kutrace_read_result own_result = {0};
	struct reading *r = NULL;
	int ret = ku_take(&own_options, sizeof(own_options), options, options_bytes);

	if (!ret && !own_options.event)
		ret = -EINVAL;
	if (!ret) {
		r = calloc(1, sizeof(*r));
		ret = r ? 0 : -ENOMEM;
	}
	if (!ret) {
		r->options = &own_options;
		r->result = &own_result;
		ret = read_with(r, seen_bytes);
	}
	free(r);
	ku_give(result, result_bytes, &own_result, sizeof(own_result));
	return ret;
}
