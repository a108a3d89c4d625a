/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What every filter's main() shares: help, version, messages, exit status,
 * opening input, watching stdout for write errors. A filter prints
 * results on stdout and everything else through here on stderr. Called by all mains.
 */
#ifndef KP_MAIN_H
#define KP_MAIN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum kp_exit {
	KP_OK = 0,		/* done */
	KP_BAD = 1,		/* bad data, or an I/O error */
	KP_USAGE = 2,		/* wrong arguments */
	KP_INTERRUPTED = 3,	/* SIGINT, SIGTERM, SIGHUP or SIGQUIT */
};

struct kp_tool {
	const char *name;	/* as typed */
	const char *usage;	/* "[file] [-v]": printed behind the name */
	const char *help;	/* options and the rest, printed by --help */
};

/*
 * To be called first. Sees to it that descriptors 0 to 2 are taken, installs
 * handlers of SIGINT, SIGTERM, SIGHUP and SIGQUIT (kp_interrupted()), ignores SIGPIPE
 * and SIGXFSZ so that a closed pipe and a file of the largest size are write errors,
 * gives stdout a large buffer, answers --help and --version (prints on stdout,
 * exits 0).
 */
void kp_begin(const struct kp_tool *tool, int argc, char **argv);

/* "name: message" on stderr, one line; control characters are shown as ?. */
void kp_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same, and exit with status. */
_Noreturn void kp_die(int status, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* "name: message", then a line "try 'name --help'", and exit 2. */
_Noreturn void kp_usage_error(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

/* What --help and --version do: print, and exit 0. Of the tool given to kp_begin(). */
_Noreturn void kp_answer_help(void);
_Noreturn void kp_answer_version(void);

/* An argument that is the one file a tool reads, which goes to *path; a second is an error. */
void kp_file_argument(const char *arg, const char **path);

/*
 * Opens path for reading ("-" or NULL: stdin). Dies with what is wrong (and for
 * a directory says so). The name to use in messages goes to *shown.
 */
FILE *kp_open_input(const char *path, const char **shown);

/*
 * path is read, too, by somebody else: kp_set_output() must not take it. Files that
 * kp_open_input() opened are known.
 */
void kp_note_input(const char *path);

/*
 * From now on standard output is the file path, which messages then name. It gets its
 * name when kp_finish() finds all written: with KP_OK, or with another status after
 * kp_keep_output(). Else nothing is left of it, and what was there before stays (see
 * base/output.h). To be called behind kp_open_input(), and before anything is written.
 * Dies when it cannot be made, or when it is one of the files that are read.
 */
void kp_set_output(const char *path);
void kp_keep_output(void);

/*
 * Notes that -o path was given ("-": standard output); kp_open_output() passes a given
 * path to kp_set_output(). kp_wanted_output() returns the path for a tool that writes no
 * file there, or NULL if none was given. An empty path is a usage error.
 */
void kp_want_output(const char *path);
const char *kp_wanted_output(void);
void kp_open_output(void);

/*
 * Flushes and closes stdout; a write error that came at any time is reported
 * (ENOSPC, EPIPE ...) and turns status into KP_BAD; an interrupt turns it into
 * KP_INTERRUPTED. Returns the status to exit with.
 */
int kp_finish(int status);

bool kp_interrupted(void);

/*
 * For a tool that follows its input: an interrupt ends the input, and does not
 * break writes. When kp_take_interrupt() has said that there was one, it counts
 * as an ordinary end, but kp_finish() turns KP_OK into KP_INTERRUPTED.
 */
void kp_interrupt_ends_input(void);
bool kp_take_interrupt(void);

#endif
