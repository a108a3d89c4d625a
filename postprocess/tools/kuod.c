// SPDX-License-Identifier: BSD-3-Clause
/*
 * Prints every word of a raw trace (report/dump.h):
 *
 *   word 4c8a782733332679 of a block
 *   becomes      77  4c8a782733332679  +12.07652030 call 827 getpid arg0 9849, returns 51 after 51 counts
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/input.h"
#include "base/terminal.h"
#include "report/dump.h"

static const struct kp_tool tool = {
	.name = "kuod",
	.usage = "[file] [--block N[-M]] [--color WHEN] [--no-pager] [-o FILE]",
	.help =
"Dump a raw trace (file, or standard input), even a damaged one: every word of\n"
"every block, with its index, in hex, and its meaning. Times are seconds from\n"
"the start of the trace.\n"
"\n"
"  --block N      dump only block N (from 0)\n"
"  --block N-M    dump only blocks N to M\n"
KP_HELP_REPORT
KP_HELP_OPTIONS
"\n"
"Exit status: 0 done, 1 bad data or I/O error, 2 usage.\n",
};

#define BLOCK_WANTS "a number, or two with a - between them"

enum { BLOCK = KP_LONG(0) };

static bool ignored;

static const struct kp_option options[] = { { "block", BLOCK, BLOCK_WANTS, NULL }, KP_REPORT_OPTIONS,
	/* ignored options of KUtrace 3 (Sites): all words are always printed */
	{ "all", KP_LONG(1), NULL, &ignored }, { NULL, 't', NULL, &ignored }, {0} };

static void block_argument(struct kp_dump *dump, const char *text)
{
	char *end;

	if (*text < '0' || *text > '9')
		kp_usage_error("--block needs " BLOCK_WANTS);
	dump->first = dump->last = strtoull(text, &end, 10);
	if (*end == '-' && end[1] >= '0' && end[1] <= '9')
		dump->last = strtoull(end + 1, &end, 10);
	if (*end || dump->last < dump->first)
		kp_usage_error("--block needs " BLOCK_WANTS);
}

int main(int argc, char **argv)
{
	struct kp_dump dump = { .last = UINT64_MAX - 1 };
	const char *path = NULL, *shown, *value;
	int option, status = KP_OK;
	FILE *in, *out;

	kp_begin(&tool, argc, argv);
	while ((option = kp_next_option(argc, argv, options, &value)) > 0) {
		if (option == BLOCK)
			block_argument(&dump, value);
		else
			kp_file_argument(value, &path);
	}
	in = kp_open_format(path, KP_FORMAT_RAW_TRACE, &shown);
	kp_open_output();
	kp_retain_output();	/* retain the words printed before an error */
	out = kp_report_open();
	status = kp_dump(&dump, in, out) ? KP_BAD : KP_OK;
	kp_report_close(out);
	if (status) {
		kp_error("%s: block %" PRIu64 ": %s", shown, dump.blocks, dump.message);
	} else if (dump.rest_bytes) {
		kp_error("%s: block %" PRIu64 ": cut off after %" PRIu64 " bytes", shown,
			 dump.blocks, dump.rest_bytes);
		status = KP_BAD;
	} else if (!dump.blocks) {
		kp_error("%s: empty", shown);
		status = KP_BAD;
	} else if (!dump.shown_any) {
		kp_error("%s: no such block: it has %" PRIu64 " blocks", shown, dump.blocks);
		status = KP_BAD;
	}
	return kp_finish(status);
}
