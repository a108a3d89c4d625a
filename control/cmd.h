/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside kutrace_control: what its files share. Results go to stdout, everything
 * else to stderr; an error is one line that says what to do.
 */
#ifndef CMD_H
#define CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kutrace_abi.h"
#include "kutrace_events.h"
#include "libkutrace.h"

enum cmd_exit {
	CMD_OK = 0,
	CMD_FAILED = 1,
	CMD_USAGE = 2,
	CMD_RUN_FAILED = 125,	/* run: this tool, not the program, as env and timeout say it */
	CMD_RUN_CANNOT = 126,	/* run: the program is there and cannot be run */
	CMD_RUN_NOT_FOUND = 127,
	CMD_QUIT = 256,		/* not a status: leave the prompt, all is well */
};

#define CMD_TOOL "kutrace_control"

/* --- messages (cmd_message.c) ------------------------------------------------- */

#define CMD_TOO_LARGE \
	"the buffers of all sessions would be larger than they may be (the module's parameter " \
	"sessions_mb; 0: half of the memory): take a smaller --size or destroy a session"

/* "kutrace_control: WHAT: cause, what to do" for a negative errno; CMD_FAILED. */
int cmd_error(const char *what, int error);
/* The same for a dump to fname (NULL: the default name). */
int cmd_dump_error(const char *what, const char *fname, int error);
/* "kutrace_control: message"; CMD_FAILED. */
int cmd_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* "kutrace_control: message", and the line on --help; CMD_USAGE. */
int cmd_usage_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* SIGINT, SIGTERM, SIGHUP cancel a dump instead of leaving part of a file. */
void cmd_catch_signals(void);
void cmd_release_signals(void);
bool cmd_interrupted(void);

/* --- printing (cmd_print.c) --------------------------------------------------- */

/* As JSON, in quotes; control characters and what is no UTF-8 become ?. */
void cmd_print_json_string(const char *text);
/* Text that comes from anybody, so that it can be printed; cut at size. Returns str. */
const char *cmd_shown(const char *text, char *str, size_t size);
/* Names of the kinds in bits, between quotes and with that between them. */
void cmd_print_kinds(uint64_t bits, const char *quote, const char *between);
/* The same, but categories where all of their kinds are in it; "all". */
void cmd_print_kinds_short(uint64_t bits);
/* By enum kutrace_lost_cause: a word, and words. */
extern const char *const cmd_lost_key[KUTRACE_LOST_CAUSES];
extern const char *const cmd_lost_text[KUTRACE_LOST_CAUSES];

/* --- sessions (cmd_session.c) ------------------------------------------------- */

/* What --session says; NULL: nothing. -1 for a usage error that has been printed. */
int cmd_set_session(const char *name);
const char *cmd_session(void);
/*
 * Makes the library use that session, for the command called what; it stays open until
 * another one is set. CMD_OK, or a status after a message.
 */
int cmd_use_session(const char *what);
/* The same, and creates it if there is none; *created. options may be NULL. */
int cmd_use_or_create(const char *what, const struct kutrace_session_options *options,
		      bool *created);
/* Creates that one and uses it. 0, or the library's error, without a message. */
int cmd_create_session(const char *name, const struct kutrace_session_options *options);
/* At the end: one that was there for this program only goes. */
void cmd_leave_session(void);
/* What is used; NULL: the main one, without a handle. */
struct kutrace_handle *cmd_handle(void);

/* --- recording (cmd_record.c, cmd_filter.c) ------------------------------------ */

/* What start and run are told. */
struct cmd_record {
	const char *file;
	bool wrap;
	uint64_t counted;	/* KUTRACE_GO_IPC, KUTRACE_GO_LLC */
	uint32_t mb;		/* 0: not given */
	uint64_t kinds;		/* 0: not given */
	bool filtered;
	struct kutrace_filter filter;
	unsigned int triggers;
	struct kutrace_trigger trigger[KUTRACE_TRIGGERS];
	uint32_t after_ms;
	bool snapshot;		/* of triggers: recording goes on */
};

/*
 * The option argv[*i] and its value, of which *i is left at the last: 1, 0: it is none
 * of these, -1: a message has been printed.
 */
int cmd_record_option(const char *what, int argc, char **argv, int *i,
		      struct cmd_record *record);
/* The whole of text is a decimal number, from min to max. */
bool cmd_number(const char *text, uint32_t min, uint32_t max, uint32_t *number);
/* Of all options; CMD_OK or CMD_USAGE after a message. */
int cmd_record_check(const char *what, struct cmd_record *record);
/* One of --pid, --group, --cgroup, --cpus, as above. */
int cmd_filter_option(const char *what, int argc, char **argv, int *i,
		      struct kutrace_filter *filter);
/* Says what has fired, on stderr. */
void cmd_say_fired(const struct kutrace_fired *fired);
/*
 * Begins to record in the session that is used, while this process attends it, so that
 * nothing is left if it is killed. 0 or the library's error, *failed is what for.
 */
int cmd_record_begin(struct cmd_record *record, int (*go)(const char *), const char **failed);
/* The message for that; CMD_FAILED. */
int cmd_record_error(const char *what, const char *failed, int error);
/* It goes on without this process; or it has ended: attends it no more. */
void cmd_record_leave(bool keep);

/* --- trace files (cmd_write.c) -------------------------------------------------- */

/*
 * Writes the recording to fname (NULL: a name like the guide's) and says on out
 * what was recorded. what: the command, for messages.
 */
int cmd_write_trace(const char *what, const char *fname, bool to_stderr);
/* The same while it goes on. */
int cmd_write_snapshot(const char *what, const char *fname, bool to_stderr);

/* --- how far a stream is (cmd_state.c) ------------------------------------------ */

/* 0: no such file is as good as an empty one; -EILSEQ: it is about something else. */
int cmd_read_state(const char *name, struct kutrace_stream_state *state);
/* Replaces the file as a whole, or leaves it as it was. */
int cmd_write_state(const char *name, const struct kutrace_stream_state *state);

/* --- users (cmd_user.c) -------------------------------------------------------- */

/* Whom a program belongs to. */
struct cmd_user {
	bool change;		/* to another one; else none of the rest counts */
	uint32_t uid, gid;
	char *name, *home, *shell;
	uint32_t *groups;
	int ngroups;
};

/* Who called sudo, if this is root by it; else both stay as they are. */
bool cmd_sudo_user(uint32_t *uid, uint32_t *gid);
/*
 * The user of that name; NULL: who called sudo, or as it is. CMD_OK or CMD_FAILED after a
 * message; cmd_forget_user() in both cases.
 */
int cmd_find_user(const char *what, const char *name, struct cmd_user *user);
/* This process is that user's from now on, groups and environment too. 0 or -errno. */
int cmd_become_user(const struct cmd_user *user);
void cmd_forget_user(struct cmd_user *user);

/* --- TCP (cmd_address.c) -------------------------------------------------------- */

/*
 * A socket that is connected to HOST:PORT, or listens there; -1 after a message, and
 * *status is the exit status.
 */
int cmd_socket(const char *what, const char *where, bool listening, int *status);

/* --- commands ------------------------------------------------------------------- */

/* One command of the prompt by its name; arg is NULL, or its argument. */
int cmd_do(const char *name, const char *arg);
bool cmd_is_command(const char *name);
/* The names of all commands, by number; NULL behind the last. */
const char *cmd_command_name(size_t number);
/* That command with arguments, if it is one that takes several; else -1. */
int cmd_do_argv(int argc, char **argv);

/* Is a line typed at a terminal that can be drawn on (cmd_edit.c)? */
bool cmd_can_edit(void);
/* A line typed there, without its end; false: end of the input. */
bool cmd_edit_line(const char *prompt, char *line, size_t size);

/* Reads commands from stdin. */
int cmd_prompt(void);

/* kutrace_control run ..., status ...; argv[0] is the word itself. */
int cmd_run(int argc, char **argv);
int cmd_start(int argc, char **argv);
int cmd_wait(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_snapshot(int argc, char **argv);
int cmd_stream(int argc, char **argv);
int cmd_session_command(int argc, char **argv);
int cmd_mask(int argc, char **argv);
int cmd_filter(int argc, char **argv);
int cmd_tracepoints(int argc, char **argv);
int cmd_tracepoint(int argc, char **argv);
int cmd_show(int argc, char **argv);

#endif
