/* SPDX-License-Identifier: BSD-3-Clause */
/* A connection to a receiver. */
#ifndef KU_CLI_SHARED_LINK_H
#define KU_CLI_SHARED_LINK_H

#include <stdbool.h>
#include <sys/types.h>

/* Either connect or through is set. */
struct cmd_route {
	const char *connect;	/* HOST:PORT */
	const char *through;	/* a shell command that connects its standard input and output */
	/* after that time without an answer, the connection counts as broken */
	unsigned int patience_s;
};

struct cmd_link {
	int fd;			/* for both directions; -1: none */
	pid_t pid;		/* process id of the command; 0: none */
};

/* Returns 0 or a negative errno (-ENXIO: unknown host). */
int cmd_link_open(struct cmd_link *link, const struct cmd_route *route);
/* Closes the connection. @polite: everything has been sent, so a command gets time to end. */
void cmd_link_close(struct cmd_link *link, bool polite);

#endif
