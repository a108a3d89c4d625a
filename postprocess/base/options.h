/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arguments of a filter, by getopt_long(): --name VALUE, --name=VALUE, -x VALUE, -xVALUE,
 * -name, -name VALUE and -name=VALUE (exactly, as KUtrace 3 (Sites) spelt its options), and --
 * after which nothing is an option. Every filter has -o FILE, --help and --version.
 * Called by mains, behind kp_begin() and in front of kp_open_input().
 */
#ifndef KP_BASE_OPTIONS_H
#define KP_BASE_OPTIONS_H

#include <stdbool.h>

struct kp_option {
	const char *name;	/* of --name, NULL: only the letter; letter 0 besides ends the table */
	int letter;		/* of -x, and what kp_next_option() returns; above 255: only --name */
	const char *wants;	/* its value in words, "a number of seconds"; NULL: it has none */
};

#define KP_ARGUMENT	1	/* no option: a file, a title, ... */
#define KP_LONG(n)	(256 + (n))	/* "letter" of an option that has none */

/*
 * The next option's letter, or KP_ARGUMENT, or -1 at the end; *value is its value, or the
 * argument. Arguments come in their order between the options. What is wrong is a usage
 * error. The table is the same at every call; may be NULL.
 */
int kp_next_option(int argc, char **argv, const struct kp_option *table, const char **value);

/*
 * The same for a filter whose arguments may begin with a dash (a string to look for, a
 * negative number): what is none of its options, whole, is an argument, and so is -name.
 */
int kp_next_dashed(int argc, char **argv, const struct kp_option *table, const char **value);

/* One more value of the option that was last: --maps PIDS FILE. option, wants: for errors. */
const char *kp_next_value(int argc, char **argv, const char *option, const char *wants);

#endif
