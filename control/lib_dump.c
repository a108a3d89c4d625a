// SPDX-License-Identifier: BSD-3-Clause
/*
 * libkutrace: the dump. Composes the version-3 raw trace of what the module
 * holds: first block (clock pairs, names), further name blocks, then the CPUs'
 * blocks in the order in which they were taken, straight from the mapping. Must
 * never change the recording: a failed dump can be repeated. Called by
 * kutrace_stop(), kutrace_control and programs.
 *
 *	 first block				other blocks
 *	 0	cpu << 56 | counts		same
 *	 1	flags << 56 | microseconds	same
 *	 2, 3	start: counts, microseconds	2: pid, 3: 0
 *	 4, 5	stop: counts, microseconds	process name
 *	 6, 7	0				entries from 6
 *	 8-11	as 2..5 of other blocks
 *	12...	entries
 *
 * Names come first, in order of time: those in force when the trace begins, with
 * the time of the block that they are in, then those recorded later; TSDELTA
 * entries lead from one to the next. Which CPU's block a name is in means nothing.
 * But readers take the start of a block for a context switch to its pid at its
 * time. So that no name block claims a switch that was none, its header repeats
 * that of a block which is in the file anyway: the first block's.
 *
 * In a wrapped trace readers drop what is old in the first block, and what is in
 * force when it begins is what was named before the oldest block left in it. So
 * there the names behind the first block are under the header of that one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ku_lib.h"

#define CPUS_MAX	256
#define COUNTS_MASK	((1ULL << 56) - 1)
#define BATCH		32	/* data blocks written by one system call */
#define DELTA_MAX	1999999999ULL	/* one TSDELTA; from 2,000,000,000 on: negative */
#define CHAIN_GOOD	1000	/* TSDELTAs to a name that are worth no other header */
#define CHAIN_MAX	8000	/* as many as a block has room for, and a name */

/* Words 0, 2, 4, 5: what names a block. */
struct header {
	uint64_t word0;
	uint64_t pid;
	uint64_t comm[2];
};

/* A block of the recording, by the order of taking. */
struct taken {
	uint64_t seq;
	uint32_t index;
	struct header header;
};

struct dump {
	int fd;
	const struct kutrace_dump_options *options;
	struct kutrace_dump_result *result;
	struct kutrace_info info;
	uint64_t start_us;
	uint64_t stop_us;
	int64_t clock_step_us;
	const struct kutrace_meta_page *meta;
	size_t meta_bytes;
	struct taken *taken;
	size_t ntaken;
	struct header start;		/* of the first block */
	const struct header *oldest;	/* of all data blocks; NULL: there is none */
	uint64_t begin;			/* counts: names up to then are in force from it on */
	struct ku_names names;		/* those */
	struct ku_names late;		/* recorded after that */
	struct ku_file file;
	uint64_t total_bytes;
	uint64_t *words;		/* a name block being filled */
	unsigned int used;		/* of its words */
	uint64_t now;			/* time of its last entry */
};

/* --- clock ------------------------------------------------------------------ */

static uint64_t counts_to_ns(const struct kutrace_info *info, uint64_t counts)
{
	return (uint64_t)(((unsigned __int128)counts << info->clock_shift) * 1000000 /
			  info->clock_khz);
}

/*
 * The pairs' microseconds. If the wall clock was set meanwhile (it is off the
 * counter by more than a tenth and 100 ms), the stop time is reckoned from the
 * counter, and the step reported.
 */
static int read_clock(struct dump *d)
{
	const struct kutrace_info *info = &d->info;
	uint64_t counted_ns;
	int64_t real_ns, off_ns;

	if (info->stop.counts <= info->start.counts || info->start.counts > COUNTS_MASK ||
	    info->stop.counts > COUNTS_MASK || info->clock_shift > 40)
		return -EBADMSG;
	d->start_us = info->start.real_ns / 1000;
	d->stop_us = info->stop.real_ns / 1000;
	real_ns = (int64_t)(info->stop.real_ns - info->start.real_ns);
	if (info->clock_khz) {
		counted_ns = counts_to_ns(info, info->stop.counts - info->start.counts);
		off_ns = real_ns - (int64_t)counted_ns;
		if (llabs(off_ns) > (int64_t)(counted_ns / 10) + 100000000) {
			d->clock_step_us = off_ns / 1000;
			real_ns = (int64_t)counted_ns;
			d->stop_us = d->start_us + counted_ns / 1000;
		}
	}
	if (real_ns < 0)
		return -EBADMSG;
	d->result->duration_ns = (uint64_t)real_ns;
	return 0;
}

/* Linear between the two pairs, and beyond them. */
static uint64_t counts_to_us(const struct dump *d, uint64_t counts)
{
	__int128 span_us = (__int128)d->stop_us - d->start_us;
	__int128 span_counts = (__int128)d->info.stop.counts - d->info.start.counts;
	__int128 from_start = (__int128)counts - d->info.start.counts;

	return (d->start_us + (uint64_t)(from_start * span_us / span_counts)) & COUNTS_MASK;
}

/* --- what there is ---------------------------------------------------------- */

static int map_meta(struct dump *d)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes, table_end;
	int error = 0;

	d->meta = ku_dev->map(d->fd, KUTRACE_MMAP_META, page, &error);
	if (!d->meta)
		return ku_device_error(error);
	d->meta_bytes = page;
	bytes = (size_t)d->meta->meta_bytes;
	if (d->meta->abi_version != KUTRACE_ABI_VERSION)
		return -EPROTO;
	table_end = (size_t)d->meta->table_offset +
		    (size_t)d->meta->nblocks * sizeof(struct kutrace_block);
	if (d->meta->length < sizeof(*d->meta) || d->meta->nblocks != d->info.nblocks ||
	    bytes < page || bytes > 1UL << 30 ||
	    d->meta->table_offset < sizeof(*d->meta) || d->meta->table_offset % 8 ||
	    d->meta->table_offset > bytes || table_end > bytes)
		return -EBADMSG;
	ku_dev->unmap((void *)(uintptr_t)d->meta, page);
	d->meta = ku_dev->map(d->fd, KUTRACE_MMAP_META, bytes, &error);
	d->meta_bytes = bytes;
	return d->meta ? 0 : ku_device_error(error);
}

static const uint64_t *map_block(struct dump *d, uint32_t index, int *error)
{
	uint64_t offset = KUTRACE_MMAP_BLOCKS + (uint64_t)index * KUTRACE_BLOCK_BYTES;
	const uint64_t *block = ku_dev->map(d->fd, offset, KUTRACE_BLOCK_BYTES, error);

	if (!block)
		*error = ku_device_error(*error);
	return block;
}

static void unmap_block(const uint64_t *block)
{
	ku_dev->unmap((void *)(uintptr_t)block, KUTRACE_BLOCK_BYTES);
}

static int compare_seq(const void *left, const void *right)
{
	const struct taken *a = left, *b = right;

	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

static uint64_t counts_of(const struct header *header)
{
	return header->word0 & COUNTS_MASK;
}

/* Reads the header of a block; false: it is unusable. */
static bool read_header(struct header *header, const uint64_t *block, uint32_t cpu)
{
	if (cpu >= CPUS_MAX || block[0] >> 56 != cpu || !(block[0] & COUNTS_MASK))
		return false;
	header->word0 = block[0];
	header->pid = block[2];
	header->comm[0] = block[4];
	header->comm[1] = block[5];
	return true;
}

static void find_oldest(struct dump *d)
{
	size_t i;

	for (i = 0; i < d->ntaken; i++)
		if (!d->oldest || counts_of(&d->taken[i].header) < counts_of(d->oldest))
			d->oldest = &d->taken[i].header;
}

/* Fills taken[], oldest first, and the headers. */
static int list_blocks(struct dump *d)
{
	const struct kutrace_block *table = (const struct kutrace_block *)
		((const char *)d->meta + d->meta->table_offset);
	uint32_t i, nblocks = d->info.nblocks;
	size_t from, to = 0;
	int ret = 0;

	d->taken = calloc((size_t)nblocks + 1, sizeof(*d->taken));
	if (!d->taken)
		return -ENOMEM;
	for (i = 0; i < nblocks; i++) {
		if (table[i].state == KUTRACE_BLOCK_FREE || !table[i].seq)
			continue;
		d->taken[d->ntaken].seq = table[i].seq;
		d->taken[d->ntaken++].index = i;
	}
	qsort(d->taken, d->ntaken, sizeof(*d->taken), compare_seq);
	for (from = 0; from < d->ntaken; from++) {
		struct taken *taken = &d->taken[from];
		const uint64_t *block = map_block(d, taken->index, &ret);

		if (!block)
			return ret;
		if (read_header(&taken->header, block, table[taken->index].cpu))
			d->taken[to++] = *taken;
		else
			d->result->bad_blocks++;
		unmap_block(block);
	}
	d->ntaken = to;
	d->result->data_blocks = to;
	find_oldest(d);
	return 0;
}

static void start_header(struct dump *d)
{
	d->start.word0 = (uint64_t)d->info.start_cpu << 56 | d->info.start.counts;
	d->start.pid = d->info.start_pid;
	if (d->info.start_pid)
		memcpy(d->start.comm, d->info.start_comm, sizeof(d->start.comm));
	else
		memcpy(d->start.comm, "-idle-", 6);
}

/* The name that the program gave itself in go, if it is not the kernel's. */
static int add_process_name(struct dump *d)
{
	char name[KUTRACE_NAME_MAX_BYTES + 1];

	ku_process_name(name, sizeof(name));
	if (!*name || !strcmp(name, d->info.start_comm) ||
	    d->info.start_pid != (uint32_t)getpid())
		return 0;
	return ku_names_add(&d->names, KUTRACE_NAME_PID, d->info.start_pid, name,
			    strlen(name));
}

/*
 * All names: those in force when the trace begins in d->names, each number once,
 * the others in d->late, by time.
 */
static int collect_names(struct dump *d)
{
	uint64_t end = d->info.stop.counts;
	struct ku_names all = {0};
	size_t i;
	int ret;

	d->begin = d->info.start.counts;
	if (d->info.wrapped && d->oldest && counts_of(d->oldest) > d->begin)
		d->begin = counts_of(d->oldest);
	ret = ku_names_fixed(&d->names);
	if (!ret)
		ret = ku_names_kernel(d->fd, &d->info, d->meta->aux_bytes, &all,
				      &d->result->bad_names);
	for (i = 0; i < all.count && !ret; i++) {
		const struct ku_name *name = &all.list[i];
		struct ku_names *to = name->counts <= d->begin ? &d->names : &d->late;

		ret = ku_names_add(to, name->base, name->number, name->text, name->length);
		/* names that came while it went off belong to its end */
		if (!ret)
			to->list[to->count - 1].counts =
				name->counts < end ? name->counts : end;
	}
	ku_names_free(&all);
	if (!ret)
		ret = add_process_name(d);
	/* after the kernel's, so that the idle task is never swapper */
	if (!ret)
		ret = ku_names_add(&d->names, KUTRACE_NAME_PID, 0, "-idle-", 6);
	if (!ret) {
		d->names.list[d->names.count - 1].counts = d->begin;
		ret = ku_names_machine(&d->names);
	}
	if (!ret)
		ret = ku_names_meta(&d->names, &d->info,
				    d->options ? d->options->tool : NULL,
				    d->result->bad_names, d->result->bad_blocks,
				    d->clock_step_us);
	if (ret)
		return ret;
	ku_names_newest(&d->names);
	ku_names_by_time(&d->late);
	d->result->names = d->names.count + d->late.count;
	return 0;
}

/* --- writing ---------------------------------------------------------------- */

static int progress(struct dump *d)
{
	const struct kutrace_dump_options *o = d->options;

	if (o && o->progress &&
	    o->progress(o->progress_arg, d->file.written_bytes, d->total_bytes))
		return -ECANCELED;
	return 0;
}

static int write_names(struct dump *d)
{
	struct iovec iov = {.iov_base = d->words, .iov_len = KUTRACE_BLOCK_BYTES};

	d->result->name_blocks++;
	return ku_file_write(&d->file, &iov, 1);
}

static void begin_first_block(struct dump *d)
{
	uint64_t flags = KUTRACE_FILE_VERSION | (d->info.wrapped ? KUTRACE_FLAG_WRAP : 0);
	uint64_t *w = d->words;

	memset(w, 0, KUTRACE_BLOCK_BYTES);
	w[0] = d->start.word0;
	w[1] = flags << 56 | (d->start_us & COUNTS_MASK);
	w[2] = d->info.start.counts;
	w[3] = d->start_us;
	w[4] = d->info.stop.counts;
	w[5] = d->stop_us;
	w[8] = d->start.pid;
	w[10] = d->start.comm[0];
	w[11] = d->start.comm[1];
	d->used = KUTRACE_FIRST_WORD0;
	d->now = d->info.start.counts;
}

static void begin_block(struct dump *d, const struct header *header)
{
	uint64_t *w = d->words;

	memset(w, 0, KUTRACE_BLOCK_BYTES);
	w[0] = header->word0;
	w[1] = counts_to_us(d, header->word0 & COUNTS_MASK);
	w[2] = header->pid;
	w[4] = header->comm[0];
	w[5] = header->comm[1];
	d->used = KUTRACE_FIRST_WORD;
	d->now = counts_of(header);
}

static bool room_for(const struct dump *d, uint64_t words)
{
	return d->used + words <= KUTRACE_BLOCK_WORDS;
}

/* TSDELTA entries that lead on by so many counts. */
static uint64_t deltas_needed(uint64_t counts)
{
	return counts > KUTRACE_GAP_MAX ? (counts + DELTA_MAX - 1) / DELTA_MAX : 0;
}

static void put_deltas(struct dump *d, uint64_t counts)
{
	while (counts) {
		uint64_t step = counts < DELTA_MAX ? counts : DELTA_MAX;

		d->now += step;
		d->words[d->used++] = (d->now & KUTRACE_TS_MASK) << KUTRACE_TS_SHIFT |
				      (uint64_t)KUTRACE_TSDELTA << KUTRACE_EVENT_SHIFT |
				      step;
		counts -= step;
	}
}

/*
 * The header for a further block that begins with a name of that time: the first
 * block's, or the oldest data block's (above); if that is days away, that of the
 * last data block before the name.
 */
static const struct header *header_for(const struct dump *d, uint64_t counts)
{
	const struct header *header = d->info.wrapped && d->oldest ? d->oldest : &d->start;
	size_t i;

	if (deltas_needed(counts - counts_of(header)) <= CHAIN_GOOD)
		return header;
	for (i = 0; i < d->ntaken; i++) {
		uint64_t at = counts_of(&d->taken[i].header);

		if (at <= counts && at > counts_of(header))
			header = &d->taken[i].header;
	}
	return header;
}

static int next_block(struct dump *d, uint64_t counts)
{
	int ret = write_names(d);

	if (!ret)
		begin_block(d, header_for(d, counts));
	return ret;
}

/* Names in force when the trace begins: of the time of the block they are in. */
static int write_start_names(struct dump *d)
{
	size_t i;
	int ret;

	for (i = 0; i < d->names.count; i++) {
		const struct ku_name *name = &d->names.list[i];

		if (!room_for(d, ku_name_words(name))) {
			ret = next_block(d, d->begin);
			if (ret)
				return ret;
		}
		d->used += ku_name_put(d->words + d->used, name, d->now);
	}
	return 0;
}

/* Names recorded while the trace ran: none is older than the block it is in. */
static int write_late_names(struct dump *d)
{
	uint64_t needed;
	size_t i;
	int ret;

	for (i = 0; i < d->late.count; i++) {
		const struct ku_name *name = &d->late.list[i];

		needed = deltas_needed(name->counts - d->now);
		if (!room_for(d, needed + ku_name_words(name)) ||
		    (!i && d->info.wrapped && d->result->name_blocks == 0)) {
			ret = next_block(d, name->counts);
			if (ret)
				return ret;
			needed = deltas_needed(name->counts - d->now);
		}
		/* when nothing was recorded for a week: of the last sign before that */
		if (needed <= CHAIN_MAX) {
			put_deltas(d, needed ? name->counts - d->now : 0);
			d->now = name->counts;
		}
		d->used += ku_name_put(d->words + d->used, name, d->now);
	}
	return 0;
}

static int write_all_names(struct dump *d)
{
	int ret;

	begin_first_block(d);
	ret = write_start_names(d);
	if (!ret)
		ret = write_late_names(d);
	return ret ? ret : write_names(d);
}

/* A piece of the data: count blocks from taken on, from the mapping. */
static int write_batch(struct dump *d, const struct taken *taken, size_t count)
{
	const uint64_t *block[BATCH];
	struct iovec iov[2 * BATCH];
	uint64_t head[BATCH][2];
	size_t i;
	int ret = 0;

	for (i = 0; i < count; i++) {
		block[i] = map_block(d, taken[i].index, &ret);
		if (!block[i]) {
			count = i;
			break;
		}
		head[i][0] = block[i][0];
		head[i][1] = counts_to_us(d, block[i][0] & COUNTS_MASK);
		iov[2 * i].iov_base = head[i];
		iov[2 * i].iov_len = sizeof(head[i]);
		iov[2 * i + 1].iov_base = (void *)(uintptr_t)(block[i] + 2);
		iov[2 * i + 1].iov_len = KUTRACE_BLOCK_BYTES - sizeof(head[i]);
	}
	if (!ret)
		ret = ku_file_write(&d->file, iov, 2 * (int)count);
	for (i = 0; i < count; i++)
		unmap_block(block[i]);
	return ret;
}

static int write_data(struct dump *d)
{
	size_t i, count;
	int ret = 0;

	for (i = 0; i < d->ntaken && !ret; i += count) {
		count = d->ntaken - i < BATCH ? d->ntaken - i : BATCH;
		ret = write_batch(d, d->taken + i, count);
		if (!ret)
			ret = progress(d);
	}
	return ret;
}

/* Nobody reset it, or recorded into it, while it was read? */
static int check_unchanged(struct dump *d)
{
	struct kutrace_info now;
	int ret = ku_device_info(d->fd, &now);

	if (ret)
		return ret;
	if (now.recording || now.taken_blocks != d->info.taken_blocks ||
	    now.start.counts != d->info.start.counts ||
	    now.stop.counts != d->info.stop.counts)
		return -ESTALE;
	return 0;
}

static int write_file(struct dump *d, const char *fname)
{
	int ret = ku_file_create(&d->file, fname);

	if (ret)
		return ret;
	ret = write_all_names(d);
	if (!ret)
		ret = write_data(d);
	if (!ret)
		ret = check_unchanged(d);
	if (ret) {
		ku_file_abandon(&d->file);
		return ret;
	}
	d->result->bytes = d->file.written_bytes;
	return ku_file_commit(&d->file);
}

static int dump(struct dump *d, const char *fname)
{
	int ret = ku_device_info(d->fd, &d->info);

	if (ret)
		return ret;
	if (d->info.recording)
		return -EBUSY;
	if (!d->info.start.counts)
		return -ENODATA;
	if (d->info.flags & (KUTRACE_RESET_IPC | KUTRACE_RESET_LLC))
		return -EOPNOTSUPP;
	if (d->info.start_cpu >= CPUS_MAX)
		return -EBADMSG;
	memcpy(d->result->lost, d->info.lost, sizeof(d->result->lost));
	d->result->wrapped = d->info.wrapped != 0;
	start_header(d);
	ret = read_clock(d);
	if (!ret)
		ret = map_meta(d);
	if (!ret)
		ret = list_blocks(d);
	if (!ret)
		ret = collect_names(d);
	if (ret)
		return ret;
	d->total_bytes = (d->ntaken + 1) * (uint64_t)KUTRACE_BLOCK_BYTES;
	return write_file(d, fname);
}

int kutrace_dump(const char *fname, const struct kutrace_dump_options *options,
		 struct kutrace_dump_result *result)
{
	struct kutrace_dump_result own;
	char default_name[KUTRACE_FILE_NAME_BYTES];
	struct dump *d;
	int ret;

	if (!result)
		result = &own;
	memset(result, 0, sizeof(*result));
	if (!fname || !*fname)
		fname = kutrace_make_trace_file_name(NULL, default_name);
	d = calloc(1, sizeof(*d));
	if (!d)
		return -ENOMEM;
	d->options = options;
	d->result = result;
	d->words = malloc(KUTRACE_BLOCK_BYTES);
	ret = d->words ? ku_device_open() : -ENOMEM;
	d->fd = ret;
	if (ret >= 0) {
		ret = dump(d, fname);
		if (d->meta)
			ku_dev->unmap((void *)(uintptr_t)d->meta, d->meta_bytes);
		ku_dev->close(d->fd);
	}
	ku_names_free(&d->names);
	ku_names_free(&d->late);
	free(d->taken);
	free(d->words);
	free(d);
	return ret;
}
