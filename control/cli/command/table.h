/* SPDX-License-Identifier: BSD-3-Clause */
/* All commands by name. */
#ifndef KU_CLI_COMMAND_TABLE_H
#define KU_CLI_COMMAND_TABLE_H

#include <stdbool.h>
#include <stddef.h>

/* Executes a command. @arg is NULL or its argument. */
int cmd_do(const char *name, const char *arg);
bool cmd_is_command(const char *name);
/* Returns the name of a command by its number; NULL after the last. */
const char *cmd_command_name(size_t number);
/* Executes a command with several arguments. Returns -1 if the command does not take several. */
int cmd_do_argv(int argc, char **argv);

/* Returns whether the command may be followed by -force, or --force: it begins a recording. */
bool cmd_takes_force(const char *name, const char *arg);

/* Returns whether the command is not available at the prompt. */
bool cmd_not_at_prompt(const char *name);
/*
 * Returns whether the rest of the line is split into words; otherwise it is one argument, which
 * may contain blanks. @option: the rest begins with -.
 */
bool cmd_takes_words(const char *name, bool option);

#endif
