/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside kutrace_control: what its files share. Results go to stdout, everything
 * else to stderr; an error is one line that says what to do.
 */
#ifndef CMD_H
#define CMD_H

#include <stdbool.h>
#include <stdint.h>

#include "kutrace_abi.h"
#include "libkutrace.h"

enum cmd_exit {
	CMD_OK = 0,
	CMD_FAILED = 1,
	CMD_USAGE = 2,
	CMD_QUIT = 256,		/* not a status: leave the prompt, all is well */
};

#define CMD_TOOL "kutrace_control"

/* "kutrace_control: WHAT: cause, what to do" for a negative errno; CMD_FAILED. */
int cmd_error(const char *what, int error);
/* The same for a dump to fname (NULL: the default name). */
int cmd_dump_error(const char *what, const char *fname, int error);
/* "kutrace_control: message", and the line on --help; CMD_USAGE. */
int cmd_usage_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Writes the recording to fname (NULL: a name like the guide's) and says on out
 * what was recorded. what: the command, for messages.
 */
int cmd_write_trace(const char *what, const char *fname, bool to_stderr);

/* One command of the prompt by its name; arg is NULL, or its argument. */
int cmd_do(const char *name, const char *arg);
bool cmd_is_command(const char *name);
/* The names of all commands, by number; NULL behind the last. */
const char *cmd_command_name(size_t number);

/* Is a line typed at a terminal that can be drawn on (cmd_edit.c)? */
bool cmd_can_edit(void);
/* A line typed there, without its end; false: end of the input. */
bool cmd_edit_line(const char *prompt, char *line, size_t size);

/* Reads commands from stdin. */
int cmd_prompt(void);

/* kutrace_control run ..., status ...; argv[0] is the word itself. */
int cmd_run(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_snapshot(int argc, char **argv);
int cmd_stream(int argc, char **argv);

/* SIGINT, SIGTERM, SIGHUP cancel a dump instead of leaving part of a file. */
void cmd_catch_signals(void);
void cmd_release_signals(void);
bool cmd_interrupted(void);

#endif
