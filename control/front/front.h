/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands of kutrace, and functions that start other programs for them. */
#ifndef KU_FRONT_FRONT_H
#define KU_FRONT_FRONT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "cli/base/base.h"
#include "cli/shared/traces.h"

/* A command. Without @act, the command starts @program with the argument @first (NULL: none). */
struct front_command {
	const char *name;
	int (*act)(int argc, char **argv);
	const char *program, *first;
	const char *usage;		/* arguments, for the help */
	const char *summary;		/* what it does, in at most 50 bytes */
};

extern const struct front_command front_commands[];	/* ends with a name of NULL */
const struct front_command *front_find(const char *name);
/* Executes a command. argv[0] is its name. Returns an exit status, or does not return. */
int front_do(int argc, char **argv);

/* Commands with code of their own. argv[0] is the command's name. All return an exit status. */
int front_run(int argc, char **argv);
int front_page(int argc, char **argv);
int front_guest(int argc, char **argv);
int front_help(int argc, char **argv);

/* Prints the help of such a command, or (NULL) the overview. */
void front_print_help(const char *name);

/* Returns whether @text ends with @end, and has more before it. */
bool front_ends_with(const char *text, const char *end);
/* Returns an array of @count words, all NULL. Ends the program if there is no memory. */
char **front_words(int count);
/*
 * Replaces this process by @program, with the argument @first (NULL: none) and the arguments after argv[0].
 * Returns only after an error, with an exit status.
 */
int front_exec(const char *program, const char *first, int argc, char **argv);
/* Finds the program. Otherwise prints how to get it, and returns false. */
bool front_find_program(const char *what, const char *program, char *path, size_t size);
/*
 * Starts argv[0], a path, as @user (NULL: the user of this process). @out: descriptor for its standard output;
 * its messages are then discarded. -1: it writes to the outputs of this process. Returns a pid, or a negative
 * errno.
 */
pid_t front_start(char **argv, int out, const struct cmd_user *user);
/* Waits for the process. Returns its exit status as in a shell. */
int front_wait(pid_t pid);

/*
 * Prints on standard error what the recorded program did, in at most ten lines. Without its pid in the trace,
 * describes thread @name. @filter: option that leaves out events; NULL: none. @findings: also prints the worst
 * findings of the program, in at most twelve more lines.
 */
void front_answer(const char *trace, const char *name, const char *filter, bool findings, const struct cmd_user *user);
/* Prints on standard error how to open the page, here and over ssh. */
void front_print_how_to_open(const char *page);

#endif
