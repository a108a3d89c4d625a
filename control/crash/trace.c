// SPDX-License-Identifier: BSD-3-Clause
/*
 * Makes a raw trace of a session in a dump, by the same code as a trace of a stopped recording:
 * the library uses the session as its device (struct ku_dev_ops), which can only be queried and
 * read. Must not leave an incomplete file.
 */
#include "crash/crash.h"

#include <unistd.h>

#include "lib/device/device.h"
#include "lib/trace/recording.h"

#define SESSION_FD	0		/* the only descriptor; other code does not use it */

static struct kc_session *session;

static int crash_open(int flags)
{
	(void)flags;
	return SESSION_FD;
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

/* Reads counter bytes. Missing counter bytes become 0, which means no value. */
static bool read_bytes(uint64_t offset, void *to, size_t bytes)
{
	if (!kc_region_read(session->memory, &session->bytes, offset, to, bytes))
		memset(to, 0, bytes);
	return true;
}

/* Reads the name buffer. Names end at a missing page: the next entry's position is not known. */
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

/* Returns a copy of the bytes, which takes the place of a mapping. */
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

static int write_to_stdout(struct ku_dump *d)
{
	int ret;

	d->file.part.fd = STDOUT_FILENO;
	ret = ku_dump_write_names(d);
	ret = ret ?: ku_dump_write_data(d, NULL);
	d->result->bytes = d->file.written_bytes;
	return close(STDOUT_FILENO) && !ret ? -errno : ret;
}

int kc_trace_write(struct kc_session *s, const char *path,
		   int (*progress)(void *arg, uint64_t done_bytes, uint64_t total_bytes),
		   struct kutrace_dump_result *result)
{
	const struct kutrace_anchor_state *state = &s->anchor.state;
	const struct kc_damage *damage = &s->damage;
	const struct ku_system system = {.release = state->release, .version = state->version,
					 .machine = state->machine, .nodename = state->nodename};
	const struct kutrace_dump_options options = {
		.progress = progress, .tool = "kutrace_crash " KUTRACE_VERSION};
	/*
	 * the session has no descriptor to close; the trace also contains the losses that damage
	 * has caused
	 */
	struct ku_dump d = {.fd = -1, .options = &options, .result = result, .info = s->info,
			    .system = &system};
	int ret = -ENOMEM;

	*result = (struct kutrace_dump_result){
		.bad_blocks = damage->entries + damage->unreadable + damage->headers + damage->cut};
	/* makes the library read this session instead of the module */
	session = s;
	ku_dev = &crash_ops;
	d.words = malloc(KUTRACE_BLOCK_BYTES);
	if (d.words)
		ret = ku_dump_collect(&d);
	ret = ret ?: (path ? ku_dump_write_file(&d, path, NULL) : write_to_stdout(&d));
	ku_dump_end(&d);
	return ret;
}
