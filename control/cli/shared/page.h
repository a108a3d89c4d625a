/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a trace to its page, see page.c.
 */
#ifndef KU_CLI_SHARED_PAGE_H
#define KU_CLI_SHARED_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/shared/user.h"

/* rawtohtml: the one beside this program, else the PATH's; false: there is none. */
bool cmd_find_rawtohtml(char *path, size_t size);
/* Whether this process has a display and a program that opens pages there. */
bool cmd_find_browser(char *path, size_t size);
/* "next: rawtohtml ...", on stderr, if the trace is a file. */
void cmd_say_next(const char *trace);
/*
 * Makes the trace's page beside it, as that user, and opens it in the browser; where there is
 * none, says its name. CMD_OK, or CMD_FAILED after a message.
 */
int cmd_open_page(const char *what, const char *trace, const char *title,
		  const struct cmd_user *user);

#endif
