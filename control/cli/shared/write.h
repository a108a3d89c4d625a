/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes dumps and snapshots, and makes the page of a trace. */
#ifndef KU_CLI_SHARED_WRITE_H
#define KU_CLI_SHARED_WRITE_H

#include "cli/shared/user.h"
#include "libkutrace.h"

/*
 * Writes the recording to @fname (NULL: the default name of the guide) by @write, which is
 * kutrace_dump() or kutrace_snapshot(). Prints its properties on stderr or stdout. @what: name of
 * the command, for messages.
 */
int cmd_write_trace(const char *what, const char *fname, bool to_stderr,
		    int (*write)(const char *, const struct kutrace_dump_options *,
				 struct kutrace_dump_result *));
/* Finds rawtohtml: beside this program, or in the PATH. Returns false if there is none. */
bool cmd_find_rawtohtml(char *path, size_t size);
/* Returns whether this process has a display and a program that opens pages there. */
bool cmd_find_browser(char *path, size_t size);
/* Prints "next: rawtohtml ..." on stderr, if the trace is a file. */
void cmd_print_next(const char *trace);
/*
 * Makes the page beside the trace, as that user, and opens it in the browser. Without a browser,
 * prints the page's name. Returns CMD_OK, or CMD_FAILED after a message.
 */
int cmd_open_page(const char *what, const char *trace, const char *title,
		  const struct cmd_user *user);

#endif
