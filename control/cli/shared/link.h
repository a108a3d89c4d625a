/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A way to a receiver, see link.c.
 */
#ifndef KU_CLI_SHARED_LINK_H
#define KU_CLI_SHARED_LINK_H

#include <stdbool.h>
#include <sys/types.h>

/* One of the first two. */
struct cmd_route {
	const char *connect;	/* HOST:PORT */
	const char *through;	/* a command for the shell, its standard input and output */
	unsigned int patience_s;	/* that long without an answer: it is broken */
};

struct cmd_link {
	int fd;			/* both ways; -1: none */
	pid_t pid;		/* of the command; 0: none */
};

/* 0 or a negative errno (-ENXIO: no such host). */
int cmd_link_open(struct cmd_link *link, const struct cmd_route *route);
/* polite: all has been said, and a command is left the time to end. */
void cmd_link_close(struct cmd_link *link, bool polite);

#endif
