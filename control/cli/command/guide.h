/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands of the User Guide. */
#ifndef KU_CLI_COMMAND_GUIDE_H
#define KU_CLI_COMMAND_GUIDE_H

#include <stdbool.h>
#include <stdint.h>

struct cmd_command {
	const char *name;
	int (*run)(const struct cmd_command *self, const char *arg);
	int (*go)(const char *process_name);
	uint64_t counted;	/* what go has counted besides: KUTRACE_GO_IPC, KUTRACE_GO_LLC */
	bool wrap;		/* goes with counted */
	int (*simple)(void);
	const char *argument;	/* description of the argument; NULL: none */
	int (*argv)(int argc, char **argv);	/* set for commands with several arguments */
	bool any_session;	/* the command needs no selected session */
	bool no_prompt;		/* not available at the prompt */
};

/* Makes quit end only recordings that were started at this prompt. */
void cmd_begin_prompt(void);
/* Records that a recording was started, or turned on again, at this prompt. */
void cmd_note_begun(void);
void cmd_say_still_recording(void);

/* @self: entry of the table; @arg: the argument or NULL. */
int cmd_run_simple(const struct cmd_command *self, const char *arg);
int cmd_run_go(const struct cmd_command *self, const char *arg);
int cmd_run_stop(const struct cmd_command *self, const char *arg);
int cmd_run_dump(const struct cmd_command *self, const char *arg);
int cmd_run_reset(const struct cmd_command *self, const char *arg);
int cmd_run_init(const struct cmd_command *self, const char *arg);
int cmd_run_stat(const struct cmd_command *self, const char *arg);
int cmd_run_test(const struct cmd_command *self, const char *arg);
int cmd_run_quit(const struct cmd_command *self, const char *arg);
int cmd_run_help(const struct cmd_command *self, const char *arg);

#endif
