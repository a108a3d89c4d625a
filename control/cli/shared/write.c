// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes dumps and snapshots, and prints their properties. Must not leave a part of a file. After
 * an error, the module still has the recording.
 */
#include "cli/shared/write.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "cli/base/print.h"
#include "cli/base/signals.h"
#include "cli/shared/user.h"

/* Shows the progress of traces of 64 MB and more, on a terminal only. Cancels on a signal. */
static int show_progress(void *arg, uint64_t done_bytes, uint64_t total_bytes)
{
	bool *shown = arg;

	if (cmd_interrupted())
		return 1;
	if (total_bytes >= 64 << 20 && isatty(STDERR_FILENO)) {
		fprintf(stderr, "\r%3u%% of %llu MB",
			(unsigned int)(done_bytes * 100 / total_bytes),
			(unsigned long long)(total_bytes >> 20));
		*shown = true;
	}
	return 0;
}

static void describe(FILE *out, const char *fname, const struct kutrace_dump_result *r)
{
	size_t i;

	fprintf(out, "%s: %llu.%03llu s in %llu blocks of 64 KB%s, %llu names, %llu KB\n",
		fname, (unsigned long long)(r->duration_ns / 1000000000),
		(unsigned long long)(r->duration_ns / 1000000 % 1000),
		(unsigned long long)r->data_blocks,
		r->wrapped ? " (the last part: older blocks were overwritten)" : "",
		(unsigned long long)r->names, (unsigned long long)(r->bytes / 1024));
	for (i = 0; i < KUTRACE_LOST_CAUSES; i++)
		if (r->lost[i])
			fprintf(out, "lost: %llu (%s)\n", (unsigned long long)r->lost[i],
				cmd_lost_text[i]);
	if (r->bad_names)
		fprintf(out, "lost: %llu (names that could not be read)\n",
			(unsigned long long)r->bad_names);
	if (r->bad_blocks)
		fprintf(out, "lost: %llu blocks (header not valid)\n",
			(unsigned long long)r->bad_blocks);
	if (r->overwritten_blocks)
		fprintf(out, "overwritten while it was written, and left out: %llu blocks\n",
			(unsigned long long)r->overwritten_blocks);
	if (r->lost[KUTRACE_LOST_FULL])
		fprintf(out, "the end is missing: load the module with more memory, "
			"or use gowrap to keep the last part\n");
}

static int write_trace(const char *what, const char *fname, bool to_stderr,
		       int (*write)(const char *, const struct kutrace_dump_options *,
				    struct kutrace_dump_result *))
{
	char name[KUTRACE_FILE_NAME_BYTES];
	struct kutrace_dump_result result;
	bool shown = false;
	struct kutrace_dump_options options = {
		.tool = CMD_TOOL " " KUTRACE_VERSION,
		.progress = show_progress,
		.progress_arg = &shown,
	};
	int ret;

	cmd_sudo_user(&options.owner_uid, &options.owner_gid);
	cmd_catch_signals();
	if (!fname)
		fname = kutrace_make_trace_file_name("kutrace", name);
	ret = write(fname, &options, &result);
	cmd_release_signals();
	if (shown)
		fputs("\r                        \r", stderr);
	if (ret)
		return cmd_dump_error(what, fname, ret);
	describe(to_stderr ? stderr : stdout, fname, &result);
	return CMD_OK;
}

int cmd_write_trace(const char *what, const char *fname, bool to_stderr)
{
	return write_trace(what, fname, to_stderr, kutrace_dump);
}

int cmd_write_snapshot(const char *what, const char *fname, bool to_stderr)
{
	return write_trace(what, fname, to_stderr, kutrace_snapshot);
}
