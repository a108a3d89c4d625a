// SPDX-License-Identifier: BSD-3-Clause
/*
 * Copies pipes to temporary files, see base/seekable.h.
 */
#include "base/seekable.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/progress.h"
#include "base/temp.h"
#include "base/tool.h"

#define CHUNK_BYTES	(256u << 10)

#define CANNOT_WRITE	"cannot write a temporary copy of %s: %s%s"

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
		if (got && fwrite(buffer, 1, got, copy) != got) {
			snprintf(why, room, CANNOT_WRITE, shown, strerror(errno),
				 kp_temp_remedy(errno));
			goto failed;
		}
		copied += got;
		kp_progress(copied, 0);
	} while (got == CHUNK_BYTES);
	if (ferror(file)) {
		snprintf(why, room, "cannot read %s: %s", shown, strerror(errno));
		goto failed;
	}
	if (fflush(copy)) {
		snprintf(why, room, CANNOT_WRITE, shown, strerror(errno), kp_temp_remedy(errno));
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
		kp_die(kp_interrupted() ? KP_INTERRUPTED : KP_BAD, "%s", why);
	fclose(file);
	return copy;
}
