// SPDX-License-Identifier: BSD-3-Clause
/*
 * kutrace_control filter: selects the tasks and CPUs that a session records. Must check all
 * arguments before it changes anything.
 */
#include <getopt.h>
#include <stdbool.h>
#include <string.h>

#include "cli/base/message.h"
#include "cli/base/options.h"
#include "cli/command/commands.h"
#include "cli/shared/filter.h"
#include "libkutrace.h"

int cmd_filter(int argc, char **argv)
{
	static const struct cmd_option list[] = {CMD_FILTER_OPTIONS, {0}};
	struct cmd_options o = {.what = "filter", .list = list};
	struct kutrace_filter filter = {0};
	int option, ret;

	while ((option = cmd_next_option(&o, argc, argv)) >= 0)
		if (cmd_filter_option("filter", option, optarg, &filter) < 0)
			return CMD_USAGE;
	if (option == CMD_OPTION_STOP)
		return o.status;
	if (argc < 2)
		return cmd_usage_error("filter: needs --pid P,.. --group G,.. --cgroup PATH,.. "
				       "--cpus 0-3,7, or none");
	/* "none" excludes other arguments */
	if (optind < argc && (argc != 2 || strcmp(argv[optind], "none")))
		return cmd_usage_error("filter: %s: no such option", argv[optind]);
	ret = kutrace_filter(&filter);
	return ret ? cmd_error("filter", ret) : CMD_OK;
}
