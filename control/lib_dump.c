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
 * Where counters were read, the flags of data blocks say so, and each is followed by
 * its bytes. Blocks of names have none.
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

#include "ku_dump.h"

#define DELTA_MAX	1999999999ULL	/* one TSDELTA; from 2,000,000,000 on: negative */
#define CHAIN_GOOD	1000	/* TSDELTAs to a name that are worth no other header */
#define CHAIN_MAX	8000	/* as many as a block has room for, and a name */

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
static int read_clock(struct ku_dump *d)
{
	const struct kutrace_info *info = &d->info;
	uint64_t counted_ns;
	int64_t real_ns, off_ns;

	if (info->stop.counts <= info->start.counts || info->start.counts > KU_COUNTS_MASK ||
	    info->stop.counts > KU_COUNTS_MASK || info->clock_shift > 40)
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
static uint64_t counts_to_us(const struct ku_dump *d, uint64_t counts)
{
	__int128 span_us = (__int128)d->stop_us - d->start_us;
	__int128 span_counts = (__int128)d->info.stop.counts - d->info.start.counts;
	__int128 from_start = (__int128)counts - d->info.start.counts;

	return (d->start_us + (uint64_t)(from_start * span_us / span_counts)) & KU_COUNTS_MASK;
}

/* --- what there is ---------------------------------------------------------- */

int ku_dump_map_meta(struct ku_dump *d)
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

const uint64_t *ku_dump_map_block(struct ku_dump *d, uint32_t index, int *error)
{
	uint64_t offset = KUTRACE_MMAP_BLOCKS + (uint64_t)index * KUTRACE_BLOCK_BYTES;
	const uint64_t *block = ku_dev->map(d->fd, offset, KUTRACE_BLOCK_BYTES, error);

	if (!block)
		*error = ku_device_error(*error);
	return block;
}

void ku_dump_unmap_block(const uint64_t *block)
{
	ku_dev->unmap((void *)(uintptr_t)block, KUTRACE_BLOCK_BYTES);
}

static const uint8_t *map_bytes(struct ku_dump *d, uint32_t index, int *error)
{
	uint64_t offset = KUTRACE_MMAP_BYTES + (uint64_t)index * KUTRACE_IPC_BYTES;
	const uint8_t *bytes = ku_dev->map(d->fd, offset, KUTRACE_IPC_BYTES, error);

	if (!bytes)
		*error = ku_device_error(*error);
	return bytes;
}

static void unmap_bytes(const uint8_t *bytes)
{
	ku_dev->unmap((void *)(uintptr_t)bytes, KUTRACE_IPC_BYTES);
}

int ku_dump_copy_bytes(struct ku_dump *d, uint32_t index, uint64_t *copy)
{
	const uint8_t *bytes;
	int ret = 0;

	if (!ku_dump_counted(d))
		return 0;
	bytes = map_bytes(d, index, &ret);
	if (!bytes)
		return ret;
	memcpy(copy + KUTRACE_BLOCK_WORDS, bytes, KUTRACE_IPC_BYTES);
	unmap_bytes(bytes);
	return 0;
}

static int compare_seq(const void *left, const void *right)
{
	const struct ku_taken *a = left, *b = right;

	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

/* Reads the header of a block; false: it is unusable. */
bool ku_dump_read_header(struct ku_header *header, const uint64_t *block, uint32_t cpu)
{
	if (cpu >= KUTRACE_CPUS || block[0] >> 56 != cpu || !(block[0] & KU_COUNTS_MASK))
		return false;
	header->word0 = block[0];
	header->pid = block[2];
	header->comm[0] = block[4];
	header->comm[1] = block[5];
	return true;
}

void ku_dump_find_oldest(struct ku_dump *d)
{
	size_t i;

	for (i = 0; i < d->ntaken; i++)
		if (!d->oldest || ku_counts_of(&d->taken[i].header) < ku_counts_of(d->oldest))
			d->oldest = &d->taken[i].header;
}

void ku_dump_sort(struct ku_dump *d)
{
	qsort(d->taken, d->ntaken, sizeof(*d->taken), compare_seq);
}

/* Fills taken[], oldest first, and the headers. */
static int list_blocks(struct ku_dump *d)
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
	ku_dump_sort(d);
	for (from = 0; from < d->ntaken; from++) {
		struct ku_taken *taken = &d->taken[from];
		const uint64_t *block = ku_dump_map_block(d, taken->index, &ret);

		if (!block)
			return ret;
		if (ku_dump_read_header(&taken->header, block, table[taken->index].cpu))
			d->taken[to++] = *taken;
		else
			d->result->bad_blocks++;
		ku_dump_unmap_block(block);
	}
	d->ntaken = to;
	d->result->data_blocks = to;
	ku_dump_find_oldest(d);
	return 0;
}

static void start_header(struct ku_dump *d)
{
	d->start.word0 = (uint64_t)d->info.start_cpu << 56 | d->info.start.counts;
	d->start.pid = d->info.start_pid;
	if (d->info.start_pid)
		memcpy(d->start.comm, d->info.start_comm, sizeof(d->start.comm));
	else
		memcpy(d->start.comm, "-idle-", 6);
}

/* The name that the program gave itself in go, if it is not the kernel's. */
static int add_process_name(struct ku_dump *d)
{
	char name[KUTRACE_NAME_MAX_BYTES + 1];

	ku_process_name(name, sizeof(name));
	if (!*name || !strcmp(name, d->info.start_comm) ||
	    d->info.start_pid != (uint32_t)getpid())
		return 0;
	return ku_names_add(&d->names, KUTRACE_NAME_PID, d->info.start_pid, name,
			    strlen(name));
}

/* What a trigger that has fired was about; a trace without one says nothing. */
static int add_fired(struct ku_dump *d)
{
	struct kutrace_fired fired = {.length = sizeof(fired)};
	char text[400], *what;
	int ret;

	if (!d->info.fired || ku_device_ioctl(d->fd, KUTRACE_IOC_FIRED, &fired) ||
	    !fired.fired)
		return 0;
	fired.comm[sizeof(fired.comm) - 1] = '\0';
	kutrace_fired_text(&fired, text, sizeof(text));
	what = strstr(text, ": ");	/* a name holds only so much */
	if (what)
		*what = '\0';
	ret = ku_names_add_meta(&d->names, "fired=%s", text);
	return ret || !what ? ret : ku_names_add_meta(&d->names, "fired_by=%s", what + 2);
}

static int add_copy(struct ku_names *to, const struct ku_name *name)
{
	int ret = ku_names_add(to, name->base, name->number, name->text, name->length);

	if (!ret)
		to->list[to->count - 1].counts = name->counts;
	return ret;
}

/*
 * All names: those in force when the trace begins in d->names, each number once,
 * the others in d->late, by time.
 */
int ku_dump_collect_names(struct ku_dump *d)
{
	uint64_t end = d->info.stop.counts;
	struct ku_names all = {0};
	size_t i;
	int ret;

	d->begin = d->info.start.counts;
	if (d->info.wrapped && d->oldest && ku_counts_of(d->oldest) > d->begin)
		d->begin = ku_counts_of(d->oldest);
	ret = ku_names_fixed(&d->names);
	if (!ret)
		ret = ku_names_points(d->fd, &d->names);
	for (i = 0; i < d->early.count && !ret; i++)
		ret = add_copy(&all, &d->early.list[i]);
	if (!ret)
		ret = ku_names_kernel(d->fd, &d->info, d->meta->aux_bytes, &all,
				      &d->result->bad_names);
	ku_names_once(&all);
	for (i = 0; i < all.count && !ret; i++) {
		const struct ku_name *name = &all.list[i];
		struct ku_names *to = name->counts <= d->begin ? &d->names : &d->late;

		ret = add_copy(to, name);
		/* names that came while it went off belong to its end */
		if (!ret && name->counts > end)
			to->list[to->count - 1].counts = end;
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
	if (!ret && d->live)
		ret = ku_names_add_meta(&d->names, "live_overwritten_blocks=%llu",
					(unsigned long long)d->result->overwritten_blocks);
	if (!ret)
		ret = ku_names_meta(&d->names, &d->info,
				    d->options ? d->options->tool : NULL,
				    d->result->bad_names, d->result->bad_blocks,
				    d->clock_step_us);
	if (!ret)
		ret = add_fired(d);
	if (ret)
		return ret;
	ku_names_newest(&d->names);
	ku_names_by_time(&d->late);
	d->result->names = d->names.count + d->late.count;
	return 0;
}

/* --- writing ---------------------------------------------------------------- */

static int progress(struct ku_dump *d)
{
	const struct kutrace_dump_options *o = d->options;

	if (o && o->progress &&
	    o->progress(o->progress_arg, d->file.written_bytes, d->total_bytes))
		return -ECANCELED;
	return 0;
}

static int go_on(void *arg)
{
	return progress(arg);
}

struct ku_patience ku_dump_patience(struct ku_dump *d)
{
	return (struct ku_patience){.go_on = go_on, .arg = d};
}

static int write_block(struct ku_dump *d)
{
	struct iovec iov = {.iov_base = d->words, .iov_len = KUTRACE_BLOCK_BYTES};

	d->result->name_blocks++;
	return ku_file_write(&d->file, &iov, 1);
}

static void begin_first_block(struct ku_dump *d)
{
	uint64_t flags = KUTRACE_FILE_VERSION | (d->info.wrapped ? KUTRACE_FLAG_WRAP : 0);
	uint64_t *w = d->words;

	memset(w, 0, KUTRACE_BLOCK_BYTES);
	w[0] = d->start.word0;
	w[1] = flags << 56 | (d->start_us & KU_COUNTS_MASK);
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

static void begin_block(struct ku_dump *d, const struct ku_header *header)
{
	uint64_t *w = d->words;

	memset(w, 0, KUTRACE_BLOCK_BYTES);
	w[0] = header->word0;
	w[1] = counts_to_us(d, header->word0 & KU_COUNTS_MASK);
	w[2] = header->pid;
	w[4] = header->comm[0];
	w[5] = header->comm[1];
	d->used = KUTRACE_FIRST_WORD;
	d->now = ku_counts_of(header);
}

static bool room_for(const struct ku_dump *d, uint64_t words)
{
	return d->used + words <= KUTRACE_BLOCK_WORDS;
}

/* TSDELTA entries that lead on by so many counts. */
static uint64_t deltas_needed(uint64_t counts)
{
	return counts > KUTRACE_GAP_MAX ? (counts + DELTA_MAX - 1) / DELTA_MAX : 0;
}

static void put_deltas(struct ku_dump *d, uint64_t counts)
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
static const struct ku_header *header_for(const struct ku_dump *d, uint64_t counts)
{
	const struct ku_header *header = d->info.wrapped && d->oldest ? d->oldest : &d->start;
	size_t i;

	if (deltas_needed(counts - ku_counts_of(header)) <= CHAIN_GOOD)
		return header;
	for (i = 0; i < d->ntaken; i++) {
		uint64_t at = ku_counts_of(&d->taken[i].header);

		if (at <= counts && at > ku_counts_of(header))
			header = &d->taken[i].header;
	}
	return header;
}

static int next_block(struct ku_dump *d, uint64_t counts)
{
	int ret = write_block(d);

	if (!ret)
		begin_block(d, header_for(d, counts));
	return ret;
}

/* Names in force when the trace begins: of the time of the block they are in. */
static int write_start_names(struct ku_dump *d)
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
static int write_late_names(struct ku_dump *d)
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

int ku_dump_write_late_names(struct ku_dump *d, const struct ku_header *header)
{
	int ret;

	if (!d->late.count)
		return 0;
	begin_block(d, header);
	ret = write_late_names(d);
	return ret ? ret : write_block(d);
}

int ku_dump_write_names(struct ku_dump *d)
{
	int ret;

	begin_first_block(d);
	ret = write_start_names(d);
	if (!ret)
		ret = write_late_names(d);
	return ret ? ret : write_block(d);
}

/* -EAGAIN: a block that was written from the mapping is another one by now. */
static int check_batch(struct ku_dump *d, const struct ku_taken *taken, size_t count,
		       uint64_t *failed_seq)
{
	size_t i;

	if (!d->live)
		return 0;
	/* the words were read before; whoever overwrites takes the number away first */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	for (i = count; i--; ) {
		if (taken[i].copy || ku_dump_table(d)[taken[i].index].seq == taken[i].seq)
			continue;
		*failed_seq = taken[i].seq;
		return -EAGAIN;
	}
	return 0;
}

/* A data block as it is written: mapped, or copied. */
struct piece {
	uint64_t head[2];
	const uint64_t *words;
	const uint8_t *bytes;	/* of counters; NULL: there are none */
};

static void put_back_piece(const struct ku_taken *taken, const struct piece *piece)
{
	if (taken->copy)
		return;
	if (piece->words)
		ku_dump_unmap_block(piece->words);
	if (piece->bytes)
		unmap_bytes(piece->bytes);
}

static int get_piece(struct ku_dump *d, const struct ku_taken *taken, struct piece *piece)
{
	uint64_t flags = ku_dump_counted(d);
	int ret = 0;

	piece->head[0] = taken->header.word0;
	piece->head[1] = flags << 56 | counts_to_us(d, ku_counts_of(&taken->header));
	piece->bytes = NULL;
	piece->words = taken->copy ? taken->copy : ku_dump_map_block(d, taken->index, &ret);
	if (!piece->words || !flags)
		return ret;
	piece->bytes = taken->copy ? (const uint8_t *)(taken->copy + KUTRACE_BLOCK_WORDS)
				   : map_bytes(d, taken->index, &ret);
	if (!piece->bytes)
		put_back_piece(taken, piece);
	return ret;
}

static struct iovec *add_piece(struct iovec *iov, struct piece *piece)
{
	*iov++ = (struct iovec){piece->head, sizeof(piece->head)};
	*iov++ = (struct iovec){(void *)(uintptr_t)(piece->words + 2),
				KUTRACE_BLOCK_BYTES - sizeof(piece->head)};
	if (piece->bytes)
		*iov++ = (struct iovec){(void *)(uintptr_t)piece->bytes, KUTRACE_IPC_BYTES};
	return iov;
}

/* A part of the data: count blocks from taken on, from the mapping. */
static int write_batch(struct ku_dump *d, const struct ku_taken *taken, size_t count,
		       uint64_t *failed_seq)
{
	struct iovec iov[3 * KU_BATCH], *end = iov;
	struct piece piece[KU_BATCH];
	size_t i, got = 0;
	int ret = 0;

	for (; got < count && !ret; got += !ret) {
		ret = get_piece(d, taken + got, piece + got);
		if (!ret)
			end = add_piece(end, piece + got);
	}
	if (!ret)
		ret = ku_file_write(&d->file, iov, (int)(end - iov));
	if (!ret)
		ret = check_batch(d, taken, count, failed_seq);
	for (i = 0; i < got; i++)
		put_back_piece(taken + i, piece + i);
	return ret;
}

int ku_dump_write_data(struct ku_dump *d, uint64_t *failed_seq)
{
	size_t i, count;
	int ret = 0;

	for (i = 0; i < d->ntaken && !ret; i += count) {
		count = d->ntaken - i < KU_BATCH ? d->ntaken - i : KU_BATCH;
		ret = write_batch(d, d->taken + i, count, failed_seq);
		if (!ret)
			ret = progress(d);
	}
	return ret;
}

/* Nobody reset it, or recorded into it, while it was read? */
static int check_unchanged(struct ku_dump *d)
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

static int write_file(struct ku_dump *d, const char *fname)
{
	int ret = ku_file_create(&d->file, fname, ku_dump_patience(d));

	if (ret)
		return ret;
	ku_file_give(&d->file, d->options);
	ret = ku_dump_write_names(d);
	if (!ret)
		ret = ku_dump_write_data(d, NULL);
	if (!ret)
		ret = check_unchanged(d);
	if (ret) {
		ku_file_abandon(&d->file);
		return ret;
	}
	d->result->bytes = d->file.written_bytes;
	return ku_file_commit(&d->file);
}

/* --- the dump --------------------------------------------------------------- */

int ku_dump_begin(struct ku_dump *d, const struct kutrace_dump_options *options,
		  struct kutrace_dump_result *result)
{
	int ret;

	memset(result, 0, sizeof(*result));
	d->fd = -1;
	d->options = options;
	d->result = result;
	d->words = malloc(KUTRACE_BLOCK_BYTES);
	if (!d->words)
		return -ENOMEM;
	ret = d->fd = ku_device_open();
	if (ret >= 0)
		ret = ku_device_info(d->fd, &d->info);
	if (ret)
		return ret;
	if (!d->info.start.counts)
		return -ENODATA;
	if (d->info.start_cpu >= KUTRACE_CPUS)
		return -EBADMSG;
	return 0;
}

int ku_dump_describe(struct ku_dump *d)
{
	memcpy(d->result->lost, d->info.lost, sizeof(d->result->lost));
	d->result->wrapped = d->info.wrapped != 0;
	start_header(d);
	return read_clock(d);
}

void ku_dump_end(struct ku_dump *d)
{
	size_t i;

	if (d->meta)
		ku_dev->unmap((void *)(uintptr_t)d->meta, d->meta_bytes);
	if (d->fd >= 0)
		ku_dev->close(d->fd);
	for (i = 0; i < d->ntaken; i++)
		free(d->taken[i].copy);
	ku_names_free(&d->early);
	ku_names_free(&d->names);
	ku_names_free(&d->late);
	free(d->taken);
	free(d->words);
	free(d);
}

static int dump(struct ku_dump *d, const char *fname)
{
	int ret;

	if (d->info.recording)
		return -EBUSY;
	ret = ku_dump_describe(d);
	if (!ret)
		ret = ku_dump_map_meta(d);
	if (!ret)
		ret = list_blocks(d);
	if (!ret)
		ret = ku_dump_collect_names(d);
	if (ret)
		return ret;
	d->total_bytes = d->ntaken * (uint64_t)ku_dump_block_bytes(d) + KUTRACE_BLOCK_BYTES;
	return write_file(d, fname);
}

int kutrace_dump_sized(const char *fname, const struct kutrace_dump_options *options,
		       size_t options_bytes, struct kutrace_dump_result *result,
		       size_t result_bytes)
{
	struct kutrace_dump_result own_result = {0};
	struct kutrace_dump_options own_options;
	char default_name[KUTRACE_FILE_NAME_BYTES];
	struct ku_dump *d = NULL;
	int ret = ku_take(&own_options, sizeof(own_options), options, options_bytes);

	if (!fname || !*fname)
		fname = kutrace_make_trace_file_name(NULL, default_name);
	if (!ret) {
		d = calloc(1, sizeof(*d));
		ret = d ? ku_dump_begin(d, &own_options, &own_result) : -ENOMEM;
	}
	if (!ret)
		ret = dump(d, fname);
	if (d)
		ku_dump_end(d);
	ku_give(result, result_bytes, &own_result, sizeof(own_result));
	return ret;
}
