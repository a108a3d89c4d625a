/* SPDX-License-Identifier: BSD-3-Clause */
/* The exit statuses and the name of kutrace_control. */
#ifndef KU_CLI_BASE_EXIT_H
#define KU_CLI_BASE_EXIT_H

enum cmd_exit {
	CMD_OK = 0,
	CMD_FAILED = 1,
	CMD_USAGE = 2,
	CMD_RUN_FAILED = 125,	/* run: this tool failed, not the program; as in env and timeout */
	CMD_RUN_CANNOT = 126,	/* run: the program exists but cannot be run */
	CMD_RUN_NOT_FOUND = 127,
	CMD_QUIT = 256,		/* not an exit status: leave the prompt without an error */
};

#define CMD_TOOL "kutrace_control"

#endif
