/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions and constants that all commands of kutrace_control need. */
#ifndef KU_CLI_BASE_BASE_H
#define KU_CLI_BASE_BASE_H

/* Most commands need <errno.h>, <stdlib.h> and <string.h>, and do not include them again. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

#include "common/report.h"
#include "kutrace_events.h"
#include "libkutrace.h"

/* --- exit statuses, messages, help texts --------------------------------------- */

enum cmd_exit {
	CMD_OK = 0,
	CMD_FAILED = 1,
	CMD_USAGE = 2,
	/* run: this tool failed, not the program (same status as in env and timeout) */
	CMD_RUN_FAILED = 125,
	CMD_RUN_CANNOT = 126,	/* run: the program exists but cannot be run */
	CMD_RUN_NOT_FOUND = 127,
	CMD_QUIT = 256,		/* not an exit status: leave the prompt without an error */
	CMD_SIGNAL = 512,	/* plus a number: the process ends by this signal, except at the prompt */
};

#define CMD_TOOL "kutrace_control"

#define CMD_TOO_LARGE \
	"the buffers of all sessions would exceed the limit (module parameter sessions_mb; 0: half " \
	"of the memory): use a smaller --size, or destroy a session"

/* Messages begin with the name of the program, see cmd_set_tool(). */

/* Prints "kutrace_control: WHAT: cause: remedy" for a negative errno. Returns CMD_FAILED. */
int cmd_error(const char *what, int error);
/*
 * Prints the message for a dump to @fname (NULL: the default name). Returns CMD_FAILED. If
 * stdout is a closed pipe, prints nothing for -EPIPE and returns CMD_SIGNAL + SIGPIPE.
 */
int cmd_dump_error(const char *what, const char *fname, int error);
/* Prints "kutrace_control: message". Returns CMD_FAILED. */
int cmd_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Prints "kutrace_control: message" and a hint at --help. Returns CMD_USAGE. */
int cmd_usage_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints "kutrace_control: message", which is no error. */
void cmd_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Sets the command of kutrace that the user typed. Messages then begin with "kutrace COMMAND: ", not with
 * "kutrace_control: COMMAND: ".
 */
void cmd_set_typed_command(const char *name);
/* Does the same in a program that kutrace has started: the command is in the environment. */
void cmd_take_typed_command(void);
/* Returns the name of the program that the user typed. */
const char *cmd_typed_tool(void);

/* Sets the name of the program in messages. Programs call cmd_set_tool(). */
void cmd_message_tool(const char *name);

/*
 * Sets the session for the commands that messages suggest. NULL: the main session. @name is not
 * copied.
 */
void cmd_message_session(const char *name);

/*
 * Sets the name of the program in messages, and the function that prints the help of one of its commands or
 * (NULL) the complete help. The default is kutrace_control.
 */
void cmd_set_tool(const char *name, void (*print)(const char *command));
const char *cmd_tool(void);

/* Prints the help of @command. If it is NULL or unknown, prints the complete help. */
void cmd_help(const char *command);

/*
 * Prints that @word is no command, and proposes the nearest commands, or the program that has this command.
 * Returns CMD_USAGE.
 */
int cmd_no_command(const char *word);
/* Returns whether @word is a command of the other program (kutrace or kutrace_control), or a word of other tools. */
bool cmd_is_known_elsewhere(const char *word);

/* --- options, by getopt_long() ------------------------------------------------- */

/*
 * An option. If flag, text or number is set, cmd_next_option() stores the value there. Otherwise it
 * returns the option's id.
 */
struct cmd_option {
	/* long name without --; NULL: only a letter, or the end of the list */
	const char *name;
	/* the option's letter; 0 or a number from 256 on: the option has no letter */
	int id;
	/* description of the value, for example "a file name"; NULL: takes no value */
	const char *wants;
	bool *flag;
	const char **text;
	uint32_t *number, min, max;
};

#define CMD_OPTIONS_MAX	24

struct cmd_options {
	/* name of the command for messages; NULL: the tool itself */
	const char *what;
	const struct cmd_option *list;	/* ends with an element of zeros */
	/* text of the message on an unknown argument: "x: takes ..." */
	const char *takes;
	bool in_order;			/* true if options end at the first argument */
	int status;			/* exit status after CMD_OPTION_STOP */
	bool begun;			/* set by cmd_next_option() when it has begun */
};

#define CMD_OPTION_STOP	(-2)

/*
 * Stores the values of options. Returns the id of the next option whose value is not stored, with
 * the value in optarg. Returns -1 after the last option; the arguments begin at argv[optind].
 * Returns CMD_OPTION_STOP if the command must end with o->status; the message, if any, was printed.
 *
 * Without in_order, options may follow arguments: getopt_long() reorders argv.
 */
int cmd_next_option(struct cmd_options *o, int argc, char **argv);

/*
 * Parses all options of a command that has only --json and at most @most arguments. Sets o->list
 * and *@json. Returns false if the command must end with o->status; the message, if any, was
 * printed.
 */
bool cmd_json_only(struct cmd_options *o, int most, int argc, char **argv, bool *json);

/* Converts @text, a decimal number from @min to @max. Returns false for any other text. */
bool cmd_number(const char *text, uint32_t min, uint32_t max, uint32_t *number);
/* Reads a decimal number at *@text and moves *@text after it. Returns false if it is invalid. */
bool cmd_next_number(const char **text, uint32_t max, uint32_t *number);

/* --- signals and time ---------------------------------------------------------- */

/* Returns milliseconds since some time before the program began. */
static inline int64_t cmd_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/*
 * From cmd_catch_signals() on, SIGINT, SIGTERM, SIGHUP and SIGQUIT set a flag, which
 * cmd_interrupted() returns. A dump then ends and removes its incomplete file. Calls may be nested:
 * inner calls retain the flag, and each call needs its own cmd_release_signals().
 * cmd_signal_status() returns CMD_SIGNAL plus the last caught signal, or @status if there was none.
 */
void cmd_catch_signals(void);
void cmd_release_signals(void);
bool cmd_interrupted(void);
int cmd_signal_status(int status);
/* Ignores SIGPIPE and SIGXFSZ in main(): write() returns EPIPE and EFBIG instead. */
void cmd_ignore_signals(void);
/*
 * While this process waits for another program: SIGINT and SIGQUIT are ignored, because a terminal also
 * sends them to the program, and SIGTERM and SIGHUP go on to the process of cmd_forward_to() (0: none).
 * cmd_end_forwarding() restores the actions in @saved; a child calls it before it executes the program.
 */
#define CMD_FORWARDED	4
void cmd_begin_forwarding(struct sigaction saved[CMD_FORWARDED]);
void cmd_forward_to(pid_t pid);
void cmd_end_forwarding(const struct sigaction saved[CMD_FORWARDED]);
/* Returns whether stdout is a closed pipe. False if SIGPIPE was ignored when the program began. */
bool cmd_stdout_unread(void);
/* Waits for @seconds. Returns false if one of the caught signals has come meanwhile. */
bool cmd_pause(uint32_t seconds);

/* --- output that several commands share ---------------------------------------- */

/* Print a text in quotes, escaped as in JSON. Control characters and invalid UTF-8 become ?. */
void cmd_print_quoted(const char *text);
void cmd_report_string(struct ku_report *r, const char *key, const char *text);
/* Adds a list with the names of the kinds in @bits. */
void cmd_report_kinds(struct ku_report *r, const char *key, uint64_t bits);
void cmd_report_lost(struct ku_report *r, const char *key, const struct kutrace_info *info);
/* Copies an untrusted text in printable form, cut at @size. Returns @str. */
const char *cmd_printable(const char *text, char *str, size_t size);
/* Prints the names of the kinds, separated by blanks. */
void cmd_print_kinds(uint64_t bits);
/*
 * Prints the names of the kinds as cmd_print_kinds() does. A category whose kinds are all set is
 * printed by its name, and all kinds as "all".
 */
void cmd_print_kinds_short(uint64_t bits);
/* Key and description of each cause of a loss, by enum kutrace_lost_cause. */
extern const char *const cmd_lost_key[KUTRACE_LOST_CAUSES];
extern const char *const cmd_lost_text[KUTRACE_LOST_CAUSES];

#endif
