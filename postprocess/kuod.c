// SPDX-License-Identifier: BSD-3-Clause
/*
 * kuod: annotated dump of a raw trace. A thin main over kp_dump.
 *
 *   word 4c8a782733332679 of a block
 *   becomes      77  4c8a782733332679  +12.07652030 call 827 getpid arg0 9849, returns 51 after 51 counts
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kp_dump.h"
#include "kp_main.h"

static const struct kp_tool tool = {
	.name = "kuod",
	.usage = "[file] [--block N[-M]]",
	.help =
"Dumps a raw trace (file, or standard input), damaged or not: every word of every\n"
"block, with its number, in hex, and what it says. Times are seconds from the\n"
"start of the trace.\n"
"\n"
"  --block N      only block N (from 0)\n"
"  --block N-M    only blocks N to M\n"
"  -h, --help     this text\n"
"  --version      the version\n"
"\n"
"Exit status: 0 done, 1 bad data or I/O error, 2 usage, 3 interrupted.\n",
};

static void block_argument(struct kp_dump *dump, const char *text)
{
	char *end;

	if (!text || *text < '0' || *text > '9')
		kp_usage_error("--block wants a number, or two with a - between them");
	dump->first = dump->last = strtoull(text, &end, 10);
	if (*end == '-' && end[1] >= '0' && end[1] <= '9')
		dump->last = strtoull(end + 1, &end, 10);
	if (*end || dump->last < dump->first)
		kp_usage_error("--block wants a number, or two with a - between them");
}

int main(int argc, char **argv)
{
	struct kp_dump dump = { .last = UINT64_MAX - 1 };
	const char *path = NULL, *shown;
	int status = KP_OK;
	FILE *in;

	kp_begin(&tool, argc, argv);
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--block"))
			block_argument(&dump, argv[++i]);
		else
			kp_file_argument(argv[i], &path);
	}
	in = kp_open_input(path, &shown);
	if (kp_dump(&dump, in, stdout)) {
		kp_error("%s: block %" PRIu64 ": %s", shown, dump.blocks, dump.message);
		status = KP_BAD;
	} else if (dump.rest_bytes) {
		kp_error("%s: block %" PRIu64 ": cut off after %" PRIu64 " bytes", shown,
			 dump.blocks, dump.rest_bytes);
		status = KP_BAD;
	} else if (!dump.blocks) {
		kp_error("%s: empty", shown);
		status = KP_BAD;
	} else if (!dump.shown_any) {
		kp_error("%s: no such block: it has %" PRIu64, shown, dump.blocks);
		status = KP_BAD;
	}
	return kp_finish(status);
}
