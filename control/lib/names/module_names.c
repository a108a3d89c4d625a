// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads the names in the module's name buffer, and its definitions of typed tracepoints. Writers
 * add entries and evict the oldest ones during the reading:
 *
 *	a) The caller reads aux_first and aux_last (struct kutrace_info).
 *	b) [aux_first, aux_last) is copied.
 *	c) Both are read again. Bytes before the new aux_first may have been overwritten
 *	   during b. The module has moved the entries in them that are still needed to
 *	   the end. So b continues with the entries added since, until nothing was
 *	   overwritten.
 *
 * An entry that is marked as invalid is counted as unread. Must not trust a length, a base, a CPU
 * or the order of the module's ids.
 */
#include "lib/names/sources.h"

#include <unistd.h>

#include "lib/device/device.h"

/* each round reads only names that were added during the previous round */
#define ROUNDS_MAX	100

/* Copies the bytes [@from, @from + @bytes) out of the ring. Offsets count up and do not wrap. */
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

/* Adds one entry of @length bytes, all of which have been copied. */
static int add_entry(const struct kutrace_aux_entry *entry, const char *text, uint32_t length,
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

/* Adds the entries between the offsets @first and @last. @copy begins at offset @base. */
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
			++*bad;	/* the next entry's position is unknown */
			break;
		}
		ret = add_entry(&entry, copy + (first - base) + KUTRACE_AUX_HEADER, length,
				names, bad);
		first += length;
	}
	return ret;
}

/* Steps b and c: adds the entries from @first to @last, and reads the new bounds into @after. */
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
	/* read aux_first after the bytes: the module moves aux_first before it overwrites bytes */
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
	if (!aux_bytes || aux_bytes & (aux_bytes - 1) || aux_bytes > 1ULL << 30 || last < first)
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

/* Adds a definition in parts. The number of each name contains the id and the part's index. */
int ku_names_add_point(struct ku_name_list *names, uint32_t id, const char *text)
{
	size_t length = strlen(text), at, part;
	uint32_t part_index = 0;
	int ret = 0;

	for (at = 0; at < length && !ret; at += part, part_index++) {
		part = length - at < KUTRACE_NAME_MAX_BYTES ? length - at :
							      KUTRACE_NAME_MAX_BYTES;
		ret = ku_names_add(names, KUTRACE_NAME_EVENTDEF, KUTRACE_POINT_NUMBER(id, part_index),
				   text + at, part);
	}
	return ret;
}

int ku_names_points(int fd, struct ku_name_list *names)
{
	struct kutrace_point_def def;
	uint32_t id = 1;
	int ret;

	if (fd == KU_CALL_FD)
		return 0;
	while (id < KUTRACE_POINT_IDS) {
		def = (struct kutrace_point_def){.length = sizeof(def), .id = id};
		ret = ku_dev->ioctl(fd, KUTRACE_IOC_POINT_LIST, (unsigned long)&def);
		/* no more definitions, or a module without typed tracepoints */
		if (ret == -ENOENT || ret == -ENOTTY)
			return 0;
		if (ret < 0)
			return ku_device_error(ret);
		if (def.id < id || def.id >= KUTRACE_POINT_IDS)
			return -EBADMSG;
		def.text[sizeof(def.text) - 1] = '\0';
		ret = ku_names_add_point(names, def.id, def.text);
		if (ret)
			return ret;
		id = def.id + 1;
	}
	return 0;
}
