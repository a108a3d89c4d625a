/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parses the arguments of a filter with getopt_long(): --name VALUE, --name=VALUE, -x VALUE and
 * -xVALUE. Options may also have one dash, as KUtrace 3 (Sites) spells them: -name, -name VALUE and
 * -name=VALUE, never abbreviated. After -- there are no options. Every filter has -o FILE, --help
 * and --version.
 *
 * A main() calls these between kp_begin() and kp_open_input().
 */
#ifndef KP_BASE_OPTIONS_H
#define KP_BASE_OPTIONS_H

#include <stdbool.h>

struct kp_option {
	const char *name;	/* --name, or NULL; the table ends if letter is 0, too */
	int letter;		/* -x, and the value returned; above 255: only --name */
	const char *wants;	/* its value ("a number of seconds"); NULL: none */
};

#define KP_ARGUMENT	1	/* no option: a file, a title, ... */
#define KP_LONG(n)	(256 + (n))	/* letter of an option without a short form */

/*
 * Returns the letter of the next option or KP_ARGUMENT, in the order of the command line, or -1 at
 * the end. *value is the option's value, or the argument. A wrong argument is a usage error. @table
 * must be the same at each call; it may be NULL.
 */
int kp_next_option(int argc, char **argv, const struct kp_option *table, const char **value);

/*
 * Parses the next argument of a filter whose arguments may begin with a dash, such as a search
 * string or a negative number. A word is an option only if it is -x or --name exactly; any other
 * word, -name included, is an argument.
 */
int kp_next_dashed(int argc, char **argv, const struct kp_option *table, const char **value);

/*
 * Returns one more value of the last option, such as FILE in "--maps PIDS FILE". @option and @wants
 * are for the error message.
 */
const char *kp_next_value(int argc, char **argv, const char *option, const char *wants);

#endif
