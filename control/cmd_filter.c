// SPDX-License-Identifier: BSD-3-Clause
/*
 * kutrace_control filter and mask: whose events a session records, and which. Must
 * never leave a session half changed: everything is understood before anything is done.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd.h"

/* --- lists ------------------------------------------------------------------------ */

/* The number at *text, decimal; moves behind it and a comma; false: there is none. */
static bool next_number(const char **text, uint32_t max, uint32_t *number)
{
	unsigned long value;
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	value = strtoul(*text, &end, 10);
	if (errno || value > max)
		return false;
	*number = (uint32_t)value;
	*text = end;
	return true;
}

static bool next_comma(const char **text)
{
	if (**text != ',')
		return false;
	++*text;
	return true;
}

static int add_ids(const char *what, const char *option, const char *text, uint32_t *ids,
		   uint32_t *count, uint32_t room)
{
	const char *at = text;

	do {
		if (*count == room) {
			cmd_usage_error("%s: %s: %s: no more than %u", what, option, text, room);
			return -1;
		}
		if (!next_number(&at, INT32_MAX, &ids[*count]) || !ids[*count])
			break;
		++*count;
		if (!*at)
			return 1;
	} while (next_comma(&at));
	cmd_usage_error("%s: %s: %s: wants numbers, with commas between them", what, option,
			text);
	return -1;
}

static int add_cpus(const char *what, const char *text, uint64_t *cpus)
{
	const char *at = text;
	uint32_t first, last;

	do {
		if (!next_number(&at, KUTRACE_FILTER_CPUS - 1, &first))
			break;
		last = first;
		if (*at == '-' && (at++, !next_number(&at, KUTRACE_FILTER_CPUS - 1, &last)))
			break;
		if (last < first)
			break;
		for (; first <= last; first++)
			cpus[first / 64] |= 1ULL << first % 64;
		if (!*at)
			return 1;
	} while (next_comma(&at));
	cmd_usage_error("%s: --cpus: %s: wants CPUs like 0-3,7", what, text);
	return -1;
}

/* The number of a cgroup, by its path as mounted or below that; 0: there is none. */
static uint64_t cgroup_number(const char *path)
{
	static const char *const below[] = {"", "/sys/fs/cgroup/", "/sys/fs/cgroup/unified/"};
	char whole[4200];
	struct stat st;
	size_t i;

	for (i = 0; i < sizeof(below) / sizeof(below[0]); i++) {
		snprintf(whole, sizeof(whole), "%s%s/cgroup.controllers", below[i], path);
		if (stat(whole, &st))
			continue;	/* every cgroup of version 2 has that */
		*strrchr(whole, '/') = '\0';
		if (!stat(whole, &st) && S_ISDIR(st.st_mode))
			return st.st_ino;
	}
	return 0;
}

static int add_cgroups(const char *what, const char *text, struct kutrace_filter *filter)
{
	char path[4000];
	uint64_t number;
	size_t length;

	for (;; text += length + 1) {
		length = strcspn(text, ",");
		snprintf(path, sizeof(path), "%.*s", (int)length, text);
		number = length ? cgroup_number(path) : 0;
		if (!number) {
			cmd_fail("%s: --cgroup: %s: no such cgroup (of version 2): "
				 "see /sys/fs/cgroup", what, path);
			return -1;
		}
		if (filter->ncgroups == KUTRACE_FILTER_CGROUPS) {
			cmd_usage_error("%s: --cgroup: no more than %d", what,
					KUTRACE_FILTER_CGROUPS);
			return -1;
		}
		filter->cgroups[filter->ncgroups++] = number;
		if (!text[length])
			return 1;
	}
}

int cmd_filter_option(const char *what, int argc, char **argv, int *i,
		      struct kutrace_filter *filter)
{
	static const char *const options[] = {"--pid", "--group", "--cgroup", "--cpus"};
	const char *option = argv[*i], *value;
	uint64_t cpus[KUTRACE_FILTER_CPUS / 64] = {0};
	size_t n, word;
	int ret;

	for (n = 0; n < 4 && strcmp(option, options[n]); n++)
		;
	if (n == 4)
		return 0;
	if (*i + 1 == argc) {
		cmd_usage_error("%s: %s: wants a value", what, option);
		return -1;
	}
	value = argv[++*i];
	switch (n) {
	case 0:
		return add_ids(what, option, value, filter->pids, &filter->npids,
			       KUTRACE_FILTER_PIDS);
	case 1:
		return add_ids(what, option, value, filter->groups, &filter->ngroups,
			       KUTRACE_FILTER_GROUPS);
	case 2:
		return add_cgroups(what, value, filter);
	default:
		ret = add_cpus(what, value, cpus);
		for (word = 0; word < KUTRACE_FILTER_CPUS / 64; word++)
			filter->cpus[word] |= cpus[word];
		return ret;
	}
}

int cmd_filter(int argc, char **argv)
{
	struct kutrace_filter filter = {0};
	bool none = argc == 2 && !strcmp(argv[1], "none");
	int i, ret;

	if (argc < 2)
		return cmd_usage_error("filter: wants --pid P,.. --group G,.. --cgroup PATH,.. "
				       "--cpus 0-3,7, or none");
	for (i = 1; i < argc && !none; i++) {
		ret = cmd_filter_option("filter", argc, argv, &i, &filter);
		if (ret < 0)
			return CMD_USAGE;
		if (!ret)
			return cmd_usage_error("filter: %s: no such option", argv[i]);
	}
	ret = kutrace_filter(&filter);
	return ret ? cmd_error("filter", ret) : CMD_OK;
}

/* --- mask ------------------------------------------------------------------------- */

static int print_mask(bool json)
{
	unsigned int category;
	uint64_t kinds, of;
	char name[32];
	int ret = kutrace_mask(0, 0, &kinds);

	if (ret)
		return cmd_error("mask", ret);
	kinds &= KUTRACE_KINDS_ALL;
	if (json) {
		printf("{\n\"session\": ");
		cmd_print_json_string(cmd_session() ? cmd_session() : KUTRACE_SESSION_MAIN);
		printf(",\n\"mask\": \"0x%016llx\",\n\"on\": [", (unsigned long long)kinds);
		cmd_print_kinds(kinds, "\"", ", ");
		fputs("],\n\"off\": [", stdout);
		cmd_print_kinds(KUTRACE_KINDS_ALL & ~kinds, "\"", ", ");
		puts("]\n}");
		return CMD_OK;
	}
	for (category = 0; (of = kutrace_category(category, name, sizeof(name), NULL));
	     category++) {
		printf("%-9s %-3s ", name, (kinds & of) == of ? "on" : kinds & of ? "" : "off");
		if ((kinds & of) != of && kinds & of) {
			cmd_print_kinds(kinds & of, "", " ");
			fputs("; off: ", stdout);
			cmd_print_kinds(of & ~kinds, "", " ");
		} else {
			cmd_print_kinds(of, "", " ");
		}
		putchar('\n');
	}
	return CMD_OK;
}

int cmd_mask(int argc, char **argv)
{
	uint64_t value, mask;
	const char *bad;
	size_t length;
	int ret;

	if (argc == 1 || (argc == 2 && !strcmp(argv[1], "--json")))
		return print_mask(argc == 2);
	if (argc > 2)
		return cmd_usage_error("mask: %s: one list, with commas between its words",
				       argv[2]);
	if (kutrace_kinds_parse(argv[1], &value, &mask, &bad, &length))
		return cmd_usage_error("mask: %.*s: no such category or kind: \"" CMD_TOOL
				       " mask\" shows them", (int)length, bad);
	ret = kutrace_mask(value, mask, NULL);
	return ret ? cmd_error("mask", ret) : CMD_OK;
}
