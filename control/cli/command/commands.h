/* SPDX-License-Identifier: BSD-3-Clause */
/* All commands by name, the functions of commands with several arguments, and the prompt. */
#ifndef KU_CLI_COMMAND_COMMANDS_H
#define KU_CLI_COMMAND_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

/* Executes a command. @arg is NULL or its argument. */
int cmd_do(const char *name, const char *arg);
bool cmd_is_command(const char *name);
/* Returns the name of a command by its number; NULL after the last. */
const char *cmd_command_name(size_t number);
/* Executes a command with several arguments. Returns -1 if the command does not take several. */
int cmd_do_argv(int argc, char **argv);

/* Returns whether the command begins a recording, so that -force or --force may follow it. */
bool cmd_takes_force(const char *name, const char *arg);

/* Returns whether the command is not available at the prompt. */
bool cmd_not_at_prompt(const char *name);
/*
 * Returns whether the text after the command's name is split into words. Otherwise the text is one
 * argument, which may contain blanks. @option: the text begins with -.
 */
bool cmd_takes_words(const char *name, bool option);

/* Commands with several arguments. argv[0] is the command's name. All return an exit status. */
int cmd_run(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_start(int argc, char **argv);
int cmd_wait(int argc, char **argv);
int cmd_watch(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_selftest(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_snapshot(int argc, char **argv);
int cmd_stream(int argc, char **argv);
int cmd_receive(int argc, char **argv);
int cmd_session_command(int argc, char **argv);
int cmd_mask(int argc, char **argv);
int cmd_filter(int argc, char **argv);
int cmd_tracepoints(int argc, char **argv);
int cmd_tracepoint(int argc, char **argv);
int cmd_show(int argc, char **argv);

/* Reads commands from standard input. Returns an exit status. */
int cmd_prompt(void);
/* Makes quit end only recordings that were started at this prompt. */
void cmd_begin_prompt(void);
void cmd_print_still_recording(void);

#endif
