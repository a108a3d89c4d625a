/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Common parts of every filter's main(). A filter prints its results on stdout; these functions
 * print everything else on stderr.
 */
#ifndef KP_BASE_TOOL_H
#define KP_BASE_TOOL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum kp_exit {
	KP_OK = 0,
	KP_BAD = 1,		/* bad data, or an I/O error */
	KP_USAGE = 2,		/* wrong arguments */
};

/* Help text of the options of every filter, for kp_tool.help of filters that write one file. */
#define KP_HELP_OPTIONS \
"  -o FILE        write to FILE, which appears when it is complete (default:\n" \
"                 standard output)\n" \
"  -h, --help     show this help\n" \
"  -V, --version  show the version\n"

struct kp_tool {
	const char *name;	/* name that the user types */
	const char *usage;	/* "[file] [-v]", printed after the name */
	const char *help;	/* options and more, printed by --help */
};

/*
 * Must be called first.
 *  - Opens descriptors 0 to 2 if they are closed, and gives stdout a large buffer.
 *  - Handles SIGINT, SIGTERM, SIGHUP and SIGQUIT, see kp_interrupted().
 *  - Ignores SIGPIPE and SIGXFSZ: a closed pipe and the file size limit become write errors.
 *  - Registers a function for exit() that ends the process by a signal, see kp_finish().
 *  - Handles --help, -h, --version and -V: prints on stdout and exits with 0.
 */
void kp_begin(const struct kp_tool *tool, int argc, char **argv);

/*
 * Prints "name: message" as one line on stderr, with ? in place of control characters. Prints
 * nothing after an interrupt, which kp_finish() reports, or after kp_fail_input().
 */
void kp_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Prints a message like kp_error(), and exits with @status. */
_Noreturn void kp_die(int status, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Prints "  COUNT TEXT" as a line of the summary on stderr, unless @count is 0. */
void kp_print_count(uint64_t count, const char *text);
/* Returns @what, an allocated pointer. If @what is NULL, prints "no memory" and exits with 1. */
void *kp_needed(void *what);
/* Prints a message and "try 'name --help'", and exits with 2. */
_Noreturn void kp_usage_error(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

/* Print the help or the version of the tool given to kp_begin(), and exit with 0. */
_Noreturn void kp_answer_help(void);
_Noreturn void kp_answer_version(void);

/* Sets *path to @arg, the only file that a tool reads. A second file is a usage error. */
void kp_file_argument(const char *arg, const char **path);

/*
 * Opens @path for reading ("-" or NULL: stdin). Sets *shown to the name for messages. An error, or
 * a directory, ends the program with a message.
 */
FILE *kp_open_input(const char *path, const char **shown);

/*
 * Environment variable by which a filter gives a filter that converts its input the name of this
 * input. The converting filter uses the name in messages, and does not report an interrupt.
 */
#define KP_CONVERTED_INPUT "KUTRACE_CONVERTED_INPUT"

/*
 * Records that a program that unpacks or converts the input (base/input.h) has failed. That program
 * has printed the cause: kp_error() prints nothing more. kp_finish() changes KP_OK to KP_BAD.
 */
void kp_fail_input(void);
bool kp_input_failed(void);

/* Records that the program also reads @path: kp_open_output() must not overwrite it. */
void kp_record_input(const char *path);

/*
 * kp_choose_output() records the path of -o ("-": standard output). An empty path is a usage error.
 * kp_chosen_output() returns this path, for a tool that opens its output itself; or NULL.
 */
void kp_choose_output(const char *path);
const char *kp_chosen_output(void);

/*
 * Refuses to write @what ("a page") to a terminal, where people cannot read it. A usage error if
 * there is no -o and standard output is a terminal.
 */
void kp_refuse_terminal(const char *what);

/*
 * Makes the file of -o, if given, the standard output. kp_finish() gives the file its name if all
 * was written and the status is KP_OK, or any status after kp_retain_output(); otherwise it removes
 * the file. Must be called after kp_open_input() and before any output. Ends the program after an
 * error, or if the file is an input.
 */
void kp_open_output(void);
void kp_retain_output(void);

/*
 * Flushes and closes stdout. Reports the first write error (ENOSPC, EIO ...); KP_OK then becomes
 * KP_BAD. Returns the exit status. After an interrupt, exit() will end the process by the signal.
 * After a write into a closed pipe, exit() will do so by SIGPIPE, and no error is printed.
 */
int kp_finish(int status);

/*
 * Returns whether the output is a closed pipe. kp_finish() then has the same effect as after a
 * failed write. A tool that prints a summary on stderr must check this before.
 */
bool kp_output_unread(void);

/* Returns whether a signal requested the end of the filter. A second signal kills the process. */
bool kp_interrupted(void);

/*
 * For a tool that follows growing input: an interrupt ends the input. A blocked write ends after
 * 400 ms without a reader (STALL_TICKS). After kp_take_interrupt() has returned true, the interrupt
 * has only one other effect: exit() ends the process by the signal.
 */
void kp_interrupt_ends_input(void);
bool kp_take_interrupt(void);

/*
 * Parses the arguments of a filter with getopt_long(): --name VALUE, --name=VALUE, -x VALUE and
 * -xVALUE. Options may also have one dash, as KUtrace 3 (Sites) spells them: -name, -name VALUE and
 * -name=VALUE, never abbreviated. After -- there are no options. Every filter has -o FILE, --help
 * and --version.
 *
 * main() calls these functions between kp_begin() and kp_open_input().
 */

struct kp_option {
	/* --NAME; NULL: no long name; a table ends with NULL and letter 0 */
	const char *name;
	/* the letter of -x, which is also the returned value; above 255: only --NAME */
	int letter;
	/* description of the value ("a number of seconds"); NULL: no value */
	const char *wants;
	/*
	 * address of a const char * that gets the value, or of a bool that becomes true (option
	 * without a value); NULL: kp_next_option() returns the option
	 */
	void *store;
};

#define KP_ARGUMENT	1	/* no option: a file, a title, ... */
#define KP_UNKNOWN	2	/* --NAME that is no option; only from kp_next_dashed() */
#define KP_LONG(n)	(256 + (n))	/* letter of an option without a short form */

/*
 * Returns the letter of the next option or KP_ARGUMENT, in the order of the command line, or -1 at
 * the end. *value is the option's value, or the argument. A wrong argument is a usage error. @table
 * must be the same at each call; it may be NULL.
 */
int kp_next_option(int argc, char **argv, const struct kp_option *table, const char **value);

/*
 * Replaces kp_next_option() in a tool whose arguments may begin with a dash, such as negative
 * numbers. Only -x and --name are options; any other word, -name included, is an argument. Returns
 * KP_UNKNOWN for a word with two dashes and a letter that is no option, with the word in *value.
 */
int kp_next_dashed(int argc, char **argv, const struct kp_option *table, const char **value);

/* Returns one more value of the last option (FILE of "--maps PIDS FILE"), or reports an error. */
const char *kp_next_value(int argc, char **argv, const char *option, const char *wants);

#endif
