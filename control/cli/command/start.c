// SPDX-License-Identifier: BSD-3-Clause
/*
 * kutrace_control start: starts a recording that lasts until it is stopped. It has the recording
 * options of run. After an error, no recording may remain.
 */
#include <getopt.h>
#include <string.h>

#include "cli/base/message.h"
#include "cli/base/options.h"
#include "cli/command/commands.h"
#include "cli/shared/record.h"
#include "cli/shared/session.h"
#include "libkutrace.h"

int cmd_start(int argc, char **argv)
{
	static const struct cmd_option list[] = {CMD_RECORD_OPTIONS, {0}};
	struct cmd_options o = {.what = "start", .list = list};
	struct cmd_record r = {.after_ms = UINT32_MAX};
	const char *failed;
	bool created;
	int option, ret;

	while ((option = cmd_next_option(&o, argc, argv)) >= 0)
		if (cmd_record_option("start", option, optarg, &r) < 0)
			return CMD_USAGE;
	if (option == CMD_OPTION_STOP)
		return o.status;
	/* the argument "wrap", as for reset */
	for (; optind < argc && !strcmp(argv[optind], "wrap"); optind++)
		r.wrap = true;
	if (optind < argc)
		return cmd_usage_error("start: %s: no such option", argv[optind]);
	ret = cmd_record_check("start", &r);
	if (!ret)
		ret = cmd_use_or_create("start", &(struct kutrace_session_options){.mb = r.mb},
					&created);
	if (ret)
		return ret;
	ret = cmd_record_begin(&r, r.wrap ? kutrace_gowrap : kutrace_go, &failed);
	if (ret)
		return cmd_record_error("start", failed, ret);
	cmd_record_leave(created);
	return CMD_OK;
}
