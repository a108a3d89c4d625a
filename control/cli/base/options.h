/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options of a command, by getopt_long(): --name VALUE, --name=VALUE, -nVALUE, --; and of
 * every command --help and --version. See options.c.
 */
#ifndef KU_CLI_BASE_OPTIONS_H
#define KU_CLI_BASE_OPTIONS_H

#include <stdbool.h>

struct cmd_option {
	const char *name;	/* without --; NULL: it has a letter only; or the end */
	int id;			/* its letter; from 256 on: it has none */
	const char *wants;	/* "a file name"; NULL: takes no value */
};

#define CMD_OPTIONS_MAX	24

struct cmd_options {
	const char *what;		/* the command, for messages; NULL: the tool itself */
	const struct cmd_option *list;	/* ends with zeros */
	const char *takes;		/* said of what is no option: "x: takes ..." */
	bool in_order;			/* what follows the first argument is not ours */
	int status;			/* to end with, if CMD_OPTION_STOP */
	bool begun;			/* set by cmd_next_option() */
};

#define CMD_OPTION_STOP	(-2)

/*
 * The id of the next option, its value in optarg; -1: there is none any more, and the
 * arguments begin at argv[optind]; CMD_OPTION_STOP: end with o->status, all has been said.
 * Arguments may stand between options, unless in_order: argv is sorted.
 */
int cmd_next_option(struct cmd_options *o, int argc, char **argv);

/*
 * All options of a command that has only --json and at most so many arguments: sets o->list
 * and *json. False: end with o->status, all has been said.
 */
bool cmd_json_only(struct cmd_options *o, int most, int argc, char **argv, bool *json);

#endif
