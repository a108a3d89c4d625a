/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The exit statuses of kutrace_control, and its name. Included by all of its files.
 */
#ifndef KU_CLI_BASE_EXIT_H
#define KU_CLI_BASE_EXIT_H

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

#endif
