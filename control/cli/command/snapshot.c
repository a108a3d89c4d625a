// SPDX-License-Identifier: BSD-3-Clause
/*
 * kutrace_control snapshot: writes a trace of the present content of the buffer. The recording
 * must go on.
 */
#include <getopt.h>
#include <string.h>

#include "cli/base/message.h"
#include "cli/base/options.h"
#include "cli/command/commands.h"
#include "cli/shared/write.h"

int cmd_snapshot(int argc, char **argv)
{
	static const struct cmd_option list[] = {{"output", 'o', "a file name"}, {0}};
	struct cmd_options o = {.what = "snapshot", .list = list};
	const char *fname = NULL;
	int option;

	while ((option = cmd_next_option(&o, argc, argv)) >= 0)
		fname = optarg;
	if (option == CMD_OPTION_STOP)
		return o.status;
	if (!fname && optind < argc)
		fname = argv[optind++];
	if (optind < argc)
		return cmd_usage_error("snapshot: %s: takes one file name", argv[optind]);
	/* messages must not mix with a trace on standard output */
	return cmd_write_snapshot("snapshot", fname, fname && !strcmp(fname, "/dev/stdout"));
}
