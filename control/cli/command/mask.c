// SPDX-License-Identifier: BSD-3-Clause
/*
 * kutrace_control mask and filter: select the kinds of events, the tasks and the CPUs that a
 * session records. Must check all arguments before they change anything.
 */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/message.h"
#include "cli/base/options.h"
#include "cli/base/print.h"
#include "cli/command/commands.h"
#include "cli/shared/record.h"
#include "cli/shared/selected.h"
#include "kutrace_abi.h"
#include "kutrace_events.h"
#include "libkutrace.h"

static int print_mask(bool json)
{
	struct ku_report r = ku_report_begin(stdout);
	unsigned int category;
	uint64_t kinds, of;
	char name[32];
	int ret = kutrace_mask(0, 0, &kinds);

	if (ret)
		return cmd_error("mask", ret);
	kinds &= KUTRACE_KINDS_ALL;
	if (json) {
		ku_report_lines(&r, NULL, '{', 0);
		cmd_report_string(&r, "session",
				  cmd_session() ? cmd_session() : KUTRACE_SESSION_MAIN);
		snprintf(name, sizeof(name), "0x%016llx", (unsigned long long)kinds);
		ku_report_string(&r, "mask", name);
		cmd_report_kinds(&r, "on", kinds);
		cmd_report_kinds(&r, "off", KUTRACE_KINDS_ALL & ~kinds);
		ku_report_break(&r, 0);
		ku_report_close(&r);
		ku_report_end(&r);
		return CMD_OK;
	}
	for (category = 0; (of = kutrace_category(category, name, sizeof(name), NULL));
	     category++) {
		printf("%-9s %-3s ", name, (kinds & of) == of ? "on" : kinds & of ? "" : "off");
		if ((kinds & of) != of && kinds & of) {
			cmd_print_kinds(kinds & of);
			fputs("; off: ", stdout);
			cmd_print_kinds(of & ~kinds);
		} else {
			cmd_print_kinds(of);
		}
		putchar('\n');
	}
	return CMD_OK;
}

/*
 * Returns whether the argument is a list with a minus sign, such as -irq,softirq. No kind has a
 * name of one letter.
 */
static bool is_list(const char *text)
{
	return text[0] == '-' && text[1] && text[1] != '-' && strcmp(text, "-h");
}

int cmd_mask(int argc, char **argv)
{
	bool json = false;
	const struct cmd_option options[] = {{.name = "json", .flag = &json}, {0}};
	struct cmd_options o = {.what = "mask", .list = options, .in_order = true};
	uint64_t value, mask;
	const char *bad;
	size_t length;
	int ret;

	optind = 1;
	if (argc > 1 && !is_list(argv[1]) && cmd_next_option(&o, argc, argv) == CMD_OPTION_STOP)
		return o.status;
	if (optind == argc)
		return print_mask(json);
	if (json || argc - optind > 1)
		return cmd_usage_error("mask: %s: takes one list, with commas between names",
				       argv[argc - 1]);
	if (kutrace_kinds_parse(argv[optind], &value, &mask, &bad, &length))
		return cmd_usage_error("mask: %.*s: no such category or kind; try \"" CMD_TOOL
				       " mask\"", (int)length, bad);
	ret = kutrace_mask(value, mask, NULL);
	return ret ? cmd_error("mask", ret) : CMD_OK;
}

int cmd_filter(int argc, char **argv)
{
	static const struct cmd_option list[] = {CMD_FILTER_OPTIONS, {0}};
	struct cmd_options o = {.what = "filter", .list = list};
	struct kutrace_filter filter = {0};
	int option, ret;

	while ((option = cmd_next_option(&o, argc, argv)) >= 0)
		if (cmd_filter_option("filter", option, optarg, &filter))
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
