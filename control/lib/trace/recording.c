// SPDX-License-Identifier: BSD-3-Clause
/*
 * The module's data of a recording, as needed for a trace: information, block table, blocks and
 * their headers, clock. Must not change the recording.
 */
#include "lib/trace/recording.h"

#include <unistd.h>

#include "lib/device/device.h"
#include "lib/session/handle.h"

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

static uint64_t bytes_offset(uint32_t index)
{
	return KUTRACE_MMAP_BYTES + (uint64_t)index * KUTRACE_IPC_BYTES;
}

/* Returns the offset of the block's counter bytes in their page, which may be larger. */
static uint64_t within_page(uint32_t index)
{
	return bytes_offset(index) & ((uint64_t)sysconf(_SC_PAGESIZE) - 1);
}

const uint8_t *ku_dump_map_bytes(struct ku_dump *d, uint32_t index, int *error)
{
	uint64_t lead = within_page(index);
	const uint8_t *page = ku_dev->map(d->fd, bytes_offset(index) - lead,
					  lead + KUTRACE_IPC_BYTES, error);

	if (page)
		return page + lead;
	*error = ku_device_error(*error);
	return NULL;
}

void ku_dump_unmap_bytes(const uint8_t *bytes, uint32_t index)
{
	uint64_t lead = within_page(index);

	ku_dev->unmap((void *)((uintptr_t)bytes - lead), lead + KUTRACE_IPC_BYTES);
}

int ku_dump_copy_bytes(struct ku_dump *d, uint32_t index, uint64_t *copy)
{
	const uint8_t *bytes;
	int ret = 0;

	if (!ku_dump_counted(d))
		return 0;
	bytes = ku_dump_map_bytes(d, index, &ret);
	if (!bytes)
		return ret;
	memcpy(copy + KUTRACE_BLOCK_WORDS, bytes, KUTRACE_IPC_BYTES);
	ku_dump_unmap_bytes(bytes, index);
	return 0;
}

/* Returns the block table, which changes while recording goes on. */
static const volatile struct kutrace_block *block_table(const struct ku_dump *d)
{
	return (const volatile struct kutrace_block *)
		((const char *)d->meta + d->meta->table_offset);
}

static int compare_seq(const void *left, const void *right)
{
	const struct ku_numbered *a = left, *b = right;

	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

/*
 * Reads the number before and after the other members of an entry. If the number has not changed,
 * all members belong to the same use of the block. An entry whose number has changed is left out:
 * its number was 0 in between, because the module clears it before each use.
 */
size_t ku_dump_read_table(const struct ku_dump *d, struct ku_numbered *list)
{
	const volatile struct kutrace_block *table = block_table(d);
	size_t count = 0;

	for (uint32_t i = 0; i < d->info.nblocks; i++) {
		struct ku_numbered *one = &list[count];

		one->index = i;
		one->seq = table[i].seq;
		/* number before state: pairs with smp_wmb() before the number in core/block.c */
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		one->cpu = table[i].cpu;
		one->state = table[i].state;
		/* state before number: pairs with smp_wmb() in ku_forget_block() there */
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (one->seq && table[i].seq == one->seq)
			count++;
	}
	qsort(list, count, sizeof(*list), compare_seq);
	return count;
}

int ku_dump_list(struct ku_dump *d)
{
	struct ku_numbered *list = malloc(((size_t)d->info.nblocks + 1) * sizeof(*list));
	size_t count, i;

	if (!d->refs)
		d->refs = calloc((size_t)d->info.nblocks + 1, sizeof(*d->refs));
	if (!list || !d->refs) {
		free(list);
		return -ENOMEM;
	}
	count = ku_dump_read_table(d, list);
	d->nrefs = 0;
	for (i = 0; i < count; i++)
		if (list[i].state != KUTRACE_BLOCK_FREE)
			d->refs[d->nrefs++] = (struct ku_block_ref){
				.seq = list[i].seq, .index = list[i].index,
				.cpu = list[i].cpu, .state = list[i].state,
			};
	free(list);
	return 0;
}

bool ku_dump_is_unchanged(const struct ku_dump *d, const struct ku_block_ref *ref)
{
	/*
	 * words before number: pairs with the smp_wmb() of a CPU that takes a block again
	 * (core/block.c). That CPU clears the number before it changes a word.
	 */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return block_table(d)[ref->index].seq == ref->seq;
}

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
	for (size_t i = 0; i < d->nrefs; i++)
		if (!d->oldest || ku_counts_of(&d->refs[i].header) < ku_counts_of(d->oldest))
			d->oldest = &d->refs[i].header;
}

int ku_dump_list_blocks(struct ku_dump *d)
{
	int ret = ku_dump_list(d);
	size_t from, to = 0;

	if (ret)
		return ret;
	for (from = 0; from < d->nrefs; from++) {
		struct ku_block_ref *ref = &d->refs[from];
		const uint64_t *block = ku_dump_map_block(d, ref->index, &ret);

		if (!block)
			return ret;
		if (ku_dump_read_header(&ref->header, block, ref->cpu))
			d->refs[to++] = *ref;
		else
			d->result->bad_blocks++;
		ku_dump_unmap_block(block);
	}
	d->nrefs = to;
	d->result->data_blocks = to;
	ku_dump_find_oldest(d);
	return 0;
}

/*
 * Largest difference between wall clock and time counter without a step. The kernel's value of the
 * counter's frequency is exact to 500 ppm, and NTP may run the clock 500 ppm fast or slow. A
 * virtual machine may be halted between the two readings of a pair.
 */
#define CLOCK_PPM	2000
#define CLOCK_NS	20000000

/*
 * Sets the microseconds of the clock pairs. If the wall clock was stepped or slewed meanwhile,
 * computes the stop time from the counter and reports the difference. Otherwise the step would make
 * all times in the trace too long or too short.
 */
static int read_clock(struct ku_dump *d)
{
	const struct kutrace_info *info = &d->info;
	uint64_t counted_ns;
	int64_t real_ns, off_ns;

	if (info->stop.counts <= info->start.counts || info->start.counts > KU_COUNTS_MASK ||
	    info->stop.counts > KU_COUNTS_MASK || info->clock_shift > KU_CLOCK_SHIFT_MAX)
		return -EBADMSG;
	d->start_us = info->start.real_ns / 1000;
	d->stop_us = info->stop.real_ns / 1000;
	real_ns = (int64_t)(info->stop.real_ns - info->start.real_ns);
	if (info->clock_khz) {
		counted_ns = ku_counts_to_ns(info, info->stop.counts - info->start.counts);
		off_ns = real_ns - (int64_t)counted_ns;
		if (llabs(off_ns) > (int64_t)(counted_ns / 1000000 * CLOCK_PPM) + CLOCK_NS) {
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

/* Converts linearly by the two clock pairs, also outside them. */
uint64_t ku_dump_counts_to_us(const struct ku_dump *d, uint64_t counts)
{
	__int128 span_us = (__int128)d->stop_us - d->start_us;
	__int128 span_counts = (__int128)d->info.stop.counts - d->info.start.counts;
	__int128 from_start = (__int128)counts - d->info.start.counts;

	return (d->start_us + (uint64_t)(from_start * span_us / span_counts)) & KU_COUNTS_MASK;
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

int ku_dump_begin(struct ku_dump *d, const struct kutrace_dump_options *options,
		  struct kutrace_dump_result *result)
{
	int ret;

	memset(result, 0, sizeof(*result));
	d->options = options;
	d->result = result;
	d->words = malloc(KUTRACE_BLOCK_BYTES);
	if (!d->words)
		return -ENOMEM;
	/*
	 * a user without permission for the main session has a session of its own, which may be
	 * empty
	 */
	ret = d->fd = ku_session_open_own();
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
	if (d->meta)
		ku_dev->unmap((void *)(uintptr_t)d->meta, d->meta_bytes);
	if (d->fd >= 0)
		ku_dev->close(d->fd);
	for (size_t i = 0; i < d->nrefs; i++)
		free(d->refs[i].copy);
	ku_names_free(&d->early);
	ku_names_free(&d->names);
	ku_names_free(&d->late);
	free(d->refs);
	free(d->words);
}
