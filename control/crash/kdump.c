// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads dumps that makedumpfile and QEMU compress page by page (kdump-compressed), of 64-bit
 * little-endian machines.
 *
 *	block 0			header
 *	1 ...			sub-header
 *	then			two bitmaps: pages of the machine, pages in the dump
 *	then			for each page in the dump: offset, length, compression
 *	then			the pages
 *
 * The index of a page's descriptor is the number of set bits before the page's bit. A page of the
 * machine that is not in the dump was left out because it was zero, free, or memory of a user
 * program.
 */
#include "crash/crash.h"

#include <stdio.h>
#include <zlib.h>
#ifdef KU_HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

/* Offsets in the header and in the sub-header. */
#define HEADER_VERSION		8
#define HEADER_BLOCK_SIZE	428
#define HEADER_SUB_BLOCKS	432
#define HEADER_BITMAP_BLOCKS	436
#define HEADER_MAX_MAPNR	440
#define HEADER_BYTES		464
#define SUB_SPLIT		12
#define SUB_MAX_MAPNR_64	96
#define SUB_BYTES		104
#define VERSION_WITH_MAPNR_64	6

#define FLAG_ZLIB	1
#define FLAG_LZO	2
#define FLAG_SNAPPY	4
#define FLAG_ZSTD	0x20

#define PAGE_MAX	65536
#define BITMAP_MAX	(1ULL << 32)	/* maximum size in bytes: 128 TiB of pages of 4 KiB */
#define RANK_BYTES	512		/* bytes of the bitmap for each entry of rank */

struct descriptor {
	uint64_t offset;
	uint32_t bytes;
	uint32_t flags;
	uint64_t page_flags;
};

struct kdump {
	uint32_t page_bytes;
	uint64_t pages;			/* number of pages in the bitmaps */
	unsigned char *had, *dumped;	/* bitmaps: pages of the machine, pages in the dump */
	uint64_t *rank;			/* set bits before each RANK_BYTES of dumped */
	uint64_t descriptors;		/* offset of the first descriptor */
	uint64_t cached;		/* number + 1 of the unpacked page; 0: none */
	unsigned char *page, *packed;
};

static bool is_kdump(const unsigned char *begin)
{
	return !memcmp(begin, "KDUMP   ", 8);
}

static uint32_t get32(const unsigned char *from)
{
	uint32_t value;

	memcpy(&value, from, sizeof(value));
	return value;
}

static uint64_t get64(const unsigned char *from)
{
	uint64_t value;

	memcpy(&value, from, sizeof(value));
	return value;
}

static bool bit_of(const unsigned char *bitmap, uint64_t bit)
{
	return bitmap[bit / 8] >> (bit % 8) & 1;
}

static uint64_t bits_in(const unsigned char *from, size_t bytes)
{
	uint64_t count = 0;

	while (bytes--)
		count += (unsigned int)__builtin_popcount(*from++);
	return count;
}

static uint64_t bits_before(const struct kdump *k, uint64_t page)
{
	size_t at = (size_t)(page / 8), from = at / RANK_BYTES * RANK_BYTES;
	unsigned int below = (1U << page % 8) - 1;

	return k->rank[at / RANK_BYTES] + bits_in(k->dumped + from, at - from) +
	       (unsigned int)__builtin_popcount(k->dumped[at] & below);
}

static bool count_bits(struct kdump *k, size_t bytes)
{
	size_t i, chunks = bytes / RANK_BYTES + 1;
	uint64_t sum = 0;

	k->rank = calloc(chunks, sizeof(*k->rank));
	if (!k->rank)
		return false;
	for (i = 0; i < chunks; i++) {
		size_t from = i * RANK_BYTES, part = bytes - from;

		k->rank[i] = sum;
		sum += bits_in(k->dumped + from, part < RANK_BYTES ? part : RANK_BYTES);
	}
	return true;
}

static const char *read_bitmaps(struct kc_memory *memory, struct kdump *k, uint64_t offset,
				uint64_t bytes)
{
	uint64_t need = (k->pages + 7) / 8, half = bytes / 2;

	if (need > BITMAP_MAX || need > bytes)
		return "its bitmaps are damaged";
	/* if there is only one bitmap, the dump has all pages of the machine */
	if (half < need)
		half = 0;
	k->had = malloc((size_t)need + 1);
	k->dumped = malloc((size_t)need + 1);
	if (!k->had || !k->dumped)
		return "no memory for its bitmaps";
	if (!kc_file_read(&memory->file, offset, k->had, (size_t)need) ||
	    !kc_file_read(&memory->file, offset + half, k->dumped, (size_t)need))
		return "its bitmaps are cut off";
	return count_bits(k, (size_t)need) ? NULL : "no memory for its bitmaps";
}

static const char *open_kdump(struct kc_memory *memory)
{
	unsigned char head[HEADER_BYTES], sub[SUB_BYTES] = {0};
	struct kdump *k = calloc(1, sizeof(*k));
	uint64_t bitmap_blocks, sub_blocks;
	const char *wrong;

	memory->own = k;
	if (!k)
		return "no memory";
	if (!kc_file_read(&memory->file, 0, head, sizeof(head)))
		return "its header is cut off";
	k->page_bytes = get32(head + HEADER_BLOCK_SIZE);
	sub_blocks = get32(head + HEADER_SUB_BLOCKS);
	bitmap_blocks = get32(head + HEADER_BITMAP_BLOCKS);
	k->pages = get32(head + HEADER_MAX_MAPNR);
	if (k->page_bytes < 4096 || k->page_bytes > PAGE_MAX ||
	    k->page_bytes & (k->page_bytes - 1) || !sub_blocks)
		return "its header is damaged, or of a 32-bit machine";
	if (!kc_file_read(&memory->file, k->page_bytes, sub, sizeof(sub)))
		return "its sub-header is cut off";
	if (get32(sub + SUB_SPLIT))
		return "it is one part of a split dump: join the parts by makedumpfile --reassemble";
	if (get32(head + HEADER_VERSION) >= VERSION_WITH_MAPNR_64 && get64(sub + SUB_MAX_MAPNR_64))
		k->pages = get64(sub + SUB_MAX_MAPNR_64);
	wrong = read_bitmaps(memory, k, (1 + sub_blocks) * k->page_bytes,
			     bitmap_blocks * k->page_bytes);
	if (wrong)
		return wrong;
	k->descriptors = (1 + sub_blocks + bitmap_blocks) * k->page_bytes;
	memory->end = k->pages * k->page_bytes;
	k->page = malloc(k->page_bytes);
	k->packed = malloc(k->page_bytes);
	if (memory->file.cut)
		snprintf(memory->note, sizeof(memory->note), "it is cut off");
	return k->page && k->packed ? NULL : "no memory";
}

static void close_kdump(struct kc_memory *memory)
{
	struct kdump *k = memory->own;

	if (!k)
		return;
	free(k->had);
	free(k->dumped);
	free(k->rank);
	free(k->page);
	free(k->packed);
	free(k);
}

/* Unpacks a page. Sets a remark if this program does not support the compression. */
static bool unpack(struct kc_memory *memory, struct kdump *k, const struct descriptor *d)
{
	const char *with = NULL;
	uLongf bytes = k->page_bytes;
	int ret;

	if (d->flags & FLAG_ZLIB) {
		ret = uncompress(k->page, &bytes, k->packed, d->bytes);
		if (ret == Z_MEM_ERROR)
			memory->file.error = ENOMEM;
		return ret == Z_OK && bytes == k->page_bytes;
	}
	if (d->flags & FLAG_LZO)
		with = "lzo";
	else if (d->flags & FLAG_SNAPPY)
		with = "snappy";
	else if (d->flags & FLAG_ZSTD) {
#ifdef KU_HAVE_ZSTD
		size_t got = ZSTD_decompress(k->page, k->page_bytes, k->packed, d->bytes);

		if (ZSTD_isError(got) && ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation)
			memory->file.error = ENOMEM;
		return got == k->page_bytes;
#else
		with = "zstd";
#endif
	}
	if (with)
		snprintf(memory->note, sizeof(memory->note),
			 "its pages are compressed with %s, which this program cannot read: "
			 "write the dump with makedumpfile -c (zlib) or -E (ELF)",
			 with);
	else if (d->bytes == k->page_bytes)
		memcpy(k->page, k->packed, k->page_bytes);
	return !with && d->bytes == k->page_bytes;
}

static bool load_page(struct kc_memory *memory, struct kdump *k, uint64_t page)
{
	struct descriptor d;

	if (k->cached == page + 1)
		return true;
	k->cached = 0;
	if (page >= k->pages)
		return false;
	if (!bit_of(k->dumped, page)) {
		if (!bit_of(k->had, page))
			return false;
		memset(k->page, 0, k->page_bytes);
	} else if (!kc_file_read(&memory->file, k->descriptors + bits_before(k, page) * sizeof(d),
				 &d, sizeof(d)) ||
		   d.bytes > k->page_bytes || !d.bytes ||
		   !kc_file_read(&memory->file, d.offset, k->packed, d.bytes) ||
		   !unpack(memory, k, &d)) {
		return false;
	}
	k->cached = page + 1;
	return true;
}

static size_t read_kdump(struct kc_memory *memory, uint64_t at, void *to, size_t bytes)
{
	struct kdump *k = memory->own;
	size_t part = k->page_bytes - (size_t)(at % k->page_bytes);

	if (!load_page(memory, k, at / k->page_bytes))
		return 0;
	if (part > bytes)
		part = bytes;
	memcpy(to, k->page + at % k->page_bytes, part);
	return part;
}

static bool next_kdump(const struct kc_memory *memory, uint64_t *at, uint64_t step)
{
	const struct kdump *k = memory->own;
	uint64_t page;

	for (;; *at += step) {
		if (*at > UINT64_MAX - 2 * step)
			return false;
		*at = (*at + step - 1) / step * step;
		page = *at / k->page_bytes;
		if (page >= k->pages)
			return false;
		if (bit_of(k->dumped, page))
			return true;
	}
}

const struct kc_format kc_kdump = {
	.is = is_kdump,
	.open = open_kdump,
	.close = close_kdump,
	.read = read_kdump,
	.next = next_kdump,
};
