// SPDX-License-Identifier: BSD-3-Clause
/*
 * The kernel's names, out of the auxiliary buffer. Writers add entries, and push the
 * oldest out, while it is read here:
 *
 *	a) aux_first and aux_last are taken (struct kutrace_info, by the caller);
 *	b) [aux_first, aux_last) is copied;
 *	c) both are taken again: what lies before aux_first now may have been overwritten
 *	   during b. Of that, what is still of use has been moved behind the end: from b
 *	   on again, with what has been added since, until nothing was overwritten.
 *
 * An entry that is marked as not valid is counted as unread. Must never trust a
 * length, a base or a CPU. Called by the dump, reading and triggers.
 */
#include "lib/names/kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/device/call.h"
#include "lib/device/device.h"

#define ROUNDS_MAX	100	/* each has but what was said during the one before */

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
		struct ku_name_list *names, uint64_t *bad)
{
	int ret;

	if (entry->head & KUTRACE_AUX_INVALID || !base_is_name(entry->base) ||
	    entry->cpu >= KUTRACE_CPUS) {
		++*bad;
		return 0;
	}
	length -= KUTRACE_AUX_HEADER;
	ret = ku_names_add_entry(names, entry->base, entry->number, text, length);
	if (!ret)
		names->list[names->count - 1].counts = entry->counts;
	return ret;
}

/* Entries between the offsets first and last of copy, which begins with base. */
static int parse(const char *copy, uint64_t base, uint64_t first, uint64_t last,
		 struct ku_name_list *names, uint64_t *bad)
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

/* b, c: entries from first to last, and where the ends are after that. */
static int read_part(int fd, const char *ring, uint64_t aux_bytes, uint64_t first,
		     uint64_t last, struct ku_name_list *names, uint64_t *bad,
		     struct kutrace_info *after)
{
	char *copy = malloc((size_t)(last - first));
	uint64_t good;
	int ret;

	if (!copy)
		return -ENOMEM;
	copy_out(copy, ring, aux_bytes, first, (size_t)(last - first));
	/* Bytes before aux_first: the module moves aux_first before it overwrites them. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	ret = ku_device_info(fd, after);
	good = after->aux_first > first ? after->aux_first : first;
	if (!ret && good < last)
		ret = parse(copy, first, good, last, names, bad);
	free(copy);
	return ret;
}

int ku_names_kernel(int fd, const struct kutrace_info *info, uint64_t aux_bytes,
		    struct ku_name_list *names, uint64_t *bad)
{
	uint64_t first = info->aux_first, last = info->aux_last;
	struct kutrace_info after;
	char *ring;
	int rounds, ret = 0;

	if (fd == KU_CALL_FD)
		return ku_call_names(names, bad);
	if (first == last)
		return 0;
	if (!aux_bytes || aux_bytes & (aux_bytes - 1) || aux_bytes > 1ULL << 30 ||
	    last < first)
		return -EBADMSG;
	ring = ku_dev->map(fd, KUTRACE_MMAP_AUX, (size_t)aux_bytes, &ret);
	if (!ring)
		return ku_device_error(ret);
	for (rounds = 0; !ret && first < last && rounds < ROUNDS_MAX; rounds++) {
		if (last - first > aux_bytes || first % 8) {
			ret = -EBADMSG;
			break;
		}
		ret = read_part(fd, ring, aux_bytes, first, last, names, bad, &after);
		if (ret || after.aux_first <= first || after.start.counts != info->start.counts)
			break;
		first = after.aux_first > last ? after.aux_first : last;
		last = after.aux_last;
	}
	ku_dev->unmap(ring, (size_t)aux_bytes);
	return ret;
}

int ku_names_device(int fd, struct ku_name_list *names)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct kutrace_meta_page *meta;
	struct kutrace_info info;
	uint64_t aux_bytes = 0, bad = 0;
	int ret = ku_device_info(fd, &info);

	if (ret)
		return ret;
	if (fd != KU_CALL_FD) {
		meta = ku_dev->map(fd, KUTRACE_MMAP_META, page, &ret);
		if (!meta)
			return ku_device_error(ret);
		aux_bytes = meta->aux_bytes;
		ku_dev->unmap(meta, page);
	}
	return ku_names_kernel(fd, &info, aux_bytes, names, &bad);
}
