/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All commands by name, see table.c.
 */
#ifndef KU_CLI_COMMAND_TABLE_H
#define KU_CLI_COMMAND_TABLE_H

#include <stdbool.h>
#include <stddef.h>

/* One command of the prompt by its name; arg is NULL, or its argument. */
int cmd_do(const char *name, const char *arg);
bool cmd_is_command(const char *name);
/* The names of all commands, by number; NULL behind the last. */
const char *cmd_command_name(size_t number);
/* That command with arguments, if it is one that takes several; else -1. */
int cmd_do_argv(int argc, char **argv);

/* Returns whether the command may be followed by -force, or --force: it begins a recording. */
bool cmd_takes_force(const char *name, const char *arg);

/* It can only be given as an argument of the program. */
bool cmd_not_at_prompt(const char *name);
/* What follows it is several words; else one that may have blanks. option: it begins with -. */
bool cmd_takes_words(const char *name, bool option);

#endif
