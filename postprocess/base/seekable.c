// SPDX-License-Identifier: BSD-3-Clause
/*
 * Copies of pipes, see base/seekable.h.
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

static _Noreturn void cannot_write(const char *shown)
{
	kp_die(KP_BAD, "cannot write a temporary copy of %s: %s, set TMPDIR to a directory with room",
	       shown, strerror(errno));
}

FILE *kp_seekable(FILE *file, const char *shown)
{
	static char buffer[CHUNK_BYTES];
	struct stat st;
	uint64_t copied = 0;
	size_t got;
	FILE *copy;

	if (!fstat(fileno(file), &st) && S_ISREG(st.st_mode))
		return file;
	copy = kp_temp_file();
	if (!copy)
		kp_die(KP_BAD, "cannot make a temporary file: %s, set TMPDIR to a directory with room",
		       strerror(errno));
	kp_progress_phase("copying", NULL);
	do {
		got = fread(buffer, 1, sizeof(buffer), file);
		if (kp_interrupted())
			kp_die(KP_INTERRUPTED, "interrupted");
		if (got && fwrite(buffer, 1, got, copy) != got)
			cannot_write(shown);
		copied += got;
		kp_progress(copied, 0);
	} while (got == sizeof(buffer));
	if (ferror(file))
		kp_die(KP_BAD, "cannot read %s: %s", shown, strerror(errno));
	if (fflush(copy))
		cannot_write(shown);
	fclose(file);
	return copy;
}
