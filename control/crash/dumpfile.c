// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads a dump by offsets in the dump, from a plain or a flattened file. makedumpfile and QEMU
 * write a flattened file if they cannot seek: it consists of parts of the dump, each after its
 * offset and length. Must read only the requested bytes of a file, which may be large.
 */
#include "crash/crash.h"

#include <endian.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define FLAT_SIGNATURE	"makedumpfile\0\0\0"	/* 16 bytes with the last NUL */
#define FLAT_HEADER	4096
#define RECORDS_MAX	(1UL << 26)

static bool read_raw(struct kc_file *file, uint64_t offset, void *to, size_t bytes)
{
	char *at = to;

	if (offset > file->bytes || bytes > file->bytes - offset)
		return false;
	while (bytes) {
		ssize_t n = pread(file->fd, at, bytes, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && !file->error)
			file->error = errno;
		if (n <= 0)
			return false;
		at += n;
		offset += (uint64_t)n;
		bytes -= (size_t)n;
	}
	return true;
}

static int compare_records(const void *left, const void *right)
{
	const struct kc_record *a = left, *b = right;

	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static bool add_record(struct kc_file *file, uint64_t at, uint64_t bytes, uint64_t offset)
{
	size_t n = file->nrecords;

	/* the capacity doubles whenever the count is a power of two */
	if (!(n & (n - 1))) {
		struct kc_record *more = realloc(file->records, (n ? 2 * n : 1) * sizeof(*more));

		if (!more)
			return false;
		file->records = more;
	}
	file->records[n] = (struct kc_record){.at = at, .bytes = bytes, .offset = offset, .order = n};
	file->nrecords = n + 1;
	return true;
}

static const char *read_records(struct kc_file *file)
{
	uint64_t offset = FLAT_HEADER, reach = 0;
	uint64_t head[2];

	for (;;) {
		file->cut = !read_raw(file, offset, head, sizeof(head));
		if (file->cut)
			break;
		head[0] = be64toh(head[0]);
		head[1] = be64toh(head[1]);
		if ((int64_t)head[0] < 0)
			break;
		offset += sizeof(head);
		/* the last record may be cut: use the bytes that are there */
		if (offset > file->bytes || head[1] > file->bytes - offset) {
			head[1] = offset > file->bytes ? 0 : file->bytes - offset;
			file->cut = true;
		}
		if (file->nrecords == RECORDS_MAX)
			return "it is flattened, in too many parts";
		if (!add_record(file, head[0], head[1], offset))
			return "no memory for the table of its parts";
		if (file->cut)
			break;
		offset += head[1];
	}
	if (!file->nrecords)
		return "it is flattened, and empty";
	qsort(file->records, file->nrecords, sizeof(*file->records), compare_records);
	for (size_t i = 0; i < file->nrecords; i++) {
		uint64_t end = file->records[i].at + file->records[i].bytes;

		reach = end > reach ? end : reach;
		file->records[i].reach = reach;
	}
	return NULL;
}

/* Returns the newest record that contains this byte. */
static const struct kc_record *record_of(const struct kc_file *file, uint64_t at)
{
	const struct kc_record *best = NULL;
	size_t low = 0, high = file->nrecords;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file->records[middle].at <= at)
			low = middle + 1;
		else
			high = middle;
	}
	while (low-- && file->records[low].reach > at) {
		const struct kc_record *record = &file->records[low];

		if (at - record->at < record->bytes && (!best || record->order > best->order))
			best = record;
	}
	return best;
}

/* Returns the number of bytes from @at on that can be read together: up to a newer record. */
static uint64_t part_of(const struct kc_file *file, const struct kc_record *record, uint64_t at)
{
	uint64_t end = record->at + record->bytes;
	const struct kc_record *next;

	for (next = record + 1; next < file->records + file->nrecords && next->at < end; next++)
		if (next->at > at && next->order > record->order)
			return next->at - at;
	return end - at;
}

static bool read_flat(struct kc_file *file, uint64_t at, void *to, size_t bytes)
{
	char *out = to;

	while (bytes) {
		const struct kc_record *record = record_of(file, at);
		uint64_t part;

		if (!record)
			return false;
		part = part_of(file, record, at);
		if (part > bytes)
			part = bytes;
		if (!read_raw(file, record->offset + (at - record->at), out, (size_t)part))
			return false;
		out += part;
		at += part;
		bytes -= (size_t)part;
	}
	return true;
}

const char *kc_file_open(struct kc_file *file, const char *path)
{
	char signature[16];
	struct stat st;
	off_t end;

	memset(file, 0, sizeof(*file));
	file->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (file->fd < 0)
		return strerror(errno);
	if (fstat(file->fd, &st))
		return strerror(errno);
	if (S_ISDIR(st.st_mode))
		return "it is a directory";
	end = lseek(file->fd, 0, SEEK_END);
	if (end < 0)
		return errno == ESPIPE ? "it can be read only once, like a pipe: write it to a file first" :
					 strerror(errno);
	/* lseek() returns the size of /proc/vmcore too */
	file->bytes = (uint64_t)end;
	if (!file->bytes)
		return "it is empty";
	if (!read_raw(file, 0, signature, sizeof(signature)) ||
	    memcmp(signature, FLAT_SIGNATURE, sizeof(signature)))
		return NULL;
	return read_records(file);
}

void kc_file_close(struct kc_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	free(file->records);
	file->records = NULL;
	file->fd = -1;
}

bool kc_file_read(struct kc_file *file, uint64_t at, void *to, size_t bytes)
{
	return file->records ? read_flat(file, at, to, bytes) : read_raw(file, at, to, bytes);
}
