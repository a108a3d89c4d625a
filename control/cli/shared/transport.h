/* SPDX-License-Identifier: BSD-3-Clause */
/* Sockets by HOST:PORT, and connections to a receiver. */
#ifndef KU_CLI_SHARED_TRANSPORT_H
#define KU_CLI_SHARED_TRANSPORT_H

#include <stdbool.h>
#include <sys/types.h>

#define CMD_ADDRESS "HOST:PORT, with a port from 1 to 65535"

/*
 * Returns a socket that is connected to HOST:PORT or listens there. After an error prints a
 * message, sets *@status to the exit status, and returns -1.
 */
int cmd_socket(const char *what, const char *where, bool listening, int *status);
/* Returns whether the text has the form HOST:PORT. */
bool cmd_is_address(const char *where);

/* Either connect or through is set. */
struct cmd_receiver {
	const char *connect;	/* HOST:PORT */
	const char *through;	/* a shell command that connects its standard input and output */
	/* after that time without an answer, the connection counts as broken */
	unsigned int patience_s;
};

struct cmd_connection {
	int fd;			/* for both directions; -1: none */
	pid_t pid;		/* process id of the command; 0: none */
};

/* Returns 0 or a negative errno (-ENXIO: unknown host). */
int cmd_connection_open(struct cmd_connection *connection, const struct cmd_receiver *receiver);
/* Closes the connection. @polite: everything has been sent, so a command gets time to end. */
void cmd_connection_close(struct cmd_connection *connection, bool polite);

#endif
