/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses filters. */
#ifndef KU_CLI_SHARED_FILTER_H
#define KU_CLI_SHARED_FILTER_H

#include "kutrace_abi.h"
#include "libkutrace.h"

/* Option ids of the filters. */
enum {
	CMD_FILTER_PID = 300,
	CMD_FILTER_GROUP,
	CMD_FILTER_CGROUP,
	CMD_FILTER_CPUS,
};

#define CMD_FILTER_OPTIONS \
	{"pid", CMD_FILTER_PID, "a value"}, {"group", CMD_FILTER_GROUP, "a value"}, \
	{"cgroup", CMD_FILTER_CGROUP, "a value"}, {"cpus", CMD_FILTER_CPUS, "a value"}

/* Handles a filter option. Returns 1; 0 if it is another option; -1 after a message. */
int cmd_filter_option(const char *what, int option, const char *value,
		      struct kutrace_filter *filter);

#endif
