/* SPDX-License-Identifier: BSD-3-Clause */
/* Help texts. */
#ifndef KU_CLI_BASE_HELP_H
#define KU_CLI_BASE_HELP_H

/*
 * Prints the help of the command, or the complete help if there is no such command or @command is
 * NULL.
 */
void cmd_help(const char *command);

#endif
