/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What --help prints, see help.c.
 */
#ifndef KU_CLI_BASE_HELP_H
#define KU_CLI_BASE_HELP_H

/* All of it; or, if there is a command of that name, what concerns that one. */
void cmd_help(const char *command);

#endif
