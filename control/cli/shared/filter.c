// SPDX-License-Identifier: BSD-3-Clause
/* Parses filters: --pid, --group, --cgroup, --cpus. Must not accept a part of a value. */
#include "cli/shared/filter.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/base/message.h"

/* --- lists ------------------------------------------------------------------------ */

/*
 * Reads a decimal number at *@text and moves *@text after it. Returns false if there is no valid
 * number.
 */
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
	cmd_usage_error("%s: %s: %s: needs numbers from 1 to %d (example: 51,52)", what, option,
			text, INT32_MAX);
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
	cmd_usage_error("%s: --cpus: %s: needs CPUs from 0 to %d (example: 0-3,7)", what, text,
			KUTRACE_FILTER_CPUS - 1);
	return -1;
}

/*
 * Returns the number of a cgroup. @path is absolute, or relative to the cgroup mounts. 0: no such
 * cgroup.
 */
static uint64_t cgroup_number(const char *path)
{
	static const char *const below[] = {"", "/sys/fs/cgroup/", "/sys/fs/cgroup/unified/"};
	char whole[4200];
	struct stat st;
	size_t i;

	for (i = 0; i < sizeof(below) / sizeof(below[0]); i++) {
		snprintf(whole, sizeof(whole), "%s%s/cgroup.controllers", below[i], path);
		if (stat(whole, &st))
			continue;	/* every cgroup of version 2 has this file */
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

int cmd_filter_option(const char *what, int option, const char *value,
		      struct kutrace_filter *filter)
{
	uint64_t cpus[KUTRACE_FILTER_CPUS / 64] = {0};
	size_t word;
	int ret;

	switch (option) {
	case CMD_FILTER_PID:
		return add_ids(what, "--pid", value, filter->pids, &filter->npids,
			       KUTRACE_FILTER_PIDS);
	case CMD_FILTER_GROUP:
		return add_ids(what, "--group", value, filter->groups, &filter->ngroups,
			       KUTRACE_FILTER_GROUPS);
	case CMD_FILTER_CGROUP:
		return add_cgroups(what, value, filter);
	case CMD_FILTER_CPUS:
		ret = add_cpus(what, value, cpus);
		for (word = 0; word < KUTRACE_FILTER_CPUS / 64; word++)
			filter->cpus[word] |= cpus[word];
		return ret;
	default:
		return 0;
	}
}
