/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of a recording, and its start. */
#ifndef KU_CLI_SHARED_RECORD_H
#define KU_CLI_SHARED_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kutrace_abi.h"
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
	{"pid", CMD_FILTER_PID, "a value"}, {"group", CMD_FILTER_GROUP, "a value"}, \
	{"cgroup", CMD_FILTER_CGROUP, "a value"}, {"cpus", CMD_FILTER_CPUS, "a value"}

/* Handles a filter option. Returns 1; 0 if it is another option; -1 after a message. */
int cmd_filter_option(const char *what, int option, const char *value,
		      struct kutrace_filter *filter);

/* The options of start, run and watch. */
struct cmd_record {
	const char *file;
	bool wrap;
	bool percpu;		/* each CPU wraps within its share */
	uint64_t counted;	/* KUTRACE_GO_IPC, KUTRACE_GO_LLC */
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

/* Option ids. */
enum {
	CMD_RECORD_WRAP = 400,
	CMD_RECORD_PERCPU,
	CMD_RECORD_SNAPSHOT,
	CMD_RECORD_IPC,
	CMD_RECORD_LLC,
	CMD_RECORD_SESSION,
	CMD_RECORD_SIZE,
	CMD_RECORD_MASK,
	CMD_RECORD_TRIGGER,
	CMD_RECORD_AFTER,
};

#define CMD_RECORD_OPTIONS \
	{"wrap", CMD_RECORD_WRAP, NULL}, {"per-cpu", CMD_RECORD_PERCPU, NULL}, \
	{"snapshot", CMD_RECORD_SNAPSHOT, NULL}, {"ipc", CMD_RECORD_IPC, NULL}, \
	{"llc", CMD_RECORD_LLC, NULL}, \
	{"session", CMD_RECORD_SESSION, "a value"}, {"size", CMD_RECORD_SIZE, "a value"}, \
	{"mask", CMD_RECORD_MASK, "a value"}, {"trigger", CMD_RECORD_TRIGGER, "a value"}, \
	{"after", CMD_RECORD_AFTER, "a value"}, CMD_FILTER_OPTIONS

/* Handles one of these options. Returns 1; 0 if it is another option; -1 after a message. */
int cmd_record_option(const char *what, int option, const char *value,
		      struct cmd_record *record);
/* Checks all options together. Returns CMD_OK, or CMD_USAGE after a message. */
int cmd_record_check(const char *what, struct cmd_record *record);
/* Prints the firing on stderr. */
void cmd_say_fired(const struct kutrace_fired *fired);
/*
 * Starts a recording in the selected session, bound to this process, so that none remains if it
 * is killed. Returns 0 or the library's error; *@failed is then the cause.
 */
int cmd_record_begin(struct cmd_record *record, int (*go)(const char *), const char **failed);
/* Prints the message for such an error. Returns CMD_FAILED. */
int cmd_record_error(const char *what, const char *failed, int error);
/* Ends the binding: the recording goes on without this process, or has ended. */
void cmd_record_leave(bool keep);

#endif
