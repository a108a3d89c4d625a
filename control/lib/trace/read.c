// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads the events in the buffer one by one in the order of their times, also while recording
 * goes on. Must not stop or slow the recording. Must not return an event twice, too early, or
 * from a block that was overwritten meanwhile. One round:
 *
 *	a) The clock is read. Later events belong to the next round.
 *	b) The block table is read.
 *	c) A pause. A writer that claimed a word before a), or in a block that is full
 *	   in b), has stored the word by the end of the pause. (Exception: a CPU that
 *	   stands still longer, as in a guest. Its event comes in the next round, after
 *	   later events of other CPUs.)
 *	d) The next block of each CPU is copied, and its number is read again. If the
 *	   number has changed, the block was overwritten, and is counted.
 *	e) The oldest event of all CPUs is returned, until a) is reached.
 *
 * A CPU's words are in time order. A word of 0 in a current block may be padding, or claimed and
 * not stored yet. In the second case, this word and the words after it are later than a), and the
 * next round reads them again.
 */
#include <poll.h>

#include "common/entry.h"
#include "lib/base/sizes.h"
#include "lib/device/device.h"
#include "lib/trace/recording.h"

struct read_cpu {
	uint32_t number;
	uint64_t seq;		/* number of the current block; 0: none yet */
	size_t at;		/* position in d->refs from which to search the next block */
	bool full;		/* the CPU no longer wrote to the block when it was listed */
	bool finished;		/* all events of the block have been returned */
	bool loaded;		/* words was copied in this round */
	bool known;		/* pid is valid */
	bool done;		/* no more events in this round */
	unsigned int pos;	/* index of the next word */
	uint64_t counts;	/* time of the last returned entry */
	uint32_t pid;
	/* next_pos, next_counts, next_pid: values of pos, counts and pid after the next event */
	unsigned int next_pos;
	uint64_t next_counts;
	uint32_t next_pid;
	struct kutrace_seen next;
	uint64_t words[KUTRACE_BLOCK_WORDS];
};

struct reading {
	struct kutrace_reader reader;	/* first member: event records point to it */
	struct ku_dump *d;
	const struct kutrace_read_options *options;
	struct kutrace_read_result *result;
	struct read_cpu *cpu[KUTRACE_CPUS];	/* CPUs by number; NULL: no block yet */
	struct read_cpu *list[KUTRACE_CPUS];	/* the CPUs in cpu, without gaps */
	uint32_t count;			/* length of list */
	uint64_t until;			/* end of the round: the time read in step a), in counts */
	uint64_t aux;			/* offset in the name buffer up to which names are known */
	size_t record_bytes;		/* size of the caller's event record */
	/* buffer for a record, if the caller's record is larger than this library's */
	struct kutrace_seen *longer;
	int64_t span_counts, span_ns;	/* ratio of counts to time, the same in all rounds: */
					/* so a later event never gets an earlier time */
};

/* --- names ---------------------------------------------------------------------- */

static int refresh_names(struct reading *r)
{
	struct kutrace_info since = r->d->info;
	struct ku_name_list *names = &r->reader.names;
	uint64_t bad = 0;
	size_t known;
	int ret = 0;

	if (!names->count) {
		ret = ku_names_fixed(names, NULL);
		ret = ret ?: ku_names_add(names, KUTRACE_NAME_PID, 0, "-idle-", 6);
	} else if (since.aux_last == r->aux) {
		return 0;
	}
	if (since.aux_first < r->aux)
		since.aux_first = r->aux;
	known = names->count;
	ret = ret ?: ku_names_kernel(r->d->fd, &since, r->d->meta->aux_bytes, names, &bad);
	r->result->names += names->count - known;
	if (!bad)	/* if bad, the module was just writing a name: read it again */
		r->aux = since.aux_last;
	ku_names_newest(names);
	/* ku_names_newest() sorts some kinds by time */
	ku_reader_sort(&r->reader);
	return ret;
}

/* --- blocks --------------------------------------------------------------------- */

/* Executes step b. */
static int list_blocks(struct reading *r)
{
	int ret = ku_dump_list(r->d);

	for (size_t i = 0; i < r->d->nrefs && !ret; i++) {
		const uint32_t number = r->d->refs[i].cpu;

		if (number >= KUTRACE_CPUS || r->cpu[number])
			continue;
		r->cpu[number] = calloc(1, sizeof(*r->cpu[number]));
		if (!r->cpu[number])
			return -ENOMEM;
		r->cpu[number]->number = number;
		r->list[r->count++] = r->cpu[number];
	}
	return ret;
}

/* Executes step d. Returns false if the block was overwritten. */
static bool copy_block(struct reading *r, struct read_cpu *cpu, const struct ku_block_ref *ref,
		       int *ret)
{
	const uint64_t *block = ku_dump_map_block(r->d, ref->index, ret);

	if (!block)
		return false;
	/* first word of an entry before the others: pairs with ku_store_last() in core/env.h */
	for (size_t i = 0; i < KUTRACE_BLOCK_WORDS; i++)
		cpu->words[i] = __atomic_load_n(&block[i], __ATOMIC_ACQUIRE);
	ku_dump_unmap_block(block);
	return ku_dump_is_unchanged(r->d, ref);
}

/* Begins to read a block. Returns false if its header is invalid. */
static bool open_block(struct read_cpu *cpu, const struct ku_block_ref *ref)
{
	struct ku_header header;

	if (!ku_dump_read_header(&header, cpu->words, ref->cpu))
		return false;
	cpu->seq = ref->seq;
	cpu->pos = KUTRACE_FIRST_WORD;
	cpu->counts = ku_counts_of(&header);
	/* a recorded context switch is more exact than the header */
	if (!cpu->known)
		cpu->pid = (uint32_t)header.pid;
	cpu->known = true;
	cpu->finished = false;
	return true;
}

/* Copies the next block of the CPU. Returns false if there is none, or after an error in *@ret. */
static bool load(struct reading *r, struct read_cpu *cpu, int *ret)
{
	struct ku_dump *d = r->d;

	for (; cpu->at < d->nrefs; cpu->at++) {
		const struct ku_block_ref *ref = &d->refs[cpu->at];
		bool same;

		if (ref->cpu != cpu->number || ref->seq < cpu->seq ||
		    (ref->seq == cpu->seq && cpu->finished))
			continue;
		if (cpu->seq && ref->seq > cpu->seq && !cpu->finished) {
			/* the rest of the last block was overwritten */
			r->result->lost_blocks++;
			cpu->known = false;
		}
		same = copy_block(r, cpu, ref, ret);
		if (*ret)
			return false;
		cpu->full = ref->state != KUTRACE_BLOCK_CURRENT;
		if (same && (ref->seq == cpu->seq || open_block(cpu, ref)))
			return cpu->loaded = true;
		r->result->lost_blocks++;
		cpu->known = false;
		cpu->seq = ref->seq;
		cpu->finished = true;
		cpu->pos = KUTRACE_BLOCK_WORDS;
	}
	return false;
}

/* --- entries -------------------------------------------------------------------- */

/*
 * Sets the ratio of counts to time. For a short recording, the kernel's frequency is more exact
 * than the clock pairs.
 */
static int set_clock(struct reading *r)
{
	const struct kutrace_info *info = &r->d->info;

	r->span_ns = (int64_t)(info->stop.real_ns - info->start.real_ns);
	r->span_counts = (int64_t)(info->stop.counts - info->start.counts);
	if ((r->span_ns < KU_SLOPE_NS || r->span_counts <= 0) && info->clock_khz) {
		r->span_ns = 1000000LL << (info->clock_shift & 31);
		r->span_counts = (int64_t)info->clock_khz;
	}
	return r->span_counts > 0 && r->span_ns > 0 ? 0 : -EBADMSG;
}

static uint64_t to_ns(const struct reading *r, uint64_t counts)
{
	__int128 from_start = (int64_t)(counts - r->d->info.start.counts);

	return r->d->info.start.real_ns + (uint64_t)(from_start * r->span_ns / r->span_counts);
}

static uint32_t counts_to_ns(const struct kutrace_info *info, uint32_t counts)
{
	return info->clock_khz ? (uint32_t)(((uint64_t)counts << (info->clock_shift & 31)) *
					    1000000 / info->clock_khz) : 0;
}

static void describe(struct reading *r, struct read_cpu *cpu, const uint64_t *word,
		     unsigned int length)
{
	uint32_t event = ku_entry_event(*word);
	struct kutrace_seen *record = &cpu->next;

	memset(record, 0, sizeof(*record));
	record->reader = &r->reader;
	record->counts = cpu->next_counts;
	record->real_ns = to_ns(r, record->counts);
	record->cpu = cpu->number;
	record->pid = cpu->pid;
	record->event = ku_event_is_name(event) ? KU_NAME_BASE(event) : event;
	record->arg = event >= KUTRACE_CALL_TRAP ? ku_entry_arg0(*word) : ku_entry_arg(*word);
	if (ku_event_is_call(event) && ku_entry_returned(*word)) {
		record->returned = 1;
		record->value = ku_entry_retval(*word);
		record->took_ns = counts_to_ns(&r->d->info, ku_entry_delta(*word));
	} else if (ku_event_is_return(event)) {
		record->value = ku_entry_return_value(*word);
	}
	record->nwords = length - 1;
	memcpy(record->words, word + 1, (length - 1) * sizeof(*word));
	cpu->next_pid = event == KUTRACE_USERPID ? record->arg : cpu->pid;
}

/* Finds the next event of the CPU in this round. Returns false: no event, or an error in *@ret. */
static bool find_next(struct reading *r, struct read_cpu *cpu, int *ret)
{
	uint64_t counts;
	unsigned int pos;

	if (!cpu->loaded && !load(r, cpu, ret))
		return false;
	counts = cpu->counts;
	pos = cpu->pos;
	for (;;) {
		const uint64_t *word = &cpu->words[pos];
		unsigned int event, length;

		if (pos >= KUTRACE_BLOCK_WORDS || *word == KU_ENTRY_END) {
			if (!cpu->full)
				return false;
			/* go to the next block, if there is one */
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
		event = ku_entry_event(*word);
		length = *word ? ku_event_words(event) : 0;
		if (!length || pos + length > KUTRACE_BLOCK_WORDS) {
			r->result->bad_words += *word != 0;
			pos++;
			continue;
		}
		if (event == KUTRACE_TSDELTA)
			counts = ku_tsdelta_count(counts, *word);
		else
			counts = ku_entry_count(counts, *word);
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

/* Passes the event to the caller's function, in a record as long as the caller's. */
static int pass_event(struct reading *r, const struct kutrace_seen *record)
{
	if (r->longer) {
		ku_copy_out(r->longer, r->record_bytes, record, sizeof(*record));
		record = r->longer;
	}
	return r->options->event(r->options->arg, record);
}

/* Executes step e. */
static int pass_events(struct reading *r)
{
	struct read_cpu *oldest;
	int ret = 0;

	for (uint32_t i = 0; i < r->count; i++) {
		struct read_cpu *cpu = r->list[i];

		cpu->at = 0;
		cpu->loaded = false;
		cpu->done = !find_next(r, cpu, &ret);
		if (ret)
			return ret;
	}
	for (;;) {
		oldest = NULL;
		for (uint32_t i = 0; i < r->count; i++)
			if (!r->list[i]->done &&
			    (!oldest || r->list[i]->next.counts < oldest->next.counts))
				oldest = r->list[i];
		if (!oldest)
			return 0;
		r->result->events++;
		ret = pass_event(r, &oldest->next);
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

	if (!ret && (d->info.start.counts != start_counts || d->info.nblocks != d->meta->nblocks))
		return -ESTALE;
	r->until = d->info.recording ? d->info.stop.counts : UINT64_MAX;
	ret = ret ?: list_blocks(r);
	if (!ret && d->info.recording)
		kutrace_msleep(KU_STORES_MS);
	return ret ?: refresh_names(r);
}

static int read_all(struct reading *r)
{
	struct ku_dump *d = r->d;
	uint64_t start_counts = d->info.start.counts;
	int ret = set_clock(r);

	ret = ret ?: ku_dump_map_meta(d);
	while (!ret) {
		ret = refresh(r, start_counts);
		ret = ret ?: pass_events(r);
		if (ret || !r->options->more)
			break;
		/* the round above returned the last events if recording has ended */
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

static int read_with(struct reading *r, size_t record_bytes)
{
	struct kutrace_dump_result dump_result;
	struct ku_dump d = {.fd = -1};
	int ret;

	r->record_bytes = record_bytes;
	if (record_bytes > sizeof(struct kutrace_seen)) {
		r->longer = malloc(record_bytes);
		if (!r->longer)
			return -ENOMEM;
	}
	r->d = &d;
	ret = ku_dump_begin(&d, NULL, &dump_result);
	ret = ret ?: read_all(r);
	ku_dump_end(&d);
	for (size_t i = 0; i < r->count; i++)
		free(r->list[i]);
	ku_names_free(&r->reader.names);
	free(r->longer);
	return ret;
}

int kutrace_read_sized(const struct kutrace_read_options *options, size_t options_bytes,
		       struct kutrace_read_result *result, size_t result_bytes,
		       size_t record_bytes)
{
	struct kutrace_read_options own_options;
	struct kutrace_read_result own_result = {0};
	struct reading r = {.options = &own_options, .result = &own_result};
	int ret = ku_copy_in(&own_options, sizeof(own_options), options, options_bytes);

	if (!ret && !own_options.event)
		ret = -EINVAL;
	ret = ret ?: read_with(&r, record_bytes);
	ku_copy_out(result, result_bytes, &own_result, sizeof(own_result));
	return ret;
}
