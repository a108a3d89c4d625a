/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options of a command, by getopt_long(): --name VALUE, --name=VALUE, -nVALUE, --. Every command
 * also has --help and --version. Numbers that the user typed.
 */
#ifndef KU_CLI_BASE_OPTIONS_H
#define KU_CLI_BASE_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * An option. If flag, text or number is set, its value is stored there. Otherwise
 * cmd_next_option() returns its id.
 */
struct cmd_option {
	const char *name;	/* without --; NULL: only a letter, or the end of the list */
	int id;			/* the letter; 256 or more, or 0: no letter */
	const char *wants;	/* the value, for example "a file name"; NULL: takes no value */
	bool *flag;
	const char **text;
	uint32_t *number, min, max;
};

#define CMD_OPTIONS_MAX	24

struct cmd_options {
	const char *what;		/* the command, for messages; NULL: the tool itself */
	const struct cmd_option *list;	/* ends with an element of zeros */
	const char *takes;		/* for the message on an unknown argument: "x: takes ..." */
	bool in_order;			/* options end at the first argument */
	int status;			/* exit status after CMD_OPTION_STOP */
	bool begun;			/* set by cmd_next_option() */
};

#define CMD_OPTION_STOP	(-2)

/*
 * Stores the values of options. Returns the id of the next option whose value is not stored, with
 * the value in optarg. Returns -1 after the last option; the arguments begin at argv[optind]. Returns CMD_OPTION_STOP if the command must end with
 * o->status; any message has been printed.
 *
 * Without in_order, options may follow arguments: argv is reordered.
 */
int cmd_next_option(struct cmd_options *o, int argc, char **argv);

/*
 * Parses all options of a command that has only --json and at most @most arguments. Sets o->list
 * and *@json. Returns false if the command must end with o->status; any message has been printed.
 */
bool cmd_json_only(struct cmd_options *o, int most, int argc, char **argv, bool *json);

/*
 * Converts @text, which must be a decimal number from @min to @max and nothing else. Returns
 * false if it is not.
 */
bool cmd_number(const char *text, uint32_t min, uint32_t max, uint32_t *number);

#endif
