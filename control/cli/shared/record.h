/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Beginning a recording, see record.c.
 */
#ifndef KU_CLI_SHARED_RECORD_H
#define KU_CLI_SHARED_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/shared/filter.h"
#include "kutrace_abi.h"
#include "kutrace_events.h"
#include "libkutrace.h"

/* What start and run are told. */
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
	bool snapshot;		/* of triggers: recording goes on */
	bool written;		/* by run: the trace is in file */
};

/* For a list of options. */
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

/* One of these: 1, 0: it is none of them, -1: a message has been printed. */
int cmd_record_option(const char *what, int option, const char *value,
		      struct cmd_record *record);
/* Of all options; CMD_OK or CMD_USAGE after a message. */
int cmd_record_check(const char *what, struct cmd_record *record);
/* Says what has fired, on stderr. */
void cmd_say_fired(const struct kutrace_fired *fired);
/*
 * Begins to record in the session that is used, bound to this process, so that
 * nothing is left if it is killed. 0 or the library's error, *failed is what for.
 */
int cmd_record_begin(struct cmd_record *record, int (*go)(const char *), const char **failed);
/* The message for that; CMD_FAILED. */
int cmd_record_error(const char *what, const char *failed, int error);
/* It goes on without this process; or it has ended: bound to it no more. */
void cmd_record_leave(bool keep);

#endif
