/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of a recording, and its start. */
#ifndef KU_CLI_SHARED_RECORD_H
#define KU_CLI_SHARED_RECORD_H

#include <stdbool.h>

#include "kutrace_events.h"
#include "libkutrace.h"

/* Option ids of the filters. */
enum {
	CMD_FILTER_PID = 300,
	CMD_FILTER_GROUP,
	CMD_FILTER_CGROUP,
	CMD_FILTER_CPUS,
};

#define CMD_FILTER_OPTIONS \
	{.name = "pid", .id = CMD_FILTER_PID, .wants = "a value"}, \
	{.name = "group", .id = CMD_FILTER_GROUP, .wants = "a value"}, \
	{.name = "cgroup", .id = CMD_FILTER_CGROUP, .wants = "a value"}, \
	{.name = "cpus", .id = CMD_FILTER_CPUS, .wants = "a value"}

/* Handles a filter option. Returns CMD_OK, or a status after a message. */
int cmd_filter_option(const char *what, int option, const char *value,
		      struct kutrace_filter *filter);

/* The options of start, run and watch. */
struct cmd_record {
	const char *file;
	bool wrap;
	bool percpu;		/* each CPU wraps within its share */
	bool ipc, llc;		/* counter bits */
	uint32_t mb;		/* 0: not given */
	uint64_t kinds;		/* 0: not given */
	bool filtered;
	struct kutrace_filter filter;
	unsigned int triggers;
	struct kutrace_trigger trigger[KUTRACE_TRIGGERS];
	uint32_t after_ms;
	bool snapshot;		/* triggers take snapshots: the recording goes on */
	bool written;		/* set by run: the trace is in file */
};

/* Ids of the options that cmd_record_option() handles. */
enum {
	CMD_RECORD_SESSION = 400,
	CMD_RECORD_MASK,
	CMD_RECORD_TRIGGER,
};

#define CMD_RECORD_OPTIONS(r) \
	{.name = "wrap", .flag = &(r)->wrap}, {.name = "per-cpu", .flag = &(r)->percpu}, \
	{.name = "snapshot", .flag = &(r)->snapshot}, \
	{.name = "ipc", .flag = &(r)->ipc}, {.name = "llc", .flag = &(r)->llc}, \
	{.name = "session", .id = CMD_RECORD_SESSION, .wants = "a value"}, \
	{.name = "size", .wants = "megabytes", .number = &(r)->mb, .min = 1, .max = 65536}, \
	{.name = "mask", .id = CMD_RECORD_MASK, .wants = "a value"}, \
	{.name = "trigger", .id = CMD_RECORD_TRIGGER, .wants = "a value"}, \
	{.name = "after", .wants = "milliseconds", .number = &(r)->after_ms, .max = 3600000}, \
	CMD_FILTER_OPTIONS

/* Handles one of these options. Returns CMD_OK, or a status after a message. */
int cmd_record_option(const char *what, int option, const char *value,
		      struct cmd_record *record);
/* Checks all options together. Returns CMD_OK, or CMD_USAGE after a message. */
int cmd_record_check(const char *what, struct cmd_record *record);
/* Prints the firing on stderr. */
void cmd_print_fired(const struct kutrace_fired *fired);
/*
 * Starts a recording in the selected session, bound to this process, so that none remains if it
 * is killed. Returns 0 or the library's error; *@failed is then the cause.
 */
int cmd_record_begin(struct cmd_record *record, int (*go)(const char *), const char **failed);
/* Prints the message for such an error. Returns CMD_FAILED. */
int cmd_record_error(const char *what, const char *failed, int error);
/* Ends the binding: the recording goes on without this process, or has ended. */
void cmd_record_unbind(bool keep);

#endif
