// SPDX-License-Identifier: BSD-3-Clause
/*
 * A session of a dump, as a device of the library (struct ku_dev_ops). The library's own code
 * then makes a trace of the dump. The session can only be queried and read.
 */
#include "crash/device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/device/device.h"

#define THE_FD	0		/* the only descriptor; other code does not use it */

static struct kc_session *session;

static int crash_open(int flags)
{
	(void)flags;
	return THE_FD;
}

static void crash_close(int fd)
{
	(void)fd;
}

static int crash_ioctl(int fd, unsigned long request, unsigned long arg)
{
	(void)fd;
	if (request != KUTRACE_IOC_INFO)
		return -ENOTTY;
	memcpy((void *)arg, &session->info, sizeof(session->info));
	return 0;
}

static bool read_meta(uint64_t offset, void *to, size_t bytes)
{
	uint64_t all = session->meta->meta_bytes;

	if (offset > all || bytes > all - offset)
		return false;
	memcpy(to, (const char *)session->meta + offset, bytes);
	return true;
}

/* Reads counter bytes. Missing ones are 0, which means no value. */
static bool read_bytes(uint64_t offset, void *to, size_t bytes)
{
	if (!kc_region_read(session->memory, &session->bytes, offset, to, bytes))
		memset(to, 0, bytes);
	return true;
}

/*
 * Reads the name buffer. At a missing page the names end, because the position of the next entry
 * is not known.
 */
static bool read_names(uint64_t offset, void *to, size_t bytes)
{
	const struct kc_region *region = &session->region[KUTRACE_ANCHOR_AUX];
	size_t page = session->anchor.head.page_bytes, at;

	for (at = 0; at < bytes; at += page) {
		size_t part = bytes - at < page ? bytes - at : page;

		if (!kc_region_read(session->memory, region, offset + at, (char *)to + at, part))
			memset((char *)to + at, 0, part);
	}
	return true;
}

static bool read_at(uint64_t offset, void *to, size_t bytes)
{
	if (offset >= KUTRACE_MMAP_BYTES)
		return read_bytes(offset - KUTRACE_MMAP_BYTES, to, bytes);
	if (offset >= KUTRACE_MMAP_BLOCKS) {
		offset -= KUTRACE_MMAP_BLOCKS;
		return bytes == KUTRACE_BLOCK_BYTES && !(offset % bytes) &&
		       kc_session_block(session, (uint32_t)(offset / bytes), to);
	}
	if (offset >= KUTRACE_MMAP_AUX)
		return read_names(offset - KUTRACE_MMAP_AUX, to, bytes);
	return read_meta(offset, to, bytes);
}

/* Returns a copy instead of a mapping. */
static void *crash_map(int fd, uint64_t offset, size_t bytes, int *error)
{
	void *copy = malloc(bytes);

	(void)fd;
	if (!copy) {
		*error = -ENOMEM;
		return NULL;
	}
	if (read_at(offset, copy, bytes))
		return copy;
	free(copy);
	*error = session->memory->file.error ? -session->memory->file.error : -EIO;
	return NULL;
}

static void crash_unmap(void *address, size_t bytes)
{
	(void)bytes;
	free(address);
}

static const struct ku_dev_ops crash_ops = {
	.open = crash_open,
	.close = crash_close,
	.ioctl = crash_ioctl,
	.map = crash_map,
	.unmap = crash_unmap,
};

void kc_device_is(struct kc_session *s)
{
	session = s;
	ku_dev = &crash_ops;
}
