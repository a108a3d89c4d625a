/* SPDX-License-Identifier: BSD-3-Clause */
/* Sockets by HOST:PORT. */
#ifndef KU_CLI_SHARED_ADDRESS_H
#define KU_CLI_SHARED_ADDRESS_H

#include <stdbool.h>

#define CMD_ADDRESS "HOST:PORT, with a port from 1 to 65535"

/*
 * Returns a socket that is connected to HOST:PORT or listens there. After an error prints a
 * message, sets *@status to the exit status, and returns -1.
 */
int cmd_socket(const char *what, const char *where, bool listening, int *status);
/*
 * Returns a socket that is connected within @seconds. Its writes wait no longer than that.
 * Returns -errno without a message (-EINVAL: invalid address, -ENXIO: unknown host).
 */
int cmd_connect(const char *where, unsigned int seconds);
/* Returns whether the text has the form HOST:PORT. */
bool cmd_is_address(const char *where);

#endif
