// SPDX-License-Identifier: BSD-3-Clause
/* Temporary files and spools, see base/temp.h. No name of a temporary file may remain. */
#include "base/temp.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/progress.h"
#include "base/tool.h"

FILE *kp_temp_named(char *path, size_t room)
{
	const char *dir = getenv("TMPDIR");
	FILE *file;
	int fd, len;

	if (!dir || !*dir)
		dir = "/tmp";
	len = snprintf(path, room, "%s/kutrace.XXXXXX", dir);
	if (len < 0 || (size_t)len >= room) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return NULL;
	file = fdopen(fd, "w+");
	if (!file) {
		unlink(path);
		close(fd);
	}
	return file;
}

FILE *kp_temp_file(void)
{
	char path[PATH_MAX];
	FILE *file = kp_temp_named(path, sizeof(path));

	if (file)
		unlink(path);
	return file;
}

const char *kp_temp_remedy(int err)
{
	const bool same = err == EMFILE || err == ENFILE || err == ENOMEM || err == EFBIG || err == EINTR;

	return same ? "" : "; try TMPDIR=DIR with enough free space";
}

static int spill(struct kp_spool *spool, const char *data, size_t len)
{
	if (!spool->file)
		spool->file = kp_temp_file();
	if (spool->file && fwrite(data, 1, len, spool->file) == len)
		return 0;
	if (!spool->error)
		spool->error = errno;
	return -1;
}

static ssize_t spool_write(void *cookie, const char *data, size_t len)
{
	struct kp_spool *spool = cookie;
	size_t part = KP_SPOOL_MEMORY_BYTES - spool->used;

	if (part > len)
		part = len;
	memcpy(spool->memory + spool->used, data, part);
	spool->used += part;
	if (part < len && spill(spool, data + part, len - part))
		return 0;	/* for a cookie stream, 0 means an error */
	return (ssize_t)len;
}

int kp_spool_open(struct kp_spool *spool)
{
	static const cookie_io_functions_t io = { .write = spool_write };

	memset(spool, 0, sizeof(*spool));
	spool->memory = malloc(KP_SPOOL_MEMORY_BYTES);
	spool->in = spool->memory ? fopencookie(spool, "w", io) : NULL;
	return spool->in ? 0 : -1;
}

int kp_spool_copy(struct kp_spool *spool, FILE *out)
{
	char block[65536];
	uint64_t copied = 0, total;
	size_t got;

	if (fflush(spool->in) && !spool->error)
		spool->error = errno;
	total = spool->file ? (uint64_t)ftello(spool->file) : 0;
	if (spool->file && !spool->error && fseeko(spool->file, 0, SEEK_SET))
		spool->error = errno;
	if (spool->error)
		return -1;
	if (fwrite(spool->memory, 1, spool->used, out) != spool->used)
		return -2;
	kp_progress_phase("writing", NULL);
	while (spool->file && (got = fread(block, 1, sizeof(block), spool->file))) {
		if (kp_interrupted() || fwrite(block, 1, got, out) != got)
			return -2;
		copied += got;
		kp_progress(copied, total);
	}
	if (spool->file && ferror(spool->file)) {
		spool->error = errno;
		return -1;
	}
	return 0;
}

void kp_spool_close(struct kp_spool *spool)
{
	if (spool->in)
		fclose(spool->in);
	if (spool->file)
		fclose(spool->file);
	free(spool->memory);
	memset(spool, 0, sizeof(*spool));
}

#define CHUNK_BYTES	(256u << 10)

FILE *kp_copy_pipe(FILE *file, const char *shown, uint64_t *bytes, char *why, size_t room)
{
	char *buffer = malloc(CHUNK_BYTES);
	FILE *copy = kp_temp_file();
	uint64_t copied = 0;
	size_t got;

	if (!copy) {
		snprintf(why, room, "cannot create a temporary file: %s%s", strerror(errno),
			 kp_temp_remedy(errno));
		goto failed;
	}
	if (!buffer) {
		snprintf(why, room, "no memory");
		goto failed;
	}
	kp_progress_phase("copying", NULL);
	do {
		got = fread(buffer, 1, CHUNK_BYTES, file);
		if (kp_interrupted()) {
			snprintf(why, room, "interrupted");
			goto failed;
		}
		if (got && (fwrite(buffer, 1, got, copy) != got || fflush(copy))) {
			snprintf(why, room, "cannot write a temporary copy of %s: %s%s", shown,
				 strerror(errno), kp_temp_remedy(errno));
			goto failed;
		}
		copied += got;
		kp_progress(copied, 0);
	} while (got == CHUNK_BYTES);
	if (ferror(file)) {
		snprintf(why, room, "cannot read %s: %s", shown, strerror(errno));
		goto failed;
	}
	free(buffer);
	if (bytes)
		*bytes = copied;
	return copy;
failed:
	if (copy)
		fclose(copy);
	free(buffer);
	return NULL;
}

FILE *kp_seekable(FILE *file, const char *shown)
{
	char why[512];
	struct stat st;
	FILE *copy;

	if (!fstat(fileno(file), &st) && S_ISREG(st.st_mode))
		return file;
	copy = kp_copy_pipe(file, shown, NULL, why, sizeof(why));
	if (!copy)
		kp_die(KP_BAD, "%s", why);
	fclose(file);
	return copy;
}
