// SPDX-License-Identifier: BSD-3-Clause
/*
 * Encodes numbers (export/bytes.h), as Parquet's Encodings.md defines. Packed numbers follow
 * each other from the lowest bit of the first byte.
 */
#include "export/bytes.h"

#include <endian.h>

#define BLOCK		128u	/* number of deltas in a block */
#define MINIS		4u	/* number of parts of a block, each with its own width */
#define MINI		(BLOCK / MINIS)
#define RUN_MIN		8u	/* shortest run of equal numbers that is encoded as a run */

unsigned int kp_pq_bits(uint64_t most)
{
	return most ? 64 - (unsigned int)__builtin_clzll(most) : 0;
}

/*
 * Packs numbers of @bits bits to @out. All numbers together must fill whole bytes. Returns the
 * number of bytes.
 */
static size_t pack(uint8_t *out, const uint64_t *values, size_t count, unsigned int bits)
{
	uint8_t *p = out;
	unsigned __int128 pending = 0;
	unsigned int used = 0;
	uint64_t word;

	for (size_t i = 0; i < count; i++) {
		pending |= (unsigned __int128)values[i] << used;
		used += bits;
		if (used < 64)
			continue;
		word = htole64((uint64_t)pending);
		memcpy(p, &word, 8);
		p += 8;
		pending >>= 64;
		used -= 64;
	}
	for (; used; used -= 8) {
		*p++ = (uint8_t)pending;
		pending >>= 8;
	}
	return (size_t)(p - out);
}

static void delta_block(struct kp_grow *out, uint64_t *deltas, size_t count)
{
	int64_t least = INT64_MAX;
	unsigned int width[MINIS];
	uint64_t all[MINIS] = { 0 };
	uint8_t *to;

	for (size_t i = 0; i < count; i++)
		if ((int64_t)deltas[i] < least)
			least = (int64_t)deltas[i];
	for (size_t i = 0; i < BLOCK; i++) {
		deltas[i] = i < count ? deltas[i] - (uint64_t)least : 0;
		all[i / MINI] |= deltas[i];
	}
	kp_grow_varint(out, kp_zigzag(least));
	for (size_t i = 0; i < MINIS; i++) {
		width[i] = kp_pq_bits(all[i]);
		kp_grow_byte(out, width[i]);
	}
	/* parts of the block after the last value are omitted */
	for (size_t i = 0; i < MINIS && i * MINI < count; i++) {
		to = kp_grow_room(out, MINI * 8);
		if (to)
			out->used += pack(to, deltas + i * MINI, MINI, width[i]);
	}
}

void kp_pq_delta(struct kp_grow *out, const int64_t *values, size_t count)
{
	uint64_t deltas[BLOCK];
	size_t i, n;

	kp_grow_varint(out, BLOCK);
	kp_grow_varint(out, MINIS);
	kp_grow_varint(out, count);
	kp_grow_varint(out, kp_zigzag(count ? values[0] : 0));
	for (i = 1; i < count; i += n) {
		/* differences wrap at 2^64, and so do the sums that readers compute */
		for (n = 0; n < BLOCK && i + n < count; n++)
			deltas[n] = (uint64_t)values[i + n] - (uint64_t)values[i + n - 1];
		delta_block(out, deltas, n);
	}
}

static void put_run(struct kp_grow *out, uint32_t value, size_t count, unsigned int bits)
{
	const uint32_t low = htole32(value);

	kp_grow_varint(out, (uint64_t)count << 1);
	kp_grow_add(out, &low, (bits + 7) / 8);
}

/*
 * Adds @count packed numbers, and zeros up to a multiple of 8 numbers. Only the last call may have
 * a @count that is not a multiple of 8.
 */
static void put_packed(struct kp_grow *out, const uint32_t *values, size_t count, unsigned int bits)
{
	const size_t groups = (count + 7) / 8;
	uint64_t eight[8];
	uint8_t *to;

	if (!count)
		return;
	kp_grow_varint(out, (uint64_t)groups << 1 | 1);
	to = kp_grow_room(out, groups * bits + 8);
	for (size_t i = 0; to && i < groups; i++) {
		for (size_t j = 0; j < 8; j++)
			eight[j] = i * 8 + j < count ? values[i * 8 + j] : 0;
		to += pack(to, eight, 8, bits);
	}
	if (to)
		out->used += groups * bits;
}

void kp_pq_hybrid(struct kp_grow *out, const uint32_t *values, size_t count, unsigned int bits)
{
	/* values[packed] to values[at - 1] are not written yet; they will be packed */
	size_t packed = 0, at = 0, end;

	while (at < count) {
		for (end = at + 1; end < count && values[end] == values[at]; end++)
			;
		if (end - at < RUN_MIN && end < count) {
			at = end;
			continue;
		}
		/*
		 * packed values come in groups of 8: take values from the run to fill the last
		 * group
		 */
		while ((at - packed) % 8 && at < end)
			at++;
		if (end - at < RUN_MIN) {
			at = end;
			continue;
		}
		put_packed(out, values + packed, at - packed, bits);
		put_run(out, values[at], end - at, bits);
		packed = at = end;
	}
	put_packed(out, values + packed, count - packed, bits);
}
