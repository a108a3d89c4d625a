// SPDX-License-Identifier: BSD-3-Clause
/*
 * libkutrace: reading the auxiliary name buffer. Writers add entries, and push the
 * oldest out, while it is read here:
 *
 *	a) aux_first and aux_last are taken (struct kutrace_info, by the caller);
 *	b) [aux_first, aux_last) is copied;
 *	c) aux_first is taken again: what lies before it was overwritten during b.
 *
 * An entry that is marked as not valid is counted as unread. Must never trust a
 * length, a base or a CPU. Called by the dump.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ku_lib.h"

/* Copies bytes [from, from + bytes) of the running offsets out of the ring. */
static void copy_out(char *to, const char *ring, uint64_t ring_bytes, uint64_t from,
		     size_t bytes)
{
	size_t at = (size_t)(from & (ring_bytes - 1));
	size_t first = (size_t)ring_bytes - at;

	if (first > bytes)
		first = bytes;
	memcpy(to, ring + at, first);
	memcpy(to + first, ring, bytes - first);
}

static bool base_is_name(uint16_t base)
{
	return base && base <= 0x1FF && !(base & 0xF0);
}

/* One entry of length bytes, all of which are there. */
static int take(const struct kutrace_aux_entry *entry, const char *text, uint32_t length,
		struct ku_names *names, uint64_t *bad)
{
	int ret;

	if (entry->head & KUTRACE_AUX_INVALID || !base_is_name(entry->base) ||
	    entry->cpu >= KUTRACE_CPUS) {
		++*bad;
		return 0;
	}
	length -= KUTRACE_AUX_HEADER;
	ret = ku_names_add(names, entry->base, entry->number, text, strnlen(text, length));
	if (!ret)
		names->list[names->count - 1].counts = entry->counts;
	return ret;
}

/* Entries between the offsets first and last of copy, which begins with base. */
static int parse(const char *copy, uint64_t base, uint64_t first, uint64_t last,
		 struct ku_names *names, uint64_t *bad)
{
	struct kutrace_aux_entry entry;
	uint32_t length;
	int ret = 0;

	while (!ret && first < last) {
		if (last - first < KUTRACE_AUX_HEADER) {
			++*bad;
			break;
		}
		memcpy(&entry, copy + (first - base), KUTRACE_AUX_HEADER);
		length = entry.head >> 1;
		if (length < KUTRACE_AUX_HEADER || length > KUTRACE_AUX_MAX || length % 8 ||
		    length > last - first) {
			++*bad;	/* the way to the next one is lost */
			break;
		}
		ret = take(&entry, copy + (first - base) + KUTRACE_AUX_HEADER, length,
			   names, bad);
		first += length;
	}
	return ret;
}

int ku_names_kernel(int fd, const struct kutrace_info *info, uint64_t aux_bytes,
		    struct ku_names *names, uint64_t *bad)
{
	uint64_t base = info->aux_first, last = info->aux_last, first;
	struct kutrace_info after;
	char *ring, *copy;
	int ret = 0;

	if (fd == KU_CALL_FD)
		return ku_call_names(names, bad);
	if (base == last)
		return 0;
	if (!aux_bytes || aux_bytes & (aux_bytes - 1) || aux_bytes > 1ULL << 30 ||
	    last < base || last - base > aux_bytes || base % 8)
		return -EBADMSG;
	copy = malloc((size_t)(last - base));
	if (!copy)
		return -ENOMEM;
	ring = ku_dev->map(fd, KUTRACE_MMAP_AUX, (size_t)aux_bytes, &ret);
	if (!ring) {
		free(copy);
		return ku_device_error(ret);
	}
	copy_out(copy, ring, aux_bytes, base, (size_t)(last - base));
	ku_dev->unmap(ring, (size_t)aux_bytes);
	ret = ku_device_info(fd, &after);
	first = after.aux_first > base ? after.aux_first : base;
	if (!ret && first < last)
		ret = parse(copy, base, first, last, names, bad);
	free(copy);
	return ret;
}
